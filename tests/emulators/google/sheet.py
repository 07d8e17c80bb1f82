"""What decides a result page, and what comes out of it."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.emulators.google import blocks
from tests.emulators.google.blocks import Block
from tests.emulators.google.hits import PER_PAGE, Organic, is_question, organics

if TYPE_CHECKING:
    from tests.emulators.google.rules import Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """Raw markup put into a page at four places."""

    head: str = ""
    before: str = ""
    """In the body, before the results."""
    after: str = ""
    """Right after the results."""
    end: str = ""
    """The last thing in the body."""
    notice: str = ""
    """Above the results, where spelling corrections stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serp:
    body: bytes
    head_bytes: int
    """Up to the end of the head."""
    early_bytes: int
    """Up to the end of the third hit."""
    results_bytes: int
    """Up to the end of the results' container."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Everything that decides a page's bytes."""

    wish: Wish
    page: int
    hits: tuple[Organic, ...]
    keep: tuple[tuple[str, str], ...] = ()
    """Parameters that page links carry on (hl, gl, …)."""
    extras: Extras = Extras()


def event_id(sheet: Sheet) -> str:
    """The page's `ei`: four bytes of time, then noise."""
    seed = f"{sheet.wish.query}\n{sheet.page}".encode()
    raw = bytes.fromhex("6924a1b0") + hashlib.blake2b(seed, digest_size=13).digest()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def hits_of(wish: Wish, page: int) -> tuple[Organic, ...]:
    """The expected hits of a page, in page order."""
    shown = blocks.choice(wish.blocks, page, question=is_question(wish.text))
    return organics(wish.text, page, wish.total, featured=Block.FEATURED in shown)


def duplicated(wish: Wish, page: int) -> tuple[Organic, ...]:
    """A page whose first half the page before it has already shown."""
    hits = hits_of(wish, page)
    if page == 1 or not hits:
        return hits
    half = PER_PAGE // 2
    return (hits_of(wish, page - 1)[-half:] + hits)[:PER_PAGE]
