"""Passages as numbers: what each looks like, what it stands in, what stands around it.

The numbers mean something only to the table that was learned from them (`extract.content`).
"""

from __future__ import annotations

import re
from math import log1p
from typing import TYPE_CHECKING

from extract.passages import ARTICLE, ASIDE, FIGURE, FOOTER, LIST, MAIN, NAV, Box, Passage, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extract.clues import Reader

KINDS = ("div", "p", "li", "h", "td", "th", "dd", "dt", "figcaption", "button", "summary",
         "caption", "legend", "address", "code", "table", "hr")  # fmt: skip
_KIND = {kind: float(number) for number, kind in enumerate(KINDS)}

OWN = ("kind", "chars", "words", "links", "stops", "ends", "repeats", "first_seen",
       "link_high", "word_low", "word_mean", "heading", "headings", "since_heading",
       "position", "prose_before", "to_prose", "from_prose", "from_h1",
       "next_chars", "next_links", "last_kind")  # fmt: skip
PLACE = ("low", "high", "all_low", "all_high", "sum", "near", "parent_near",
         "box_links", "kin", "siblings",
         "parent_chars", "parent_links", "parent_prose",
         "grand_chars", "grand_links", "grand_prose", "great_links", "great_prose",
         "section_share", "section_links", "section_prose",
         "region_share", "region_links", "region_prose",
         "in_best", "to_best", "depth",
         "footer", "main", "nav", "list", "article", "aside", "figure")  # fmt: skip
PAGE = ("page_chars", "page_prose", "prose_share", "page_links", "passages", "prose_passages",
        "articles", "article_prose", "main_prose")  # fmt: skip
FEATURES = OWN + PLACE + PAGE
"""What the numbers of a passage are called, in their order."""

_STOP = re.compile("[.!?\u3002\uff01\uff1f]")
_END = re.compile("[.!?\u3002\uff01\uff1f\u2026\u00bb\u201d\"'\u2019)]\\s*\\Z")
DENSE = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_DENSE_WEIGHT = 2.2  # a character of these scripts tells as much as so many Latin ones

LEAST_SENTENCE = 60
"""Weight from which a run of text with a full stop in it is prose; about characters."""
_LEAST_PROSE = 140  # the same for one without a full stop
_MOST_LINKED = 0.4
_SHORT = 80  # characters
_ALL_LINK = 0.8
_SECTION = 3  # passages that make a section
_REGION = 10
_FAR = 60.0
_LONG = 4000  # characters whose full stops are counted


def weigh(passage: Passage) -> float:
    """How much prose `passage` holds, about Latin characters; 0 where it is none."""
    text = passage.text
    if passage.kind in {"h", "button", "code"} or passage.link_chars >= _MOST_LINKED * len(text):
        return 0.0
    weight = len(text) * 1.0
    if not text.isascii() and DENSE.search(text) is not None:
        weight *= _DENSE_WEIGHT
    if weight >= _LEAST_PROSE or (weight >= LEAST_SENTENCE and _STOP.search(text) is not None):
        return weight
    return 0.0


def measure(page: Walk) -> None:
    """Fill in the sums of all boxes and the prose of all passages."""
    for passage in page.passages:
        box = passage.box
        passage.prose = weigh(passage)
        box.passages += 1
        box.chars += len(passage.text)
        box.link_chars += passage.link_chars
        box.prose += passage.prose
    for box in reversed(page.boxes):
        parent = box.parent
        if parent is not None:
            parent.passages += box.passages
            parent.chars += box.chars
            parent.link_chars += box.link_chars
            parent.prose += box.prose


def alike(passage: Passage) -> tuple[int, str] | None:
    """What a short link shares with those beside it that are like it; None for any other text.

    The entries of a menu need not be looked at one by one.
    """
    size = len(passage.text)
    if not passage.link_chars or size > _SHORT or passage.link_chars < _ALL_LINK * size:
        return None
    return id(passage.box.parent), passage.kind


def own_numbers(
    page: Walk, reader: Reader, host: str, *, every: bool = False
) -> Iterator[tuple[float, ...] | None]:
    """The `OWN` features of each passage of a measured page, in order.

    None where the passage is `alike` one before it, unless `every` one is wanted.
    """
    passages = page.passages
    prose = max(1.0, page.boxes[0].prose)
    count = max(1, len(passages))
    repeats: dict[str, int] = {}
    for passage in passages:
        repeats[passage.text] = repeats.get(passage.text, 0) + 1
    to_prose = _until_prose(passages)
    first = next((i for i, p in enumerate(passages) if p.kind == "h" and p.level == 1), None)
    seen: set[str] = set()
    known: set[tuple[int, str]] = set()
    heads = [0.0] * 7
    head = 0.0
    head_at = last_prose = 0
    before = 0.0
    for index, passage in enumerate(passages):
        text = passage.text
        size = len(text)
        like = None if every else alike(passage)
        if like is not None:
            if like in known:
                seen.add(text)
                yield None
                continue
            known.add(like)
        links = reader.of_links(passage.links, host) if passage.links else (0.0, 0.0, 0.0)
        low, _, mean = reader.of_words(text)
        if passage.kind == "h":
            heads[passage.level] = head = mean
            heads[passage.level + 1 :] = [0.0] * (6 - passage.level)
            head_at = index
        if passage.prose:
            last_prose = index
        following = passages[index + 1] if index + 1 < len(passages) else None
        yield (
            _KIND.get(passage.kind, 0.0), log1p(size), text.count(" ") + 1.0,
            passage.link_chars / (size or 1),
            float(len(_STOP.findall(text))) if size < _LONG else 50.0,
            1.0 if _END.search(text, max(0, size - 3)) is not None else 0.0,
            float(repeats[text]), 0.0 if text in seen else 1.0,
            links[1], low, mean, head, min(heads), float(index - head_at),
            index / count, before / prose,
            min(_FAR, to_prose[index]), min(_FAR, float(index - last_prose)),
            float(index - first) if first is not None else -1000.0,
            log1p(len(following.text)) if following else -1.0,
            following.link_chars / max(1, len(following.text)) if following else -1.0,
            _KIND.get(passages[index - 1].kind, 0.0) if index else -1.0,
        )  # fmt: skip
        seen.add(text)
        before += passage.prose


