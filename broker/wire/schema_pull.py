"""The params of `pull`, and the record made from them; goes with `schema`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from broker.errors import RequestInvalid
from broker.pull.records import DEFAULT_MAX, MAX_PAGES, PullRequest
from broker.wire import values
from broker.wire.schema import known_params

if TYPE_CHECKING:
    from collections.abc import Mapping

PULL_PARAMS = ("url", "out", "max", "deadline_ms")
"""The params of `pull`. `null` means the same as leaving one out."""

_MIN_DEADLINE_S = 1.0
_MAX_DEADLINE_S = 86_400.0
_MAX_URL_CHARS = 2048


def parse_pull(params: Mapping[str, object]) -> PullRequest:
    """Make a pull request from its params.

    Raises:
        RequestInvalid: A param is unknown, missing or wrong; its `field` names it.
    """
    given = known_params(params, PULL_PARAMS)
    for name, what in (("url", "where to begin"), ("out", "the folder for the files")):
        if name not in given:
            raise RequestInvalid(f"{name} is missing: {what}", field=name)
    url = values.string(given["url"], "url").strip()
    if not url or len(url) > _MAX_URL_CHARS or not url.isprintable():
        raise RequestInvalid(f"url {values.shown(url)} is no address", field="url")
    if "://" not in url:
        url = f"https://{url}"
    limit, deadline = given.get("max"), given.get("deadline_ms")
    return PullRequest(
        url=url,
        out=_folder(values.string(given["out"], "out")),
        max_pages=DEFAULT_MAX
        if limit is None
        else values.integer(limit, "max", low=1, high=MAX_PAGES),
        deadline_s=None
        if deadline is None
        else values.budget_s(
            deadline, "deadline_ms", low_s=_MIN_DEADLINE_S, high_s=_MAX_DEADLINE_S
        ),
    )


def _folder(text: str) -> Path:
    if not text.strip() or "\0" in text:
        raise RequestInvalid(f"out {values.shown(text)} is no folder", field="out")
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError as error:
        message = "out begins with ~, and there is no such home folder"
        raise RequestInvalid(message, field="out") from error
