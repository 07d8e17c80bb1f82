"""The loopback Hacker News search: `GET /api/v1/search`, `/search_by_date`, `/items/<id>`.

Of every four items one is a story with a link, two are comments in one thread, and one is a
question without a link. Hosts in a query that is restricted to addresses are obeyed but for every
fifth story, whose title only names the host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING

from tests.emulators.apis import Service, carried_out, gateway_page, refuse, with_retry
from tests.emulators.google.hits import organic
from tests.emulators.messages import Request, Response, as_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.emulators.words import Rule

SEARCH, BY_DATE, ITEMS = "/api/v1/search", "/api/v1/search_by_date", "/api/v1/items/"
THREAD = "https://news.ycombinator.com/item?id="
DEFAULT_TOTAL = 60
PER_PAGE = 20
REACHABLE = 1000
NEWEST_S = 1_795_996_800
"""2026-11-30, in Unix time."""
DAY_S = 86_400

_HOST = re.compile(r"(?<!\S)[\w-]+(?:\.[\w-]+)+(?:/\S*)?")
_FILTER = re.compile(r"(created_at_i|points|num_comments)(<=|>=|<|>|=)(\d+)")
_TOO_FAR = "you can only fetch the 1000 hits for this query. You can extend the number of hits"


class HnMode(StrEnum):
    OK = "ok"
    NO_RESULTS = "noresults"
    CEILING = "ceiling"
    """No hits and the message that only the first 1000 can be had."""
    MISCOUNTED = "miscounted"
    """It counts hits and shows none."""
    BAD_REQUEST = "http400"
    REFUSED_200 = "refused200"
    """The error object, with 200."""
    FORBIDDEN = "http403"
    NOT_FOUND = "http404"
    TOO_MANY = "http429"
    """With its value, if any, as `Retry-After`."""
    BROKEN = "http500"
    BAD_GATEWAY = "http502"
    """A page, not JSON."""
    NOT_JSON = "notjson"
    SPARSE = "sparse"
    """What may be null is, and some items are of no use."""
    SLOW = "slow"
    HANG = "hang"
    RESET = "reset"
    TRUNCATE = "truncate"


class Kind(StrEnum):
    STORY = "story"
    ASK = "ask_hn"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """The truth behind a hit."""

    id: int
    kind: Kind
    title: str
    """A comment's is its story's."""
    text: str
    """What a person reads of a comment or of a story's own text."""
    author: str
    created_s: int
    story_id: int
    link: str = ""
    points: int | None = None
    comments: int | None = None

    @property
    def url(self) -> str:
        """Where a reader is sent: what a story links to, else the thread."""
        return self.link or f"{THREAD}{self.story_id}"

    @property
    def created(self) -> str:
        return f"{datetime.fromtimestamp(self.created_s, UTC):%Y-%m-%dT%H:%M:%SZ}"


