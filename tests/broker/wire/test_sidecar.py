"""What a client of the sidecar can rely on, in memory: answers, cancelling, overload, ending."""

from __future__ import annotations

import json
from signal import Signals

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.wire.sidecar import MAX_RUNNING, Sidecar
from tests.broker.wire.doubles import Client, FakeService, session


async def test_requests_are_answered_in_the_order_they_finish() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call("slow", "search", query="wait")
        client.call("quick", "search", query="cats")

        assert (await client.message())["id"] == "quick"
        service.gate.set()
        assert (await client.message())["id"] == "slow"


async def test_a_search_is_answered_with_one_answer_a_query() -> None:
    async with session(FakeService()) as client:
        client.call(1, "search", queries=["cats", "dogs"], max=20)

        answers = (await client.message())["result"]["answers"]

    assert [answer["query"] for answer in answers] == ["cats", "dogs"]


async def test_a_search_without_a_deadline_gets_the_default_one() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="cats")
        client.call(2, "search", query="cats", deadline_ms=900)
        await client.message()
        await client.message()

    assert [request.deadline_s for request in service.requests] == [7.0, 0.9]


async def test_status_is_answered_while_a_search_hangs() -> None:
    async with session(FakeService()) as client:
        client.call(1, "search", query="hang")
        client.call(2, "status")

        message = await client.message()

    assert message["id"] == 2
    assert message["result"]["browser"]["state"] == "ready"


@pytest.mark.parametrize(
    ("query", "number", "code"),
    [
        ("refuse", -32000, "secret"),
        ("crash", -32603, "internal"),
        ("\u0000", -32602, "invalid_request"),
    ],
)
async def test_a_failed_request_gets_an_error_and_the_stream_goes_on(
    query: str, number: int, code: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async with session(FakeService()) as client:
        client.call(1, "search", query=query)
        error = (await client.message())["error"]
        client.call(2, "search", query="cats")
        assert "result" in await client.message()

    assert (error["code"], error["data"]["code"]) == (number, code)
    assert "crash" not in error["message"]  # the text of an unknown exception may quote anything
    noted = capfd.readouterr().err.splitlines()
    assert len(noted) == (1 if code == "internal" else 0)


async def test_a_crash_is_noted_with_its_place() -> None:
    async with session(FakeService()) as client:
        client.call(1, "search", query="crash")
        error = (await client.message())["error"]

    assert error["message"].startswith("internal error: LookupError at doubles.py:")


@pytest.mark.parametrize(
    ("line", "request_id", "number", "code", "field"),
    [
        (b"{", None, -32700, "parse_error", None),
        (b"\xff", None, -32700, "invalid_utf8", None),
        (b"[]", None, -32600, "batch", None),
        (b'{"jsonrpc":"2.0","id":5}', 5, -32600, "invalid_request", "method"),
        (b'{"jsonrpc":"2.0","id":5,"method":"fly"}', 5, -32601, "method_not_found", "method"),
        (b'{"jsonrpc":"2.0","id":5,"method":"search"}', 5, -32602, "invalid_request", "query"),
        (
            b'{"jsonrpc":"2.0","id":5,"method":"search","params":{"query":"a","hue":1}}',
            5,
            -32602,
            "invalid_request",
            "hue",
        ),
        (
            b'{"jsonrpc":"2.0","id":5,"method":"status","params":{"a":1}}',
            5,
            -32602,
            "invalid_request",
            "a",
        ),
    ],
    ids=[
        "half",
        "not UTF-8",
        "batch",
        "no method",
        "unknown method",
        "no query",
        "param",
        "status",
    ],
)
async def test_a_bad_line_gets_an_error_and_the_stream_goes_on(
    line: bytes, request_id: object, number: int, code: str, field: str | None
) -> None:
    async with session(FakeService()) as client:
        client.write(line + b"\n")
        message = await client.message()
        client.call(6, "status")
        assert (await client.message())["id"] == 6

    assert message["id"] == request_id
    assert message["error"]["code"] == number
    assert message["error"]["data"]["code"] == code
    assert message["error"]["data"].get("field") == field


async def test_a_long_line_costs_only_itself() -> None:
    async with session(FakeService()) as client:
        for _ in range(9):
            client.write(b"x" * 1024 * 1024)
        client.write(b"\n")
        client.call(1, "status")

        assert (await client.message())["error"]["data"]["code"] == "line_too_long"
        assert (await client.message())["id"] == 1


async def test_an_answer_of_five_megabytes_is_one_line() -> None:
    async with session(FakeService()) as client:
        client.call(1, "search", query="big")

        (answer,) = (await client.message())["result"]["answers"]

    assert len(answer["hits"][0]["snippet"].encode()) == 5_000_000


async def test_an_unknown_method_names_the_known_ones() -> None:
    async with session(FakeService()) as client:
        client.call(1, "fly")

        message = (await client.message())["error"]["message"]

    assert message == (
        "unknown method 'fly'; known are search, fetch, read, recall, status, cancel, shutdown, "
        "initialize, ping"
    )


async def test_a_duplicate_id_is_refused_and_the_first_request_is_left_alone() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="wait")
        client.call(1, "search", query="cats")

        refusal = await client.message()
        assert (refusal["id"], refusal["error"]["code"]) == (1, -32600)
        assert refusal["error"]["data"] == {"code": "duplicate_id", "field": "id"}
        service.gate.set()
        assert (await client.message())["result"]["answers"][0]["query"] == "wait"


