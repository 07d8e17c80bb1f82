"""MCP messages over streamable HTTP: what is sent, and how replies are found in a body."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.providers import mcp
from broker.providers.mcp import Reply, read_reply

REPLY = {"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "yes"}]}}
OTHER = {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "no"}]}}
NOTICE = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
REFUSED = {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "too many"}}
YES = Reply(texts=("yes",))


def dump(message: object) -> str:
    return json.dumps(message)


def events(*messages: object) -> str:
    return "".join(f"data: {dump(message)}\n\n" for message in messages)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(dump(REPLY), id="json"),
        pytest.param("\ufeff" + dump(REPLY), id="json-behind-a-bom"),
        pytest.param(dump([OTHER, NOTICE, REPLY]), id="a-batch"),
        pytest.param(f"event: message\ndata: {dump(REPLY)}\n\n", id="an-event"),
        pytest.param(f"data:{dump(REPLY)}", id="no-space-and-no-end"),
        pytest.param(f"id:1\r\nevent:message\r\ndata:{dump(REPLY)}\r\n\r\n", id="crlf"),
        pytest.param(f"id:1\revent:message\rdata:{dump(REPLY)}\r\r", id="cr"),
        pytest.param(": ping\n\ndata: \n\n" + f"data: {dump(REPLY)}\n\n", id="comments-and-blanks"),
        pytest.param("data: " + dump(REPLY).replace(" ", "\ndata:") + "\n\n", id="many-lines"),
        pytest.param(events(NOTICE, OTHER, REPLY), id="several"),
        pytest.param(events(REFUSED, REPLY), id="behind-an-error"),
        pytest.param(f"data: not json\n\ndata: 3\n\ndata: {dump(REPLY)}\n\n", id="among-rubbish"),
        pytest.param(dump({**REPLY, "id": "2"}), id="id-as-a-string"),
    ],
)
def test_the_reply_to_a_message_is_found_in_every_form(body: str) -> None:
    assert read_reply(body, 2) == YES


@pytest.mark.parametrize(
    "body",
    ["", "{}", "[]", "null", "[[1]]", "data:", dump(OTHER), dump(NOTICE), "<html>", "[" * 100_000]
    + [dump({**REPLY, "id": number}) for number in (None, 2.5, True, [2])],
)
def test_what_is_no_reply_to_the_message_is_none(body: str) -> None:
    assert read_reply(body, 2) is None


def test_a_refusal_without_an_id_is_the_reply_when_there_is_no_other() -> None:
    assert read_reply(dump(REFUSED), 2) == Reply(error="too many", error_code=-32000)


def test_any_reply_will_do_when_no_message_is_named() -> None:
    assert read_reply(f"data: {dump(NOTICE)}\n\ndata: {dump(REPLY)}\n\n") == YES


def test_separators_of_lines_inside_a_text_do_not_end_it() -> None:
    text = "a\u2028b\u0085c\x0cd"
    message = {**REPLY, "result": {"content": [{"type": "text", "text": text}]}}
    event = f"data: {json.dumps(message, ensure_ascii=False)}\n\n"
    assert read_reply(event, 2) == Reply(texts=(text,))


@pytest.mark.parametrize(
    ("result", "reply"),
    [
        pytest.param({"content": []}, Reply(), id="nothing-said"),
        pytest.param({}, Reply(), id="no-content"),
        pytest.param(None, Reply(), id="no-result"),
        pytest.param({"content": "yes"}, Reply(), id="not-a-list"),
        pytest.param(
            {"content": [{"type": "text", "text": "no"}], "isError": True},
            Reply(texts=("no",), tool_failed=True),
            id="failed",
        ),
        pytest.param(
            {"content": [{"type": "image"}, 3, {"type": "text", "text": "a"}, {"type": "text"}]},
            Reply(texts=("a", "")),
            id="other-blocks",
        ),
    ],
)
def test_a_result_is_its_texts(result: object, reply: Reply) -> None:
    assert read_reply(dump({"jsonrpc": "2.0", "id": 2, "result": result}), 2) == reply


@pytest.mark.parametrize(
    ("error", "reply"),
    [
        ({"code": -32601, "message": "no"}, Reply(error="no", error_code=-32601)),
        ("in words", Reply(error="in words")),
        ({"code": "1", "message": 3}, Reply(error="")),
        (None, Reply(error="")),
    ],
)
def test_an_error_is_its_number_and_words(error: object, reply: Reply) -> None:
    found = read_reply(dump({"jsonrpc": "2.0", "id": 2, "error": error}), 2)
    assert found == reply
    assert found is not None
    assert found.is_failure


def test_every_message_accepts_both_forms_of_reply() -> None:
    opening = mcp.initialize("https://a.example/mcp", 1, ("Authorization", "Bearer k"))
    opened = mcp.initialized("https://a.example/mcp", ("Mcp-Session-Id", "s"))
    calling = mcp.call_tool("https://a.example/mcp", 2, "search", {"q": "Käse"})
    for request in (opening, opened, calling):
        assert request.method == "POST"
        assert ("Accept", "application/json, text/event-stream") in request.headers
        assert ("Content-Type", "application/json") in request.headers
        assert json.loads(request.body)["jsonrpc"] == "2.0"
    assert ("Authorization", "Bearer k") in opening.headers
    assert "id" not in json.loads(opened.body)
    assert json.loads(calling.body)["params"] == {"name": "search", "arguments": {"q": "Käse"}}


PIECES = st.sampled_from(
    ("data:", "data: ", "\n", "\r\n", ":", "id", dump(REPLY), dump(REFUSED), "{", "[", "\ud800")
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=9)), max_size=9))
def test_reading_a_reply_never_raises(pieces: list[str]) -> None:
    read_reply("".join(pieces), 2)