class Hn(Service[HnMode]):
    modes = HnMode
    usual = HnMode.OK

    def hits(self, query: str, *, stories: bool = False) -> tuple[Item, ...]:
        """The truth: all items behind a query, by relevance."""
        words = self.words(query)
        total = int(words.others.get("total", DEFAULT_TOTAL))
        items = tuple(_item(words.text, rank) for rank in range(1, total + 1))
        return tuple(i for i in items if i.kind is not Kind.COMMENT) if stories else items

    def answer(self, request: Request) -> Response:
        if request.path.startswith(ITEMS):
            return _tree(request.path.removeprefix(ITEMS))
        if request.path not in (SEARCH, BY_DATE):
            return refuse(404, {"status": 404, "error": "Not Found"})
        rule = self.rule(request.query.get("query", ""))
        return carried_out(rule, self._answer(request, rule))

    def _answer(self, request: Request, rule: Rule[HnMode]) -> Response:
        mode = rule.mode
        match mode:
            case HnMode.BAD_REQUEST:
                return refuse(400, {"message": "invalid numericFilters", "status": 400})
            case HnMode.REFUSED_200:
                return as_json({"message": "invalid numericFilters", "status": 400})
            case HnMode.FORBIDDEN | HnMode.BAD_GATEWAY:
                return gateway_page(int(mode.removeprefix("http")))
            case HnMode.NOT_FOUND | HnMode.TOO_MANY | HnMode.BROKEN:
                status = int(mode.removeprefix("http"))
                return with_retry(refuse(status, {"status": status, "error": "No"}), rule)
            case HnMode.NOT_JSON:
                return gateway_page(200)
        return self._page(request, mode)

    def _page(self, request: Request, mode: HnMode) -> Response:
        query = request.query
        filters = query.get("numericFilters", "")
        bounds = _FILTER.findall(filters)
        if len(bounds) != len(filters.split(",")) * bool(filters):
            return refuse(400, {"message": "invalid numericFilters", "status": 400})
        page, size = int(query.get("page", 0)), int(query.get("hitsPerPage", PER_PAGE))
        if mode is HnMode.CEILING or page * size >= REACHABLE:
            return as_json({"hits": [], "nbHits": 0, "page": page, "message": _TOO_FAR})
        items = self._matching(query, bounds)
        if request.path == BY_DATE:
            items = tuple(sorted(items, key=lambda item: -item.created_s))
        shown = items[page * size : (page + 1) * size]
        if mode is HnMode.NO_RESULTS:
            items = shown = ()
        elif mode is HnMode.MISCOUNTED:
            shown = ()
        hits: list[object] = [_as_hit(item) for item in shown]
        if mode is HnMode.SPARSE:
            hits = [*map(_sparse, shown), {}, None, {"objectID": "none", "title": "No id"}]
        pages = -(-min(len(items), REACHABLE) // size)
        return as_json(
            {
                "hits": hits,
                "nbHits": len(items),
                "nbPages": pages,
                "page": page,
                "hitsPerPage": size,
                "processingTimeMS": 4,
                "query": query.get("query", ""),
                "params": "advancedSyntax=true&analyticsTags=backend",
                "exhaustive": {"nbHits": True, "typo": True},
            }
        )

    def _matching(
        self, query: Mapping[str, str], bounds: list[tuple[str, str, str]]
    ) -> tuple[Item, ...]:
        text, tags = query.get("query", ""), query.get("tags", "")
        items = self.hits(text, stories=bool(tags) and "comment" not in tags)
        if "url" in query.get("restrictSearchableAttributes", ""):
            host = _HOST.search(text)
            items = self.hits(_HOST.sub(" ", text), stories=True)
            if host is not None:
                items = tuple(_moved(item, host[0]) for item in items if item.kind is Kind.STORY)
        return tuple(item for item in items if all(_fits(item, *bound) for bound in bounds))


def _item(text: str, rank: int) -> Item:
    base = organic(text, rank)
    kind = (Kind.STORY, Kind.COMMENT, Kind.COMMENT, Kind.ASK)[(rank - 1) % 4]
    number = 40_000_000 + rank * 10
    created_s = NEWEST_S - (rank * 37 % 400) * DAY_S
    author = ("ada", "bob", "cy")[rank % 3]
    if kind is Kind.COMMENT:  # two of them in the same thread
        story = 41_000_000 + (rank - 1) // 4
        thread = organic(text, 100_000 + story)
        words = f"{base.snippet} It's <b>so</b> & more. " * 6
        return Item(
            id=number,
            kind=kind,
            title=thread.title,
            text=" ".join(words.replace("<b>", "").replace("</b>", "").split()),
            author=author,
            created_s=created_s,
            story_id=story,
        )
    ask = kind is Kind.ASK
    return Item(
        id=number,
        kind=kind,
        title=f"Ask HN: {base.title}" if ask else base.title,
        text=base.snippet if ask else "",
        author=author,
        created_s=created_s,
        story_id=number,
        link="" if ask else base.url,
        points=rank * 3,
        comments=rank,
    )


def _moved(item: Item, site: str) -> Item:
    """A story on a site, or one of those that only name it."""
    if item.id // 10 % 5 == 0:
        return replace(item, title=f"{item.title} ({site})")
    return replace(item, link=f"https://www.{site.rstrip('/')}/{item.id}")


def _fits(item: Item, name: str, sign: str, bound: str) -> bool:
    value = {"created_at_i": item.created_s, "points": item.points}.get(name, item.comments) or 0
    limit = int(bound)
    return {
        "<": value < limit,
        "<=": value <= limit,
        "=": value == limit,
        ">=": value >= limit,
        ">": value > limit,
    }[sign]


def _as_hit(item: Item) -> dict[str, object]:
    common: dict[str, object] = {
        "objectID": str(item.id),
        "author": item.author,
        "points": item.points,
        "created_at": item.created,
        "created_at_i": item.created_s,
        "updated_at": "2026-11-30T00:00:00Z",
        "story_id": item.story_id,
        "_tags": [str(item.kind), f"author_{item.author}", f"story_{item.story_id}"],
    }
    marked = escape(item.text).replace(". ", ".<p>", 1)
    if item.kind is Kind.COMMENT:
        return common | {
            "comment_text": marked,
            "parent_id": item.story_id,
            "story_title": item.title,
            "story_url": "https://linked.example/",
        }
    own: dict[str, object] = {"url": item.link} if item.link else {}
    return (
        common
        | own
        | {
            "title": item.title,
            "story_text": marked or None,
            "num_comments": item.comments,
            "children": [item.id + 1],
            "_highlightResult": {
                "title": {"value": f"<em>{item.title}</em>", "matchLevel": "full"}
            },
        }
    )


def _sparse(item: Item) -> dict[str, object]:
    full = _as_hit(item)
    nothing = dict.fromkeys(
        ("author", "points", "num_comments", "created_at", "story_title", "url")
    )
    return full | nothing


def _tree(number: str) -> Response:
    """An item with its answers; there is none with an odd number."""
    if not number.isdecimal() or int(number) % 2:
        return refuse(404, {"status": 404, "error": "Not Found"})
    story = int(number)
    child = {
        "id": story + 1,
        "type": "comment",
        "author": "bob",
        "text": "I agree.<p>Mostly.",
        "parent_id": story,
        "story_id": story,
        "children": [],
    }
    return as_json(
        {
            "id": story,
            "type": "story",
            "author": "ada",
            "title": "A story",
            "url": "https://linked.example/",
            "text": None,
            "points": 12,
            "parent_id": None,
            "story_id": story,
            "options": [],
            "created_at": "2026-05-04T10:11:12Z",
            "created_at_i": NEWEST_S,
            "children": [child],
        }
    )
