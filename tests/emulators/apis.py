"""What the loopback JSON services have in common: rules, hits behind filters, faults, JSON-RPC."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeVar

from tests.emulators.google.hits import Organic, organic
from tests.emulators.messages import Request, Response, as_json, hang, html, reset, truncate
from tests.emulators.words import Rule, Words, choose, read_rule, take_words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable

DEFAULT_TOTAL = 40
SLOW_S = 0.5
OLDEST, NEWEST = date(2019, 1, 1), date(2026, 11, 30)
EVENTS = "text/event-stream"

ModeT = TypeVar("ModeT", bound=StrEnum)


class Service(ABC, Generic[ModeT]):
    """An app that chooses its state by rule or by magic words in the query."""

    modes: type[ModeT]
    usual: ModeT

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.rules: tuple[Rule[ModeT], ...] = ()
        self._visits: Counter[str] = Counter()

    def configure(self, settings: dict[str, object]) -> None:
        """Take `rules`, and what the service has besides, from JSON.

        Raises:
            ValueError, TypeError, KeyError: they are not understood.
        """
        for name, value in settings.items():
            if name == "rules" and isinstance(value, list):
                self.rules = tuple(read_rule(item, self.modes) for item in value)
            else:
                self.set(name, value)

    def set(self, name: str, value: object) -> None:
        """Take one more setting.

        Raises:
            ValueError: there is none of that name, or not of that type.
        """
        raise ValueError(f"not a setting: {name}={value!r}")

    def rule(self, query: str) -> Rule[ModeT]:
        """The state for this visit of `query`; an empty one stands for messages without a query.

        Raises:
            ValueError: a magic word names no known state.
        """
        self._visits[query] += 1
        rules = (*self.rules, *take_words(query, self.modes).rules)
        return choose(rules, query, 1, self._visits[query], self.usual)

    def words(self, query: str) -> Words[ModeT]:
        return take_words(query, self.modes)

    @abstractmethod
    def answer(self, request: Request) -> Response:
        """What the service answers; a ValueError is a magic word that nobody knows."""

    def __call__(self, request: Request) -> Response | Awaitable[Response]:
        return self.answered(request)

    def answered(self, request: Request) -> Response:
        """The answer, also to a magic word that nobody knows."""
        try:
            return self.answer(request)
        except ValueError as error:
            return html(f"<title>Bad magic word</title>{error}", 400)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the hits have to be like."""

    sites: tuple[str, ...] = ()
    not_sites: tuple[str, ...] = ()
    first: date | None = None
    last: date | None = None


def found(text: str, total: int, filters: Filters, *, salt: int) -> tuple[Organic, ...]:
    """The truth behind a query: every second hit is one that the loopback Google shows as well."""
    hits = []
    for rank in range(1, total + 1):
        at = f" site:{filters.sites[rank % len(filters.sites)]}" if filters.sites else ""
        hit = organic(text + at, rank if rank % 2 == 0 else rank + salt)
        if not any(lies_on(hit.host, site) for site in filters.not_sites):
            hits.append(replace(hit, published=_published(hit, rank, filters)))
    return tuple(hits)


def leaked(hits: Iterable[Organic]) -> tuple[Organic, ...]:
    """The same with every third hit on another host and of another year, as services leak."""
    return tuple(
        replace(hit, url=f"https://leak.example/{place}", published="2001-01-01")
        if place % 3 == 1
        else hit
        for place, hit in enumerate(hits)
    )


def lies_on(host: str, site: str) -> bool:
    return host == site or host.endswith(f".{site}")


def page_text(hit: Organic, chars: int) -> str:
    """The Markdown of the page behind a hit, about so long."""
    paragraph = f"{hit.snippet}\n\n"
    return f"# {hit.title}\n\n" + paragraph * max(1, chars // len(paragraph))


def carried_out(rule: Rule[ModeT], answer: Response) -> Response:
    """The answer with what the rule's mode does to the network."""
    answer = replace(answer, gate=rule.gate)
    match str(rule.mode):
        case "slow":
            return replace(answer, latency_s=rule.value or SLOW_S)
        case "hang":
            return replace(answer, fault=hang())
        case "reset":
            return replace(answer, fault=reset())
        case "truncate":
            return replace(answer, fault=truncate(len(answer.body) // 2))
        case _:
            return answer


def gateway_page(status: int) -> Response:
    """What a gateway before the service sends: a page, no JSON."""
    return html(f"<html><head><title>{status}</title></head><body>gateway</body></html>", status)


def portal_page() -> Response:
    """What somebody else sends in the service's place."""
    return html("<title>Sign in to the hotel's network</title>")


def with_retry(answer: Response, rule: Rule[ModeT]) -> Response:
    """The answer with the rule's value, if any, as `Retry-After`."""
    if rule.value is None:
        return answer
    return replace(answer, headers=(*answer.headers, ("Retry-After", f"{rule.value:g}")))


def read_object(body: bytes) -> dict[str, object] | None:
    """A JSON object, or None."""
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def rpc_result(number: object, result: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def rpc_error(number: object, code: int, message: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "error": {"code": code, "message": message}, "id": number}


def tool_text(text: str, *, failed: bool = False) -> dict[str, object]:
    """The result of a tool that says one thing."""
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def refuse(status: int, body: object, *headers: tuple[str, str]) -> Response:
    return replace(as_json(body, status), headers=headers)


def _published(hit: Organic, rank: int, filters: Filters) -> str | None:
    if filters.first is None and filters.last is None:
        return hit.published
    first, last = filters.first or OLDEST, filters.last or NEWEST
    return str(first + timedelta(days=rank * 13 % max(1, (last - first).days + 1)))
