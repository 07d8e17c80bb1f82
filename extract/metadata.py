"""What a page says about itself: title, author, date, language, addresses.

Each field has a list of places, the most trustworthy first: JSON-LD, OpenGraph and the `<meta>`
names of publishing systems (Highwire's `citation_*`, Dublin Core, Parse.ly), microdata, links and
`<time>` around the heading, the address. The module knows no site. Whatever is wrong with a value
makes the next place speak; nothing raises.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlsplit

from extract import dates, jsonld, titles
from extract.byline import as_byline, marked_up, surroundings, visible_byline, visible_date
from extract.json_data import string
from extract.tree import fold, is_hidden, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extract.json_data import Json
    from extract.tree import Node

_TITLES = ("og:title", "citation_title", "parsely-title", "dc.title", "dcterms.title",
           "sailthru.title", "twitter:title")  # fmt: skip
_SITES = ("og:site_name", "application-name", "apple-mobile-web-app-title", "og:site",
          "publisher", "dc.publisher", "citation_journal_title")  # fmt: skip
_AUTHORS = (
    "citation_author", "author", "article:author", "og:article:author", "dc.creator",
    "dcterms.creator", "parsely-author", "sailthru.author", "cxenseparse:author", "byl", "byline",
    "article:author_name", "article_author", "creator", "twitter:creator",
)  # fmt: skip
_DATES = (
    "article:published_time", "og:article:published_time", "og:published_time",
    "article:published", "article.published", "datepublished", "parsely-pub-date",
    "citation_publication_date", "citation_online_date", "citation_date", "sailthru.date",
    "cxenseparse:recs:publishtime", "cxenseparse:publishtime", "dc.date.issued", "dcterms.issued",
    "dc.date.created", "dcterms.created", "dc.date", "dcterms.date", "pubdate", "publishdate",
    "publish-date", "publish_date", "pub_date", "published_time", "published_at", "og:pubdate",
    "originalpublicationdate", "article_date_original", "og:datepublished", "date", "datecreated",
)  # fmt: skip
_LANGUAGES = ("content-language", "og:locale", "dc.language", "dcterms.language", "inlanguage",
              "language")  # fmt: skip
_META_NAMES = frozenset({*_TITLES, *_SITES, *_AUTHORS, *_DATES, *_LANGUAGES, "og:url"})
_LANGUAGE = re.compile(
    r"^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?(?=$|[-_.,;@ ])", re.IGNORECASE
)
_NO_LANGUAGE = frozenset({"und", "mul", "zxx", "mis"})
_ITEM_DATES = ("datePublished", "uploadDate", "dateCreated", "datePosted")
_TAGS = ("meta", "title", "link", "base", "script", "h1")
_MOST_CHARS = 1000
_MOST_VALUES = 20
_MOST_HEADINGS = 20
_MOST_SCRIPTS = 40
_SHORTEST_LABEL = 4
_HOME = frozenset({"", "/", "/index.html", "/index.php"})
_TITLE_CHARS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What a page says about itself."""

    title: str
    """White space folded; empty where the page has none."""
    site_name: str | None
    byline: str | None
    """Names, joined by commas, without "by"."""
    published: str | None
    """ISO 8601: a date, or a date and time with the offset if the page gives it."""
    language: str | None
    """BCP 47, as in "en-US"."""
    canonical: str | None
    """Absolute http or https URL."""
    base: str
    """What the page's relative links are resolved against; the page's own address if it sets no
    other."""


def metadata(root: Node, url: str) -> Metadata:
    """What the page `root`, read at `url`, says about itself. Never raises."""
    page = _Page(root)
    base = _base(page, url)
    stated = page.values(_TITLES)
    known = [*stated, page.html_title, *page.headings.values()]
    item = jsonld.page_item(page.items, lambda name: any(titles.agree(name, one) for one in known))
    site = next(iter([*page.values(_SITES[:1]), *jsonld.site_name(page.items)]), None)
    site = site or next(iter(page.values(_SITES)), None)
    if item is not None:
        stated.append(jsonld.headline(item))
    sites = {titles.squeezed(name) for name in (site or "", *_domain_names(url))} - {""}
    headings = [text for node, text in page.headings.items() if not _leads_home(node, url)]
    title = titles.choose(headings, stated, page.html_title, sites)
    heading = _heading(page, title)
    byline, published = _byline(page, item, sites), _published(page, item)
    around: list[Node] = []
    if heading is not None and not (byline and published):
        around = marked_up(heading) + surroundings(heading)
    return Metadata(
        title=title[:_TITLE_CHARS],
        site_name=site,
        byline=byline or visible_byline(around, apart_from=sites),
        published=published or visible_date(around) or dates.in_path(_split(url).path),
        language=_language(page, item),
        canonical=_canonical(page, base),
        base=base,
    )


