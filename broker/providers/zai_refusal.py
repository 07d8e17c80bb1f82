"""What z.ai's refusals mean: by the number in the body, since the HTTP status may be 200 or any."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from broker.errors import LaneFailed
from broker.providers.answers import (
    OK,
    quoted,
    read_json,
    record,
    retry_after_s,
    status_code,
    text_of,
)
from broker.providers.base import HttpResponse
from broker.providers.mcp import METHOD_NOT_FOUND

if TYPE_CHECKING:
    from broker.providers.base import Call
    from broker.providers.mcp import Reply

_NUMBERS = {
    **dict.fromkeys(("1000", "1001", "1002", "1003", "1004"), "auth"),
    "1113": "quota",
    "1302": "rate_limited",
    "1308": "quota",
    "1310": "quota",
}
"""z.ai's own error numbers: the key, the balance, the rate, the window's and the month's quota."""
_NUMBER = re.compile(r"\b1[0-3]\d\d\b")
_TOOL_STATUS = re.compile(r"MCP error -([45]\d\d)\b")
"""A tool's failure that repeats the HTTP status behind it."""
_NO_PERMISSION = "search-prime-claude"
_NO_SUCH_TOOL = re.compile(r"(?is)(?:unknown|no such) tool|\btool\b.*\bnot (?:found|exist)")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_CHINA = timezone(timedelta(hours=8))
"""The zone of a reset time that names none, in English messages too."""


def refusal(response: HttpResponse, reply: Reply | None, call: Call) -> LaneFailed:
    """What an answer without a list of results means.

    Args:
        response: what came.
        reply: the MCP reply in it; None when there is none.
        call: whose key is not repeated, and from whose time a reset is counted.
    """
    number, said = _said(response, reply)
    wait_s = retry_after_s(response, call.now)
    reset_s = _until_reset_s(said, call.now)
    code = _code(response, reply, number, said)
    if code == "rate_limited" and reset_s is not None:
        code = "quota"  # a rate has no day and hour at which it ends
    return LaneFailed(
        code,
        f"z.ai answered {response.status}{quoted(said, call.settings.zai_api_key)}",
        retry_after_s=reset_s if wait_s is None and code == "quota" else wait_s,
    )


def is_no_such_tool(reply: Reply | None) -> bool:
    """Whether the server does not know the tool that was called."""
    return (
        reply is not None
        and reply.is_failure
        and (reply.error_code == METHOD_NOT_FOUND or bool(_NO_SUCH_TOOL.search(reply.text)))
    )


def _said(response: HttpResponse, reply: Reply | None) -> tuple[str, str]:
    """The number and the words of a refusal, which need not be in an MCP envelope."""
    body = record(read_json(response.text))
    error = record(body.get("error")) or body
    number = error.get("code", "")
    words = text_of(error, "message") or text_of(error, "msg")
    return str(number), words if reply is None else reply.text


def _code(response: HttpResponse, reply: Reply | None, number: str, said: str) -> str:
    """The lane code: by z.ai's number, by a status, then by how it failed at all."""
    numbers = [known for known in (number, *_NUMBER.findall(said)) if known in _NUMBERS]
    if numbers:
        return _NUMBERS[numbers[0]]
    if _NO_PERMISSION in said:
        return "auth"
    if response.status != OK:
        return status_code(response)
    if stated := _TOOL_STATUS.search(said):
        return status_code(HttpResponse(status=int(stated[1]), url=""))
    return _code_of_failure(reply, number)


def _code_of_failure(reply: Reply | None, number: str) -> str:
    if reply is None:  # a number alone is a refusal all the same
        return "upstream" if number else "unparseable"
    if not reply.is_failure:
        return "unparseable"
    return "bad_request" if is_no_such_tool(reply) or reply.is_bad_call else "upstream"


def _until_reset_s(said: str, now: datetime) -> float | None:
    """Seconds until the moment that `said` names, where it lies ahead."""
    match = _MOMENT.search(said)
    try:
        moment = datetime.fromisoformat(match[0] if match else "")
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=_CHINA)
    wait_s = (moment.astimezone(UTC) - now).total_seconds()
    return wait_s if wait_s > 0 else None
