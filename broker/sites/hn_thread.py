"""A Hacker News item and its answers as one document.

Answers are a nested list. A thread can hold thousands: whose turn it is goes by level, so that
every branch begins before any is followed to its end, and what does not fit is counted where it
would stand. Trees are walked without recursion, for their depth is the site's.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from broker.providers.answers import address_of, number_of, shortened, text_of
from broker.providers.hn_answer import HOST, SITE, thread_url
from broker.sites.blocks import (
    document,
    facts,
    framed,
    heading,
    items,
    named,
    paragraph,
)
from broker.sites.replies import objects
from broker.sites.writing import counted, iso, minute
from extract import fragment
from extract.inline import STRONG, escape, join
from extract.model import Block, Frame, Holder, Kind
from extract.tree import fold, parse, query, raw_text, visible_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    Fields = Mapping[str, object]

MOST_COMMENTS = 400
MOST_CHARS = 180_000
"""Of the comments' markup, which is about as long as its Markdown."""
DEEPEST = 8
"""Levels that are indented; below, answers stand at the last one and name whom they answer."""
_OVERHEAD_CHARS = 100
"""What a comment takes beside its text: author, time, link."""
_TITLE_CHARS = 80
_BASE = f"https://{HOST}/"

_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_LINKS = query(".//a[@href]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """What was made of an item."""

    title: str
    markdown: str
    author: str
    published: str | None
    warnings: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class _Comment:
    """One comment that somebody can read, in its place."""

    fields: Fields
    level: int
    """0 for what answers the item itself."""
    parent: _Comment | None = None
    orphan: bool = False
    """What it answers was deleted."""
    answers: list[_Comment] = field(default_factory=list)
    taken: bool = False
    below: int = 0
    """Comments in the tree below it."""


def thread_of(item: Fields) -> Thread | None:
    """The document of an item as Algolia gives it; None where it is none."""
    key, kind = _number(item), text_of(item, "type")
    author, text = text_of(item, "author"), text_of(item, "text")
    title = fold(text_of(item, "title"))
    if not key or not (title or text):
        return None
    when = _created(item)
    is_comment = kind == "comment" or not title
    if is_comment:
        title = f"Comment by {fold(author) or 'someone'}: {shortened(_plain(text), _TITLE_CHARS)}"
    blocks = [*_about(item, key, author, when, is_comment=is_comment)]
    blocks += _html(text, 1)
    blocks += _options(item)
    comments = _comments(item)
    kept = _choose(comments)
    if comments:
        name = "Answers" if is_comment else "Comments"
        blocks += [heading(name, 2), *_listed(comments, thread_url(key))]
    left = len(comments) - kept
    return Thread(
        title=title,
        markdown=document(title, blocks),
        author=author,
        published=when or None,
        warnings=(f"{left} of {len(comments)} comments are left out",) if left else (),
    )


def _about(
    item: Fields, key: str, author: str, when: str, *, is_comment: bool
) -> tuple[Block, ...]:
    """What is known of the item itself."""
    link = address_of(item, "url")
    above = ""
    if is_comment:
        story, parent = _number(item, "story_id"), _number(item, "parent_id")
        above = "on " + named("its story", thread_url(story)) if story else ""
        if parent and parent != story:
            above += ", " * bool(above) + "answers " + named("a comment", thread_url(parent))
    known = facts(
        escape(fold(author)),
        minute(when),
        counted(number_of(item, "points"), "point"),
        above,
        named(SITE, thread_url(key)),
    )
    return (*known, paragraph(named(link, link))) if link else known


def _options(item: Fields) -> tuple[Block, ...]:
    """What a poll lets choose from."""
    among = [child for child in objects(item.get("children")) if _is_option(child)]
    options = {_number(option): option for option in (*among, *objects(item.get("options")))}
    lines = []
    for option in options.values():
        points = counted(number_of(option, "points"), "point")
        words = escape(_plain(text_of(option, "text")))
        lines.append(" · ".join(filter(None, (words, points))))
    return (heading("Options", 2), *items(lines)) if any(lines) else ()


# --- the tree ------------------------------------------------------------------------------------


def _comments(item: Fields) -> list[_Comment]:
    """All that can be read below `item`, each before its answers; deleted ones are passed over."""
    found: list[_Comment] = []
    pending: list[tuple[Fields, _Comment | None, bool]] = [
        (child, None, False) for child in reversed(objects(item.get("children")))
    ]
    while pending:
        fields, parent, orphan = pending.pop()
        if _is_option(fields):
            continue
        if text_of(fields, "text"):
            level = 0 if parent is None else parent.level + 1
            comment = _Comment(fields, level, parent, orphan)
            found.append(comment)
            if parent is not None:
                parent.answers.append(comment)
            parent = comment
        orphan = not text_of(fields, "text")
        pending += [(child, parent, orphan) for child in reversed(objects(fields.get("children")))]
    for comment in reversed(found):
        if comment.parent is not None:
            comment.parent.below += comment.below + 1
    return found


def _choose(comments: list[_Comment]) -> int:
    """Mark those that fit, level by level; how many they are."""
    waiting = deque(comment for comment in comments if comment.parent is None)
    count = chars = 0
    while waiting:
        comment = waiting.popleft()
        chars += len(text_of(comment.fields, "text")) + _OVERHEAD_CHARS
        if count == MOST_COMMENTS or chars > MOST_CHARS:
            break
        comment.taken = True
        count += 1
        waiting.extend(comment.answers)
    return count


def _listed(comments: list[_Comment], url: str) -> list[Block]:
    """The chosen comments as a nested list, and what is missing where it would stand."""
    blocks: list[Block] = []
    groups: dict[_Comment | None, object] = {None: object()}
    frames: dict[_Comment | None, tuple[Frame, ...]] = {None: ()}
    for comment in comments:
        if not comment.taken:
            continue
        home = comment.parent
        while home is not None and home.level >= DEEPEST - 1:
            home = home.parent
        around = frames[home]
        item = Frame(Holder.ITEM, group=groups.setdefault(home, object()))
        frames[comment] = (*around, item)
        blocks += framed(_comment(comment), *frames[comment])
        left = sum(each.below + 1 for each in comment.answers if not each.taken)
        if left:
            more = _more(left, thread_url(_number(comment.fields)))
            blocks += framed((more,), *frames[comment])
    left = sum(each.below + 1 for each in comments if each.parent is None and not each.taken)
    if left:
        blocks.append(_more(left, url))
    return blocks


def _comment(comment: _Comment) -> tuple[Block, ...]:
    fields = comment.fields
    author = escape(fold(text_of(fields, "author")) or "someone")
    answered = ""
    if comment.orphan:
        answered = "answers a deleted comment"
    elif comment.parent is not None and comment.level >= DEEPEST:
        whom = fold(text_of(comment.parent.fields, "author")) or "someone"
        answered = f"answers {escape(whom)}"
    when = minute(_created(fields)) or "link"
    lead = facts(
        join([STRONG, author, STRONG]),
        named(when, thread_url(_number(fields))),
        counted(number_of(fields, "points"), "point"),
        answered,
    )
    return (*lead, *_html(text_of(fields, "text"), 2))


def _more(count: int, url: str) -> Block:
    return paragraph(named(f"{count} more", url), " left out")


# --- fields --------------------------------------------------------------------------------------


def _html(text: str, below: int) -> list[Block]:
    """The site's markup as blocks: links whole, quoted lines as quotations, headings lower."""
    if not text:
        return []
    root = parse(text)
    for link in _LINKS(root):
        words = fold(raw_text(link))
        href = (link.get("href") or "").strip()
        if words.endswith("...") and href.startswith(words[:-3]) and not len(link):
            link.text = href
    return [_quoted(block) for block in fragment.blocks(root, _BASE, below=below)]


def _quoted(block: Block) -> Block:
    """A paragraph that begins with `>`, by which its users quote, as a quotation."""
    if block.kind is not Kind.PARAGRAPH or not block.inline.startswith(">"):
        return block
    inline = block.inline.lstrip("> ")
    return paragraph(inline, frames=(*block.frames, Frame(Holder.QUOTE)))


def _plain(text: str) -> str:
    return visible_text(parse(text)) if text else ""


def _created(item: Fields) -> str:
    """When, as ISO 8601."""
    return iso(number_of(item, "created_at_i")) or text_of(item, "created_at")


def _number(item: Fields, name: str = "id") -> str:
    number = number_of(item, name)
    text = text_of(item, name) if number is None else f"{number:.0f}"
    return text if _NUMBER.fullmatch(text) else ""


def _is_option(item: Fields) -> bool:
    return text_of(item, "type") == "pollopt"
