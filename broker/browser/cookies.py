"""The cookies that outlive a browser: what a provider was told once need not be asked again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from pathlib import Path

_KEPT = ("name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite")
"""The fields of a CDP cookie that can be given back; the rest describes the running browser."""


def load(file: Path) -> list[dict[str, Any]]:
    """The saved cookies; an absent or unreadable file holds none."""
    try:
        saved = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return []
    if not isinstance(saved, list):
        return []
    return [cookie for cookie in saved if isinstance(cookie, dict) and "name" in cookie]


def save(file: Path, found: list[dict[str, Any]]) -> None:
    """Replace the file with the cookies among `found` that do not end with the session."""
    kept = [
        {name: cookie[name] for name in _KEPT if name in cookie}
        for cookie in found
        if not cookie.get("session")
    ]
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Written aside and renamed: another broker may be reading it, or this one may be killed.
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(orjson.dumps(kept))
    draft.replace(file)
