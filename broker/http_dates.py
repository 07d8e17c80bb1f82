"""Dates as HTTP headers write them."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def http_date(text: str) -> datetime | None:
    """The moment that `text` names, with its zone; None where it is no date."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    # "-0000": the sender says nothing about its zone.
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
