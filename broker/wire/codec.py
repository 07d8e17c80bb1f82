"""JSON-RPC 2.0, one object a line, without I/O: bytes to requests, replies to bytes.

Reading never raises. A line that is no request becomes a `Rejected`, which holds the error to
answer with, so that one bad line never ends a stream. Lines end at byte 0x0A only and are decoded
whole, so that no chunk boundary can cut a character. This is the only module that knows orjson.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, TypeGuard

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_LINE_BYTES = 8 * 1024 * 1024
"""Longest line that is read. Lines that go out have no limit."""

_BOM = b"\xef\xbb\xbf"

Id = str | int | float
"""The id of a request. Whole numbers of more than 64 bits come back as the nearest float."""


class ErrorNumber(IntEnum):
    """The `code` of an error object; the stable name of the cause is in `data.code`."""

    PARSE = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL = -32603
    FAILED = -32000
    OVERLOADED = -32001
    CANCELLED = -32800


@dataclass(frozen=True, slots=True)
class RpcError:
    """An error object."""

    number: ErrorNumber
    message: str
    code: str
    """Stable name of the cause."""
    field: str = ""
    """The member or param that is wrong; empty when no single one is."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request, or a notification when it has no id."""

    id: Id | None
    method: str
    params: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that is no request, and how to answer it."""

    id: Id | None
    """The id to answer to, None where the line has no valid one."""
    error: RpcError


@dataclass(frozen=True, slots=True)
class LineTooLong:
    """Stands in the place of a line that was skipped."""

    limit_bytes: int


class LineSplitter:
    """Cuts a stream of bytes into lines.

    A line of more than `limit_bytes` is reported once, as soon as it is too long, and skipped to
    its end; no more than `limit_bytes` are ever held.
    """

    def __init__(self, limit_bytes: int = MAX_LINE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._held = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes | LineTooLong]:
        """The lines that `chunk` completes, without their ends."""
        lines: list[bytes | LineTooLong] = []
        *ended, begun = chunk.split(b"\n")
        for piece in ended:
            self._hold(piece, lines)
            self._end(lines)
        self._hold(begun, lines)
        return lines

    def finish(self) -> list[bytes | LineTooLong]:
        """The last line, when the stream ended in the middle of one."""
        lines: list[bytes | LineTooLong] = []
        if self._held:
            self._end(lines)
        return lines

    def _hold(self, piece: bytes, lines: list[bytes | LineTooLong]) -> None:
        if self._skipping:
            return
        if len(self._held) + len(piece) > self._limit_bytes:
            self._held = bytearray()
            self._skipping = True
            lines.append(LineTooLong(self._limit_bytes))
        else:
            self._held += piece

    def _end(self, lines: list[bytes | LineTooLong]) -> None:
        if not self._skipping:
            lines.append(bytes(self._held))
        self._held = bytearray()
        self._skipping = False


def decode_request(line: bytes | LineTooLong) -> Request | Rejected | None:
    """What a line says: a request, why it is none, or None for a blank line."""
    if isinstance(line, LineTooLong):
        message = f"the line is longer than {line.limit_bytes} bytes and was skipped"
        return Rejected(None, RpcError(ErrorNumber.PARSE, message, "line_too_long"))
    line = line.removeprefix(_BOM)
    if not line.strip():
        return None
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Rejected(None, _syntax_error(line, error))
    if isinstance(message, list):
        return _invalid(None, "a batch is not supported; send one object a line", "batch")
    if not isinstance(message, dict):
        return _invalid(None, "the line is not a JSON object", "not_an_object")
    return _request(message)


def encode_result(request_id: Id | None, result: object) -> bytes:
    """The line that answers a request.

    Raises:
        TypeError: `result` holds something that JSON has no form for.
    """
    return _line({"jsonrpc": "2.0", "id": request_id, "result": result})


def encode_error(request_id: Id | None, error: RpcError) -> bytes:
    """The line that tells a client what went wrong."""
    data = {"code": error.code} | ({"field": error.field} if error.field else {})
    body = {"code": error.number.value, "message": error.message, "data": data}
    return _line({"jsonrpc": "2.0", "id": request_id, "error": body})


def encode_notification(method: str, params: Mapping[str, object]) -> bytes:
    """The line that tells a client something without being asked."""
    return _line({"jsonrpc": "2.0", "method": method, "params": dict(params)})


def encode_json(value: object) -> bytes:
    """A value as one line of UTF-8 JSON, its end included; half a surrogate pair becomes U+FFFD."""
    return _line(value)


def decode_object(line: bytes) -> dict[str, object] | None:
    """The JSON object on a line; None where there is none."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def is_id(value: object) -> TypeGuard[Id]:
    """Whether a request can have this id."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _request(message: Mapping[str, object]) -> Request | Rejected:
    request_id = message.get("id")
    if not is_id(request_id):
        if "id" in message:
            return _invalid(None, "id must be a string or a number", field="id")
        request_id = None
    if message.get("jsonrpc") != "2.0":
        return _invalid(request_id, 'jsonrpc must be "2.0"', field="jsonrpc")
    method = message.get("method")
    if not isinstance(method, str):
        return _invalid(request_id, "method must be a string", field="method")
    params = message.get("params")
    if params is None:
        return Request(request_id, method)
    if not isinstance(params, dict):
        wrong = "params must be an object: they go by name"
        error = RpcError(ErrorNumber.INVALID_PARAMS, wrong, "invalid_request", "params")
        return Rejected(request_id, error)
    return Request(request_id, method, params)


def _invalid(
    request_id: Id | None, message: str, code: str = "invalid_request", *, field: str = ""
) -> Rejected:
    return Rejected(request_id, RpcError(ErrorNumber.INVALID_REQUEST, message, code, field))


def _syntax_error(line: bytes, error: orjson.JSONDecodeError) -> RpcError:
    try:
        line.decode()
    except UnicodeDecodeError as wrong:
        message = f"the line is not UTF-8: byte 0x{line[wrong.start]:02x} at position {wrong.start}"
        return RpcError(ErrorNumber.PARSE, message, "invalid_utf8")
    message = f"the line is not JSON: {error.msg} (character {error.pos + 1} of {len(line)})"
    return RpcError(ErrorNumber.PARSE, message, "parse_error")


def _line(value: object) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        # Strings from a page may hold half a surrogate pair. Looking for one in every answer would
        # cost more than encoding it, so it is done when encoding has failed.
        return orjson.dumps(_without_surrogates(value), option=orjson.OPT_APPEND_NEWLINE)


def _without_surrogates(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value
