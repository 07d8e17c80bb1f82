"""The loopback arXiv: `GET /api/query`, and `/html/<id>`, which it has for nobody.

Like the real one it shares an allowance among all clients that say nothing about themselves, and
refuses those that come too quickly where `gap_s` is set. Magic words reach it the way a provider
asks for them, bare or as the phrase `all:"mode http429"`.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from xml.sax.saxutils import escape, quoteattr

import anyio

from tests.emulators.apis import Service, carried_out, with_retry
from tests.emulators.messages import Request, Response, html

QUERY = "/api/query"
DEFAULT_TOTAL = 33
PER_PAGE = 10

_NEWEST = datetime(2026, 11, 29, 17, 58, 3, tzinfo=UTC)
_NOBODY = re.compile(r"$|python|mozilla|curl|java", re.IGNORECASE)
_ID = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")
_RANGE = re.compile(r"submittedDate:\[(\d{12}) TO (\d{12})\]")
_GRAMMAR = re.compile(r"(?<!\S)(?:AND|OR|ANDNOT)(?!\S)|[()]")
_FIELD = re.compile(r"(?<!\S)(?:ti|au|abs|co|jr|cat|rn|id|all):")
_MAGIC_PHRASE = re.compile(r'"(mode|total) ([^"]*)"')

_CATEGORIES = ("cs.LG", "cs.CL", "math.CO", "hep-th", "stat.ML")
_AUTHORS = ("Ada Example", "Björn Ålund", "Chi Ñandú", "D. O'Neil", "Emi 例")
_TITLES = ("On {q}", "{q}: a survey & an outlook", "Towards {q} with x < y", "{q}, revisited")
_SENTENCES = (
    "We study {q} and find that it\n  scales.",
    "A bound on {q} of O(n log n) is shown & proved.",
    "Our code for {q} is public.",
)


class ArxivMode(StrEnum):
    OK = "ok"
    NO_RESULTS = "noresults"
    ERROR = "error"
    """400 with a feed whose only entry is an error."""
    ERROR_200 = "error200"
    """The same as it was before: with 200."""
    SPURIOUS = "spurious"
    """It says how many papers fit, and shows none."""
    UNCOUNTED = "uncounted"
    """A feed that neither has papers nor says that there are none."""
    RATE_EXCEEDED = "http429"
    """With its value, if any, as `Retry-After`."""
    RATE_EXCEEDED_200 = "rate200"
    NOT_ACCEPTABLE = "http406"
    UNAVAILABLE = "http503"
    """With its value, if any, as `Retry-After`."""
    FORBIDDEN = "http403"
    BROKEN = "http500"
    NOT_A_FEED = "notxml"
    TRUNCATED_FEED = "cut"
    """The feed ends in the middle of its last paper."""
    SLOW = "slow"
    HANG = "hang"
    RESET = "reset"
    TRUNCATE = "truncate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    id: str
    title: str
    """With the line break that it may have in the feed."""
    summary: str
    authors: tuple[str, ...]
    published: datetime
    category: str
    doi: str = ""

    @property
    def url(self) -> str:
        return f"https://arxiv.org/abs/{self.id}"


class Arxiv(Service[ArxivMode]):
    modes = ArxivMode
    usual = ArxivMode.OK

    def reset(self) -> None:
        super().reset()
        self.gap_s = 0.0
        """Requests closer to each other than this get 429; 0: any are welcome."""
        self.min_gap_s: float | None = None
        """The shortest time between the starts of two requests so far."""
        self.agents: set[str] = set()
        """The User-Agents seen."""
        self._last_s: float | None = None

    def set(self, name: str, value: object) -> None:
        match name, value:
            case "gap_s", int() | float():
                self.gap_s = value
            case _:
                super().set(name, value)

    def hits(self, query: str, count: int = PER_PAGE) -> tuple[Paper, ...]:
        """The truth: the papers shown, for plain words as for `search_query`, by relevance."""
        return self._papers(query, "")[:count]

    def answer(self, request: Request) -> Response:
        too_quick = self._note(request.headers.get("user-agent", ""))
        if request.path.startswith("/html/"):
            return _no_html(request.path.removeprefix("/html/"))
        if request.path != QUERY:
            return html("<title>404</title>", 404)
        if too_quick or _NOBODY.match(request.headers.get("user-agent", "")):
            return _rate_exceeded(429)
        if (problem := _problem(request)) is not None:
            return _error(*problem)
        rule = self.rule(_plain(request.query.get("search_query", "")))
        if (refusal := REFUSALS.get(rule.mode)) is not None:
            return with_retry(refusal, rule)
        return carried_out(rule, self._page(request, rule.mode))

    def _page(self, request: Request, mode: ArxivMode) -> Response:
        query = request.query
        papers = self._papers(query.get("search_query", ""), query.get("id_list", ""))
        if query.get("sortBy") in ("submittedDate", "lastUpdatedDate"):
            newest_first = query.get("sortOrder", "descending") == "descending"
            papers = tuple(sorted(papers, key=lambda p: p.published, reverse=newest_first))
        start, count = int(query.get("start", 0)), int(query.get("max_results", PER_PAGE))
        shown = papers[start : start + count]
        total: int | None = len(papers)
        if mode is ArxivMode.NO_RESULTS:
            shown, total = (), 0
        elif mode is ArxivMode.SPURIOUS:
            shown = ()
        elif mode is ArxivMode.UNCOUNTED:
            shown, total = (), None
        feed = _feed(query.get("search_query", ""), shown, total, start)
        if mode is ArxivMode.TRUNCATED_FEED:
            feed = feed[: feed.rindex("<summary>") + 12]
        return _atom(feed)

    def _papers(self, search_query: str, id_list: str) -> tuple[Paper, ...]:
        if id_list:
            papers = tuple(replace(_paper(key, 1), id=key) for key in id_list.split(","))
        else:
            words = self.words(_plain(search_query))
            total = int(words.others.get("total", DEFAULT_TOTAL))
            papers = tuple(_paper(words.text, rank) for rank in range(1, total + 1))
        if bounds := _RANGE.search(search_query):
            first, last = (
                datetime.strptime(b, "%Y%m%d%H%M").replace(tzinfo=UTC) for b in bounds.groups()
            )
            papers = tuple(p for p in papers if first <= p.published <= last)
        return papers

    def _note(self, agent: str) -> bool:
        """Count a request; whether it came too soon after the last one."""
        now = anyio.current_time()
        gap_s = None if self._last_s is None else now - self._last_s
        self._last_s = now
        self.agents.add(agent)
        if gap_s is None:
            return False
        self.min_gap_s = gap_s if self.min_gap_s is None else min(gap_s, self.min_gap_s)
        return gap_s < self.gap_s


def _plain(search_query: str) -> str:
    """The words of a query in arXiv's language, magic words as they are typed."""
    text = _GRAMMAR.sub(" ", _RANGE.sub(" ", search_query))
    text = _MAGIC_PHRASE.sub(r"\1:\2", _FIELD.sub("", " ".join(text.split())))
    return text.replace('"', "")


