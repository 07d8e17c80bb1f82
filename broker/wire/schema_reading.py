"""The params of `fetch`, `read`, `recall`, and the records made from them; goes with `schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from unicodedata import category

from broker.errors import RequestInvalid
from broker.reading.records import (
    MAX_FIND_CHARS,
    MAX_LIMIT,
    MAX_PASSAGES,
    MAX_SOURCE_CHARS,
    MAX_SOURCES,
    FetchRequest,
    Form,
    Part,
    ReadRequest,
    RecallRequest,
    Render,
)
from broker.wire import values
from broker.wire.schema import MAX_DEADLINE_S, MIN_DEADLINE_S, known_params

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import StrEnum

_PART_PARAMS = ("format", "find", "offset", "limit")

FETCH_PARAMS = (
    "source",
    "sources",
    "query",
    "render",
    *_PART_PARAMS,
    "fresh",
    "deadline_ms",
    "progress",
)
"""The params of `fetch`. `null` means the same as leaving one out."""

READ_PARAMS = ("id", *_PART_PARAMS)
"""The params of `read`."""

RECALL_PARAMS = ("query", "max")
"""The params of `recall`."""

_MAX_OFFSET = 1_000_000_000
_MAX_ID_CHARS = 64

_T = TypeVar("_T")
_E = TypeVar("_E", bound="StrEnum")


def parse_fetch(params: Mapping[str, object], *, deadline_s: float = 20.0) -> FetchRequest:
    """Make a fetch request from its params; `deadline_s` holds where they name no deadline.

    Raises:
        RequestInvalid: A param is unknown, missing or wrong; its `field` names it.
    """
    given = known_params(params, FETCH_PARAMS)
    budget_s = _optional(given, "deadline_ms", _deadline_s)
    query = _optional(given, "query", _query)
    return FetchRequest(
        sources=_sources(given),
        part=_part(given) if query is None else _no_part(given),
        query=query,
        render=_optional(given, "render", lambda v, f: _choice(v, f, Render)) or Render.AUTO,
        fresh=_optional(given, "fresh", values.flag) or False,
        deadline_s=deadline_s if budget_s is None else budget_s,
    )


def parse_fetch_progress(params: Mapping[str, object]) -> bool:
    """Whether a fetch's params ask for `progress` notifications."""
    return _optional(known_params(params, FETCH_PARAMS), "progress", values.flag) or False


def parse_read(params: Mapping[str, object]) -> ReadRequest:
    """Make a read request from its params.

    Raises:
        RequestInvalid: A param is unknown, missing or wrong; its `field` names it.
    """
    given = known_params(params, READ_PARAMS)
    if "id" not in given:
        raise RequestInvalid("id is missing: the id of a document that was read", field="id")
    document_id = values.string(given["id"], "id").strip()
    if not document_id or len(document_id) > _MAX_ID_CHARS:
        raise RequestInvalid(f"id {values.shown(document_id)} is no id", field="id")
    return ReadRequest(id=document_id, part=_part(given))


def parse_recall(params: Mapping[str, object]) -> RecallRequest:
    """Make a recall request from its params.

    Raises:
        RequestInvalid: A param is unknown, missing or wrong; its `field` names it.
    """
    given = known_params(params, RECALL_PARAMS)
    if "query" not in given:
        raise RequestInvalid("query is missing: words to find in what was read", field="query")
    return RecallRequest(
        query=_query(given["query"], "query"),
        max_passages=_optional(given, "max", _max_passages) or 10,
    )


def _no_part(given: Mapping[str, object]) -> Part:
    """Markdown: a query shows the passages that answer it, whose offsets are those of Markdown."""
    for name in ("find", "offset", "limit"):
        if name in given:
            message = f"query shows the passages that answer it: leave {name} out"
            raise RequestInvalid(message, field=name)
    part = _part(given)
    if part.form is not Form.MARKDOWN:
        message = f"query shows passages of the Markdown: leave format out, it is {part.form}"
        raise RequestInvalid(message, field="format")
    return part


def _part(given: Mapping[str, object]) -> Part:
    part = Part(
        form=_optional(given, "format", lambda v, f: _choice(v, f, Form)) or Form.MARKDOWN,
        find=_optional(given, "find", _find),
        offset=_optional(given, "offset", _offset),
        limit=_optional(given, "limit", _limit),
    )
    if part.find is not None and part.offset:
        raise RequestInvalid("find searches the whole document: leave offset out", field="offset")
    return part


def _sources(given: Mapping[str, object]) -> tuple[str, ...]:
    if "source" in given and "sources" in given:
        raise RequestInvalid("give source or sources, not both", field="sources")
    if "source" in given:
        return (_source(values.string(given["source"], "source"), "source"),)
    if "sources" not in given:
        raise RequestInvalid("source is missing: an address or a path", field="source")
    listed = values.strings(given["sources"], "sources")
    if not 1 <= len(listed) <= MAX_SOURCES:
        message = f"sources must be 1 to {MAX_SOURCES}, not {len(listed)}"
        raise RequestInvalid(message, field="sources")
    return tuple(_source(each, "sources") for each in listed)


def _source(text: str, field: str) -> str:
    text = text.strip()
    if not text:
        raise RequestInvalid("the source is empty", field=field)
    if len(text) > MAX_SOURCE_CHARS:
        message = f"the source has {len(text)} characters; the limit is {MAX_SOURCE_CHARS}"
        raise RequestInvalid(message, field=field)
    wrong = next((char for char in text if category(char) in {"Cc", "Cs"}), None)
    if wrong is not None:
        message = f"the source {values.shown(text)} has a control character, U+{ord(wrong):04X}"
        raise RequestInvalid(message, field=field)
    return text


def _query(value: object, field: str) -> str:
    return values.query_text(value, field, "the query")


def _max_passages(value: object, field: str) -> int:
    return values.integer(value, field, low=1, high=MAX_PASSAGES)


def _find(value: object, field: str) -> str:
    text = values.string(value, field).strip()
    if not text or len(text) > MAX_FIND_CHARS:
        message = f"{field} must have 1 to {MAX_FIND_CHARS} characters"
        raise RequestInvalid(message, field=field)
    return text


def _offset(value: object, field: str) -> int:
    return values.integer(value, field, low=0, high=_MAX_OFFSET)


def _limit(value: object, field: str) -> int:
    return values.integer(value, field, low=1, high=MAX_LIMIT)


def _deadline_s(value: object, field: str) -> float:
    return values.budget_s(value, field, low_s=MIN_DEADLINE_S, high_s=MAX_DEADLINE_S)


def _choice(value: object, field: str, choices: type[_E]) -> _E:
    text = values.string(value, field).strip().lower()
    try:
        return choices(text)
    except ValueError:
        message = f"{field} must be {', '.join(choices)}, not {values.shown(text)}"
        raise RequestInvalid(message, field=field) from None


def _optional(
    given: Mapping[str, object], name: str, check: Callable[[object, str], _T]
) -> _T | None:
    return check(given[name], name) if name in given else None
