r"""A page that was read, as a file: facts in front, then its Markdown. Pure.

    ---
    title: "Installing"
    url: "https://docs.example/guide/install"
    fetched: "2026-12-01T09:30:00Z"
    etag: "\"5f-61\""
    ---

The facts are YAML, which a JSON text is as well.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

import orjson

from broker.pull.links import absolute, slugs, targets
from broker.reading import injection
from extract.model import Kind

if TYPE_CHECKING:
    from broker.reading.seen import Got

_FRONT = re.compile(r"\A\ufeff?---\r?\n(.*?\n)---(?:\r?\n)+", re.DOTALL)
_FACT = re.compile(r'^(\w+): ("(?:[^"\\\n]|\\.)*")\r?$', re.MULTILINE)
_NUMBER = re.compile(r"\d+")
_TARGET = re.compile(r"\]\([^)\s]*")
_MAX_SLUGS = 500
MAX_LINKS = 5000
"""Links of one page that are followed; who has more of them is no table of contents."""
_DIGEST_CHARS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a file and its entry are made of."""

    title: str
    body: str
    """Its Markdown, every link absolute."""
    digest: str
    hrefs: tuple[str, ...]
    """The addresses that the page leads to, `MAX_LINKS` at most."""
    unfollowed: int
    """How many more it leads to."""
    words: str
    """Equal for pages that differ in nothing but numbers and addresses."""
    slugs: tuple[str, ...]
    anchors: dict[str, int]
    warnings: tuple[str, ...]


def sheet(got: Got) -> Sheet:
    """What a page gives."""
    draft = got.draft
    body, hrefs = draft.body.markdown, tuple(url for _, url in draft.links)
    if draft.ties is None:  # a text of its own, whose links stand as its author wrote them
        body = absolute(body, got.final_url)
        hrefs += targets(body)
    else:
        hrefs = (*draft.ties.hrefs, *hrefs)
    unique = tuple(dict.fromkeys(hrefs))
    named = slugs(block.text for block in draft.body.blocks if block.kind is Kind.HEADING)
    places = () if draft.ties is None else draft.ties.anchors
    return Sheet(
        title=draft.title,
        body=body,
        digest=_digest(body),
        hrefs=unique[:MAX_LINKS],
        unfollowed=max(0, len(unique) - MAX_LINKS),
        words=_digest(_NUMBER.sub("0", _TARGET.sub("](", body))),
        slugs=named[:_MAX_SLUGS],
        anchors={name: index for name, index in places if index < _MAX_SLUGS},
        warnings=tuple(
            dict.fromkeys((*got.warnings, *draft.notes, *injection.warnings(draft.body)))
        ),
    )


def written(page: Sheet, *, url: str, etag: str | None, now_s: float) -> bytes:
    """The file of a page, which was read at `now_s` on the wall clock."""
    fetched = datetime.fromtimestamp(now_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    facts = {"title": page.title, "url": url, "fetched": fetched, "etag": etag}
    lines = [f"{name}: {_quoted(value)}" for name, value in facts.items() if value]
    if page.warnings:
        lines += ["warnings:", *(f"  - {_quoted(warning)}" for warning in page.warnings)]
    front = "\n".join(lines)
    return f"---\n{front}\n---\n\n{page.body}\n".encode("utf-8", "replace")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGEST_CHARS]


def split(text: str) -> tuple[dict[str, str], int]:
    """The facts in front of a file's text, and where the text behind them begins.

    Facts that somebody has written in a way of YAML that is none of JSON's are left out.
    """
    front = _FRONT.match(text)
    if front is None:
        return {}, 0
    facts: dict[str, str] = {}
    for name, value in _FACT.findall(front[1]):
        with suppress(orjson.JSONDecodeError):
            facts[name] = orjson.loads(value)
    return facts, front.end()


def _quoted(text: str) -> str:
    # Every character that YAML wants escaped in quotes JSON escapes too, but for these.
    quoted = orjson.dumps(text.encode("utf-8", "replace").decode()).decode()
    for sign in ("\x7f", "\x85", "\u2028", "\u2029", "\ufeff"):
        quoted = quoted.replace(sign, f"\\u{ord(sign):04x}")
    return quoted
