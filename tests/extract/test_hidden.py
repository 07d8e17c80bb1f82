"""What the markup keeps from being seen, and what it only keeps folded."""

from __future__ import annotations

import pytest

from extract.hidden import hides, hides_block, style_hides

UNSEEN = """
display:none | display : NONE !important | visibility:hidden | visibility: collapse | opacity:0
opacity: 0.0; color: red | font-size:0 | font-size: 1px | font-size:.5pt | font-size: 0.1em
font-size: 1% | position:absolute;left:-9999px | text-indent:-999em | top: -1000px
margin-left:-5000px | clip: rect(0 0 0 0) | clip:rect(1px, 1px, 1px, 1px) | clip-path:inset(50%)
clip-path: circle(0) | height:0;overflow:hidden | overflow: hidden; max-height: 0
width:1px;height:1px;overflow:hidden | transform:scale(0) | filter: opacity(0%) | color:transparent
color: rgba(0,0,0,0) | color: rgb(0 0 0 / 0%) | color:#fff0 | color: #11223300
color: hsla(0,0%,0%,0)
color:#fff;background:#FFFFFF | color: white; background-color: rgb(255, 255, 255)
color:red;background-color:red
"""
SEEN = """
display:block | opacity:0.5 | opacity: 1 | font-size:12px | font-size: 1em | font-size:0.9em
font-size: 80% | left:-20px | text-indent:-2em | line-height:0 | min-height:0;overflow:hidden
height:100px;overflow:hidden | overflow:hidden | color:#000 | color: rgb(0,0,0) | color:#ff0000
color: rgba(0,0,0,.5) | color:#fff | color:#fff;background:#000 | background-color: transparent
border-color: transparent | color:transparent;background-clip:text
stop-opacity:0 | transform:scale(0.5) | filter:opacity(0.5) | clip: auto
"""


def styles(table: str) -> list[str]:
    return [style.strip() for line in table.strip().splitlines() for style in line.split(" | ")]


@pytest.mark.parametrize("style", styles(UNSEEN))
def test_a_style_can_hide(style: str) -> None:
    assert style_hides(style)
    assert hides({"style": style})


@pytest.mark.parametrize("style", styles(SEEN))
def test_a_style_can_leave_text_visible(style: str) -> None:
    assert not style_hides(style)
    assert not hides({"style": style})


def test_the_hidden_attribute_hides_whatever_it_says_but_until_found() -> None:
    assert hides({"hidden": ""})
    assert hides({"hidden": "false"})
    assert not hides({"hidden": "until-found"})
    assert not hides({"class": "hidden"})


@pytest.mark.parametrize(
    "attributes",
    [
        {"id": "S:1"},
        {"id": "P:0"},
        {"role": "tabpanel"},
        {"class": "tab-pane"},
        {"class": "faq-answer"},
        {"class": "accordion__panel collapse"},
        {"class": "read-more"},
    ],
    ids=str,
)
def test_what_a_click_or_the_pages_script_shows_is_shown(attributes: dict[str, str]) -> None:
    assert hides({"hidden": "", **attributes})
    assert not hides_block({"hidden": "", **attributes})
    assert not hides_block({"aria-hidden": "true", **attributes})


def test_a_block_that_is_kept_from_screen_readers_counts_as_hidden() -> None:
    assert hides_block({"aria-hidden": "true"})
    assert not hides_block({"aria-hidden": "false"})
