"""What counts as on its way, and until when."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from broker.browser.traffic import Traffic

pytestmark = pytest.mark.virtual_clock

MAIN = "F"


class Told:
    """A traffic, the browser that tells it, and how often it was said to be calm."""

    def __init__(self) -> None:
        self.calm = 0
        self.traffic = Traffic(self._on_calm)

    def _on_calm(self) -> None:
        self.calm += 1

    def tell(self, method: str, request_id: str = "", **params: Any) -> None:  # noqa: ANN401
        self.traffic.on_event(method, {"requestId": request_id, **params}, MAIN)

    def asks(
        self,
        request: str,
        kind: str = "Fetch",
        loader: str = "L",
        url: str = "http://a/",
        frame: str = MAIN,
    ) -> None:
        facts = {"type": kind, "loaderId": loader, "request": {"url": url}, "frameId": frame}
        self.tell("Network.requestWillBeSent", request, **facts)


@pytest.mark.parametrize("end", ["Network.loadingFinished", "Network.loadingFailed"])
@pytest.mark.parametrize("kind", ["Fetch", "XHR", "Script"])
async def test_what_may_bring_text_is_waited_for(kind: str, end: str) -> None:
    told = Told()
    told.asks("1", kind)
    told.asks("2", kind)
    assert told.traffic.busy
    told.tell(end, "1")
    assert (told.traffic.busy, told.calm) == (True, 0)
    told.tell(end, "2")
    assert (told.traffic.busy, told.calm) == (False, 1)


@pytest.mark.parametrize("kind", ["Image", "Stylesheet", "EventSource", "WebSocket", "Media"])
async def test_nothing_else_is(kind: str) -> None:
    told = Told()
    told.asks("1", kind)
    assert not told.traffic.busy


@pytest.mark.parametrize("url", ["blob:http://a/1", "data:text/javascript,1"])
async def test_what_nobody_brings_is_not_waited_for(url: str) -> None:
    told = Told()
    told.asks("1", "Script", url=url)
    assert not told.traffic.busy


async def test_a_stream_that_stays_open_is_not_waited_for() -> None:
    told = Told()
    told.asks("1")
    told.tell("Network.responseReceived", "1", response={"mimeType": "application/json"})
    assert told.traffic.busy
    told.tell("Network.responseReceived", "1", response={"mimeType": "text/event-stream"})
    assert not told.traffic.busy


async def test_a_document_that_is_to_come_is_waited_for_until_it_stands_there() -> None:
    told = Told()
    told.asks("old", loader="L1")
    told.asks("L2", "Document", "L2", "http://b/")
    assert (told.traffic.leaving, told.traffic.address) == (True, "http://b/")
    told.asks("new", loader="L2")
    told.traffic.committed("L2")
    assert (told.traffic.leaving, told.traffic.busy) == (False, True)
    told.tell("Network.loadingFinished", "new")
    assert not told.traffic.busy


async def test_the_page_of_a_frame_takes_nobodys_place() -> None:
    told = Told()
    told.asks("L2", "Document", "L2", frame="G")
    assert not told.traffic.busy


async def test_a_file_takes_the_place_of_no_document() -> None:
    told = Told()
    told.asks("L2", "Document", "L2", "http://b/file")
    told.tell("Network.loadingFailed", "L2")
    told.tell("Page.downloadWillBegin", url="http://b/file")
    assert not told.traffic.leaving
    assert told.traffic.downloads == ["http://b/file"]


async def test_it_knows_for_how_long_it_has_been_calm() -> None:
    told = Told()
    assert told.traffic.calm_s > 1e9
    told.asks("1")
    assert told.traffic.calm_s == 0
    told.tell("Network.loadingFinished", "1")
    await anyio.sleep(3)
    assert told.traffic.calm_s == pytest.approx(3)
    told.traffic.begin()
    assert told.traffic.calm_s > 1e9