async def test_an_id_can_be_used_again_after_its_answer() -> None:
    async with session(FakeService()) as client:
        for _ in range(2):
            client.call(1, "status")
            assert "result" in await client.message()


async def test_a_number_and_a_string_are_different_ids() -> None:
    async with session(FakeService()) as client:
        client.call(1, "search", query="hang")
        client.call("1", "status")

        assert (await client.message())["id"] == "1"


# Notifications


async def test_a_notification_is_run_and_not_answered() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(None, "search", query="wait")
        await service.until_started("wait")
        service.gate.set()
        await service.until_ended("wait")
        for method in ("fly", "status"):
            client.call(None, method)
        client.call(None, "search", hue=1)
        client.call(1, "status")

        assert (await client.message())["id"] == 1
        client.close_input()
        await client.ended()
        assert client.unread() == 0


async def test_progress_is_told_before_the_answer_when_asked_for() -> None:
    async with session(FakeService()) as client:
        client.call("r", "search", query="cats", progress=True)

        told = await client.message()
        assert told == {
            "jsonrpc": "2.0",
            "method": "progress",
            "params": {
                "id": "r",
                "query_index": 0,
                "provider": "google",
                "step": "page",
                "detail": "page 1: 10 hits",
                "hits": 10,
            },
        }
        assert "result" in await client.message()


@pytest.mark.parametrize("params", [{}, {"progress": False}], ids=["left out", "false"])
async def test_progress_is_not_told_unasked(params: dict[str, object]) -> None:
    async with session(FakeService()) as client:
        client.call("r", "search", query="cats", **params)

        assert "result" in await client.message()


async def test_progress_must_be_true_or_false() -> None:
    async with session(FakeService()) as client:
        client.call("r", "search", query="cats", progress="yes")

        assert (await client.message())["error"]["data"]["field"] == "progress"


# Cancelling


async def test_a_cancelled_request_is_stopped_and_answered_once() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="hang")
        await service.until_started("hang")
        client.call(None, "cancel", id=1)

        message = await client.message()
        assert message["id"] == 1
        assert message["error"]["code"] == -32800
        assert message["error"]["data"]["code"] == "cancelled"
        await service.until_ended("hang")
        client.close_input()
        assert await client.ended() == 0
        assert client.unread() == 0


async def test_cancel_as_a_request_says_whether_it_did_anything() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="hang")
        client.call(2, "cancel", id=1)
        client.call(3, "cancel", id=1)
        client.call(4, "cancel", id="never")

        answers = {m["id"]: m.get("result") for m in [await client.message() for _ in range(4)]}

    assert answers == {
        1: None,
        2: {"cancelled": True},
        3: {"cancelled": False},
        4: {"cancelled": False},
    }


async def test_a_request_can_be_cancelled_before_it_has_begun() -> None:
    async with session(FakeService()) as client:
        client.write(
            b'{"jsonrpc":"2.0","id":1,"method":"search","params":{"query":"hang"}}\n'
            b'{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}\n'
        )

        assert (await client.message())["error"]["data"]["code"] == "cancelled"


async def test_cancelling_one_request_leaves_the_others_alone() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="hang")
        client.call(2, "search", query="wait")
        client.call(None, "cancel", id=1)
        assert (await client.message())["id"] == 1
        service.gate.set()

        assert (await client.message())["result"]["answers"][0]["query"] == "wait"


@pytest.mark.parametrize("params", [{}, {"id": None}, {"id": True}, {"id": 1, "why": "x"}], ids=str)
async def test_cancel_needs_an_id(params: dict[str, object]) -> None:
    async with session(FakeService()) as client:
        client.call(9, "cancel", **params)

        assert (await client.message())["error"]["code"] == -32602


# Overload


