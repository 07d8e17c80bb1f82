"""The pipe to the browser: framing, matching answers to commands, and every way it can break."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import orjson
import pytest

from broker.browser.cdp import CdpError, PipeConnection
from broker.errors import TabLost
from tests.broker.browser.fake_browser import WAIT_S, connected

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from broker.browser.cdp import PipeSession
    from tests.broker.browser.fake_browser import Message

TEXT = "ä€😀 plain"


def record(session: PipeSession, *methods: str) -> list[tuple[str, Mapping[str, Any]]]:
    events: list[tuple[str, Mapping[str, Any]]] = []
    session.subscribe(methods, lambda method, params: events.append((method, params)))
    return events


async def settled() -> None:
    """Let the reader take what stands in the pipe: a turn to see it, one to run, some to spare."""
    for _ in range(10):
        await anyio.lowlevel.checkpoint()


async def gather(calls: list[Callable[[], Awaitable[Any]]]) -> list[Any]:
    """The results or errors of calls made at once, in their order."""
    results: list[Any] = [None] * len(calls)

    async def run(index: int) -> None:
        try:
            results[index] = await calls[index]()
        except (CdpError, TabLost) as error:
            results[index] = error

    async with anyio.create_task_group() as tasks:
        for index in range(len(calls)):
            tasks.start_soon(run, index)
    return results


async def test_a_command_goes_out_as_one_message_and_gets_its_answer() -> None:
    async with connected() as (connection, browser, tasks):

        async def serve() -> None:
            command = await browser.command()
            assert command == {"id": 1, "method": "A.b", "params": {"text": TEXT}}
            await browser.answer(command, text=TEXT)

        tasks.start_soon(serve)
        assert await connection.send("A.b", {"text": TEXT}) == {"text": TEXT}


async def test_a_session_command_names_its_session() -> None:
    async with connected() as (connection, browser, tasks):

        async def serve() -> None:
            command = await browser.command()
            assert command["sessionId"] == "S1"
            await browser.answer(command)

        tasks.start_soon(serve)
        await connection.session("S1").send("A.b")


SPLIT = orjson.dumps({"id": 1, "result": {"text": TEXT}}) + b"\0"


@pytest.mark.parametrize("at", range(1, len(SPLIT)))
async def test_a_message_may_be_split_at_any_byte(at: int) -> None:
    async with connected() as (connection, browser, tasks):

        async def serve() -> None:
            await browser.command()
            await browser.write(SPLIT[:at])
            await settled()
            await browser.write(SPLIT[at:])

        tasks.start_soon(serve)
        assert await connection.send("A.b") == {"text": TEXT}


async def test_tiny_reads_and_several_messages_in_one_are_the_same() -> None:
    messages = [{"method": "A.e", "params": {"n": n}} for n in range(5)]
    stream = b"".join(orjson.dumps(message) + b"\0" for message in messages)
    expected = [("A.e", {"n": n}) for n in range(5)]
    for step in (1, 2, 3, len(stream)):
        async with connected() as (connection, browser, _):
            events = record(connection.browser, "A.e")
            for at in range(0, len(stream), step):
                await browser.write(stream[at : at + step])
                await settled()
            assert events == expected


async def test_many_commands_in_flight_are_answered_in_any_order() -> None:
    count = 50
    async with connected() as (connection, browser, tasks):

        async def serve() -> None:
            for command in reversed(await browser.commands(count)):
                await browser.answer(command, n=command["params"]["n"])

        tasks.start_soon(serve)
        results = await gather([partial(connection.send, "A.b", {"n": n}) for n in range(count)])
        assert results == [{"n": n} for n in range(count)]


async def test_a_refused_command_raises_what_the_browser_says() -> None:
    async with connected() as (connection, browser, tasks):

        async def serve() -> None:
            command = await browser.command()
            await browser.say({"id": command["id"], "error": {"code": -32000, "message": "No."}})

        tasks.start_soon(serve)
        with pytest.raises(CdpError, match=r"A\.b: No\."):
            await connection.send("A.b")


async def test_an_answer_without_a_result_is_an_empty_one() -> None:
    async with connected() as (connection, browser, tasks):

        async def serve() -> None:
            await browser.say({"id": (await browser.command())["id"]})

        tasks.start_soon(serve)
        assert await connection.send("A.b") == {}


async def test_when_the_browser_goes_every_waiting_command_fails_at_once() -> None:
    async with connected() as (connection, browser, tasks):

        async def serve() -> None:
            await browser.commands(3)
            browser.hang_up()

        tasks.start_soon(serve)
        sessions = [connection.browser, connection.session("S1"), connection.session("S2")]
        results = await gather([partial(session.send, "A.b") for session in sessions])
        assert [type(result) for result in results] == [TabLost] * 3
        assert connection.closed.is_set()


async def test_nothing_can_be_sent_after_the_end() -> None:
    async with connected() as (connection, _, _tasks):
        connection.close()
        connection.close()
        with pytest.raises(TabLost):
            await connection.send("A.b")


async def test_closing_wakes_a_command_that_waits_for_room_in_the_pipe() -> None:
    async with connected() as (connection, _, tasks):
        errors: list[TabLost] = []

        async def send() -> None:
            try:
                await connection.send("A.b", {"text": "x" * 2_000_000})
            except TabLost as error:
                errors.append(error)

        tasks.start_soon(send)
        await settled()
        connection.close()
        await settled()
        assert len(errors) == 1


@pytest.mark.virtual_clock
async def test_a_browser_that_stops_in_the_middle_of_a_message_is_given_up() -> None:
    async with connected() as (connection, _, _tasks):
        with pytest.raises(TabLost, match="frozen"):
            await connection.send("A.b", {"text": "x" * 2_000_000})
        assert connection.closed.is_set()


async def test_a_command_for_a_full_pipe_can_be_cancelled() -> None:
    async with connected() as (connection, browser, tasks):
        filler: dict[str, Any] = {"text": "x" * 3000}  # below PIPE_BUF, so written whole or not
        for _ in range(100):
            tasks.start_soon(connection.send, "A.b", filler)
        await settled()
        with anyio.move_on_after(0.01) as scope:
            await connection.send("A.late", filler)
        assert scope.cancelled_caught
        for _ in range(100):
            command = await browser.command()
            assert command["method"] == "A.b"
            await browser.answer(command)
        await settled()


async def test_a_message_that_was_begun_is_finished_although_it_is_cancelled() -> None:
    async with connected() as (connection, browser, tasks):
        text = "x" * 500_000
        scope = anyio.CancelScope()

        async def send() -> None:
            with scope:
                await connection.send("A.long", {"text": text})

        tasks.start_soon(send)
        await settled()
        scope.cancel()
        assert (await browser.command())["params"] == {"text": text}
        tasks.start_soon(connection.send, "A.next")
        command = await browser.command()
        assert command["method"] == "A.next"
        await browser.answer(command)
        await settled()


async def test_a_cancelled_command_is_forgotten_and_its_late_answer_dropped() -> None:
    async with connected() as (connection, browser, tasks):
        with anyio.move_on_after(0.01):
            await connection.send("A.slow")
        assert connection._replies == {}
        late = await browser.command()
        await browser.answer(late, late=True)

        async def serve() -> None:
            command = await browser.command()
            assert command["id"] != late["id"]
            await browser.answer(command, late=False)

        tasks.start_soon(serve)
        assert await connection.send("A.next") == {"late": False}


async def test_a_message_of_twenty_megabytes_arrives_whole() -> None:
    async with connected() as (connection, browser, tasks):

        async def serve() -> None:
            await browser.answer(await browser.command(), text="ä" * 10_000_000)

        tasks.start_soon(serve)
        assert len((await connection.send("A.b"))["text"]) == 10_000_000


@pytest.mark.parametrize(
    "data", [b"{\0", b"\xff\0", b"[]\0", b"7\0", b"\0"], ids=["torn", "bytes", "list", "7", "empty"]
)
async def test_what_is_no_message_ends_the_connection(data: bytes) -> None:
    async with connected() as (connection, browser, tasks):

        async def serve() -> None:
            await browser.command()
            await browser.write(data)

        tasks.start_soon(serve)
        with pytest.raises(TabLost):
            await connection.send("A.b")
        assert connection.closed.is_set()


async def test_an_event_that_its_handler_does_not_understand_ends_the_connection() -> None:
    async with connected() as (connection, browser, _):
        connection.browser.subscribe(("A.e",), lambda _method, params: params["absent"])
        await browser.say({"method": "A.e", "params": {}})
        await connection.closed.wait()


async def test_messages_nobody_waits_for_are_skipped() -> None:
    async with connected() as (connection, browser, _):
        events = record(connection.browser, "A.e")
        await browser.say(
            {"id": 99, "result": {}},
            {"method": "A.unknown", "params": {}},
            {"method": "A.e", "params": {}, "sessionId": "nobody"},
            {"other": 1},
            {"method": "A.e", "params": {"n": 1}},
        )
        await settled()
        assert events == [("A.e", {"n": 1})]


async def test_events_reach_their_own_session_only() -> None:
    async with connected() as (connection, browser, _):
        names = ("", "S1", "S2")
        events = {name: record(connection.session(name), "A.e") for name in names}
        await browser.say(*({"method": "A.e", "sessionId": n, "params": {"for": n}} for n in names))
        await settled()
        assert events == {name: [("A.e", {"for": name})] for name in names}


def detached(session_id: str) -> Message:
    return {"method": "Target.detachedFromTarget", "params": {"sessionId": session_id}}


def crashed(session_id: str) -> Message:
    return {"method": "Inspector.targetCrashed", "params": {}, "sessionId": session_id}


@pytest.mark.parametrize(
    ("message", "told"),
    [(detached, "Inspector.detached"), (crashed, "Inspector.targetCrashed")],
    ids=["detached", "crashed"],
)
async def test_a_tab_that_goes_fails_its_own_commands_and_is_told(
    message: Callable[[str], Message], told: str
) -> None:
    async with connected() as (connection, browser, tasks):
        gone, stays = connection.session("S1"), connection.session("S2")
        events = record(gone, "Inspector.detached", "Inspector.targetCrashed")
        others = record(stays, "Inspector.detached", "Inspector.targetCrashed")

        async def serve() -> None:
            commands = await browser.commands(2)
            await browser.say(message("S1"))
            await settled()
            for command in commands:
                if command["sessionId"] == "S2":
                    await browser.answer(command)

        tasks.start_soon(serve)
        lost, answer = await gather([partial(gone.send, "A.b"), partial(stays.send, "A.b")])
        assert isinstance(lost, TabLost)
        assert answer == {}
        assert [method for method, _ in events] == [told]
        assert others == []
        assert not connection.closed.is_set()


async def test_the_end_of_the_browser_is_told_to_every_session() -> None:
    async with connected() as (connection, browser, _):
        events = [record(connection.session(n), "Inspector.detached") for n in ("S1", "S2")]
        browser.hang_up()
        await connection.closed.wait()
        assert [[method for method, _ in told] for told in events] == [["Inspector.detached"]] * 2


@pytest.mark.may_block  # it reads from a file here, which counts as blocking
async def test_a_browser_that_talks_without_pause_leaves_others_their_turn(tmp_path: Path) -> None:
    noise = orjson.dumps({"method": "A.noise", "params": {"text": "x" * 1000}}) + b"\0"
    stream = tmp_path / "stream"
    stream.write_bytes(noise * 8000)
    never_empty = os.open(stream, os.O_RDONLY)  # a file never makes a reader wait
    connection = PipeConnection(never_empty, os.open(os.devnull, os.O_WRONLY))
    turns = 0
    with anyio.fail_after(WAIT_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(connection.run)
            while not connection.closed.is_set():
                turns += 1
                await anyio.lowlevel.checkpoint()
    assert turns >= 5
