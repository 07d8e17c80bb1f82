"""Fetch and read through every door: params, JSON, text, exit codes, progress, MCP."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from broker.errors import RequestInvalid
from broker.reading.records import (
    FetchRequest,
    Form,
    Found,
    Heading,
    Page,
    Part,
    ReadRequest,
    Render,
)
from broker.wire import oneshot
from broker.wire.replies_reading import dump_pages
from broker.wire.schema_reading import parse_fetch, parse_read
from broker.wire.screen import ExitCode, Screen
from broker.wire.text_reading import pages_text
from tests.broker.wire.doubles import PAGE, FakeService, failed_page, session

if TYPE_CHECKING:
    from collections.abc import Mapping

URL = "https://river.example/"


# --- params --------------------------------------------------------------------------------------


def test_every_param_of_a_fetch_becomes_a_field() -> None:
    params = {
        "sources": [URL, "notes.md"],
        "render": "always",
        "format": "text",
        "find": " heron ",
        "limit": 500,
        "fresh": True,
        "deadline_ms": 1500,
        "progress": True,
    }
    assert parse_fetch(params) == FetchRequest(
        sources=(URL, "notes.md"),
        render=Render.ALWAYS,
        part=Part(form=Form.TEXT, find="heron", limit=500),
        fresh=True,
        deadline_s=1.5,
    )
    assert parse_fetch({"source": URL}) == FetchRequest(sources=(URL,))
    assert parse_read({"id": " abc ", "offset": 7}) == ReadRequest(id="abc", part=Part(offset=7))


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({}, "source"),
        ({"source": ""}, "source"),
        ({"source": " "}, "source"),
        ({"source": 7}, "source"),
        ({"source": "a\x00b"}, "source"),
        ({"source": "x" * 9000}, "source"),
        ({"source": URL, "sources": [URL]}, "sources"),
        ({"sources": []}, "sources"),
        ({"sources": [URL] * 21}, "sources"),
        ({"source": URL, "render": "perhaps"}, "render"),
        ({"source": URL, "format": "pdf"}, "format"),
        ({"source": URL, "find": ""}, "find"),
        ({"source": URL, "find": "x" * 1001}, "find"),
        ({"source": URL, "offset": -1}, "offset"),
        ({"source": URL, "limit": 0}, "limit"),
        ({"source": URL, "limit": True}, "limit"),
        ({"source": URL, "find": "x", "offset": 5}, "offset"),
        ({"source": URL, "fresh": "yes"}, "fresh"),
        ({"source": URL, "deadline_ms": 1}, "deadline_ms"),
        ({"source": URL, "max": 3}, "max"),
    ],
)
def test_a_wrong_param_is_named(params: Mapping[str, object], field: str) -> None:
    with pytest.raises(RequestInvalid) as caught:
        parse_fetch(params)
    assert caught.value.field == field


@pytest.mark.parametrize("params", [{}, {"id": ""}, {"id": 7}, {"id": "x" * 65}, {"source": URL}])
def test_a_read_needs_an_id(params: Mapping[str, object]) -> None:
    with pytest.raises(RequestInvalid):
        parse_read(params)


# --- JSON and text -------------------------------------------------------------------------------


def test_a_document_has_every_field_of_the_design() -> None:
    page = Page(**{**_fields(PAGE), "outline": (Heading(level=1, text="River", words=1),)})
    (dumped,) = documents([page])
    markdown = dumped.pop("markdown")
    assert markdown.splitlines()[1:-1] == ["# River", "", "Words."]
    assert dumped == {
        "source": URL,
        "id": "abc",
        "final_url": URL,
        "title": "River",
        "verdict": "content",
        "via": "http",
        "chars": 15,
        "offset": 0,
        "next_offset": None,
        "outline": [{"level": 1, "text": "River", "words": 1}],
        "links": [],
        "published": None,
        "byline": None,
        "lang": None,
        "warnings": [],
        "ms": 12,
        "error": None,
    }


def test_an_error_has_the_whole_taxonomy_and_finds_stand_beside_it() -> None:
    (dumped,) = documents([failed_page(URL)])
    assert dumped["error"] == {
        "code": "refused",
        "phase": "connecting",
        "category": "network",
        "layer": "network",
        "url": None,
        "message": "nobody listens",
        "retryable": False,
        "retry_after_ms": None,
    }
    assert (dumped["id"], dumped["markdown"], dumped["verdict"]) == (None, "", None)
    found = Found(match="exact", section="A / B", offset=3, text="x", before="b", after="a")
    (dumped,) = documents([Page(**{**_fields(PAGE), "finds": (found,)})])
    assert dumped["finds"] == [
        {
            "match": "exact",
            "section": "A / B",
            "offset": 3,
            "text": "x",
            "before": "b",
            "after": "a",
        }
    ]


def test_all_documents_of_an_answer_stand_in_the_same_fence() -> None:
    one, other = documents([PAGE, PAGE])
    assert one["markdown"] == other["markdown"]
    assert documents([PAGE])[0]["markdown"] != one["markdown"]


def test_a_terminal_obeys_nothing_of_a_page() -> None:
    page = Page(**{**_fields(PAGE), "title": "a\x1b[2Jb", "text": "x\x1b]0;title\x07\ty\n"})
    shown = pages_text([page])
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\ty" in shown


def documents(pages: list[Page]) -> list[dict[str, Any]]:
    """What a client would read."""
    listed: list[dict[str, Any]] = json.loads(json.dumps(dump_pages(pages)))["documents"]
    return listed


def _fields(page: Page) -> dict[str, Any]:
    return {name: getattr(page, name) for name in page.__dataclass_fields__}


# --- one-shot ------------------------------------------------------------------------------------


def screen(*, as_json: bool = False) -> Screen:
    return Screen(out=io.BytesIO(), err=io.StringIO(), as_json=as_json)


def printed(screen: Screen) -> str:
    assert isinstance(screen.out, io.BytesIO)
    return screen.out.getvalue().decode()


@pytest.mark.parametrize(
    ("sources", "code"),
    [
        ((URL,), ExitCode.ANSWERED),
        ((URL, "bad:refused"), ExitCode.ANSWERED),
        (("bad:refused",), ExitCode.FAILED),
        (("bad:blocked_ssrf",), ExitCode.REFUSED),
        (("bad:blocked_ssrf", "bad:refused"), ExitCode.FAILED),
        (("bad:invalid_request",), ExitCode.USAGE),
    ],
)
async def test_the_exit_code_tells_how_a_fetch_went(
    sources: tuple[str, ...], code: ExitCode
) -> None:
    shown = screen()
    assert await oneshot.fetch(FakeService(), FetchRequest(sources=sources), shown) is code
    assert bool(printed(shown)) == (URL in sources)


async def test_what_was_not_read_is_told_beside_the_results() -> None:
    shown = screen()
    await oneshot.fetch(FakeService(), FetchRequest(sources=(URL, "bad:refused")), shown)
    assert "[1/2]" in printed(shown)
    assert "refused" not in printed(shown)
    assert isinstance(shown.err, io.StringIO)
    (line,) = shown.err.getvalue().splitlines()
    assert line.startswith("webaio: bad:refused: refused: ")
    as_data = screen(as_json=True)
    await oneshot.fetch(FakeService(), FetchRequest(sources=("bad:refused",)), as_data)
    assert isinstance(as_data.err, io.StringIO)
    assert as_data.err.getvalue() == ""
    assert json.loads(printed(as_data))["documents"][0]["error"]["code"] == "refused"


async def test_json_is_one_line_with_documents() -> None:
    shown = screen(as_json=True)
    await oneshot.fetch(FakeService(), FetchRequest(sources=(URL, "bad:refused")), shown)
    (line,) = printed(shown).splitlines()
    assert [document["source"] for document in json.loads(line)["documents"]] == [
        URL,
        "bad:refused",
    ]


async def test_an_unknown_id_is_nothing_found() -> None:
    shown = screen()
    code = await oneshot.read(FakeService(), ReadRequest(id="zzz"), shown)
    assert code is ExitCode.NOTHING_FOUND
    assert printed(shown) == ""
    assert "zzz" in shown.err.getvalue()  # type: ignore[attr-defined]
    assert await oneshot.read(FakeService(), ReadRequest(id="abc"), shown) is ExitCode.ANSWERED


# --- sidecar -------------------------------------------------------------------------------------


async def test_fetch_and_read_answer_documents() -> None:
    async with session(FakeService()) as client:
        client.call(1, "fetch", source=URL)
        assert (await client.message())["result"]["documents"][0]["id"] == "abc"
        client.call(2, "read", id="abc", offset=3)
        assert (await client.message())["result"]["documents"][0]["title"] == "River"
        client.call(3, "read", id="zzz")
        assert (await client.message())["error"]["data"]["code"] == "unknown_id"
        client.call(4, "fetch", source=URL, colour="red")
        assert (await client.message())["error"]["data"]["field"] == "colour"


async def test_steps_are_told_to_whoever_asks() -> None:
    async with session(FakeService()) as client:
        client.call(1, "fetch", source=URL, progress=True)
        message = await client.message()
        assert message["method"] == "progress"
        assert message["params"] == {
            "id": 1,
            "source_index": 0,
            "via": "http",
            "step": "get",
            "detail": "river.example",
        }
        assert "result" in await client.message()


async def test_a_fetch_can_be_cancelled() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "fetch", source="hang")
        await service.until_started("hang")
        client.call(2, "cancel", id=1)
        messages = [await client.message(), await client.message()]
        assert {message["id"] for message in messages} == {1, 2}
        error = next(message["error"] for message in messages if message["id"] == 1)
        assert error["data"]["code"] == "cancelled"


# --- MCP -----------------------------------------------------------------------------------------


async def test_an_mcp_client_shakes_hands_and_sees_the_tools() -> None:
    async with session(FakeService()) as client:
        client.call(
            1,
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "t", "version": "1"},
        )
        result = (await client.message())["result"]
        assert result["protocolVersion"] == "2025-06-18"
        assert result["serverInfo"]["name"] == "webaio"
        client.call(None, "notifications/initialized")
        client.call(2, "initialize", protocolVersion="1999-01-01")
        assert (await client.message())["result"]["protocolVersion"] == "2025-11-25"
        client.call(3, "ping")
        assert (await client.message())["result"] == {}
        client.call(4, "tools/list")
        tools = {tool["name"]: tool for tool in (await client.message())["result"]["tools"]}
        assert set(tools) == {"search", "fetch", "read", "recall", "status"}
        assert tools["fetch"]["inputSchema"]["additionalProperties"] is False
        client.call(5, "server/discover")
        assert "2026-07-28" in (await client.message())["result"]["supportedVersions"]
        assert client.unread() == 0


async def test_a_tool_answers_with_text_and_structure() -> None:
    async with session(FakeService()) as client:
        client.call(1, "tools/call", name="fetch", arguments={"source": URL})
        result = (await client.message())["result"]
        assert result["isError"] is False
        assert "# River" in result["content"][0]["text"]
        assert result["structuredContent"]["documents"][0]["id"] == "abc"
        client.call(2, "tools/call", name="read", arguments={"id": "abc"})
        assert "documents" in (await client.message())["result"]["structuredContent"]
        client.call(3, "tools/call", name="search", arguments={"query": "cats"})
        assert "answers" in (await client.message())["result"]["structuredContent"]
        client.call(4, "tools/call", name="status")
        assert "version" in (await client.message())["result"]["structuredContent"]


async def test_what_a_tool_refuses_the_model_can_read() -> None:
    async with session(FakeService()) as client:
        client.call(1, "tools/call", name="fetch", arguments={"source": URL, "colour": "red"})
        result = (await client.message())["result"]
        assert result["isError"] is True
        assert "colour" in result["content"][0]["text"]
        client.call(2, "tools/call", name="read", arguments={"id": "zzz"})
        assert (await client.message())["result"]["isError"] is True
        client.call(5, "tools/call", name="fetch", arguments={"source": "bad:refused"})
        assert (await client.message())["result"]["isError"] is True
        client.call(6, "tools/call", name="fetch", arguments={"sources": [URL, "bad:refused"]})
        assert (await client.message())["result"]["isError"] is False
        client.call(3, "tools/call", name="fly")
        assert (await client.message())["error"]["code"] == -32602
        client.call(4, "tools/call", name="fetch", arguments=[1])
        assert (await client.message())["error"]["data"]["field"] == "arguments"


async def test_progress_and_cancelling_as_mcp_has_them() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(
            7,
            "tools/call",
            name="fetch",
            arguments={"source": "hang"},
            _meta={"progressToken": "p"},
        )
        message = await client.message()
        assert message["method"] == "notifications/progress"
        assert message["params"]["progressToken"] == "p"
        assert message["params"]["progress"] == 1
        await service.until_started("hang")
        client.call(None, "notifications/cancelled", requestId=7, reason="no longer needed")
        client.call(8, "ping")
        assert (await client.message())["id"] == 8, "what was cancelled gets no answer"
        assert client.unread() == 0
