"""Formulas are their TeX, wherever a page keeps it."""

from __future__ import annotations

import pytest

from extract import formula
from extract.tree import Node, parse

TEX = "x_1^2"
ANNOTATION = f"<annotation encoding=application/x-tex>{TEX}</annotation>"
ANNOTATED = f"<math><semantics><mi>x</mi>{ANNOTATION}</semantics></math>"


def node(html: str) -> Node:
    found = parse(f"<div>{html}</div>").find(".//div")
    assert found is not None
    return found[0]


@pytest.mark.parametrize(
    "html",
    [
        f"<span class=katex>{ANNOTATED}<span aria-hidden=true>x12</span></span>",
        ANNOTATED,
        f"<math alttext='{{\\displaystyle {TEX}}}'><mi>x</mi></math>",
        f"<script type=math/tex>{TEX}</script>",
        f"<script type='math/tex; mode=display'>{TEX}</script>",
        f"<span class=MathJax><nobr>x12</nobr></span><script type=math/tex>{TEX}</script>",
        f"<span class=MathJax>x<math><mi>x</mi></math></span><script type=math/tex>{TEX}</script>",
        f"<img class=latex alt='${TEX}$'>",
        f"<span class=math-tex data-latex='\\({TEX}\\)'>x</span>",
        f"<span class=mwe-math-element><img alt=y><math alttext='{TEX}'></math></span>",
    ],
    ids=["katex", "mathml", "alttext", "script", "display-script", "mathjax-2", "mathjax-2-spoken",
         "picture", "attribute", "wiki"],
)  # fmt: skip
def test_the_source_is_found(html: str) -> None:
    assert formula.tex(node(html)) == TEX


def test_what_mathjax_2_set_in_a_block_has_its_source_behind_the_block() -> None:
    block = node(
        "<div class=MathJax_Display><span class=MathJax>zz</span></div>"
        f"<script type='math/tex; mode=display'>{TEX}</script>"
    )

    assert formula.tex(block[0]) == TEX
    assert formula.is_displayed(block[0])


def test_a_script_behind_what_it_was_set_as_is_the_same_formula() -> None:
    set_already = node("<span class=MathJax><b>x</b></span><script type=math/tex>x</script>")
    preview = node("<span class=MathJax_Preview></span><script type=math/tex>x</script>")

    after = [each.getnext() for each in (set_already, preview)]
    assert [formula.is_script(script) for script in after if script is not None] == [False, True]


def test_a_formula_without_source_reads_as_its_symbols_once() -> None:
    drawn = (
        "<mjx-container class=MathJax><mjx-math>q</mjx-math><math><mi>q</mi></math></mjx-container>"
    )

    assert formula.tex(node(drawn)) == ""
    assert formula.words(node(drawn)) == "q"


@pytest.mark.parametrize(
    ("html", "displayed"),
    [
        ("<span class=katex-display><span class=katex>x</span></span>", True),
        ("<math display=block><mi>x</mi></math>", True),
        ("<mjx-container class=MathJax display=true>x</mjx-container>", True),
        ("<script type='math/tex; mode=display'>x</script>", True),
        ("<span class=katex>x</span>", False),
        ("<script type=math/tex>x</script>", False),
    ],
)
def test_a_displayed_formula_is_told_from_one_in_a_sentence(html: str, displayed: bool) -> None:
    assert formula.is_displayed(node(html)) is displayed


@pytest.mark.parametrize("classes", ["", "what", "mathematics", "latest", "post-math-teacher"])
def test_other_elements_are_no_formulas(classes: str) -> None:
    assert not formula.is_formula(node(f"<span class='{classes}'>x</span>"), classes)
