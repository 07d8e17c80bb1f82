"""Formulas of Office (OMML) and OpenDocument (MathML) files as TeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extract.xml import name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extract.tree import Node

_SIGNS = {
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∬": r"\iint", "∮": r"\oint",
    "\u22c3": r"\bigcup", "\u22c2": r"\bigcap", "{": r"\{", "}": r"\}", "\\": r"\backslash",
    "%": r"\%", "#": r"\#", "&": r"\&", "$": r"\$",
    "\u2061": "", "\u2062": "", "\u2063": "", "\xa0": " ",
}  # fmt: skip
_ACCENTS = {
    "\u0302": "hat", "^": "hat", "\u0303": "tilde", "~": "tilde", "\u0304": "bar", "\u0305": "bar",
    "\u0301": "acute", "\u0300": "grave", "\u030c": "check",
    "¯": "bar", "\u0307": "dot", "\u0308": "ddot", "\u20d7": "vec", "→": "vec",
}  # fmt: skip
_FORMS = {
    "mfrac": r"\frac{0}{1}", "msqrt": r"\sqrt{0}", "mroot": r"\sqrt[1]{0}",
    "msup": "0^{1}", "sSup": "0^{1}", "msub": "0_{1}", "sSub": "0_{1}", "msubsup": "0_{1}^{2}",
    "sSubSup": "0_{1}^{2}", "munderover": "0_{1}^{2}", "munder": "0_{1}", "limLow": "0_{1}",
    "limUpp": "0^{1}", "sPre": "{}_{0}^{1}2", "mfenced": "(0)",
}  # fmt: skip
"""What becomes of an element's parts, which are numbered; a number in braces keeps these."""
_LETTERS = frozenset({"t", "mi", "mn", "mo", "mtext", "ms"})
_UNREAD = frozenset({"annotation", "annotation-xml", "none", "phant", "mphantom"})
_MOST_DEPTH = 100


def tex(node: Node, depth: int = 0) -> str:
    """The formula in an element, as far as it is known how its parts are set; else just them."""
    kind = name(node)
    if kind in _UNREAD or kind.endswith("Pr") or depth > _MOST_DEPTH:
        return ""
    if kind in _LETTERS:
        return _said("".join(node.itertext()))
    inner = [child for child in node if not name(child).endswith("Pr")]
    parts = [tex(child, depth + 1) for child in (inner[:1] if kind == "semantics" else inner)]
    if (special := _SPECIAL.get(kind)) is not None:
        return special(node, [*parts, "", "", ""])
    form = _FORMS.get(kind)
    return "".join(parts) if form is None else _filled(form, parts)


def _root(_node: Node, parts: Sequence[str]) -> str:
    return rf"\sqrt[{parts[0]}]{{{parts[1]}}}" if parts[0] else rf"\sqrt{{{parts[1]}}}"


def _sum(node: Node, parts: Sequence[str]) -> str:
    bounds = "".join(f"{mark}{{{part}}}" for mark, part in zip("_^", parts, strict=False) if part)
    return f"{_said(_property(node, 'chr', '∫'))}{bounds} {parts[2]}"


def _fraction(node: Node, parts: Sequence[str]) -> str:
    kind = "binom" if _property(node, "type", "") == "noBar" else "frac"
    return rf"\{kind}{{{parts[0]}}}{{{parts[1]}}}"


def _bracketed(node: Node, parts: Sequence[str]) -> str:
    begin, end = _property(node, "begChr", "("), _property(node, "endChr", ")")
    return f"{_said(begin)}{', '.join(filter(None, parts))}{_said(end)}"


def _accented(node: Node, parts: Sequence[str]) -> str:
    mark = _property(node, "chr", "\u0302") if name(node) == "acc" else parts[1]
    accent = _ACCENTS.get(mark)
    return rf"\{accent}{{{parts[0]}}}" if accent else f"{parts[0]}^{{{mark}}}"


def _row(node: Node, parts: Sequence[str]) -> str:
    return " & ".join(parts[: len(node)]).rstrip("& ")


def _matrix(_node: Node, parts: Sequence[str]) -> str:
    return r"\begin{matrix}" + r" \\ ".join(filter(None, parts)) + r"\end{matrix}"


_SPECIAL = {
    "f": _fraction, "rad": _root, "nary": _sum,
    "d": _bracketed, "acc": _accented, "mover": _accented,
    "mtr": _row, "mr": _row, "mtable": _matrix, "m": _matrix, "eqArr": _matrix,
}  # fmt: skip


def _filled(form: str, parts: Sequence[str]) -> str:
    out = ""
    for letter in form:
        if letter.isdecimal():
            out += parts[int(letter)] if int(letter) < len(parts) else ""
        else:
            out += letter
    return out


def _property(node: Node, wanted: str, usual: str) -> str:
    """The value of one of an element's properties."""
    for properties in node:
        if name(properties).endswith("Pr"):
            for each in properties:
                if name(each) == wanted:
                    return next(iter(each.attrib.values()), usual)
    return usual


def _said(text: str) -> str:
    text = text if text.isspace() else " ".join(text.split())
    return "".join(f"{_SIGNS[letter]} ".lstrip() if letter in _SIGNS else letter for letter in text)
