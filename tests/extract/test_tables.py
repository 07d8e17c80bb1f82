"""Tables of data are told from tables of layout, and become grids."""

from __future__ import annotations

import pytest

from extract.tables import grid, is_data_table
from extract.tree import Node, parse, visible_text

Rows = tuple[tuple[str, ...], ...]


def table(html: str) -> Node:
    return next(parse(html).iter("table"))


def read(html: str) -> tuple[Rows, bool]:
    return grid(table(html), visible_text)


def rows(*texts: str) -> str:
    return "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in text.split("|")) + "</tr>" for text in texts
    )


PROSE = "A sentence of an article that goes on for quite some time. " * 8
LIST_OF_STORIES = "".join(
    f"<tr><td>{n}.</td><td></td><td><a href=u>A story's title</a> (example.org)</td></tr>"
    "<tr><td colspan=2></td><td>10 points by someone | 3 comments</td></tr><tr height=5></tr>"
    for n in range(1, 9)
)
POSTS = rows(
    *[f"<div><div><div>{PROSE[:200]}</div></div></div>|<div><div>by a</div><div>x</div></div>"] * 9
)


@pytest.mark.parametrize(
    "html",
    [
        f"<table>{rows('a|b', 'c|d')}</table>",
        "<table><tr><th>a<th>b<tr><td>c<td>d</table>",
        f"<table><caption>c</caption>{rows('a|b', 'c|d')}</table>",
        f"<table><tr><th>a<th>b</tr>{rows(f'x|{PROSE}', 'y|z')}</table>",
        "<table><tr><th>a<th>b</tr>" + rows("x|y", "<pre>one line\n</pre>|z") + "</table>",
        "<table><tr><td colspan=2>Title</td></tr>" + rows("a|1", "b|2", "c|3") + "</table>",
        "<table><tr><th>a<td>1<tr><th>b<td>2</table>",
        "<table><tr><th>a<th>b<tr><td>c<td>d <table><tr><td>x</table> and more text</table>",
    ],
    ids=["grid", "th", "caption", "prose", "short code", "title", "names", "nested"],
)
def test_values_in_rows_and_columns_are_data(html: str) -> None:
    assert is_data_table(table(html))


@pytest.mark.parametrize(
    "html",
    [
        f"<table role=presentation>{rows('a|b', 'c|d')}</table>",
        "<table><tr><td>a</table>",
        f"<table>{rows('a', 'b', 'c')}</table>",
        f"<table>{rows('a|b')}</table>",
        f"<table>{rows(f'menu|{PROSE}', 'left|right')}</table>",
        f"<table>{LIST_OF_STORIES}</table>",
        f"<table>{POSTS}</table>",
        "<table>" + rows("<table><tr><td>x</table>|b", "c|d") + "</table>",
        "<table>" + rows("<h2>a</h2>x|<h2>b</h2>y", "c|d") + "</table>",
        "<table>" + rows("<img src=/spacer.gif width=1>a|b", "c|d") + "</table>",
        "<table><tr><th>a<th>b</tr>" + rows("c|<pre>two words\nlines</pre>") + "</table>",
        "<table><tr><th>Author<th>Post</tr>"
        + rows(f"me|<table><tr><td>{PROSE}</table>", f"you|<table><tr><td>{PROSE}</table>")
        + "</table>",
        "<table><tr><th colspan=3>Chapter 3</tr>" + rows("Prev||Next") + "</table>",
        "<table></table>",
    ],
    ids=[
        "role", "cell", "column", "row", "frame", "stories", "posts", "nested", "headings",
        "spacer", "code", "forum", "navigation", "empty",
    ],
)  # fmt: skip
def test_what_only_arranges_the_page_is_no_data(html: str) -> None:
    assert not is_data_table(table(html))


@pytest.mark.parametrize(
    ("html", "cells"),
    [
        (rows("a|b", "c"), (("a", "b"), ("c", ""))),
        (rows("a|b|", "||", "c|d|"), (("a", "b"), ("c", "d"))),
        (rows("a||b", "c||d"), (("a", "b"), ("c", "d"))),
        (rows("a|b", "c|d").replace("<tr>", "<tr hidden>", 1), (("c", "d"),)),
        (rows("a|b").replace("|", "&#124;").replace("b", "x&#124;y"), (("a", "x\\|y"),)),
        (
            "<tr><td colspan=2>a</td><td>b</td></tr>" + rows("c|d|e"),
            (("a", "", "b"), ("c", "d", "e")),
        ),
        (
            "<tr><td rowspan=2>a</td><td>b</td></tr>" + rows("c", "d|e"),
            (("a", "b"), ("", "c"), ("d", "e")),
        ),
        ("<tr><td rowspan=65534 colspan=1000>a</td></tr>" + rows("b"), (("a", ""), ("", "b"))),
        ("<tr><td rowspan=x colspan=-3>a</td><td>b</td></tr>", (("a", "b"),)),
        (
            "<tfoot><tr><td>f</tfoot><tbody><tr><td>b</tbody><thead><tr><td>h</thead>",
            (("h",), ("b",), ("f",)),
        ),
    ],
    ids=[
        "ragged", "empty rows", "empty columns", "hidden rows", "bars", "colspan", "rowspan",
        "endless spans", "bad spans", "sections",
    ],
)  # fmt: skip
def test_cells_come_as_a_grid(html: str, cells: Rows) -> None:
    assert read(f"<table>{html}</table>")[0] == cells


@pytest.mark.parametrize(
    ("html", "has_header"),
    [
        (rows("a|b", "c|d"), False),
        ("<tr><th>a<th>b" + rows("c|d"), True),
        ("<tr><td></td><th>a<th>b" + rows("r|c|d"), True),
        ("<tr><th>a<td>b" + "<tr><th>c<td>d", False),
        ("<thead><tr><td>a<td>b</thead>" + rows("c|d"), True),
        (rows("<b>a</b>|<p><strong>b</strong></p>", "c|d"), True),
        (rows("<b>a</b> x|<b>b</b>", "c|d"), False),
    ],
    ids=["no", "th", "corner", "names", "thead", "bold", "half bold"],
)
def test_the_first_row_is_a_header_where_the_markup_says_so(html: str, *, has_header: bool) -> None:
    assert read(f"<table>{html}</table>")[1] is has_header


def test_nested_rows_are_not_the_tables_own_and_each_cell_is_asked_for_once() -> None:
    asked: list[Node] = []

    def text(cell: Node) -> str:
        asked.append(cell)
        return visible_text(cell)

    outer = "<table><tr><td>a<td><table><tr><td>b<td>c</table></table>"
    assert grid(table(outer), text)[0] == (("a", "b c"),)
    assert len(asked) == 2


@pytest.mark.parametrize(
    "html",
    [
        "<tr><td>x" * 20_000,
        "<tr>" + "<td>x" * 20_000,
        "<tr>" + "<td>x" * 3000 + "<tr><td>y" * 20_000,
        "<tr><td colspan=1000 rowspan=65534>x<td>y" * 10_000,
        "<tr>" + "<td rowspan=65534>x" * 3000 + "<tr><td>y" * 20_000,
    ],
    ids=["long", "wide", "one wide row", "endless spans", "wide spans"],
)
def test_a_grid_grows_with_the_page_only(html: str) -> None:
    cells, _ = read(f"<table>{html}</table>")
    asked = html.count("<td")
    assert sum(map(len, cells)) <= 9 * asked + 9000
    assert sum("x" in cell or "y" in cell for row in cells for cell in row) >= len(cells) - 1