class _Page:
    """What speaks about a page, collected in one walk over the elements that may."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.html_title = ""
        self.meta: dict[str, list[str]] = {}
        self.headings: dict[Node, str] = {}
        """The visible h1s and their text."""
        self._seen = 0
        self.links: list[Node] = []
        self.bases: list[Node] = []
        scripts: list[Node] = []
        for node in root.iter(*_TAGS):
            match node.tag:
                case "meta":
                    self._add_meta(node)
                case "title":
                    self._add_title(node)
                case "h1":
                    self._add_heading(node)
                case "link":
                    self.links.append(node)
                case "base":
                    self.bases.append(node)
                case _ if "ld+json" in node.get("type", ""):
                    scripts.append(node)
        self.items = jsonld.items(scripts[:_MOST_SCRIPTS])

    def values(self, names: Iterable[str]) -> list[str]:
        """The contents of the `<meta>` elements of these `names`, in the order of the names."""
        return [value for name in names for value in self.meta.get(name, ())]

    def _add_meta(self, node: Node) -> None:
        # Open Graph belongs in `property`, but stands in `name` on many pages, and the reverse.
        for attribute in ("property", "name", "itemprop", "http-equiv"):
            name = node.get(attribute, "").strip().lower()
            if name in _META_NAMES:
                value = fold(node.get("content", "")[:_MOST_CHARS])
                values = self.meta.setdefault(name, [])
                if value and len(values) < _MOST_VALUES and value not in values:
                    values.append(value)

    def _add_title(self, node: Node) -> None:
        parent = node.getparent()
        if not self.html_title and (parent is None or parent.tag in {"head", "html", "body"}):
            self.html_title = fold((node.text or "")[:_MOST_CHARS])

    def _add_heading(self, node: Node) -> None:
        self._seen += 1
        if self._seen > _MOST_HEADINGS:
            return
        text = visible_text(node)
        if text and len(text) <= _TITLE_CHARS and not any(map(is_hidden, node.iterancestors())):
            self.headings[node] = text


def _heading(page: _Page, title: str) -> Node | None:
    """The h1 that carries the title, else the first."""
    for node, text in page.headings.items():
        if text == title:
            return node
    return next(iter(page.headings), None)


def _leads_home(heading: Node, url: str) -> bool:
    """Whether `heading` is the site's logo: a link to the start page, on another page."""
    parent = heading.getparent()
    link = parent if parent is not None and parent.tag == "a" else heading.find(".//a")
    if link is None:
        return False
    target, here = _split(_absolute(url, link.get("href", "")) or ""), _split(url)
    return target.netloc == here.netloc != "" and target.path in _HOME and here.path not in _HOME


def _byline(page: _Page, item: dict[str, Json] | None, sites: set[str]) -> str | None:
    names = jsonld.authors(item, page.items) if item is not None else []
    stated = (names, *(page.meta.get(name, []) for name in _AUTHORS))
    return next(filter(None, (as_byline(one, apart_from=sites) for one in stated)), None)


def _published(page: _Page, item: dict[str, Json] | None) -> str | None:
    stated = [string(item.get(key)) for key in _ITEM_DATES] if item is not None else []
    return next(filter(None, map(dates.iso, (*stated, *page.values(_DATES)))), None)


def _language(page: _Page, item: dict[str, Json] | None) -> str | None:
    root = page.root
    stated = [root.get("lang", ""), root.get("{http://www.w3.org/XML/1998/namespace}lang", "")]
    stated += [root.get("xml:lang", ""), *page.values(_LANGUAGES)]
    if item is not None:
        stated.append(string(item.get("inLanguage")))
    return next(filter(None, map(as_language, stated)), None)


def as_language(text: str) -> str | None:
    """`text` as a BCP 47 tag of language, script and region; None where it is none."""
    found = _LANGUAGE.match(text.strip())
    if found is None or found[1].lower() in _NO_LANGUAGE:
        return None
    script, region = (found[2] or "").title(), (found[3] or "").upper()
    return "-".join(filter(None, (found[1].lower(), script, region)))


def _base(page: _Page, url: str) -> str:
    for node in page.bases:
        base = _absolute(url, node.get("href", ""))
        if base:
            return base
    return url


def _canonical(page: _Page, base: str) -> str | None:
    stated = [
        node.get("href", "")
        for node in page.links
        if "canonical" in node.get("rel", "").lower().split()
    ]
    addresses = (_absolute(base, text) for text in (*stated, *page.values(("og:url",))))
    return next(filter(None, addresses), None)


def _absolute(base: str, address: str) -> str | None:
    address = address.strip()
    if not address:
        return None
    try:
        joined = urljoin(base, address)
    except ValueError:
        return None
    parts = _split(joined)
    return joined if parts.scheme in {"http", "https"} and parts.netloc else None


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _domain_names(url: str) -> list[str]:
    """What a title may call the site of `url` by: its domain, whole and without the ending."""
    labels = _split(url).netloc.partition(":")[0].removeprefix("www.").split(".")
    return [".".join(labels), *(label for label in labels[:-1] if len(label) >= _SHORTEST_LABEL)]
