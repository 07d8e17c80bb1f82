"""DuckDuckGo's pages for clients without scripts: `/html/` and `/lite/`.

Both mark a result's title link by a class of its own. Results decide first: the challenge is
looked for by its form, and only on a page without them, because a query may itself contain the
challenge's words and is shown on every page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qs, urljoin, urlsplit

from broker.models import Hit, NextForm, Serp, SerpState
from extract.tree import has_class, query, visible_text
from extract.tree import parse as parse_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from extract.tree import Node

NAME = "ddg"
HOME = "https://html.duckduckgo.com/html/"
"""Where the links of a page of unknown origin are seen from."""

_DOMAIN = "duckduckgo.com"
_MOST_HITS = 100
"""A page has 10 to 30; one with thousands is not DuckDuckGo's, and would take seconds to read."""

_TITLES = query("//a[@href][contains(@class, 'result__a') or contains(@class, 'result-link')]")
_BLOCK = query("ancestor::*[contains(concat(' ', @class, ' '), ' result ')][1]")
_ROW = query("ancestor::tr[1]")
_ROW_TITLE = query("descendant::a[contains(@class, 'result-link')]")
_SNIPPET = query(
    "descendant::*[contains(@class, 'result__snippet') or contains(@class, 'result-snippet')]"
)
_ADDRESS = query("descendant::*[contains(@class, 'result__url') or contains(@class, 'link-text')]")
_STAMP = query("descendant::span[not(*)]")
_LINKS = query("descendant::a[@href]")

_CHALLENGE = query(
    "//form[@id='challenge-form' or contains(@action, '//duckduckgo.com/anomaly.js?')]"
    " | //*[@data-testid='anomaly-modal']"
)
_NO_RESULTS = query("//*[contains(concat(' ', @class, ' '), ' no-results ')]")
_ERROR_MAIL = query("//a[starts-with(@href, 'mailto:error-')]")
_ANSWERED_LITE = query("//form[contains(@action, '/lite/')]//input[@name='q'][string(@value)]")

_PAGE_FORMS = query("//form[descendant::input[@name='vqd']]")
_BACKWARDS = query("descendant::input[@type='submit'][contains(@value, '<') or @value='Previous']")
_FIELDS = query("descendant::input[@name]")

_TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d))?(?:\.\d+)?")
_NO_RESULT_TITLE = "DEEP_ERROR_NO_RESULTS"


def parse(html: str | bytes, url: str) -> Serp:
    """What the page `html` at `url` is, its hits in page order and its form for the next page.

    Advertisements are left out, redirects through DuckDuckGo are unwrapped. Never raises.
    """
    base = url if _split(url).hostname else HOME
    root = parse_tree(html)
    hits = tuple(
        hit for title in _TITLES(root)[:_MOST_HITS] if (hit := _hit(title, base)) is not None
    )
    if not hits:
        return Serp(state=_state(root))
    return Serp(state=SerpState.RESULTS, hits=hits, next_form=_next_form(root, base))


def _hit(title: Node, base: str) -> Hit | None:
    url = _target(title, base)
    parts = list(_parts(title))
    text = visible_text(title)
    if not url or not parts or text == _NO_RESULT_TITLE or _is_ad(parts[0], base):
        return None
    return Hit(
        title=text,
        url=url,
        snippet=_first_text(_SNIPPET, parts),
        provider=NAME,
        published=_published(parts),
        site=_first_text(_ADDRESS, parts) or None,
    )


def _parts(title: Node) -> Iterator[Node]:
    """The elements that make up one result: its block, or on lite pages its table rows."""
    if blocks := _BLOCK(title):
        yield blocks[0]
        return
    for row in _ROW(title):
        yield row
        for following in row.itersiblings("tr"):
            if _ROW_TITLE(following):
                break
            yield following


def _is_ad(part: Node, base: str) -> bool:
    return has_class(part, "result--ad", "result-sponsored") or any(
        _is_ad_target(_target(link, base)) for link in _LINKS(part)
    )


def _is_ad_target(url: str) -> bool:
    parts = _split(url)
    return _is_own(parts) and parts.path == "/y.js"


def _target(link: Node, base: str) -> str:
    """Where `link` leads, read out of DuckDuckGo's own redirect; empty for no web address."""
    url = _absolute(link.get("href", ""), base)
    parts = _split(url)
    if parts.path == "/l/" and (_is_own(parts) or parts.netloc == _split(base).netloc):
        url = parse_qs(parts.query).get("uddg", [""])[0]
    return url if _split(url).scheme in {"http", "https"} else ""


def _is_own(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    return host == _DOMAIN or host.endswith(f".{_DOMAIN}")


def _first_text(find: Callable[[Node], list[Node]], parts: list[Node]) -> str:
    return next((visible_text(node) for part in parts for node in find(part)), "")


def _published(parts: list[Node]) -> str | None:
    """The timestamp without its seven fraction digits; midnight stands for the day alone."""
    for part in parts:
        for span in _STAMP(part):
            if match := _TIMESTAMP.fullmatch(visible_text(span)):
                day, time = match.groups()
                return day if time in {None, "00:00:00"} else f"{day}T{time}"
    return None


def _state(root: Node) -> SerpState:
    """The state of a page without hits."""
    if _CHALLENGE(root):
        return SerpState.CHALLENGE
    if _ERROR_MAIL(root):
        return SerpState.BLOCKED
    # Lite pages without hits mark nothing; they still show the question in their own form.
    if _NO_RESULTS(root) or _TITLES(root) or _ANSWERED_LITE(root):
        return SerpState.NO_RESULTS
    return SerpState.BLANK


def _next_form(root: Node, base: str) -> NextForm | None:
    """The form behind "Next", as it is: a hand-made request for page 2 gets the client blocked."""
    for form in _PAGE_FORMS(root):
        if not _BACKWARDS(form):
            return NextForm(
                action=_absolute(form.get("action", ""), base),
                fields=tuple(
                    (field.get("name", ""), field.get("value", "")) for field in _FIELDS(form)
                ),
            )
    return None


def _absolute(href: str, base: str) -> str:
    href = href.strip()
    if href.startswith(("https://", "http://")):
        return href  # exactly as it is written
    try:
        return urljoin(base, href)
    except ValueError:
        return ""


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")