def _paper(text: str, rank: int) -> Paper:
    rng = random.Random(f"{text}\n{rank}")  # noqa: S311 (a seed, not a secret)
    published = _NEWEST - timedelta(days=rng.randrange(3000), seconds=rng.randrange(80_000))
    key = f"{published:%y%m}.{rng.randrange(100_000):05}v{rng.randrange(1, 4)}"
    return Paper(
        id=key,
        title=rng.choice(_TITLES).format(q=text or "everything").replace(" ", "\n  ", 1),
        summary=" ".join(rng.sample(_SENTENCES, 2)).format(q=text or "everything"),
        authors=tuple(rng.sample(_AUTHORS, rng.randrange(1, 4))),
        published=published,
        category=rng.choice(_CATEGORIES),
        doi=f"10.1000/{rank}" if rank % 3 == 0 else "",
    )


def _problem(request: Request) -> tuple[str, str] | None:
    """What the real one would not accept: a code and a sentence."""
    for name in ("start", "max_results"):
        if not request.query.get(name, "0").isdecimal():
            return f"{name}_must_be_an_integer", f"{name} must be an integer"
    if int(request.query.get("max_results", 0)) > 2000:
        return "max_results_too_large", "max_results must be at most 2000"
    for key in filter(None, request.query.get("id_list", "").split(",")):
        if not _ID.fullmatch(key):
            return "incorrect_id_format", f"incorrect id format for {key}"
    query = request.query.get("search_query", "")
    if query.count('"') % 2 or query.count("(") != query.count(")"):
        return "incorrect_search_query", "incorrect search query: something is not closed"
    return None


