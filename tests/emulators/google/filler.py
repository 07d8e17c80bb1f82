"""Weight: scripts, styles, vector drawings and data-URI images, as result pages carry them."""

from __future__ import annotations

import base64
import random
from functools import lru_cache

_NONCE = "n0nceForTests"
_SCRIPT_BYTES = 24_000
_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.,:;()[]{}+-=!?| "


@lru_cache(maxsize=1)
def _noise() -> str:
    rng = random.Random("filler")  # noqa: S311 (weight, not secrets)
    return "".join(rng.choices(_ALPHABET, k=_SCRIPT_BYTES))


def script(code: str) -> str:
    """An inline script in the page's own manner."""
    return f'<script nonce="{_NONCE}">{code}</script>'


@lru_cache(maxsize=32)
def scripts(size_bytes: int) -> str:
    """Inline scripts of about this many bytes in all: valid, quick to run, without effect."""
    parts = []
    while size_bytes > 0:
        data = _noise()[: max(0, min(size_bytes, _SCRIPT_BYTES) - 110)]
        parts.append(
            script(f'(function(){{var d="{data}";window._w=(window._w||0)+d.length;}}).call(this);')
        )
        size_bytes -= _SCRIPT_BYTES
    return "".join(parts)


@lru_cache(maxsize=8)
def styles(size_bytes: int) -> str:
    """A style sheet of about this many bytes, of rules that match nothing."""
    rng = random.Random("styles")  # noqa: S311
    rules = []
    length = 0
    while length < size_bytes:
        name = "".join(rng.choices(_ALPHABET[:52], k=6))
        rule = f".{name}{{color:#{rng.randrange(1 << 24):06x};padding:{rng.randrange(40)}px;}}"
        rules.append(rule)
        length += len(rule)
    return f"<style>{''.join(rules)}</style>"


@lru_cache(maxsize=16)
def image(seed: int, size_bytes: int = 900) -> str:
    """A data URI that looks like a small picture; no decoder will like it."""
    data = random.Random(seed).randbytes(size_bytes)  # noqa: S311
    return "data:image/png;base64," + base64.b64encode(data).decode()


def drawing() -> str:
    """An inline vector icon."""
    return (
        '<svg focusable="false" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
        '<path d="M12 8c1.1 0 2-.9 2-2s-.9-2-2-2-2 .9-2 2 .9 2 2 2zm0 '
        '2c-1.1 0-2 .9-2 2s.9 2 2 2z"/></svg>'
    )
