"""The params of `pull`, and the record made from them; goes with `schema`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from broker.errors import BrokerError, RequestInvalid
from broker.pull.records import (
    DEFAULT_MAX,
    MAX_DEADLINE_S,
    MAX_PAGES,
    MIN_DEADLINE_S,
    PullRequest,
)
from broker.reading.sources import understood
from broker.wire import values
from broker.wire.schema import known_params

if TYPE_CHECKING:
    from collections.abc import Mapping

PULL_PARAMS = ("url", "out", "max", "deadline_ms")
"""The params of `pull`. `null` means the same as leaving one out."""

_MAX_URL_CHARS = 2048


def parse_pull(params: Mapping[str, object]) -> PullRequest:
    """Make a pull request from its params. Looks at the disk: what is a file is no address.

    Raises:
        RequestInvalid: A param is unknown, missing or wrong; its `field` names it.
    """
    given = known_params(params, PULL_PARAMS)
    for name, what in (("url", "where to begin"), ("out", "the folder for the files")):
        if name not in given:
            raise RequestInvalid(f"{name} is missing: {what}", field=name)
    url = _address(values.string(given["url"], "url").strip())
    limit, deadline = given.get("max"), given.get("deadline_ms")
    return PullRequest(
        url=url,
        out=_folder(values.string(given["out"], "out")),
        max_pages=DEFAULT_MAX
        if limit is None
        else values.integer(limit, "max", low=1, high=MAX_PAGES),
        deadline_s=None
        if deadline is None
        else values.budget_s(deadline, "deadline_ms", low_s=MIN_DEADLINE_S, high_s=MAX_DEADLINE_S),
    )


def _address(text: str) -> str:
    """An address as `fetch` understands it.

    Raises:
        RequestInvalid: it is none, or means a file.
    """
    if not text or len(text) > _MAX_URL_CHARS or not text.isprintable():
        raise RequestInvalid(f"url {values.shown(text)} is no address", field="url")
    try:
        source = understood(text)
    except BrokerError as error:
        raise RequestInvalid(f"url: {error.message}", field="url") from error
    if source.path is not None:
        message = (
            f"url {values.shown(text)} means a file of this machine; a pull begins at an address, "
            "such as https://docs.example/guide/"
        )
        raise RequestInvalid(message, field="url")
    return source.url


def _folder(text: str) -> Path:
    if not text.strip() or "\0" in text:
        raise RequestInvalid(f"out {values.shown(text)} is no folder", field="out")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:
        message = "out begins with ~, and there is no such home folder"
        raise RequestInvalid(message, field="out") from error
