"""A search query as Google's address: operators in `q`, filters in `tbs`, language and region."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from broker.models import Recency

if TYPE_CHECKING:
    from broker.models import SearchQuery

_WINDOWS = {Recency.DAY: "d", Recency.WEEK: "w", Recency.MONTH: "m", Recency.YEAR: "y"}

# Where Google's name of a language is not its ISO 639-1 code.
_LANGUAGES = {"he": "iw", "jv": "jw", "nb": "no", "zh": "zh-CN"}
_TRADITIONAL_CHINESE_REGIONS = frozenset({"HK", "MO", "TW"})


def search_url(query: SearchQuery, origin: str, start: int) -> str:
    """The address of the result page that begins with result number `start` (0, 10, 20, …).

    `num` is not sent: Google has ignored it since September 2025 and always gives ten.
    """
    params = {"q": compiled_query(query)}
    if query.lang is not None:
        language = _language(query.lang, query.region)
        params |= {"hl": language, "lr": f"lang_{language}"}
    if query.region is not None:
        params["gl"] = query.region.lower()
    if dates := _dates(query):
        params["tbs"] = dates
    if start > 0:
        params["start"] = str(start)
    return f"{origin.rstrip('/')}/search?{urlencode(params, safe=':,/')}"


def compiled_query(query: SearchQuery) -> str:
    """The text of `q`: the words, then the operators for sites and for what `tbs` cannot say."""
    parts = [query.text]
    if len(query.sites) > 1:
        parts.append(f"({' OR '.join(f'site:{site}' for site in query.sites)})")
    else:
        parts += [f"site:{site}" for site in query.sites]
    parts += [f"-site:{site}" for site in query.not_sites]
    if isinstance(query.since, Recency) and query.until is not None:
        # `tbs` holds one range: the window ends now, so the earlier end goes into the query.
        parts.append(f"before:{_day_after(query.until)}")
    return " ".join(parts)


def _dates(query: SearchQuery) -> str:
    if isinstance(query.since, Recency):
        return f"qdr:{_WINDOWS[query.since]}"
    bounds = [("cd_min", query.since), ("cd_max", query.until)]
    given = [f"{name}:{_american(day)}" for name, day in bounds if day is not None]
    return ",".join(["cdr:1", *given]) if given else ""


def _day_after(day: date) -> date:
    return day + timedelta(days=1) if day < date.max else day


def _american(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"


def _language(lang: str, region: str | None) -> str:
    if lang == "zh" and region in _TRADITIONAL_CHINESE_REGIONS:
        return "zh-TW"
    return _LANGUAGES.get(lang, lang)
