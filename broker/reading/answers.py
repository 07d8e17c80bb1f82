"""What is told of a document: a part of its text that fits, its outline, its links. Pure.

Everything is measured in bytes of JSON, since that is what fills a context window. A long document
begins with its largest section; the outline says what else there is, and the note how to get it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from broker.ranking import share_chars
from broker.reading import injection
from broker.reading.records import Form, Found, Heading, Page, Part, Target
from broker.reading.texts import Body, View, lines_view
from broker.reading.windows import density, weight, window
from extract.find import find
from extract.outline import largest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from broker.reading.seen import Got
    from broker.store.records import Link, OutlineEntry, StoredDocument
    from extract.model import Section

MAX_FINDS = 10
_API = "api"
_ENVELOPE = 900
"""Bytes of an answer's fields without their contents, and of the fence."""
_ENTRY = 36
"""Bytes of a heading's or link's JSON without its words."""
_OUTLINE_SHARE = 0.15
_LINKS_SHARE = 0.15
_LONGEST_HEADING = 200
_LONGEST_LINK = 2000
_TEASER_CHARS = 1500
_SLACK = 1.05
_FINDS = 8000
"""Bytes that a document is granted for what is found in it, where several share the room; they are
told twice, as text and as data."""
_LEAST = 400
"""Bytes of text that are shown in any case."""


@dataclass
class Shelved:
    """A stored document, and what was made of it for answers."""

    document: StoredDocument
    body: Body
    views: dict[Form, View] = field(default_factory=dict)
    densities: dict[Form, float] = field(default_factory=dict)
    pages: dict[tuple[Part, int], Page] = field(default_factory=dict)
    """Pages that were made already; few, since nearly all are asked for in one form."""

    def view(self, form: Form) -> View:
        """The text in one form."""
        if form not in self.views:
            self.views[form] = _view(self.body, form)
        return self.views[form]

    def density(self, form: Form) -> float:
        """Bytes of JSON that a character of that form takes at most."""
        if form not in self.densities:
            self.densities[form] = density(self.view(form).text)
        return self.densities[form]


def pages(shelved: Sequence[Shelved], part: Part, room: int) -> list[Page]:
    """A page for each document; together they take about `room` bytes.

    Short documents leave their room to long ones, and none is left without.
    """
    wanted = [_wanted(each, part) for each in shelved]
    return [
        page_of(each, part, share)
        for each, share in zip(shelved, share_chars(wanted, room), strict=True)
    ]


def page_of(shelved: Shelved, part: Part, room: int) -> Page:
    """The part of one document that was asked for, in `room` bytes where no size was named."""
    known = shelved.pages.get((part, room))
    if known is None:
        if len(shelved.pages) >= 8:  # noqa: PLR2004
            shelved.pages.clear()
        known = shelved.pages[part, room] = _page(shelved, part, room)
    return known


def head_of(document: StoredDocument, outline_room: int) -> Page:
    """What is told of a document beside its text, with as much of its outline as fits."""
    return Page(
        source=document.source,
        id=document.id,
        final_url=document.final_url,
        title=document.title,
        verdict=document.verdict,
        via=document.via,
        outline=_outline(document, outline_room),
        published=document.published,
        byline=document.byline,
        lang=document.lang,
        warnings=document.warnings,
    )


def with_teaser(page: Page, teaser: Got) -> Page:
    """The page with what could be read of it although it is behind a wall."""
    draft = teaser.draft
    text = draft.body.markdown[:_TEASER_CHARS]
    return replace(
        page,
        final_url=teaser.final_url,
        title=draft.title,
        verdict=teaser.kind,
        via=teaser.via,
        text=text,
        chars=len(text),
        published=draft.published,
        byline=draft.byline,
        lang=draft.lang,
        warnings=(*teaser.warnings, *injection.warnings(draft.body)),
    )


def _view(body: Body, form: Form) -> View:
    if form is Form.TEXT:
        return body.text_view()
    if form is Form.JSON:
        return body.json_view()
    if form is Form.OUTLINE:
        return body.outline_view()
    if form is Form.HTML:
        return lines_view(body.markdown)
    return body.markdown_view()


def _wanted(shelved: Shelved, part: Part) -> int:
    document = shelved.document
    if part.find is not None:
        return _FINDS + _outline_size(document.outline) + _envelope(document)
    size = _text_size(shelved, part)
    if not part.offset:
        size += _outline_size(document.outline) + _links_size(document.links)
    return size + _envelope(document)


def _envelope(document: StoredDocument) -> int:
    told = (document.source, document.final_url, document.title, *document.warnings)
    return _ENVELOPE + sum(map(weight, told))


def _page(shelved: Shelved, part: Part, room: int) -> Page:
    document = shelved.document
    left = max(_LEAST, room - _envelope(document))
    if part.find is not None:
        page = head_of(document, round(left * _OUTLINE_SHARE))
        left = max(_LEAST, left - _outline_size(page.outline))
        return _with_finds(page, shelved, part.find, part.limit or round(left / 2))
    if part.offset:
        # Whoever reads on has seen what else there is.
        return _with_text(head_of(document, 0), shelved, part, left)
    # What the text leaves of the room is for the outline and the links, and the other way round.
    spare = left - _text_size(shelved, part)
    share = 0 if part.form is Form.OUTLINE else round(left * _OUTLINE_SHARE)
    page = head_of(document, max(share, spare))
    spare -= _outline_size(page.outline)
    page = replace(page, links=_links(document, max(round(left * _LINKS_SHARE), spare)))
    left -= _outline_size(page.outline) + _links_size(page.links)
    page = _with_text(page, shelved, part, max(_LEAST, left))
    return replace(page, note="; ".join(filter(None, (page.note, _left_out(document, page)))))


