"""Text is found as it stands, as it is meant, or nearly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from extract.find import Match, find
from extract.markdown import render_with_spans
from tests.extract.blocks import Seen, block_lists, code, heading, paragraph

if TYPE_CHECKING:
    from extract.model import Block

PAGE = [
    heading("Install", 1),
    paragraph("You can install the “package” with pip — it's easy."),
    heading("Connection pools", 2),
    paragraph("Configuration of the connection pool is done in settings."),
    code("pip install package\npip list"),
    paragraph("Die Straße ist lang. 连接池的配置在设置中完成。"),
]


@pytest.mark.parametrize(
    ("needle", "match", "text", "block"),
    [
        ("with pip", Match.EXACT, "with pip", 1),
        ("WITH PIP", Match.FOLDED, "with pip", 1),
        ('the "package"', Match.FOLDED, "the “package”", 1),
        ("pip - it\u2019s", Match.FOLDED, "pip — it's", 1),
        ("install  package", Match.FOLDED, "install package", 4),
        ("package pip list", Match.FOLDED, "package\npip list", 4),
        ("pools Configuration", Match.FOLDED, "pools\nConfiguration", 2),
        ("STRAßE", Match.FOLDED, "Straße", 5),
        ("strasse", Match.SIMILAR, "Straße", 5),
        ("configuraton of conection pools", Match.SIMILAR, "Configuration of the connection", 3),
        ("连接池配置", Match.SIMILAR, "连接池的配置", 5),
    ],
)
def test_the_nearest_match_is_found(needle: str, match: Match, text: str, block: int) -> None:
    found = find(PAGE, needle)[0]
    assert (found.match, found.block) == (match, block)
    assert found.text.startswith(text)


def test_a_find_tells_where_it_is_and_what_is_around_it() -> None:
    found = find(PAGE, "connection pool is")[0]
    assert found.section is not None
    assert found.section.text == "Connection pools"
    assert found.offset == render_with_spans(PAGE)[1][3][0]
    assert found.before.endswith("Connection pools\nConfiguration of the ")
    assert found.after.startswith(" done in settings.\npip install")


def test_finds_come_in_reading_order_and_no_more_than_asked_for() -> None:
    assert [found.block for found in find(PAGE, "pip")] == [1, 4, 4]
    assert [found.block for found in find(PAGE, "pip", 2)] == [1, 4]
    assert [found.block for found in find(PAGE, "instal packag")] == [1, 4]


@pytest.mark.parametrize("needle", ["", "  ", "nothing like this is here", "—" * 3, "zzz"])
def test_what_is_not_there_is_not_found(needle: str) -> None:
    assert find(PAGE, needle) == ()
    assert find(PAGE, "pip", 0) == ()
    assert find([], needle or "a") == ()


@settings(deadline=None)
@given(block_lists())
def test_text_of_any_block_is_found(drawn: tuple[list[Block], list[Seen]]) -> None:
    for block in drawn[0]:
        needle = block.text.strip()
        assert not needle or find(drawn[0], needle, 1)[0].text == needle