def _until_prose(passages: list[Passage]) -> list[float]:
    """For each passage how many passages on the next prose stands."""
    distances = [_FAR] * len(passages)
    distance = _FAR
    for index in range(len(passages) - 1, -1, -1):
        distance = 0.0 if passages[index].prose else distance + 1
        distances[index] = distance
    return distances


class Places:
    """The `PLACE` features of the boxes of a measured page."""

    def __init__(self, page: Walk) -> None:
        root = page.boxes[0]
        self._chars = max(1, root.chars)
        self._prose = max(1.0, root.prose)
        self._best = root
        for box in page.boxes:
            # The innermost box that still holds most of the prose: where an article stands.
            if root.prose and box.prose >= 0.6 * root.prose:
                self._best = box
        self._names: dict[int, tuple[float, ...]] = {}

    def of(self, box: Box) -> tuple[float, ...]:
        """What passages in `box` share."""
        parent = box.parent or box
        grand = parent.parent or parent
        great = grand.parent or grand
        section = box
        while section.passages < _SECTION and section.parent is not None:
            section = section.parent
        region = section
        while region.passages < _REGION and region.parent is not None:
            region = region.parent
        inside, steps = self._to_best(box)
        flags = box.flags
        page_chars, page_prose = self._chars, self._prose
        return (
            *self._chain(box), self._chain(parent)[5],
            box.link_chars / (box.chars or 1), float(box.kin), float(parent.children),
            log1p(parent.chars), parent.link_chars / (parent.chars or 1), parent.prose / page_prose,
            log1p(grand.chars), grand.link_chars / (grand.chars or 1), grand.prose / page_prose,
            great.link_chars / (great.chars or 1), great.prose / page_prose,
            section.chars / page_chars, section.link_chars / (section.chars or 1),
            section.prose / (section.chars or 1),
            region.chars / page_chars, region.link_chars / (region.chars or 1),
            region.prose / page_prose,
            inside, steps, float(box.depth),
            1.0 if flags & FOOTER else 0.0, 1.0 if flags & MAIN else 0.0,
            1.0 if flags & NAV else 0.0, 1.0 if flags & LIST else 0.0,
            1.0 if flags & ARTICLE else 0.0, 1.0 if flags & ASIDE else 0.0,
            1.0 if flags & FIGURE else 0.0,
        )  # fmt: skip

    def _to_best(self, box: Box) -> tuple[float, float]:
        steps = 0.0
        at: Box | None = box
        while at is not None and at is not self._best:
            at = at.parent
            steps += 1
        return (1.0, min(steps, 20.0)) if at is not None else (0.0, 20.0)

    def _chain(self, box: Box) -> tuple[float, ...]:
        """What the names of a box and of those around it say: own, extreme, summed, nearest."""
        pending = []
        at: Box | None = box
        while at is not None and id(at) not in self._names:
            pending.append(at)
            at = at.parent
        chain = self._names[id(at)] if at is not None else (0.0,) * 6
        for one in reversed(pending):
            low, high = one.low, one.high
            both = low + high
            near = both if low or high else chain[5]
            chain = (
                low,
                high,
                min(low, chain[2]),
                max(high, chain[3]),
                both + 0.7 * chain[4],
                near,
            )
            self._names[id(one)] = chain
        return chain


def page_numbers(page: Walk) -> tuple[float, ...]:
    """The `PAGE` features of a measured page."""
    root = page.boxes[0]
    prose = max(1.0, root.prose)
    articles = [box.prose for box in page.boxes if box.tag == "article"]
    mains = [box.prose for box in page.boxes if box.tag == "main"]
    return (
        log1p(root.chars), log1p(root.prose), root.prose / (root.chars or 1),
        root.link_chars / (root.chars or 1), float(len(page.passages)),
        float(sum(1 for passage in page.passages if passage.prose)),
        float(len(articles)), max(articles, default=0.0) / prose, max(mains, default=0.0) / prose,
    )  # fmt: skip
