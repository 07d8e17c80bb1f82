"""HTML that stands in Markdown as a block of its own, as CommonMark knows seven kinds of it."""

from __future__ import annotations

import re

_RAW = re.compile(r"<(script|pre|textarea|style)(?=[\s>]|\Z)", re.IGNORECASE)
_RAW_END = re.compile(r"</(?:script|pre|textarea|style)>", re.IGNORECASE)
_BLOCK = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd"
    r"|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]"
    r"|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup"
    r"|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)"
    r"(?=\s|/?>|\Z)",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"""<(?: /[a-z][a-z0-9-]*
          | [a-z][a-z0-9-]*
            (?: \s+[a-z_:][\w.:-]* (?: \s*=\s* (?: [^\s"'=<>`]+ | '[^']*' | "[^"]*" ) )? )*
            (?: \s*/ )?
       )\s*>\s*\Z""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_ENDS = (("<?", "?>"), ("<![cdata[", "]]>"))
_DECLARED = re.compile(r"<![a-z]", re.IGNORECASE)


def html_end(bare: str, *, alone: bool) -> str | None:
    """What ends the block of HTML that a line begins; empty for a blank line.

    None where it begins none. `alone` says that it ends no paragraph: any tag that has the line
    for itself begins a block then.
    """
    raw = _RAW.match(bare)
    if raw is not None:
        return f"</{raw[1].lower()}>"
    for start, end in _ENDS:
        if bare[: len(start)].lower() == start:
            return end
    if _DECLARED.match(bare) is not None:
        return ">"
    if _BLOCK.match(bare) is not None or (alone and _TAG.match(bare) is not None):
        return ""
    return None


def is_over(end: str, text: str) -> bool:
    """Whether a block that `html_end` said this of ends in a line: any of four tags ends each."""
    return _RAW_END.search(text) is not None if end.startswith("</") else end in text
