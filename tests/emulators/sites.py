"""The apps by name, and the one that holds them all on one origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tests.emulators import arxiv, deepseek, exa, exa_mcp, hn, zai
from tests.emulators.arxiv import Arxiv
from tests.emulators.ddg.app import Ddg
from tests.emulators.deepseek import DeepSeek
from tests.emulators.docsite import DocSite
from tests.emulators.exa import Exa
from tests.emulators.exa_mcp import ExaMcp
from tests.emulators.google.app import Google
from tests.emulators.google.corpus import Corpus
from tests.emulators.hn import Hn
from tests.emulators.web_apps import WebApps
from tests.emulators.web_faults import Faults
from tests.emulators.web_reading import ReadingWeb
from tests.emulators.zai import Zai

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.emulators.messages import Request, Response
    from tests.emulators.server import App

PATHS = {
    **dict.fromkeys(("/html", "/html/", "/lite", "/lite/"), "ddg"),
    deepseek.SEARCH: "deepseek",
    deepseek.FETCH: "deepseek",
    exa.CONTENTS: "exa",
    exa_mcp.PATH: "exa_mcp",
    zai.PATH: "zai",
    arxiv.QUERY: "arxiv",
    hn.SEARCH: "hn",
    hn.BY_DATE: "hn",
}
"""Whose a path is; Google has all others, but for a POST to `/search`, which is Exa's."""


class SteeredApp(Protocol):
    """A part of the web."""

    def __call__(self, request: Request) -> Response | Awaitable[Response]: ...

    def configure(self, settings: dict[str, object]) -> None: ...

    def reset(self) -> None: ...


class Web:
    """All providers on one origin: their paths do not meet."""

    def __init__(self, google: Google | None = None, ddg: Ddg | None = None) -> None:
        self.google = google or Google()
        self.ddg = ddg or Ddg()
        self.deepseek = DeepSeek()
        self.exa = Exa()
        self.exa_mcp = ExaMcp()
        self.zai = Zai()
        self.arxiv = Arxiv()
        self.hn = Hn()
        self._others: dict[str, SteeredApp] = {
            "ddg": self.ddg,
            "deepseek": self.deepseek,
            "exa": self.exa,
            "exa_mcp": self.exa_mcp,
            "zai": self.zai,
            "arxiv": self.arxiv,
            "hn": self.hn,
        }

    def __call__(self, request: Request) -> Response | Awaitable[Response]:
        if (request.method, request.path) == ("POST", exa.SEARCH):
            return self.exa(request)
        name = PATHS.get(request.path)
        return self.google(request) if name is None else self._others[name](request)

    def configure(self, settings: dict[str, object]) -> None:
        """Settings for Google, and under `ddg`, `deepseek` and so on those for the others.

        Raises:
            ValueError, TypeError, KeyError: they are not understood.
        """
        for name, app in self._others.items():
            part = settings.pop(name, {})
            if not isinstance(part, dict):
                raise TypeError(f"{name}: not an object")
            app.configure(part)
        self.google.configure(settings)

    def reset(self) -> None:
        self.google.reset()
        for app in self._others.values():
            app.reset()


_MAKERS: dict[str, Callable[[], App]] = {
    "web": Web,
    "google": Google,
    "ddg": Ddg,
    "deepseek": DeepSeek,
    "exa": Exa,
    "exa_mcp": ExaMcp,
    "zai": Zai,
    "arxiv": Arxiv,
    "hn": Hn,
    "corpus": Corpus,
    "docsite": DocSite,
    "web_reading": ReadingWeb,
    "web_apps": WebApps,
    "web_faults": Faults,
}
APPS = tuple(_MAKERS)


def make(name: str) -> App:
    """A fresh app."""
    return _MAKERS[name]()
