"""A forest gives what walking each of its trees gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.forest import LEAVES, Forest, Tree

NUMBERS = 5
VALUES = st.integers(-3, 3).map(lambda value: value / 2)  # few, so that thresholds are met exactly


def trees(leaves: int) -> st.SearchStrategy[Tree]:
    if leaves == 1:
        return VALUES
    return st.integers(1, leaves - 1).flatmap(
        lambda low: st.tuples(st.integers(0, NUMBERS - 1), VALUES, trees(low), trees(leaves - low))
    )


FORESTS = st.lists(st.integers(1, LEAVES).flatmap(trees), max_size=12)
VECTORS = st.lists(VALUES, min_size=NUMBERS, max_size=NUMBERS)


def walked(tree: Tree, numbers: list[float]) -> float:
    while not isinstance(tree, int | float):
        number, most, low, high = tree
        assert isinstance(number, int)
        assert isinstance(most, int | float)
        tree = low if numbers[number] <= most else high
    return tree


@given(FORESTS, VECTORS, st.integers(0, NUMBERS))
def test_a_forest_equals_walking_its_trees(
    grown: list[Tree], numbers: list[float], cut: int
) -> None:
    forest = Forest(grown)
    first, rest = forest.steps(0, cut), forest.steps(cut, NUMBERS - cut)

    mask = forest.narrowed(forest.all, numbers[:cut], first)
    mask = forest.narrowed(mask, numbers[cut:], rest)

    assert forest.value(mask) == pytest.approx(sum(walked(tree, numbers) for tree in grown))


def test_a_tree_with_too_many_leaves_is_refused() -> None:
    tree: Tree = 0.0
    for _ in range(LEAVES):
        tree = (0, 0.0, tree, 1.0)

    with pytest.raises(ValueError, match="9 leaves"):
        Forest([tree])
