"""A search query as the fields of DuckDuckGo's form: `q`, `kl` for the region, `df` for dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.models import Recency
from broker.providers.filters import first_day
from broker.providers.trimming import trim

if TYPE_CHECKING:
    from datetime import date

    from broker.models import SearchQuery

MAX_QUERY_CHARS = 499
"""DuckDuckGo's limit; operators count."""

EVERYWHERE = "wt-wt"

# Country and language, as its own menu offers them; of a country's languages the first is usual.
_REGIONS = (
    "ar-es", "at-de", "au-en", "be-nl", "be-fr", "bg-bg", "br-pt", "ca-en", "ca-fr", "ch-de",
    "ch-fr", "ch-it", "cl-es", "cn-zh", "co-es", "ct-ca", "cz-cs", "de-de", "dk-da", "ee-et",
    "es-es", "fi-fi", "fr-fr", "gr-el", "hk-tzh", "hr-hr", "hu-hu", "id-id", "id-en", "ie-en",
    "il-he", "in-en", "it-it", "jp-jp", "kr-kr", "lt-lt", "lv-lv", "mx-es", "my-ms", "my-en",
    "nl-nl", "no-no", "nz-en", "pe-es", "ph-en", "ph-tl", "pl-pl", "pt-pt", "ro-ro", "ru-ru",
    "se-sv", "sg-en", "sk-sk", "sl-sl", "th-th", "tr-tr", "tw-tzh", "ua-uk", "uk-en", "us-en",
    "ve-es", "vn-vi", "xa-ar", "za-en",
)  # fmt: skip

# Where its name of a country or a language is not the ISO code.
_COUNTRIES = {"GB": "uk", "SI": "sl"}
_LANGUAGES = {"ja": "jp", "ko": "kr", "nb": "no", "nn": "no"}
_TRADITIONAL = "tzh"

# Which country stands for a language, where none is called like it (`de-de`) and several speak it.
_HOMES = {"ca": "ct-ca", "en": "us-en", "zh": "cn-zh"}

_WINDOWS = {Recency.DAY: "d", Recency.WEEK: "w", Recency.MONTH: "m", Recency.YEAR: "y"}
_FIRST_DAY = "1990-01-01"
"""Before any page of the web."""

# `!w` at any place sends the query to another site, `\` at its start to the first result.
_BANG = re.compile(r'("[^"]*")|(?<!\S)([!\\][^\s"]*)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The filled-in form."""

    q: str
    words: str
    """What of `q` is no operator."""
    dropped: str
    """What did not fit, in its order; mostly empty."""
    kl: str
    df: str

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Names and values as the page's own form sends them."""
        return (("q", self.q), ("b", ""), ("kl", self.kl), ("df", self.df))

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """The same as an address has them."""
        return tuple((name, value) for name, value in self.fields if value)

    @property
    def may_go_on(self) -> bool:
        """Whether there are further pages: for Chinese regions asking for one is refused."""
        return not self.kl.endswith("zh")


def form(query: SearchQuery, today: date) -> Form:
    """The form for `query`; `q` is empty when no word of it fits."""
    trimmed = trim(_compiled(query), MAX_QUERY_CHARS)
    return Form(
        q=trimmed.text,
        words=trimmed.words,
        dropped=trimmed.dropped,
        kl=region(query.region, query.lang),
        df=_dates(query, today),
    )


def region(country: str | None, lang: str | None) -> str:
    """The `kl` for an ISO 3166 `country` and an ISO 639-1 `lang`; a country counts more."""
    if country is not None:
        prefix = f"{_COUNTRIES.get(country, country.lower())}-"
        offered = [kl for kl in _REGIONS if kl.startswith(prefix)]
        spoken = [kl for kl in offered if lang is not None and _speaks(kl, lang)]
        if offered:
            return (spoken or offered)[0]
    if lang is None:
        return EVERYWHERE
    home = _HOMES.get(lang, f"{lang}-{lang}")
    spoken = [kl for kl in _REGIONS if kl == home] or [kl for kl in _REGIONS if _speaks(kl, lang)]
    return spoken[0] if spoken else EVERYWHERE


def _speaks(kl: str, lang: str) -> bool:
    spoken = kl.partition("-")[2]
    return spoken == _LANGUAGES.get(lang, lang) or (lang == "zh" and spoken == _TRADITIONAL)


def _compiled(query: SearchQuery) -> str:
    parts = [_BANG.sub(lambda match: match[1] or f'"{match[2]}"', query.text)]
    if query.sites:
        parts.append(" OR ".join(f"site:{site}" for site in query.sites))
    parts += [f"-site:{site}" for site in query.not_sites]
    return " ".join(parts)


def _dates(query: SearchQuery, today: date) -> str:
    """A window by its letter, anything else as a range of days, both ends part of it."""
    if isinstance(query.since, Recency) and (query.until is None or query.until >= today):
        return _WINDOWS[query.since]
    if query.since is None and query.until is None:
        return ""
    first, last = first_day(query, today), query.until or today
    return f"{_FIRST_DAY if first is None else min(first, last)}..{last}"