def _text_size(shelved: Shelved, part: Part) -> int:
    """Bytes of the text that is asked for."""
    chars = len(shelved.view(part.form).text)
    return round(min(chars, part.limit or chars) * shelved.density(part.form))


def _outline_size(outline: Iterable[Heading | OutlineEntry]) -> int:
    return sum(weight(heading.text[:_LONGEST_HEADING]) + _ENTRY for heading in outline)


def _links_size(links: Iterable[Target | Link]) -> int:
    return sum(weight(link.text) + weight(link.url) + _ENTRY for link in links)


def _left_out(document: StoredDocument, page: Page) -> str:
    """What of the outline and the links did not fit, in words."""
    headings = len(document.outline) - len(page.outline)
    links = len(document.links) - len(page.links)
    told = []
    if headings:
        told.append(f"{headings} more headings are shown by the format outline")
    if links:
        told.append(f"{links} more links stand in the text alone")
    return "; ".join(told)


def _with_text(page: Page, shelved: Shelved, part: Part, room: int) -> Page:
    view = shelved.view(part.form)
    limit = part.limit or max(1, int(room / shelved.density(part.form)))
    if part.limit is None and len(view.text) - (part.offset or 0) <= limit * _SLACK:
        limit = len(view.text)  # not worth another call
    offset, note = part.offset or 0, ""
    if part.offset is None and part.limit is None and len(view.text) > limit:
        section = _best_section(shelved, limit) if part.form is Form.MARKDOWN else None
        offset = 0 if section is None else shelved.body.spans[section.start][0]
        note = _preview_note(page, section, offset)
    shown = window(view, offset, limit)
    if not note and shown.next_offset is not None:
        note = f"the text goes on: read {page.id} with offset {shown.next_offset}"
    if offset and offset >= len(view.text):
        note = f"there is nothing at offset {offset}: the text ends at {len(view.text)}"
    return replace(
        page,
        text=view.text[shown.start : shown.end],
        note=note,
        chars=len(view.text),
        offset=shown.start,
        next_offset=shown.next_offset,
    )


def _best_section(shelved: Shelved, limit: int) -> Section | None:
    """Where a long text is begun: its largest section, unless that stands on the first pages.

    What a site says of itself begins with what it is about, and its largest part is the answers.
    """
    if shelved.document.via == _API:
        return None
    best = largest(shelved.body.sections)
    if best is None or shelved.body.spans[best.end - 1][1] <= limit:
        return None
    return best


def _preview_note(page: Page, section: Section | None, offset: int) -> str:
    if section is None or not offset:
        return f"this is the beginning; read {page.id} with offset, limit or find shows the rest"
    return (
        f"this is the largest section, at offset {offset}; read {page.id} with offset 0 begins at "
        "the beginning, and with find searches"
    )


def _with_finds(page: Page, shelved: Shelved, needle: str, room: int) -> Page:
    body = shelved.body
    found = [
        Found(
            match=each.match.value,
            section=" / ".join(body.path_of(each.block))[:_LONGEST_HEADING],
            offset=body.spans[each.block][0],
            text=each.text,
            before=each.before,
            after=each.after,
        )
        for each in find(body.blocks, needle, MAX_FINDS)
    ]
    kept: list[Found] = []
    pieces: list[str] = []
    for place in found:
        piece = _find_text(len(kept) + 1, place)
        if kept and sum(map(weight, pieces)) + weight(piece) > room:
            break
        kept.append(place)
        pieces.append(piece)
    note = f"nothing like it was found in {page.id}"
    if found:
        left = len(found) - len(kept)
        how = {
            "exact": "",
            "folded": " (but for case or punctuation)",
            "similar": " (similar text)",
        }
        note = f"{len(kept)} found{how[found[0].match]}"
        note += f", {left} more left out" if left else ""
    return replace(
        page,
        text="\n\n".join(pieces),
        note=note,
        chars=len(body.markdown),
        finds=tuple(kept),
    )


def _find_text(number: int, found: Found) -> str:
    where = f"{found.section}, " if found.section else ""
    return f"[{number}] {where}offset {found.offset}\n{found.before}**{found.text}**{found.after}"


def _outline(document: StoredDocument, room: int) -> tuple[Heading, ...]:
    kept = []
    for entry in document.outline:
        text = entry.text[:_LONGEST_HEADING]
        room -= weight(text) + _ENTRY
        if room < 0:
            break
        kept.append(Heading(level=entry.level, text=text, words=entry.words))
    return tuple(kept)


def _links(document: StoredDocument, room: int) -> tuple[Target, ...]:
    kept = []
    for link in document.links:
        if len(link.url) > _LONGEST_LINK:
            continue
        room -= weight(link.text) + weight(link.url) + _ENTRY
        if room < 0:
            break
        kept.append(Target(text=link.text, url=link.url))
    return tuple(kept)
