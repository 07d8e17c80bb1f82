"""Formulas as TeX, wherever a page keeps it: annotations, scripts, attributes, pictures."""

from __future__ import annotations

import re
from typing import cast

from lxml import etree

from extract.tree import Node, fold, raw_text

_HOLDER = re.compile(
    r"(?:^|\s)(?:katex|katex-display|katex-mathml|MathJax|MathJax_Display|MathJax_Preview|mjx-chtml"
    r"|mjx-container|mwe-math-element|math-tex|tex2jax_process|ltx_Math)(?:\s|$)"
)
_DISPLAYED = re.compile(
    r"(?:^|\s)(?:katex-display|MathJax_Display|mwe-math-element-block|display)(?:\s|$)"
)
_ATTRIBUTES = ("data-math", "data-latex", "data-tex", "data-equation", "alttext")
_PICTURE = re.compile(r"(?:^|\s)(?:mwe-math-fallback-image\S*|latex|tex|math)(?:\s|$)")

_annotation = etree.XPath(
    "string((.//*[local-name()='annotation'][contains(@encoding, 'tex')"
    " or contains(@encoding, 'TeX')])[1])",
    smart_strings=False,
)
_inner_math = etree.XPath("(.//*[local-name()='math'])[1]")
_inner_script = etree.XPath("(.//script[starts-with(@type, 'math/tex')])[1]")
_SCRIPT = "math/tex"
_MOST_WRAPPERS = 2  # elements around what MathJax 2 has set, before the script with its source


def is_formula(node: Node, classes: str) -> bool:
    """Whether an inline `node` of these `classes` is how a library shows one formula."""
    if "at" not in classes and "mjx" not in classes:  # "katex", "MathJax", "math": one quick look
        return False
    return _HOLDER.search(classes) is not None and bool(tex(node) or words(node))


def is_script(node: Node) -> bool:
    """Whether a `script` is a formula that MathJax has not set yet."""
    return (node.get("type") or "").startswith(_SCRIPT) and not _is_set(node)


def is_picture(image: Node) -> bool:
    """Whether an `img` shows a formula and gives its TeX as the alternative text."""
    return _PICTURE.search(image.get("class") or "") is not None and bool(image.get("alt"))


def tex(node: Node) -> str:
    """The TeX of a formula; empty where the page does not keep it."""
    if node.tag == "script":
        return fold(raw_text(node))
    if node.tag == "img":
        return _bare(node.get("alt") or "")
    for attribute in _ATTRIBUTES:
        value = node.get(attribute)
        if value:
            return _bare(value)
    noted = cast("str", _annotation(node))
    if noted:
        return _bare(noted)
    for inner in cast("list[Node]", _inner_math(node)) + cast("list[Node]", _inner_script(node)):
        if inner is not node:
            found = tex(inner)
            if found:
                return found
    script = _script_behind(node)
    return fold(raw_text(script)) if script is not None else ""


def words(node: Node) -> str:
    """What a formula reads as in plain text: its TeX, else its symbols."""
    found = tex(node)
    if found:
        return found
    # The MathML beside what is drawn says the same once more, for screen readers.
    spoken = cast("list[Node]", _inner_math(node))
    return fold(raw_text(spoken[0] if spoken else node))


def is_displayed(node: Node) -> bool:
    """Whether a formula stands on a line of its own."""
    if node.tag == "script":
        return "mode=display" in (node.get("type") or "")
    if node.get("display") in {"block", "true"} or _DISPLAYED.search(node.get("class") or ""):
        return True
    inner = cast("list[Node]", _inner_math(node))
    if inner and inner[0].get("display") == "block":
        return True
    script = _script_behind(node)
    return script is not None and is_displayed(script)


def _script_behind(node: Node) -> Node | None:
    """The script that MathJax 2 has set as `node`: it stands behind it or what wraps it."""
    at: Node | None = node
    for _ in range(_MOST_WRAPPERS):
        if at is None or "MathJax" not in (at.get("class") or ""):
            return None
        behind = at.getnext()
        if behind is not None and (behind.get("type") or "").startswith(_SCRIPT):
            return behind
        at = at.getparent()
    return None


def _is_set(script: Node) -> bool:
    # MathJax 2 leaves the script behind what it has set; both are the same formula.
    before = script.getprevious()
    return before is not None and "MathJax" in (before.get("class") or "") and bool(len(before))


def _bare(text: str) -> str:
    """TeX without its delimiters and without the wrapper of the wiki's converter."""
    text = fold(text)
    if text.startswith("{\\displaystyle ") and text.endswith("}"):
        text = text[len("{\\displaystyle ") : -1].strip()
    for start, end in (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")):
        if text.startswith(start) and text.endswith(end) and len(text) >= len(start) + len(end):
            return text[len(start) : -len(end)].strip()
    return text