def _feed(query: str, papers: tuple[Paper, ...], total: int | None, start: int) -> str:
    counted = "" if total is None else f"<opensearch:totalResults>{total}</opensearch:totalResults>"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:arxiv="http://arxiv.org/schemas/atom" '
        'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        f"<id>https://arxiv.org/api/abc123</id><title>arXiv Query: {escape(query)}</title>"
        '<updated>2026-11-30T00:00:00Z</updated><link href="https://arxiv.org/api/query" '
        f'type="application/atom+xml"/><opensearch:itemsPerPage>{len(papers)}'
        f"</opensearch:itemsPerPage>{counted}<opensearch:startIndex>{start}"
        f"</opensearch:startIndex>{''.join(map(_entry, papers))}</feed>"
    )


def _entry(paper: Paper) -> str:
    authors = "".join(
        f"<author><name>{escape(name)}</name><arxiv:affiliation>Uni</arxiv:affiliation></author>"
        for name in paper.authors
    )
    doi = (
        f'<link href="https://doi.org/{paper.doi}" rel="related" title="doi"/>'
        f"<arxiv:doi>{paper.doi}</arxiv:doi>"
        if paper.doi
        else ""
    )
    return (
        f"<entry><id>http://arxiv.org/abs/{paper.id}</id><title>{escape(paper.title)}</title>"
        f"<updated>{paper.published:%Y-%m-%dT%H:%M:%SZ}</updated>"
        f'<link href="https://arxiv.org/pdf/{paper.id}" rel="related" type="application/pdf" '
        f'title="pdf"/><link href={quoteattr(paper.url)} rel="alternate" type="text/html"/>'
        f'<category term="{paper.category}" scheme="http://arxiv.org/schemas/atom"/>'
        f"<published>{paper.published:%Y-%m-%dT%H:%M:%SZ}</published>"
        f'<arxiv:primary_category term="{paper.category}"/><arxiv:comment>12 pages</arxiv:comment>'
        f"{doi}{authors}<summary>  {escape(paper.summary)}\n</summary></entry>"
    )


def _error(code: str, message: str) -> Response:
    address = f"http://arxiv.org/api/errors#{code}"
    feed = _feed("", (), 1, 0).replace(
        "</feed>",
        f"<entry><id>{address}</id><title>Error</title><summary>{escape(message)}</summary>"
        f'<link href="{address}" rel="alternate" type="text/html"/>'
        f"<author><name>arXiv api core</name></author></entry></feed>",
    )
    return _atom(feed, 400)


def _atom(feed: str, status: int = 200) -> Response:
    kind = "application/atom+xml; charset=utf-8"
    return Response(status=status, body=feed.encode(), content_type=kind)


def _rate_exceeded(status: int) -> Response:
    return Response(status=status, body=b"Rate exceeded.", content_type="text/plain")


def _no_html(key: str) -> Response:
    title = f"No HTML for '{escape(key)}'"
    text = "HTML is not available for the source."
    return html(f"<html><head><title>{title}</title></head><body><p>{text}</p></body></html>", 404)


REFUSALS = {
    ArxivMode.ERROR: _error("incorrect_search_query", "incorrect search query near 'AND'"),
    ArxivMode.ERROR_200: replace(_error("incorrect_id_format", "incorrect id format"), status=200),
    ArxivMode.RATE_EXCEEDED: _rate_exceeded(429),
    ArxivMode.RATE_EXCEEDED_200: _rate_exceeded(200),
    ArxivMode.NOT_ACCEPTABLE: html("<title>406</title>", 406),
    ArxivMode.UNAVAILABLE: html("<title>503 Service Unavailable</title>", 503),
    ArxivMode.FORBIDDEN: html("<title>403</title>", 403),
    ArxivMode.BROKEN: html("<title>500</title>", 500),
    ArxivMode.NOT_A_FEED: html("<!DOCTYPE html><title>arXiv is down</title><p>Back soon."),
}
