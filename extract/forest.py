"""Regression trees, all evaluated at once (QuickScorer: Lucchese et al., SIGIR 2015).

Walking through two hundred small trees takes a Python program four times as long. Here the
questions of all trees are sorted by the number they are about: one binary search a number finds all
that are answered "more than that", and each of those rules out the leaves to its left. The leftmost
leaf that is left after the last number is a tree's value. All leaves are bits of one big integer,
so that what the numbers of a page or a box leave over is found once and combined by a single `&`.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import getitem
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Tree: TypeAlias = "float | Sequence[int | float | Tree]"
"""A leaf's value; or a question: the index of a number, up to what it may be for the first of the
two trees that follow, which are the rest."""

_Step: TypeAlias = "tuple[list[float], list[int]]"
"""The thresholds of one number in order, and which leaves are left when so many are passed."""
Steps: TypeAlias = "tuple[tuple[int, list[float], list[int]], ...]"

LEAVES = 8
"""Most leaves of a tree: one bit each, one byte for a tree."""


class Forest:
    """Trees whose values are added up."""

    def __init__(self, trees: Iterable[Tree]) -> None:
        """Take the trees apart.

        Raises:
            ValueError: A tree has more than `LEAVES` leaves.
        """
        questions: dict[int, list[tuple[float, int]]] = {}
        self._tables: list[dict[int, float]] = []
        for tree in trees:
            shift = LEAVES * len(self._tables)
            values: list[float] = []
            _take_apart(tree, values, shift, questions)
            if len(values) > LEAVES:
                raise ValueError(f"a tree has {len(values)} leaves; {LEAVES} are a byte")
            self._tables.append({1 << leaf: value for leaf, value in enumerate(values)})
        self._size = len(self._tables)
        self.all = (1 << LEAVES * self._size) - 1
        """The mask of leaves before anything is known."""
        self._lowest = sum(1 << LEAVES * tree for tree in range(self._size))
        self._steps: dict[int, _Step] = {}
        for number, asked in questions.items():
            asked.sort()
            mask = self.all
            masks = [mask]
            for _, ruled_out in asked:
                mask &= ~ruled_out
                masks.append(mask)
            self._steps[number] = ([most for most, _ in asked], masks)

    def steps(self, first: int, count: int) -> Steps:
        """What is asked about the `count` numbers that follow each other from `first` on."""
        return tuple(
            (index - first, *self._steps[index])
            for index in range(first, first + count)
            if index in self._steps
        )

    @staticmethod
    def narrowed(mask: int, numbers: Sequence[float], steps: Steps) -> int:
        """The leaves of `mask` that `numbers` leave over; `steps` are what is asked about them."""
        for index, thresholds, masks in steps:
            # All thresholds below the number are passed: it is more than they allow.
            mask &= masks[bisect_left(thresholds, numbers[index])]
        return mask

    def value(self, mask: int) -> float:
        """The sum of the trees' values: in each the leftmost leaf that is left over."""
        lowest = mask & ~(mask - self._lowest)
        leaves = lowest.to_bytes(self._size, "little")
        return sum(map(getitem, self._tables, leaves))


def _take_apart(
    tree: Tree, values: list[float], shift: int, questions: dict[int, list[tuple[float, int]]]
) -> None:
    """Add a tree's leaves to `values` from left to right, and its questions to `questions`.

    A question comes with the leaves that its second answer rules out, as a mask.
    """
    if not isinstance(tree, list | tuple):
        values.append(float(cast("float", tree)))
        return
    number, most, low, high = tree
    start = len(values)
    _take_apart(cast("Tree", low), values, shift, questions)
    ruled_out = ((1 << (len(values) - start)) - 1) << (start + shift)
    questions.setdefault(cast("int", number), []).append((cast("float", most), ruled_out))
    _take_apart(cast("Tree", high), values, shift, questions)
