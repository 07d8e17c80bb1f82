"""What goes wrong on the way to a page, over real sockets: each fault by its own name, in time."""

from __future__ import annotations

import socket

import anyio
import pytest

from broker.egress.policy import EgressRefused
from broker.errors import PageFailed, RequestInvalid
from tests.broker.egress.doubles import Names, Tripwire, egress_for
from tests.broker.fetch.pages import client, context, reading, talking_to
from tests.emulators.web_faults import ARTICLE

BUDGET_S = 1.0
"""For what lasts until the time is up."""


EXPECTED = ("code", "phase", "category", "layer", "retryable")
FAULTS = [
    ("silent", "timeout", "waiting", "server", "site", True),
    ("stall/blank", "timeout", "downloading", "server", "site", True),
    ("closed", "closed", "waiting", "network", "site", True),
    ("reset/head", "reset", "waiting", "network", "network", True),
    ("bomb/gzip", "compression_bomb", "downloading", "server", "site", False),
    ("bomb/br", "compression_bomb", "downloading", "server", "site", False),
    ("bomb/zstd", "compression_bomb", "downloading", "server", "site", False),
    ("redirects/100", "too_many_redirects", "headers", "server", "site", False),
    ("loop", "redirect_loop", "headers", "server", "site", False),
    ("to?url=http://[bad", "bad_redirect", "headers", "server", "site", False),
    ("to?url=http://10.0.0.1/", "blocked_ssrf", "headers", "blocked", "network", False),
    ("to?url=file:///etc/hosts", "blocked_ssrf", "headers", "blocked", "network", False),
    ("to?url=http://nobody.example/", "dns", "connecting", "network", "network", False),
    ("refresh/0?url=http://[::1]/", "blocked_ssrf", "headers", "blocked", "network", False),
]


@pytest.mark.parametrize("fault", FAULTS, ids=[fault[0] for fault in FAULTS])
async def test_every_fault_has_its_name_inside_the_deadline(fault: tuple[str | bool, ...]) -> None:
    path, *expected = fault
    async with reading() as reader:
        budget_s = BUDGET_S if "timeout" in expected else 10.0
        with anyio.fail_after(budget_s):
            error = await reader.fails(str(path), budget_s)
    data: dict[str, object] = {**error.as_data()}
    assert [data[name] for name in EXPECTED] == expected
    assert data["message"]
    assert set(data) == {*EXPECTED, "url", "message", "retry_after_ms"}


RAW = [
    (b"SSH-2.0-OpenSSH_9\r\n\r\n", "protocol", "headers"),
    (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000, "protocol", "headers"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 11\r\n\r\n", "protocol", "headers"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", "cut_off", "downloading"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "cut_off", "downloading"),
    (b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 31000000\r\n\r\n\x89PNG",
     "too_large", "downloading"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "code", "phase"), RAW)
async def test_what_is_no_answer_is_told_apart(answer: bytes, code: str, phase: str) -> None:
    async def speak(stream: anyio.abc.SocketStream) -> None:
        await stream.receive()
        await stream.send(answer)

    async with talking_to(speak) as (pages, origin):
        with pytest.raises(PageFailed) as raised:
            await pages.get(context(5), origin)
    assert (raised.value.code, raised.value.phase) == (code, phase)


async def test_a_length_that_is_too_short_or_too_long_does_no_harm() -> None:
    async def speak(stream: anyio.abc.SocketStream) -> None:
        path = (await stream.receive()).split(b" ")[1]
        length = b"20" if path == b"/short" else b"90000"
        await stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: " + length + b"\r\n\r\n" + ARTICLE)

    async with talking_to(speak) as (pages, origin):
        for path, body in (("short", ARTICLE[:20]), ("long", ARTICLE)):
            page = await pages.get(context(), f"{origin}/{path}")
            assert page.body == body
            assert page.truncated == (path == "long")


async def test_nobody_there_is_told_from_no_such_name() -> None:
    closed = Tripwire()
    closed.close()
    origin = f"http://127.0.0.1:{closed.port}"

    async def deaf(name: str) -> list[object]:
        error = socket.EAI_AGAIN if name.startswith("again") else socket.EAI_NONAME
        raise socket.gaierror(error, "no")

    egress = egress_for(open_origin=origin, names=deaf)  # type: ignore[arg-type]
    async with client(egress) as pages:
        for url, code, again in (
            (origin, "refused", True),
            ("https://nobody.example/", "dns", False),
            ("https://again.example/", "dns", True),
        ):
            with pytest.raises(PageFailed) as raised:
                await pages.get(context(3), url)
            data = raised.value.as_data()
            assert (data["code"], data["retryable"]) == (code, again)
            assert (data["phase"], data["layer"]) == ("connecting", "network")
    assert pages.statistics().retries == 4


async def test_a_proxy_that_cannot_be_used_is_the_layer_that_refused() -> None:
    for proxy in ("socks5h://127.0.0.1:9", "http://127.0.0.1:9"):
        async with client(egress_for(proxy=proxy)) as pages:
            for url in ("http://public.example/", "https://public.example/"):
                with pytest.raises(PageFailed) as raised:
                    await pages.get(context(3), url)
                data = raised.value.as_data()
                assert (data["code"], data["layer"]) == ("proxy", "proxy")


@pytest.mark.parametrize("url", ["", "no address", "http://", "http://a b/", "http://x:99999/"])
async def test_what_is_no_address_is_refused_at_once(url: str) -> None:
    async with reading() as reader:
        with pytest.raises(RequestInvalid) as raised:
            await reader.pages.get(context(), url)
        assert raised.value.as_data()["phase"] == "validation"
        assert reader.web.log.visits == []


async def test_what_is_forbidden_is_refused_at_once() -> None:
    async with reading() as reader:
        with pytest.raises(EgressRefused) as raised:
            await reader.pages.get(context(), "http://169.254.169.254/latest/")
        data = raised.value.as_data()
        assert (data["code"], data["phase"], data["layer"]) == (
            "blocked_ssrf", "validation", "network",
        )  # fmt: skip
        assert reader.pages.statistics().failed == 0


async def test_a_name_that_stands_for_something_forbidden_is_refused() -> None:
    async with reading(names=Names(inside_example=[["10.0.0.1"]])) as reader:
        error = await reader.fails("to?url=http://inside.example/")
        assert isinstance(error, EgressRefused)
        assert (error.phase, error.url) == ("connecting", "http://inside.example/")
        assert error.address == "10.0.0.1"
