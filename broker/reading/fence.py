"""Text from the web is marked as such: between two lines that hold a number nobody can know. Pure.

The number is made anew for each answer. Marks that a page has made up itself are spoilt, with as
many characters as before, so that offsets stay what they are.
"""

from __future__ import annotations

import re
import secrets

NAME = "WEB-TEXT"

_FORGED = re.compile(
    r"(?:\\?[<\uff1c\u2039\u00ab]){2,}(?=[\W_]{0,8}(?:end[\W_]{0,4})?web[\W_]{0,4}text)",
    re.IGNORECASE,
)


def nonce() -> str:
    """A number for one answer."""
    return secrets.token_hex(8)


def fenced(text: str, number: str) -> str:
    """`text` between its marks; nothing where there is nothing."""
    if not text:
        return ""
    return f"<<<{NAME} {number}>>>\n{spoilt(text)}\n<<<END-{NAME} {number}>>>"


def spoilt(text: str) -> str:
    """`text` without anything that looks like a mark of ours."""
    if "<" not in text and "\uff1c" not in text and "\u2039" not in text and "\xab" not in text:
        return text
    return _FORGED.sub(lambda mark: "(" * len(mark[0]), text)
