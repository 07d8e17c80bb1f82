"""robots.txt, as RFC 9309 has it: what a site lets be read, how fast, and where its sitemaps are.

The rules themselves (groups, longest match, `*` and `$`, escapes) are Protego's; what the answer's
status means is ours. Who gives no rules forbids nothing (4xx), who cannot say forbids everything
(5xx, no answer). 429 is among the latter, although it is a 4xx: a site that is asked too much has
not said that it may be asked more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from protego import Protego

from broker.errors import Misdirected, PageFailed, Refused
from broker.redact import redact, safe_url

if TYPE_CHECKING:
    from broker.context import RequestContext
    from broker.reading.parts import Fetched, Pages

AGENT = "webaio"
"""The product token that a site's rules may name."""
MAX_DELAY_S = 10.0
"""Longest `Crawl-delay` that is waited; more of it would not be meant for readers."""
MAX_BYTES = 512_000
"""As much as must be read at least."""
_TOO_MANY = 429
_OK = range(200, 300)


@dataclass(frozen=True, slots=True, kw_only=True)
class Robots:
    """What a site lets be read."""

    rules: Protego | None = field(default=None, repr=False)
    """None where there are none."""
    forbidden: str = ""
    """Why nothing may be read, as a sentence; empty where that is not so."""

    def allows(self, url: str) -> bool:
        """Whether an address of the site may be read."""
        if self.forbidden:
            return False
        return self.rules is None or self.rules.can_fetch(url, AGENT)

    @property
    def delay_s(self) -> float:
        """Seconds between two requests that the site asks for, and gets."""
        stated = None if self.rules is None else self.rules.crawl_delay(AGENT)
        return min(stated or 0.0, MAX_DELAY_S)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """Where the site says its sitemaps are."""
        return () if self.rules is None else tuple(dict.fromkeys(self.rules.sitemaps))


async def load(ctx: RequestContext, pages: Pages, origin: str) -> Robots:
    """The rules of a site.

    Raises:
        Refused: our own policy forbids its address.
    """
    url = f"{origin}/robots.txt"
    try:
        answer = await pages.get(ctx, url, accept="text/plain,*/*;q=0.5")
    except Misdirected:
        return Robots()  # as good as none, by the RFC
    except PageFailed as error:
        return _silent(error.message)
    except Refused as error:
        if error.url in {"", redact(safe_url(url))}:
            raise
        return _silent(f"it leads to {error.url}: {error.message}")
    return of_answer(answer)


def of_answer(answer: Fetched) -> Robots:
    """The rules that an answer gives."""
    if answer.broken_off:  # a rule that is missing would be taken for none
        return _silent("it ends early")
    if answer.status in _OK:
        return of_text(answer.body[:MAX_BYTES])
    if answer.status >= 500 or answer.status == _TOO_MANY:  # noqa: PLR2004
        reason = f"robots.txt answers with the status {answer.status}, so nothing is read"
        return Robots(forbidden=reason)
    return Robots()


def _silent(why: str) -> Robots:
    """The rules of a site that cannot say them."""
    return Robots(forbidden=f"robots.txt cannot be had ({why}), so nothing is read")


def of_text(body: bytes) -> Robots:
    """The rules in a file."""
    return Robots(rules=Protego.parse(body.decode("utf-8-sig", "replace")))
