"""Replays saved real result pages by name, where they are present.

`GET /search?q=NAME` answers with the page whose file name starts with NAME. The pages belong to
others and are never part of this repository: `WEBAIO_CORPUS`, else `../shared/data` beside it.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

from tests.emulators.messages import Request, Response, as_json, html

SUFFIX = ".html.gz"
STATUSES = {"google-sorry": 429, "google-403": 403, "ddg-challenge": 202}
_REPOSITORY = Path(__file__).resolve().parents[3]


def corpus_dir() -> Path | None:
    """The folder with the saved pages, or None where it is absent."""
    folder = Path(os.environ.get("WEBAIO_CORPUS") or _REPOSITORY.parent / "shared" / "data")
    return folder / "serps" if (folder / "serps").is_dir() else None


class Corpus:
    """An app over the saved pages; `names` is empty when there are none."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or corpus_dir()
        self._files = (
            {path.name.removesuffix(SUFFIX): path for path in self._folder.glob(f"*/*{SUFFIX}")}
            if self._folder
            else {}
        )
        self._pages: dict[str, bytes] = {}

    @property
    def present(self) -> bool:
        return bool(self._files)

    def names(self, kind: str = "google-serp") -> list[str]:
        """The pages of a kind (the folder's name), sorted."""
        return sorted(name for name, path in self._files.items() if path.parent.name == kind)

    def truth(self, name: str) -> list[dict[str, Any]] | None:
        """The organics of a page, where somebody wrote them down."""
        path = self._files[name]
        truth = path.with_name(f"{name}.truth.json")
        if not truth.exists():
            return None
        found: list[dict[str, Any]] = json.loads(truth.read_text(encoding="utf-8"))
        return found

    def __call__(self, request: Request) -> Response:
        if not self.present:
            return html("<title>The saved pages are absent</title>", 404)
        if request.path != "/search":
            return as_json(sorted(self._files), 200 if request.path == "/" else 404)
        wanted = request.query.get("q", "")
        name = next((name for name in sorted(self._files) if name.startswith(wanted)), "")
        if not wanted or not name:
            return html("<title>No such saved page</title>", 404)
        if name not in self._pages:
            self._pages[name] = gzip.decompress(self._files[name].read_bytes())
        status = STATUSES.get(self._files[name].parent.name, 200)
        return Response(status=status, body=self._pages[name])
