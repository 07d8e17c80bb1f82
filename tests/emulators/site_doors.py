"""arXiv, FxTwitter, Hacker News's items and YouTube on loopback: answers as files, and faults.

    door = Door("hn")
    door.mode = SiteMode.SLOW
    async with LoopbackServer(door) as server: …

The modes are those of `saved_sites`; `only` has the mode apply to addresses with that in them.
`routes` says which file answers which address, the longest beginning that fits.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.emulators.messages import Response, as_json
from tests.emulators.saved_sites import FOLDER, SavedSite, SiteMode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.emulators.messages import Request

ROUTES: Mapping[str, Mapping[str, str]] = {
    "arxiv": {
        "/api/query?id_list=1706.03762": "feed-1706.03762.xml",
        "/api/query?id_list=hep-th": "feed-1706.03762.xml",
        "/api/query?id_list=2403.09999": "feed-1706.03762.xml",
        "/abs/1706.03762": "abs-1706.03762.html",
        "/html/2403.01234": "2403.01234.html",
        "/html/2312.00001": "not-converted.html",
        "/pdf/": "paper.pdf",
    },
    "fxtwitter": {
        "/2/thread/1900000000000000002": "v2-thread.json",
        "/2/thread/1900000000000000005": "article.json",
        "/2/thread/1900000000000000666": "tombstone.json",
        "/ada/status/1900000000000000004": "v1-post.json",
        "/ada/status/1900000000000000401": "private-v1.json",
    },
    "hn": {
        "/api/v1/items/40000001": "story.json",
        "/api/v1/items/40000010": "ask.json",
        "/api/v1/items/40000020": "poll.json",
        "/api/v1/items/40000005": "comment.json",
    },
    "youtube": {
        "/watch?v=heron-Film1": "watch.html",
        "/watch?v=gone--Film1": "gone.html",
        "/watch?v=bot---Check": "bot-check.html",
        "/api/timedtext?v=heron-Film1": "words.json",
    },
}
SITES = tuple(ROUTES)
_TYPES = {
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "xml": "application/atom+xml; charset=utf-8",
    "pdf": "application/pdf",
}
_NO_PAPER = """<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"
 xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><title>arXiv Query</title>
 <opensearch:totalResults>0</opensearch:totalResults></feed>"""


class Door(SavedSite):
    """One of the sites."""

    def __init__(self, site: str) -> None:
        self.site = site
        self.answers = {}
        self.mode = SiteMode.OK
        self.only = ""
        self.elsewhere = ""
        self.routes: dict[str, str] = dict(ROUTES[site])
        self.files = {name: (FOLDER / site / name).read_bytes() for name in self.routes.values()}

    def __call__(self, request: Request) -> Response:
        if "://" not in request.target and self.only and self.only not in request.target:
            return self._answer(request)
        return super().__call__(request)

    def missing(self) -> Response:
        """The site's answer where there is nothing."""
        if self.site == "fxtwitter":
            return as_json({"code": 404, "message": "Not found"}, 404)
        if self.site == "hn":
            return as_json({"status": 404, "error": "Not Found"}, 404)
        return Response(body=b"<title>404</title>", status=404, content_type=_TYPES["html"])

    def _answer(self, request: Request) -> Response:
        found = self._file(request)
        if found:
            kind = _TYPES[found.rpartition(".")[2]]
            return Response(body=self.files[found], content_type=kind)
        if request.path == "/api/query":
            return Response(body=_NO_PAPER.encode(), content_type=_TYPES["xml"])
        return self.missing()

    def _found(self, request: Request) -> object:
        """The saved answer as it is to be made strange; text where it is no JSON."""
        found = self._file(request)
        if found.endswith(".json"):
            return json.loads(self.files[found])
        return {"text": found}

    def _file(self, request: Request) -> str:
        fitting = [route for route in self.routes if request.target.startswith(route)]
        return self.routes[max(fitting, key=len)] if fitting else ""
