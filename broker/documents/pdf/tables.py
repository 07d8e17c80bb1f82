"""Tables of a page: by their ruled lines, or by words that stand in columns.

A table with rules lies between lines of the same length (three in print, one for each row on the
web). Without rules it is a run of lines that have the same empty strips.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from broker.documents.pdf.bidi import in_reading_order
from broker.documents.pdf.leaf import Rule
from broker.documents.pdf.marks import MARKER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.documents.pdf.leaf import Leaf, Word

_SAME = 4.0
"""Points by which ends of lines that belong together may differ."""
_STRIP = 0.45
"""Of the size: a space is 0.25 to 0.33 of it."""
_ALIGNED = 2.5
"""Points by which the cells of a column may be out of line."""
_MOSTLY = 0.75
_LEAST_FULL = 0.6
_MOST_WORDS = 2.0
"""In a cell, on average, where few cells are numbers."""
_MOST_GAP = 400.0
_MOST_STEP = 1.8
"""Of the usual distance of a table's lines: what is farther away is no part of it."""
_OTHER_SIZE = 0.08
_MOST_COLUMNS = 40


@dataclass(slots=True)
class Grid:
    """A table."""

    x0: float
    x1: float
    top: float
    bottom: float
    rows: list[list[str]]


def ruled(leaf: Leaf) -> list[Grid]:
    """The tables of a page that have rules; their words are taken out of it."""
    across, down = _joined(leaf.across), _joined(leaf.down)
    grids: list[Grid] = []
    for group in _groups(across):
        for run in _runs(group, leaf.words, down):
            grid = _grid(run, leaf.words, down)
            if grid is None:
                continue
            grids.append(grid)
            leaf.words = [word for word in leaf.words if not _is_in(word, grid)]
    return grids


def _is_in(word: Word, grid: Grid) -> bool:
    middle = word.y - word.size * 0.3
    return grid.x0 - _SAME <= (word.x0 + word.x1) / 2 <= grid.x1 + _SAME and (
        grid.top <= middle <= grid.bottom
    )


def _joined(rules: Sequence[Rule]) -> list[Rule]:
    """Rules that continue each other as one: cells have borders of their own."""
    joined: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.at), rule.start)):
        last = joined[-1] if joined else None
        if last is not None and abs(last.at - rule.at) < 2 and rule.start <= last.end + 2:  # noqa: PLR2004
            joined[-1] = Rule(last.at, last.start, max(last.end, rule.end))
        else:
            joined.append(rule)
    return joined


def _groups(across: Sequence[Rule]) -> list[list[Rule]]:
    """Lines that begin and end at the same places, from top to bottom."""
    groups: list[list[Rule]] = []
    for rule in sorted(across, key=lambda rule: rule.at):
        for group in groups:
            first = group[0]
            if abs(first.start - rule.start) < _SAME and abs(first.end - rule.end) < _SAME:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) > 1]


def _runs(group: list[Rule], words: Sequence[Word], down: Sequence[Rule]) -> list[list[Rule]]:
    """Lines of one length, cut where what is between two of them is no part of a table."""
    runs = [[group[0]]]
    for above, below in pairwise(group):
        if _belongs(above, below, words, down):
            runs[-1].append(below)
        else:
            runs.append([below])
    return [run for run in runs if len(run) > 1]


def _belongs(above: Rule, below: Rule, words: Sequence[Word], down: Sequence[Rule]) -> bool:
    if below.at - above.at > _MOST_GAP:
        return False
    if below.at - above.at < 3:  # noqa: PLR2004 - a double line
        return True
    sides = [r for r in down if r.start <= above.at + _SAME and r.end >= below.at - _SAME]
    if any(abs(r.at - above.start) < _SAME for r in sides) and any(
        abs(r.at - above.end) < _SAME for r in sides
    ):
        return True
    inside = _between(words, above, below)
    # What stands out on either side is no cell: the lines are above and below text.
    crossing = any(
        word.x0 < above.start - 2 * _SAME < word.x1 or word.x0 < above.end + 2 * _SAME < word.x1
        for word in words
        if above.at <= word.y - word.size * 0.3 <= below.at
    )
    rows = lines(inside)
    steps = [after[0].y - before[0].y for before, after in pairwise(rows)]
    if steps and max(steps) > max(_MOST_STEP * median(steps), _MOST_STEP * 1.2 * rows[0][0].size):
        return False
    return bool(inside) and not crossing and len(_strips(rows, above)) > 0


def ends_before(row: Sequence[Word], rows: Sequence[Sequence[Word]]) -> bool:
    """Whether a line of words is set otherwise than the lines of a table above it."""
    size, bold = _look(row)
    looks = [_look(each) for each in rows[-2:]]
    if all(abs(size - other) > _OTHER_SIZE * size for other, _ in looks):
        return True
    if bold and not any(other for _, other in looks):
        return True
    steps = [below[0].y - above[0].y for above, below in pairwise(rows)]
    return bool(steps) and row[0].y - rows[-1][0].y > _MOST_STEP * max(steps)


def _look(row: Sequence[Word]) -> tuple[float, bool]:
    """The size of a line, and whether all of it is bold."""
    return median(word.size for word in row), all(word.bold for word in row)


def _between(words: Sequence[Word], above: Rule, below: Rule) -> list[Word]:
    return [
        word
        for word in words
        if above.at <= word.y - word.size * 0.3 <= below.at
        and above.start - _SAME <= (word.x0 + word.x1) / 2 <= above.end + _SAME
    ]


