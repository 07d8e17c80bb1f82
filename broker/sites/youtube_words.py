"""What is said in a film, line by line: YouTube's transcripts as JSON, or as either kind of XML."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from broker.providers.answers import number_of, record, text_of
from broker.sites.replies import objects
from extract import xml
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extract.tree import Node

_TEXTS = xml.query("descendant-or-self::text[@start]", {})
_PARAGRAPHS = xml.query("descendant-or-self::p[@t]", {})


@dataclass(frozen=True, slots=True)
class Line:
    """A few words, and when they are said."""

    start_s: float
    text: str


def words_of(answer: bytes) -> tuple[Line, ...]:
    """The lines of a transcript in their order; none where it is none. Never raises."""
    try:
        data = record(json.loads(answer))
    except (ValueError, RecursionError):
        lines = list(_from_xml(answer))
    else:
        lines = list(_from_json(data))
    return tuple(sorted(lines, key=lambda line: line.start_s))


def _from_json(data: object) -> Iterator[Line]:
    for event in objects(record(data).get("events")):
        start_ms = number_of(event, "tStartMs")
        text = fold("".join(text_of(segment, "utf8") for segment in objects(event.get("segs"))))
        if start_ms is not None and text:
            yield Line(start_ms / 1000, text)


def _from_xml(answer: bytes) -> Iterator[Line]:
    root = xml.parse(answer)
    if root is None:
        return
    for nodes, name, unit in ((_TEXTS(root), "start", 1.0), (_PARAGRAPHS(root), "t", 0.001)):
        for node in nodes:
            start = _number(node, name)
            text = fold(unescape(xml.text(node)))  # it is escaped twice
            if start is not None and text:
                yield Line(start * unit, text)


def _number(node: Node, name: str) -> float | None:
    try:
        number = float(node.get(name) or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
