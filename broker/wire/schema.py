"""The protocol, as it comes in: the params of every method, and records made from them.

With `replies`, which holds what goes out, this is the protocol's single statement: JSON names end
in these two modules, the rest of the broker has records. Neither does I/O or knows how a line is
framed.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from broker.errors import RequestInvalid
from broker.models import MAX_HITS, MAX_QUERIES, SearchQuery, SearchRequest
from broker.wire import values
from broker.wire.codec import is_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from broker.wire.codec import Id

SEARCH_PARAMS = (
    "query",
    "queries",
    "max",
    "providers",
    "sites",
    "not_sites",
    "since",
    "until",
    "lang",
    "region",
    "content",
    "chars",
    "allow_secrets",
    "deadline_ms",
    "progress",
)
"""The params of `search`. `null` means the same as leaving one out."""

CANCEL_PARAMS = ("id",)
"""The params of `cancel`."""

MIN_DEADLINE_S = 0.1
MAX_DEADLINE_S = 60.0
"""The budgets a client may ask for."""

DEFAULT_CHARS = 12_000
"""Characters of full text in an answer: with the rest of it, some 20 KB."""
MIN_CHARS = 500
MAX_CHARS = 1_000_000

_ALONE = ("auto", "all")
"""Choices of providers that no further name goes with."""

_T = TypeVar("_T")


def known_params(params: Mapping[str, object], known: Sequence[str]) -> dict[str, object]:
    """The params that are given, which must all be known ones; those that are null are left out."""
    for name in params:
        if name not in known:
            raise RequestInvalid(
                f"unknown param {values.shown(name)}; known are {', '.join(known) or 'none'}",
                field=name[: values.SHOWN_CHARS],
            )
    return {name: value for name, value in params.items() if value is not None}


def parse_search(params: Mapping[str, object], *, deadline_s: float = 7.0) -> SearchRequest:
    """Make a search request from its params; `deadline_s` holds where they name no deadline.

    Raises:
        RequestInvalid: A param is unknown, missing or wrong; its `field` names it.
    """
    given = known_params(params, SEARCH_PARAMS)
    filters = _filters(given)
    queries = tuple(replace(filters, text=text) for text in _query_texts(given))
    providers = _optional(given, "providers", _providers) or ("auto",)
    return SearchRequest(
        queries=queries,
        providers=providers,
        deadline_s=_optional(given, "deadline_ms", _deadline_s) or deadline_s,
        chars=_optional(given, "chars", _chars) or DEFAULT_CHARS,
        allow_secrets=_optional(given, "allow_secrets", values.flag) or False,
    )


def parse_progress(params: Mapping[str, object]) -> bool:
    """Whether a search's params ask for `progress` notifications."""
    return _optional(known_params(params, SEARCH_PARAMS), "progress", values.flag) or False


def parse_cancel(params: Mapping[str, object]) -> Id:
    """The id of the request that `cancel` is about."""
    target = known_params(params, CANCEL_PARAMS).get("id")
    if not is_id(target):
        raise RequestInvalid("id must be the id of a running request", field="id")
    return target


def _optional(
    given: Mapping[str, object], name: str, check: Callable[[object, str], _T]
) -> _T | None:
    return check(given[name], name) if name in given else None


def _filters(given: Mapping[str, object]) -> SearchQuery:
    """A query without its words: what all queries of a request have in common."""
    since = _optional(given, "since", values.since)
    until = _optional(given, "until", values.until)
    if isinstance(since, date) and until is not None and since > until:
        raise RequestInvalid(f"since ({since}) is later than until ({until})", field="since")
    return SearchQuery(
        text="",
        max_hits=_optional(given, "max", _max_hits) or 10,
        sites=_optional(given, "sites", _sites) or (),
        not_sites=_optional(given, "not_sites", _sites) or (),
        since=since,
        until=until,
        lang=_optional(given, "lang", values.language),
        region=_optional(given, "region", values.region),
        content=_optional(given, "content", values.flag) or False,
    )


def _query_texts(given: Mapping[str, object]) -> tuple[str, ...]:
    if "query" in given and "queries" in given:
        raise RequestInvalid("give query or queries, not both", field="queries")
    if "query" in given:
        return (values.query_text(given["query"], "query", "the query"),)
    if "queries" not in given:
        raise RequestInvalid("query is missing", field="query")
    texts = values.strings(given["queries"], "queries")
    if not 1 <= len(texts) <= MAX_QUERIES:
        raise RequestInvalid(
            f"queries must be 1 to {MAX_QUERIES}, not {len(texts)}", field="queries"
        )
    names = [f"query {n}" for n in range(1, len(texts) + 1)] if len(texts) > 1 else ["the query"]
    return tuple(
        values.query_text(text, "queries", name) for text, name in zip(texts, names, strict=True)
    )


def _max_hits(value: object, field: str) -> int:
    return values.integer(value, field, low=1, high=MAX_HITS)


def _chars(value: object, field: str) -> int:
    return values.integer(value, field, low=MIN_CHARS, high=MAX_CHARS)


def _deadline_s(value: object, field: str) -> float:
    return values.budget_s(value, field, low_s=MIN_DEADLINE_S, high_s=MAX_DEADLINE_S)


def _sites(value: object, field: str) -> tuple[str, ...]:
    return tuple(values.site(item, field) for item in values.strings(value, field))


def _providers(value: object, field: str) -> tuple[str, ...]:
    listed = [part for item in values.strings(value, field) for part in item.split(",")]
    chosen = tuple(dict.fromkeys(part.strip().lower() for part in listed))
    if len(chosen) == 1 and chosen[0] in _ALONE:
        return chosen
    known = _known_providers()
    for name in chosen:
        if name in _ALONE:
            raise RequestInvalid(f"{name} goes with no other provider", field=field)
        if name not in known:
            raise RequestInvalid(
                f"unknown provider {values.shown(name)}; known are {', '.join((*_ALONE, *known))}",
                field=field,
            )
    if not chosen:
        raise RequestInvalid("no provider is named", field=field)
    return chosen


def _known_providers() -> tuple[str, ...]:
    # Imported when a request names one: the providers bring their parsers, and those lxml, which
    # the sidecar's first answer does not wait for.
    from broker.providers import REGISTRY  # noqa: PLC0415

    return tuple(provider.name for provider in REGISTRY)
