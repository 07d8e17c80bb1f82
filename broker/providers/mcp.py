"""The client's part of MCP over streamable HTTP, as far as one tool call needs it.

Every message is a POST. The reply is JSON or a stream of events, whichever the server likes; both
are read from the text alone, so that a saved answer needs no headers. Of several messages the one
counts that answers our id; a server that refuses before it has read the id answers with null.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.providers.answers import post_json, read_json, record, text_of
from broker.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from broker.providers.base import HttpRequest

PROTOCOL = "2024-11-05"
"""The oldest revision that hosted servers still speak; a newer one would bring us nothing."""

METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602
_OUR_FAULT = (METHOD_NOT_FOUND, _INVALID_PARAMS)

_ACCEPT = ("Accept", "application/json, text/event-stream")
_LINE_END = re.compile(r"\r\n|\n|\r")  # not splitlines(): JSON may hold U+2028 as it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server replied to one message."""

    texts: tuple[str, ...] = ()
    """The text blocks of a tool's result, in order."""
    tool_failed: bool = False
    """The tool ran and failed; the texts say how."""
    error: str | None = None
    """The words of a JSON-RPC error; None when there was none."""
    error_code: int = 0
    """The number of a JSON-RPC error."""

    @property
    def is_failure(self) -> bool:
        """Whether the call was refused or the tool failed."""
        return self.error is not None or self.tool_failed

    @property
    def is_bad_call(self) -> bool:
        """Whether the call itself was wrong; servers put that number into a tool's text, too."""
        return self.error_code in _OUR_FAULT or (
            self.is_failure and any(str(code) in self.text for code in _OUR_FAULT)
        )

    @property
    def text(self) -> str:
        """Everything the server said."""
        return "\n".join(self.texts) if self.error is None else self.error


def initialize(url: str, number: int, *headers: tuple[str, str]) -> HttpRequest:
    """The request that opens a session."""
    params = {
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "webaio", "version": __version__},
    }
    return _post(url, {"id": number, "method": "initialize", "params": params}, headers)


def initialized(url: str, *headers: tuple[str, str]) -> HttpRequest:
    """The notification that the session is open; it has no reply."""
    return _post(url, {"method": "notifications/initialized"}, headers)


def call_tool(
    url: str, number: int, tool: str, arguments: Mapping[str, object], *headers: tuple[str, str]
) -> HttpRequest:
    """The request that calls a tool; `number` comes back with the reply."""
    params = {"name": tool, "arguments": arguments}
    return _post(url, {"id": number, "method": "tools/call", "params": params}, headers)


def read_reply(text: str, number: int | None = None) -> Reply | None:
    """The reply to message `number` in `text`, or to any for None; None when there is none.

    Never raises.
    """
    replies = [message for message in _messages(text) if "result" in message or "error" in message]
    wanted = [message for message in replies if number is None or _is_id(message, number)]
    refused = [message for message in replies if message.get("id") is None and "error" in message]
    return next(map(_reply, [*wanted, *refused]), None)


def _post(
    url: str, message: Mapping[str, object], headers: tuple[tuple[str, str], ...]
) -> HttpRequest:
    return post_json(url, {"jsonrpc": "2.0", **message}, _ACCEPT, *headers)


def _messages(text: str) -> Iterator[Mapping[str, object]]:
    """The JSON objects in a body, be it one, a list of them, or a stream of events."""
    text = text.lstrip("\ufeff")
    values = [value] if (value := read_json(text)) is not None else map(read_json, _events(text))
    for value in values:
        yield from map(record, value if isinstance(value, list) else [value])


def _events(text: str) -> Iterator[str]:
    """The data of each event. One that the stream's end cuts off counts too: some send no blank."""
    data: list[str] = []
    for line in [*_LINE_END.split(text), ""]:
        name, _, value = line.partition(":")
        if not line and data:
            yield "\n".join(data)
            data = []
        elif name == "data":
            data.append(value.removeprefix(" "))


def _is_id(message: Mapping[str, object], number: int) -> bool:
    given = message.get("id")
    return isinstance(given, int | str) and str(given) == str(number)


def _reply(message: Mapping[str, object]) -> Reply:
    if "error" in message:
        error = record(message["error"])
        code = error.get("code")
        return Reply(
            error=text_of(error, "message") or text_of(message, "error"),
            error_code=code if isinstance(code, int) else 0,
        )
    result = record(message["result"])
    content = result.get("content")
    blocks = map(record, content if isinstance(content, list) else [])
    return Reply(
        texts=tuple(text_of(block, "text") for block in blocks if block.get("type") == "text"),
        tool_failed=result.get("isError") is True,
    )