async def test_too_many_requests_are_refused_but_status_and_cancel_are_not() -> None:
    async with session(FakeService()) as client:
        for number in range(MAX_RUNNING):
            client.call(number, "search", query="hang")
        client.call("more", "search", query="cats")
        client.call("status", "status")

        refusal = await client.message()
        assert (refusal["id"], refusal["error"]["data"]["code"]) == ("more", "overloaded")
        assert (await client.message())["id"] == "status"


async def test_a_cancelled_request_makes_room() -> None:
    service = FakeService()
    async with session(service) as client:
        for number in range(MAX_RUNNING):
            client.call(number, "search", query="hang")
        await service.until_started("hang")
        client.call(None, "cancel", id=0)
        await client.message()
        await service.until_ended("hang")
        client.call("more", "search", query="cats")

        assert "result" in await client.message()


# Ending


async def test_the_end_of_the_input_lets_running_requests_finish() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="wait")
        client.write(b'{"jsonrpc":"2.0","id":2,"method":"status"}')  # no line end
        client.close_input()

        assert (await client.message())["id"] == 2
        assert not client.finished.is_set()
        service.gate.set()
        assert (await client.message())["id"] == 1
        assert await client.ended() == 0


async def test_half_a_line_at_the_end_is_told_and_not_run() -> None:
    async with session(FakeService()) as client:
        client.write(b'{"jsonrpc":"2.0","id":1,"method":"sta')
        client.close_input()

        assert (await client.message())["error"]["code"] == -32700
        assert await client.ended() == 0


async def test_shutdown_is_answered_and_lets_running_requests_finish() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="wait")
        client.call(2, "shutdown")

        assert await client.message() == {"jsonrpc": "2.0", "id": 2, "result": None}
        client.call(3, "status")  # no longer read
        service.gate.set()
        assert (await client.message())["id"] == 1
        assert await client.ended() == 0
        assert client.unread() == 0


@pytest.mark.parametrize("signal", [Signals.SIGTERM, Signals.SIGINT])
async def test_the_first_signal_lets_running_requests_finish(signal: Signals) -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="wait")
        await service.until_started("wait")
        client.signals.put(signal)
        service.gate.set()

        assert (await client.message())["id"] == 1
        assert await client.ended() == 0


@pytest.mark.parametrize(("signal", "exit_code"), [(Signals.SIGTERM, 143), (Signals.SIGINT, 130)])
async def test_the_second_signal_leaves_at_once(signal: Signals, exit_code: int) -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="hang")
        await service.until_started("hang")
        client.signals.put(Signals.SIGTERM)
        client.signals.put(signal)

        assert await client.ended() == exit_code
        assert service.ended["hang"].is_set()


async def test_a_signal_while_idle_ends_it() -> None:
    async with session(FakeService()) as client:
        client.signals.put(Signals.SIGTERM)

        assert await client.ended() == 0


async def test_a_client_that_has_left_takes_its_requests_with_it() -> None:
    service = FakeService()
    async with session(service) as client:
        client.call(1, "search", query="hang")
        await service.until_started("hang")
        client.left.set()

        assert await client.ended() == 1
        assert service.ended["hang"].is_set()


async def test_a_client_that_has_left_owed_nothing_is_no_error() -> None:
    async with session(FakeService()) as client:
        client.left.set()

        assert await client.ended() == 0


# In general


@given(
    st.lists(
        st.sampled_from(
            [
                b'{"jsonrpc":"2.0","id":1,"method":"search","params":{"query":"cats"}}\n',
                b'{"jsonrpc":"2.0","id":2,"method":"search","params":{"query":"crash"}}\n',
                b'{"jsonrpc":"2.0","id":3,"method":"status"}\n',
                b'{"jsonrpc":"2.0","method":"status"}\n',
                b'{"jsonrpc":"2.0","id":4,"method":"cancel","params":{"id":1}}\n',
                b"nonsense\n",
                b"\n",
            ]
        ),
        max_size=12,
    )
)
def test_every_request_gets_exactly_one_reply(lines: list[bytes]) -> None:
    async def main() -> None:
        async with session(FakeService()) as client:
            client.write(b"".join(lines))
            client.close_input()
            assert await client.ended() == 0
            replies = [await client.message() for _ in range(client.unread())]
            asked = [message_id(line) for line in lines]
            assert sorted(map(str, (r["id"] for r in replies))) == sorted(
                str(request_id) for request_id in asked if request_id != "none"
            )

    anyio.run(main)


def message_id(line: bytes) -> object:
    """The id that the reply to a line must have; "none" for a line that gets none."""
    if line == b"nonsense\n":
        return None
    return json.loads(line).get("id", "none") if line.strip() else "none"


async def test_its_repr_counts_what_is_running() -> None:
    assert repr(Sidecar(Client(), {})) == "<Sidecar busy=0 unanswered=0>"