def _grid(run: list[Rule], words: Sequence[Word], down: Sequence[Rule]) -> Grid | None:
    top, bottom = run[0], run[-1]
    inside = _between(words, top, bottom)
    if not inside:
        return None
    borders = sorted({round(r.at) for r in down if r.start < bottom.at - 2 and r.end > top.at + 2})
    borders = [x for x in borders if top.start + _SAME < x < top.end - _SAME]
    strips: list[float] = [float(x) for x in borders] or _strips(lines(inside), top)
    if not strips or len(strips) > _MOST_COLUMNS:
        return None
    if not borders and all(word.fixed for word in inside):  # code in a frame
        return None
    if len(run) > 3 or borders:  # noqa: PLR2004 - a line for each row
        rows = [_between(inside, above, below) for above, below in pairwise(run)]
        made = [_cells(row, strips) for row in rows if row]
    else:
        made = _with_rests([_cells(row, strips) for row in lines(inside)])
    if len(made) < 2:  # noqa: PLR2004
        return None
    return Grid(top.start, top.end, top.at, bottom.at, made)


def lines(words: Sequence[Word]) -> list[list[Word]]:
    """Words in lines from top to bottom, each from left to right."""
    found: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.y):
        if found and word.y - found[-1][0].y < 0.5 * min(word.size, found[-1][0].size):
            found[-1].append(word)
        else:
            found.append([word])
    for line in found:
        line.sort(key=lambda word: word.x0)
    return found


def _strips(rows: Sequence[Sequence[Word]], within: Rule | None = None) -> list[float]:
    """The middles of strips that hardly any of the lines covers."""
    for spared in (0, max(1, len(rows) // 6)):  # a line or two may span columns
        strips = _empty(rows, spared, within)
        if strips or len(rows) < 4:  # noqa: PLR2004
            return strips
    return []


def _empty(rows: Sequence[Sequence[Word]], spared: int, within: Rule | None) -> list[float]:
    spans: list[tuple[float, float]] = []
    for row in rows:
        size = median(word.size for word in row)
        start, end = row[0].x0, row[0].x1
        for word in row[1:]:
            if word.x0 - end < _STRIP * size:
                end = max(end, word.x1)
            else:
                spans.append((start, end))
                start, end = word.x0, word.x1
        spans.append((start, end))
    edges = sorted([(x0, 1) for x0, _ in spans] + [(x1, -1) for _, x1 in spans])
    first = max(edges[0][0], within.start if within else edges[0][0])
    covering, opened, strips = 0, first, []
    for at, change in edges:
        before, covering = covering, covering + change
        if before <= spared < covering and opened > first and at - opened > 2:  # noqa: PLR2004
            strips.append((opened + at) / 2)
        elif covering <= spared < before:
            opened = at
    return strips


def _cells(row: Sequence[Word], strips: Sequence[float]) -> list[str]:
    cells: list[list[str]] = [[] for _ in range(len(strips) + 1)]
    for line in lines(row):
        for cell, words in zip(cells, _split(line, strips), strict=True):
            cell.extend(word.text for word in in_reading_order(words))
    return [" ".join(cell) for cell in cells]


def _split(line: Sequence[Word], strips: Sequence[float]) -> list[list[Word]]:
    cells: list[list[Word]] = [[] for _ in range(len(strips) + 1)]
    for word in line:
        cells[bisect(strips, (word.x0 + word.x1) / 2)].append(word)
    return cells


def _with_rests(rows: list[list[str]]) -> list[list[str]]:
    """Rows, with lines that only go on with the cells above added to these."""
    made: list[list[str]] = []
    for row in rows:
        filled = sum(bool(cell) for cell in row)
        if (
            made
            and not row[0]
            and filled <= len(row) // 2
            and all(made[-1][place] for place, cell in enumerate(row) if cell)
            and len(made) > 1
        ):
            made[-1] = [
                f"{above} {cell}".strip() for above, cell in zip(made[-1], row, strict=True)
            ]
        else:
            made.append(row)
    return made


def aligned(rows: Sequence[Sequence[Word]]) -> list[list[str]] | None:
    """The cells of lines that stand in columns; None where they do not.

    Stretched text has empty strips too, by chance; but its words behind them are not aligned.
    """
    strips = _empty(rows, 0, None)
    if not strips or len(strips) > _MOST_COLUMNS:
        return None
    columns: list[list[tuple[float, float]]] = [[] for _ in range(len(strips) + 1)]
    for row in rows:
        for place, cell in enumerate(_split(row, strips)):
            if cell:
                columns[place].append((cell[0].x0, cell[-1].x1))
    cells = [_cells(row, strips) for row in rows]
    full = sum(map(len, columns))
    if not _is_terse(cells):
        return None
    if full < _LEAST_FULL * len(rows) * len(columns) or not all(map(_in_line, columns[1:])):
        return None
    return None if all(MARKER.match(row[0]) for row in cells if row[0]) else cells


def _is_terse(rows: Sequence[Sequence[str]]) -> bool:
    """Whether cells hold numbers, or there are several columns of a word or two: no prose does."""
    cells = [cell for row in rows for cell in row[1:] if cell]
    numbers = sum(any(letter.isdigit() for letter in cell) for cell in cells)
    if 2 * numbers >= len(cells):
        return True
    if 2 * sum(cell[0].islower() for cell in cells) >= len(cells):
        return False
    words = sum(len(cell.split()) for row in rows for cell in row)
    return len(rows[0]) > 2 and words <= _MOST_WORDS * sum(len(row) for row in rows)  # noqa: PLR2004


def _in_line(spans: Sequence[tuple[float, float]]) -> bool:
    """Whether cells begin, end or have their middles below each other, but for a few."""
    for places in ([a for a, _ in spans], [b for _, b in spans], [(a + b) / 2 for a, b in spans]):
        middle = median(places)
        if sum(abs(place - middle) < _ALIGNED for place in places) >= _MOSTLY * len(places):
            return True
    return False
