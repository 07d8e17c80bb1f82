"""The apps by name, and the one that holds them all on one origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.emulators.ddg.app import Ddg
from tests.emulators.google.app import Google
from tests.emulators.google.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.emulators.messages import Request, Response
    from tests.emulators.server import App

DDG_PATHS = ("/html", "/html/", "/lite", "/lite/")


class Web:
    """Google and DuckDuckGo on one origin: their paths do not meet."""

    def __init__(self, google: Google | None = None, ddg: Ddg | None = None) -> None:
        self.google = google or Google()
        self.ddg = ddg or Ddg()

    def __call__(self, request: Request) -> Response:
        return (self.ddg if request.path in DDG_PATHS else self.google)(request)

    def configure(self, settings: dict[str, object]) -> None:
        """Settings for Google, and under `ddg` those for DuckDuckGo.

        Raises:
            ValueError, TypeError, KeyError: they are not understood.
        """
        ddg = settings.pop("ddg", {})
        if not isinstance(ddg, dict):
            raise TypeError("ddg: not an object")
        self.ddg.configure(ddg)
        self.google.configure(settings)

    def reset(self) -> None:
        self.google.reset()
        self.ddg.reset()


_MAKERS: dict[str, Callable[[], App]] = {"web": Web, "google": Google, "ddg": Ddg, "corpus": Corpus}
APPS = tuple(_MAKERS)


def make(name: str) -> App:
    """A fresh app."""
    return _MAKERS[name]()
