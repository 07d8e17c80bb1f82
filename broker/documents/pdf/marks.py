"""What stands at the beginning of an item, a section, a caption; and at the end of a sentence."""

from __future__ import annotations

import re

# Bullets, circles and squares of all sorts.
_ROUND = "\u2022\u25e6\u2023\u25aa\u25cf\u25cb\u25a0\u25a1"
# Dashes, stars and triangles, which mean something else where they do not stand alone.
_OTHER = "\u2013\u2014\u2217*\u00b7\u25b6\u25ba-"

BULLET = re.compile(rf"[{_ROUND}{_OTHER}]\Z")
"""A word that is the mark of an item."""

BULLET_BEFORE = re.compile(rf"[{_ROUND}{_OTHER}]\s+")
"""The mark before an item's text."""

MARKER = re.compile(rf"(?:[{_ROUND}]|\[\d{{1,4}}\]|\(?(?:\d{{1,3}}|[a-z]|[ivx]{{1,4}})[.)])\Z")
"""A word before an item of a list or of the references."""

NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*\.?|[A-Z]\.(?:\d{1,2}\.?)*|[IVX]{1,5}\.)\Z")
"""A word that numbers a section."""

CLOSED = re.compile("[.!?:;\u3002\uff01\uff1f][\"')\\]\u201d\u2019\u00bb]*\\Z")
"""The end of a sentence."""

CAPTION = re.compile(r"(?:table|figure|fig\.|tabelle|abbildung|abb\.)\s*\w+\s*[:.]", re.IGNORECASE)

OPENING = "(\u201c\u2018'\""
"""What a sentence may go on with behind a break, beside a small letter."""

PAGE_NUMBER = re.compile(
    "(?:page |seite |p\\. ?)?[-\u2013\u2014 ]*(?:\\d{1,4}|[ivxl]{1,6})[-\u2013\u2014 ]*"
    "(?:(?:/|of|von) ?\\d+)?",
    re.IGNORECASE,
)
