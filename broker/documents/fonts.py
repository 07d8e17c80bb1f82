"""Fonts as their names tell them."""

from __future__ import annotations

import re

_MONOSPACE = re.compile(
    r"""
      mono(?!type|tone|logue|line) | courier | consol(?:as|e) | menlo | monaco | typewriter
    | inconsolata | (?:fira|source|cascadia)[ ]?code | hack- | lucida[ ]?sans[ ]?type
    | letter[ ]?gothic | fixedsys | \b(?:teletype|terminal|ocr[ ]?[ab])\b
    | \A(?:[A-Z]{6}\+)?(?:cm|ec|sf|la)[a-z]*tt[a-z]*\d | txtt             # of TeX
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PROPORTIONAL = re.compile(r"mono ?prop|variable ?tt|vtt\d", re.IGNORECASE)


def is_monospace(name: str) -> bool:
    """Whether all letters of the font of that name are as wide as each other: a typewriter's."""
    return _MONOSPACE.search(name) is not None and _PROPORTIONAL.search(name) is None
