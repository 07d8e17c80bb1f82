"""Drives a provider's conversation: with answers given beforehand, or over a loopback network."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from broker.errors import BrokerError
from broker.fetch.http import HttpClient
from broker.models import SearchQuery
from broker.providers.base import Asked, Call, Found, HttpRequest, HttpResponse
from broker.settings import ProviderSettings

if TYPE_CHECKING:
    from broker.models import Hit
    from broker.providers.base import Conversation, Step

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEYS = {
    "deepseek_api_key": "sk-0123456789abcdefgeheim",
    "exa_api_key": "exa.geheim",
    "zai_api_key": "zai.geheim",
}
URLS = ("deepseek_url", "exa_url", "exa_mcp_url", "zai_url")


def call(
    text: str = "cats",
    *,
    content: bool = False,
    memory: dict[str, str] | None = None,
    settings: dict[str, Any] | None = None,
    **query: Any,  # noqa: ANN401 - the fields of SearchQuery
) -> Call:
    """A call with keys for everybody."""
    return Call(
        query=SearchQuery(text=text, **query),
        settings=ProviderSettings(**KEYS | (settings or {})),
        now=NOW,
        content=content,
        memory={} if memory is None else memory,
    )


def at(origin: str, **settings: object) -> dict[str, Any]:
    """Settings with all services at one address."""
    return dict.fromkeys(URLS, origin) | settings


@dataclass
class Talk:
    """What a conversation came to."""

    requests: list[HttpRequest] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    error: BrokerError | None = None

    @property
    def hits(self) -> tuple[Hit, ...]:
        return tuple(hit for found in self.found for hit in found.hits)

    @property
    def outcome(self) -> str:
        """The class of the outcome: ok, empty, or the lane's code."""
        if self.error is not None:
            return self.error.code
        return "ok" if self.hits else "empty"

    @property
    def said(self) -> str:
        """Every word that a person may come to see."""
        remarks = [str(found.remark) for found in self.found]
        return " ".join([repr(self.requests), repr(self.asked), *remarks, str(self.error)])

    def body(self, number: int = -1) -> dict[str, Any]:
        """The JSON of a request."""
        return dict(json.loads(self.requests[number].body))

    def take(self, step: Step) -> HttpRequest | None:
        """Note a step; the request, if it is one."""
        match step:
            case HttpRequest():
                self.requests.append(step)
                return step
            case Asked():
                self.asked.append(step)
            case Found():
                self.found.append(step)
        return None


def talk(conversation: Conversation, *answers: HttpResponse) -> Talk:
    """Answer the requests one after the other."""
    said, waiting, answer = Talk(), list(answers), HttpResponse(status=0, url="")
    try:
        step = next(conversation)
        while True:
            if said.take(step) is not None:
                answer = waiting.pop(0)
            step = conversation.send(answer)
    except StopIteration:
        pass
    except BrokerError as error:
        said.error = error
    assert not waiting, "the conversation ended before it had heard everything"
    return said


async def talk_over_http(conversation: Conversation, client: HttpClient | None = None) -> Talk:
    """Send the requests, by a client of its own unless one is lent."""
    if client is None:
        async with HttpClient() as own:
            return await talk_over_http(conversation, own)
    said, answer = Talk(), HttpResponse(status=0, url="")
    try:
        step = next(conversation)
        while True:
            if (request := said.take(step)) is not None:
                answer = await client.send(request)
            step = conversation.send(answer)
    except StopIteration:
        pass
    except BrokerError as error:
        said.error = error
    return said


def answered(body: object, status: int = 200, **headers: str) -> HttpResponse:
    """An answer with a JSON body, or with a text as it is."""
    text = body if isinstance(body, str) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status=status, url="", headers=named, body=text.encode())
