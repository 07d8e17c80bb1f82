"""Whether and when the same page is asked for again. Pure: it knows no connections.

Only what may be chance is tried again: a connection that broke, a server that is busy or asks to
wait. A refusal is an answer. Waiting never outlasts the budget.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from broker.http_dates import http_date

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_RETRIES = 2
BACKOFF_S = 0.25
"""The first wait at its longest; the second is twice as long."""
WORTH_TRYING_S = 0.1
"""Less time than this left after the wait is not enough for an answer."""

_BUSY = frozenset({408, 429})
_HOPELESS = frozenset({501, 505, 506, 510, 511})
"""5xx that say that the request will never be understood."""


def is_transient(status: int, headers: Mapping[str, str]) -> bool:
    """Whether an answer with this status may be another one soon."""
    if "cf-mitigated" in headers:
        return False  # a wall that calls itself 503 or 429
    return status in _BUSY or (status >= 500 and status not in _HOPELESS)  # noqa: PLR2004


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that `Retry-After` asks for, as a number or as a date; None without it."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    at = http_date(text)
    if at is None:
        return None
    # The site's own clock counts where it says what it is.
    said = http_date(headers.get("date", ""))
    return max(0.0, (at - (now or said or datetime.now(UTC))).total_seconds())


def wait_s(retry: int, *, asked_s: float | None, left_s: float, chance: float) -> float | None:
    """How long to wait before a retry; None for none.

    Args:
        retry: retries made so far.
        asked_s: what the site asked for.
        left_s: what is left of the budget; infinite where nothing limits it.
        chance: from 0 to 1; spreads those who were refused together.
    """
    if retry >= MAX_RETRIES:
        return None
    backoff_s = BACKOFF_S * 2**retry * (0.5 + 0.5 * chance)
    wait = max(backoff_s, asked_s or 0.0)
    fits = math.isinf(left_s) or wait + WORTH_TRYING_S <= left_s
    return wait if fits else None
