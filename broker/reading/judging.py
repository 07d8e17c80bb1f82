"""From bytes to a verdict and a document. Pure; runs in a worker thread.

A page is parsed once; verdict, document and fingerprint are taken from the one tree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

from broker.reading.drafts import Draft, Ties, from_document, markup_body
from broker.reading.plain import PlainKind, draft_of, kind_of
from extract.anchors import anchors
from extract.decode import decode
from extract.fingerprint import Fingerprint, fingerprint
from extract.hrefs import hrefs
from extract.model import Kind
from extract.page import extract_tree
from extract.tree import parse, query
from extract.verdict import VerdictKind, judge, judge_tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extract.verdict import Verdict

WALLS = frozenset(
    {
        VerdictKind.LOGIN_WALL.value,
        VerdictKind.PAYWALL.value,
        VerdictKind.BOT_CHALLENGE.value,
        VerdictKind.CONSENT_WALL.value,
    }
)
"""Verdicts that say that the text is somewhere, and not shown to us."""

REFUSALS = frozenset({401, 403, 451})
"""Statuses that mean the same whatever the page says."""

_LINK = re.compile(r"!?\[([^\]\n]*)\]\(([^)\s]*)[^)\n]*\)")
_PASSWORD = query("//input[translate(@type, 'PASWORD', 'pasword') = 'password']")


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What came, as it is to be judged."""

    body: bytes
    url: str
    """The final address, or a file's name."""
    status: int | None = None
    headers: Mapping[str, str] | None = None
    media_type: str = ""
    content_type: str = ""
    markup: bool = False
    """Keep the markup itself as the document's text."""
    ties: bool = False
    """Also gather what a walk over the page's site needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a page is, and what it says."""

    kind: str
    """A `VerdictKind`, or `unsupported` for a file that cannot be read."""
    confidence: float = 1.0
    reasons: tuple[str, ...] = ()
    draft: Draft | None = None
    """Also of a wall, whose teaser is better than nothing; None where there is no text."""
    fingerprint: Fingerprint | None = None
    """Of web pages only."""
    asks_password: bool = False
    plain: PlainKind = PlainKind.HTML
    file_name: str = ""
    """The format of an unsupported file."""

    @property
    def is_content(self) -> bool:
        """Whether this is what was asked for."""
        return self.kind == VerdictKind.CONTENT and self.draft is not None


def judged(material: Material) -> Judged:
    """What came, judged and read. Never raises for anything a server can send."""
    known = kind_of(material.body, material.media_type, material.url)
    if known.kind is PlainKind.BLANK:
        return Judged(kind=VerdictKind.EMPTY, reasons=("the body is empty",), plain=known.kind)
    if known.kind in {PlainKind.FILE, PlainKind.NOISE}:
        return Judged(
            kind="unsupported",
            plain=known.kind,
            file_name=known.name,
            reasons=(f"a file: {known.name}" if known.name else "bytes that are no text",),
        )
    if known.kind is PlainKind.HTML:
        return _page(material)
    verdict = judge(material.body, material.url, material.status, _headers(material, "text/plain"))
    draft = draft_of(
        material.body,
        known.kind,
        content_type=material.content_type,
        media_type=material.media_type,
        name=material.url.partition("?")[0],
    )
    return _judged(verdict, draft, plain=known.kind)


def judged_text(draft: Draft, url: str, status: int | None) -> Judged:
    """A page that somebody else has read for us, as Markdown.

    It is judged as a page again, since title and headings say most about a wall.
    """
    tags = {Kind.HEADING: "h2", Kind.CODE: "pre"}
    parts = [f"<title>{escape(draft.title)}</title><h1>{escape(draft.title)}</h1>"]
    for block in draft.body.blocks:
        tag = tags.get(block.kind, "p")
        parts.append(f"<{tag}>{_LINK.sub(_anchor, escape(block.text))}</{tag}>")
    page = f"<!doctype html><html><body>{''.join(parts)}</body></html>"
    return _judged(judge(page, url, status), draft, plain=PlainKind.TEXT)


def _anchor(link: re.Match[str]) -> str:
    return f'<a href="{link[2]}">{link[1]}</a>'


def _page(material: Material) -> Judged:
    decoded = decode(material.body, material.content_type or None)
    tree = parse(decoded.text)
    verdict = judge_tree(tree, material.url, material.status, _headers(material, ""))
    draft = from_document(extract_tree(tree, material.url, decoded.notes))
    if material.markup:
        draft = replace(draft, body=markup_body(decoded.text))
    if material.ties:
        headings = [block.text for block in draft.body.blocks if block.kind is Kind.HEADING]
        draft = replace(draft, ties=Ties(hrefs(tree, material.url), anchors(tree, headings)))
    return _judged(
        verdict,
        draft,
        fingerprint=fingerprint(tree),
        asks_password=bool(_PASSWORD(tree)),
    )


def _headers(material: Material, fallback: str) -> dict[str, str] | None:
    if material.headers is None and not fallback:
        return None
    headers = dict(material.headers or {})
    if fallback:  # what it is has been decided already
        headers["content-type"] = fallback
    return headers


def _judged(
    verdict: Verdict,
    draft: Draft,
    *,
    fingerprint: Fingerprint | None = None,
    asks_password: bool = False,
    plain: PlainKind = PlainKind.HTML,
) -> Judged:
    has_text = bool(draft.body.markdown.strip())
    kind = verdict.kind.value
    if kind == VerdictKind.CONTENT and not has_text:
        kind = VerdictKind.EMPTY.value
    if kind == VerdictKind.EMPTY and has_text and plain is not PlainKind.HTML:
        kind = VerdictKind.CONTENT.value  # a file may be as short as it likes
    return Judged(
        kind=kind,
        confidence=verdict.confidence,
        reasons=verdict.reasons,
        draft=draft if has_text else None,
        fingerprint=fingerprint,
        asks_password=asks_password,
        plain=plain,
    )
