"""What the document in a tab is still waiting for, as the browser tells of its requests.

Only what may bring text counts: calls for data, scripts, and a page that is to take this one's
place. Streams that stay open do not. Nothing is counted of documents that have gone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

EVENTS = (
    "Network.loadingFailed",
    "Network.loadingFinished",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Page.downloadWillBegin",
)

_AWAITED = frozenset({"Fetch", "Script", "XHR"})
_HERE = ("blob:", "data:")
"""Brought by nobody: of some, such as a worker's script, no end is told."""
_STREAM = "text/event-stream"


def following(blocked: tuple[str, ...]) -> list[tuple[str, dict[str, Any]]]:
    """The commands that make a tab tell of its requests, and load nothing that is `blocked`."""
    return [
        # Nobody asks for the bodies: none are kept.
        ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
        ("Network.setBlockedURLs", {"urls": list(blocked)}),
        # A page is what its site sends, and not what a worker of the page before makes of it.
        ("Network.setBypassServiceWorker", {"bypass": True}),
    ]


class Traffic:
    """Fed by the tab; `on_calm` is called when nothing is on its way any more."""

    def __init__(self, on_calm: Callable[[], None]) -> None:
        self._on_calm = on_calm
        self._awaited: dict[str, str] = {}
        """Loader ids of the documents that wait, by request."""
        self._leaving = ""
        """Request of the document that is to come, which is also its loader id."""
        self._ended_s = -math.inf
        self.address = ""
        """Where the newest navigation has led so far, redirects included."""
        self.downloads: list[str] = []
        """Addresses of files that the page, or going to it, would have saved."""

    @property
    def busy(self) -> bool:
        """Whether something that may bring text is on its way."""
        return bool(self._awaited or self._leaving)

    @property
    def calm_s(self) -> float:
        """How long nothing has been on its way."""
        return 0.0 if self.busy else anyio.current_time() - self._ended_s

    @property
    def leaving(self) -> bool:
        """Whether another document is to take this one's place."""
        return bool(self._leaving)

    def begin(self) -> None:
        """Another page is gone to."""
        self._awaited.clear()
        self._leaving = self.address = ""
        self._ended_s = -math.inf
        self.downloads.clear()

    def committed(self, loader_id: str) -> None:
        """A document has taken the place of the one before."""
        self._awaited = {
            request: loader for request, loader in self._awaited.items() if loader == loader_id
        }
        if self._leaving == loader_id:
            self._leaving = ""
        self._calm_down()

    def on_event(self, method: str, params: Mapping[str, Any], main_frame: str) -> None:
        """Take one of `EVENTS`."""
        if method == "Page.downloadWillBegin":
            self.downloads.append(str(params["url"]))
        elif method == "Network.requestWillBeSent":
            self._on_request(params, main_frame)
        elif method == "Network.responseReceived":
            if params["response"].get("mimeType") == _STREAM:
                self._end(params["requestId"])
        else:
            self._end(params["requestId"])

    def _on_request(self, params: Mapping[str, Any], main_frame: str) -> None:
        request, loader, kind = params["requestId"], params.get("loaderId", ""), params.get("type")
        if kind in _AWAITED:
            if not params["request"]["url"].startswith(_HERE):
                self._awaited[request] = loader
        elif kind == "Document" and request == loader and params.get("frameId") == main_frame:
            self._leaving = request
            self.address = str(params["request"]["url"])

    def _end(self, request: str) -> None:
        if self._awaited.pop(request, None) is not None:
            self._ended_s = anyio.current_time()
        # A document that arrives ends the waiting by its commit; a file or nothing does not.
        if request == self._leaving:
            self._leaving = ""
        self._calm_down()

    def _calm_down(self) -> None:
        if not self.busy:
            self._on_calm()
