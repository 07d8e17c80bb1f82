"""Small result pages in the markup that the parser knows, and the walls in their place."""

from __future__ import annotations

from pathlib import Path

from broker.browser.watch import Report
from broker.models import Hit

SAVED = Path(__file__).resolve().parents[2] / "data" / "serps" / "google"

ORIGIN = "https://www.google.com"
URL = f"{ORIGIN}/search?q=cats"
PAGE_2 = f"{URL}&start=10"


def hit(number: int, **facts: object) -> Hit:
    """The hit that `results` shows under this number."""
    known: dict[str, object] = {
        "title": f"Title {number}",
        "url": f"https://site{number}.example/",
        "snippet": "",
        "provider": "google",
    }
    return Hit(**(known | facts))  # type: ignore[arg-type]  # the fields of a record


def hits(first: int, last: int) -> tuple[Hit, ...]:
    return tuple(hit(number) for number in range(first, last + 1))


def results(first: int, last: int, *, hidden: bool = False, named: bool = False) -> str:
    """A page with these hits; `hidden` behind opaque links, whose targets a script may name."""
    blocks = "".join(_block(number, hidden=hidden) for number in range(first, last + 1))
    pairs = ",".join(
        f'[0,"/goto?url\\u003dTOKEN{n}"],["https://site{n}.example/","Title {n}","x"]'
        for n in range(first, last + 1)
    )
    script = f"<script>var a=[{pairs}]</script>" if named else ""
    following = f'<a id="pnnext" href="/search?q=cats&amp;start={last}">Next</a>'
    pager = f'<div role="navigation">{following}</div>'
    return f'<html><body><div id="search"><div id="rso">{blocks}</div></div>{pager}{script}</body>'


def _block(number: int, *, hidden: bool) -> str:
    href = f"/goto?url=TOKEN{number}" if hidden else f"https://site{number}.example/"
    cite = f"<cite>site{number}.example</cite>"
    return f'<div><a href="{href}"><h3>Title {number}</h3>{cite}</a></div>'


def saved(name: str) -> str:
    """One of the pages under tests/data."""
    return (SAVED / f"{name}.html").read_text(encoding="utf-8")


def report(html: str, *, kind: str = "parsed", url: str = URL, status: int = 200) -> Report:
    """What a tab says of a page; it is complete unless the kind says otherwise."""
    parsed = kind in {"parsed", "changed"}
    return Report(kind=kind, url=url, status=status, html=html, parsed=parsed, walled=False)
