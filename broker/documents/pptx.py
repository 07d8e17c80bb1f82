"""PowerPoint presentations: what each slide says, shows in tables and charts, and its notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from broker.documents.ooxml import attribute, below, describe, name, related, tree
from broker.documents.records import Converted
from broker.documents.tabular import markdown
from extract.inline import EMPHASIS, STRONG, escape, join, link, without_stars

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree import ElementTree as ET

    from broker.documents.archive import Archive

SHOW = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_NO_ITEMS = frozenset({*_TITLES, "subTitle", "dt", "ftr"})
_ON_EACH = frozenset({"dt", "ftr"})
"""Placeholders that say the same on every slide."""
_MOST_SLIDES = 2000
_DEEPEST = 8
_ON = frozenset({"1", "true"})


@dataclass(slots=True)
class _Slide:
    """What a slide says: parts of Markdown."""

    archive: Archive
    related: dict[str, tuple[str, str]]
    is_first: bool
    parts: list[str] = field(default_factory=list)


def convert(archive: Archive) -> Converted:
    """The slides of an archive that was checked, in the order in which they are shown.

    Raises:
        Unconverted: it is damaged.
    """
    show = tree(archive, SHOW)
    known = related(archive, SHOW)
    order = [known[each] for each in _slides(show) if each in known]
    parts: list[str] = []
    hidden = 0
    for index, (_, part) in enumerate(order[:_MOST_SLIDES]):
        if part in archive:
            root = tree(archive, part)
            hidden += root.get("show") in {"0", "false"}
            slide = _Slide(archive, related(archive, part), is_first=index == 0)
            _shapes(root, slide)
            _notes(slide)
            parts += slide.parts
    result = Converted(markdown="\n\n".join(parts))
    describe(archive, result)
    if hidden:
        result.notes.append(f"{hidden} slides are hidden in the file, and shown here")
    if len(order) > _MOST_SLIDES:
        result.notes.append(f"only the first {_MOST_SLIDES} of {len(order)} slides were read")
    return result


def _slides(show: ET.Element) -> Iterator[str]:
    """What slides are known by: not by the other attribute of that name."""
    for each in below(show, "sldId"):
        yield from (text for key, text in each.items() if key.endswith("}id"))


def _shapes(root: ET.Element, slide: _Slide) -> None:
    """All shapes below `root`, those of groups among them, the title first."""
    shapes = list(_flat(next(below(root, "spTree"), root), 0))
    for shape in sorted(shapes, key=lambda each: _place(each) not in _TITLES):
        if name(shape) == "graphicFrame":
            _graphic(shape, slide)
            continue
        place = _place(shape)
        if place == "sldNum" or (place in _ON_EACH and not slide.is_first):
            continue
        if place in _TITLES:
            title = " ".join(without_stars(text) for _, text in _lines(shape, slide))
            slide.parts += [f"## {title}"] if title else []
            continue
        lines = _lines(shape, slide, as_items=place not in {"", *_NO_ITEMS})
        if lines:
            slide.parts.append(_joined(lines))


def _flat(group: ET.Element, depth: int) -> Iterator[ET.Element]:
    for child in group:
        kind = name(child)
        if kind in {"sp", "graphicFrame"}:
            yield child
        elif kind in {"grpSp", "AlternateContent", "Choice"} and depth < _DEEPEST:
            yield from _flat(child, depth + 1)


def _place(shape: ET.Element) -> str:
    """Which placeholder of the layout a shape fills; "body" where that is not told."""
    held = next(below(shape, "ph"), None)
    return "" if held is None else held.get("type", "body")


# --- text -----------------------------------------------------------------------------------------


def _lines(shape: ET.Element, slide: _Slide, *, as_items: bool = False) -> list[tuple[str, str]]:
    """The paragraphs: what marks each as an item, with the space before it, and its text."""
    lines = []
    count: dict[int, int] = {}
    for paragraph in (each for body in below(shape, "txBody") for each in body):
        text = _inline(paragraph, slide) if name(paragraph) == "p" else ""
        if not text:
            continue
        properties = paragraph.find("{*}pPr")
        marks = set(map(name, properties)) if properties is not None else set()
        told = properties.get("lvl", "0") if properties is not None else "0"
        level = int(told) if told.isdecimal() and len(told) == 1 else 0
        count = {each: number for each, number in count.items() if each <= level}
        if "buAutoNum" in marks:
            count[level] = count.get(level, 0) + 1
            mark = f"{count[level]}. "
        elif "buNone" not in marks and (as_items or "buChar" in marks):
            mark = "- "
        else:
            mark = ""
        lines.append(("    " * level + mark if mark else "", text))
    if not any(mark == mark.lstrip() and mark for mark, _ in lines):
        lines = [(mark.lstrip(), text) for mark, text in lines]  # nothing that these are below
    return lines


def _joined(lines: list[tuple[str, str]]) -> str:
    text = ""
    for (before, _), (mark, said) in zip([("", ""), *lines], lines, strict=False):
        text += ("\n" if before and mark else "\n\n") + mark + said
    return text.strip("\n")


def _inline(paragraph: ET.Element, slide: _Slide) -> str:
    pieces: list[str] = []
    for child in paragraph:
        kind = name(child)
        if kind == "br":
            pieces.append(" ")
        elif kind == "r" or (kind == "fld" and child.get("type") != "slidenum"):
            pieces += _run(child, slide)
        elif kind in {"m", "AlternateContent"}:  # a formula, and a picture of it
            shown = next(below(child, "Choice"), child)
            pieces.append(escape("".join(each.text or "" for each in below(shown, "t"))))
    return " ".join(join(pieces).split())


def _run(run: ET.Element, slide: _Slide) -> list[str]:
    text = escape(" ".join("".join(each.text or "" for each in below(run, "t")).split("\v")))
    properties = run.find("{*}rPr")
    if properties is None or not text.strip():
        return [text]
    target = properties.find("{*}hlinkClick")
    if target is not None:
        kind, url = slide.related.get(attribute(target, "id"), ("", ""))
        text = link(text, url) if kind == "hyperlink" else text
    marks = [STRONG] * (properties.get("b") in _ON) + [EMPHASIS] * (properties.get("i") in _ON)
    return [*marks, text, *reversed(marks)]


# --- tables, charts, notes ------------------------------------------------------------------------


def _graphic(frame: ET.Element, slide: _Slide) -> None:
    for table in below(frame, "tbl"):
        rows = [[_plain(cell) for cell in below(row, "tc")] for row in below(table, "tr")]
        if any(map(any, rows)):
            slide.parts.append(markdown(rows))
    for each in below(frame, "chart"):
        kind, part = slide.related.get(attribute(each, "id"), ("", ""))
        if kind == "chart" and part in slide.archive:
            slide.parts += _chart(tree(slide.archive, part))
    for each in below(frame, "relIds"):
        _, part = slide.related.get(attribute(each, "dm"), ("", ""))
        if part in slide.archive:
            points = [_plain(point) for point in below(tree(slide.archive, part), "pt")]
            said = [f"- {escape(text)}" for text in points if text]
            slide.parts += ["\n".join(said)] if said else []


def _plain(node: ET.Element) -> str:
    pieces = []
    for each in node.iter():
        kind = name(each)
        pieces.append((each.text or "") if kind == "t" else " " * (kind in {"p", "br"}))
    return " ".join("".join(pieces).split())


def _chart(root: ET.Element) -> list[str]:
    """The values that a chart shows, a column for each of its series."""
    title = next(filter(None, map(_plain, below(root, "title"))), "")
    columns: list[dict[str, str]] = []
    header = [""]
    names: dict[str, str] = {}
    for series in below(root, "ser"):
        said = _points(series, "tx")
        header.append(next(iter(said.values()), ""))
        names = {**(_points(series, "cat") or _points(series, "xVal")), **names}
        columns.append(_points(series, "val") or _points(series, "yVal"))
    places = dict.fromkeys([*names, *(place for column in columns for place in column)])
    rows = [
        [names.get(place, ""), *(column.get(place, "") for column in columns)] for place in places
    ]
    parts = [f"**Chart:** {escape(title)}"] if title else []
    return [*parts, markdown([header, *rows])] if rows else parts


def _points(series: ET.Element, what: str) -> dict[str, str]:
    """Values by their index, as the chart keeps them."""
    held = series.find(f"{{*}}{what}")
    if held is None:
        return {}
    return {
        point.get("idx", ""): (value.text or "").strip()
        for point in below(held, "pt")
        for value in below(point, "v")
    }


def _notes(slide: _Slide) -> None:
    for kind, part in slide.related.values():
        if kind == "notesSlide" and part in slide.archive:
            shapes = _flat(next(below(tree(slide.archive, part), "spTree")), 0)
            lines = [
                line for shape in shapes if _place(shape) == "body" for line in _lines(shape, slide)
            ]
            slide.parts += [f"**Notes:** {_joined(lines)}"] if lines else []
