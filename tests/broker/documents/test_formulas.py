"""Formulas of Office and OpenDocument as TeX."""

from __future__ import annotations

import pytest

from broker.documents.formulas import tex
from extract import xml

_SQUARE = "<msup><mi>x</mi><mn>2</mn></msup>"
_RUN = "<r><t>{}</t></r>"


def officially(kind: str, *parts: str, properties: str = "") -> str:
    """An element of OMML with parts that hold a letter each."""
    inner = "".join(f"<part>{_RUN.format(part)}</part>" if part else "<part/>" for part in parts)
    return f"<{kind}><{kind}Pr>{properties}</{kind}Pr>{inner}</{kind}>"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (officially("f", "a", "b"), r"\frac{a}{b}"),
        (officially("f", "n", "k", properties='<type val="noBar"/>'), r"\binom{n}{k}"),
        (officially("rad", "", "x"), r"\sqrt{x}"),
        (officially("rad", "3", "x"), r"\sqrt[3]{x}"),
        (officially("sSubSup", "x", "i", "2"), "x_{i}^{2}"),
        (officially("nary", "i=1", "n", "i", properties='<chr val="∑"/>'), r"\sum _{i=1}^{n} i"),
        (officially("nary", "S", "", "f"), r"\int _{S} f"),
        (officially("d", "a", "b", properties='<endChr val="]"/>'), "(a, b]"),
        (officially("acc", "v", properties='<chr val="\u20d7"/>'), r"\vec{v}"),
        ("<m><mr><e><r><t>a</t></r></e><e><r><t>b</t></r></e></mr></m>",
         r"\begin{matrix}a & b\end{matrix}"),
        (f"<math><semantics>{_SQUARE}<annotation>no</annotation></semantics></math>", "x^{2}"),
        ("<math><mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac></math>", r"\frac{a}{\sqrt{b}}"),
        ("<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover></math>", r"\sum _{i}^{n}"),
        ("<math><mfrac><mi>a</mi></mfrac></math>", r"\frac{a}{}"),
    ],
)  # fmt: skip
def test_a_formula_becomes_tex(markup: str, expected: str) -> None:
    root = xml.parse(markup)
    assert root is not None
    assert tex(root) == expected
