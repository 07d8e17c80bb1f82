"""A text file as a document or a part of one: Markdown as it is, the rest as it reads best."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.providers.answers import record, text_of, texts_of
from broker.sites import writing
from broker.sites.replies import objects
from broker.sites.rst import rst_to_markdown
from broker.sites.user_markdown import as_page, contained
from extract.decode import decode
from extract.raw import BodyKind, sniff

if TYPE_CHECKING:
    from collections.abc import Mapping

    from broker.sites.base import Reply
    from broker.sites.user_markdown import Bases

_MARKDOWN = ("md", "markdown", "mdx", "mdown", "qmd", "rmd")
_NOTEBOOK = "ipynb"
_OUTPUT_CHARS = 4_000
"""Of what one cell of a notebook has written that are shown."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a file says."""

    title: str
    """Its own, empty where it has none."""
    markdown: str
    """Without the title, its headings below level 1."""


def is_binary(reply: Reply) -> bool:
    """Whether a file that came is no text."""
    return sniff(reply.body, reply.media_type).kind in {BodyKind.FILE, BodyKind.NOISE}


def body_of(reply: Reply) -> str:
    """The text of a file that came."""
    return decode(reply.body, None).text


def as_document(text: str, name: str, bases: Bases) -> Made:
    """What a text file of that name says."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if ending in _MARKDOWN:
        return Made(*as_page(_without_front(text), bases))
    if ending == "rst":
        return Made(*as_page(rst_to_markdown(text), bases))
    if ending == _NOTEBOOK and (cells := _notebook(text, bases)):
        return Made("", cells)
    prose = ending in {"", "txt"} and name.lower().startswith(("readme", "license", "changes"))
    return Made(
        "", contained(text, 1) if prose else writing.fenced(text, writing.language_of(name))
    )


def _without_front(text: str) -> str:
    """Markdown without the data that may stand before it."""
    if not text.startswith("---\n"):
        return text
    front, end, rest = text[4:].partition("\n---\n")
    return rest if end and "\n\n" not in front else text


def _notebook(text: str, bases: Bases) -> str:
    """The cells of a Jupyter notebook; empty where it is none."""
    try:
        notebook = record(json.loads(text))
    except (ValueError, RecursionError):
        return ""
    known = record(record(notebook.get("metadata")).get("kernelspec"))
    language = text_of(known, "language") or "python"
    parts = []
    for cell in objects(notebook.get("cells")):
        source = _lines(cell, "source")
        if text_of(cell, "cell_type") == "markdown":
            parts.append(contained(source, 1, bases))
        else:
            parts.append(writing.fenced(source, language))
            parts += [_output(each) for each in objects(cell.get("outputs"))]
    return writing.joined(*parts)


def _output(output: Mapping[str, object]) -> str:
    shown = _lines(output, "text") or _lines(record(output.get("data")), "text/plain")
    shown = shown or text_of(output, "evalue")
    left = len(shown) - _OUTPUT_CHARS
    cut = f"{left:,} more characters of this output are left out." if left > 0 else ""
    return writing.joined(writing.fenced(shown[:_OUTPUT_CHARS]), cut)


def _lines(fields: Mapping[str, object], name: str) -> str:
    return text_of(fields, name) or "".join(texts_of(fields, name))
