"""What makes Markdown of a page: ours, and the libraries that do the same.

They are peers to measure against and no dependencies: those that are installed beside us take part.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from extract import extract

if TYPE_CHECKING:
    from collections.abc import Callable

    Extractor: TypeAlias = Callable[[str, str], str]

OURS = "ours"


class Tool(NamedTuple):
    """Something that makes Markdown of a page."""

    name: str
    needs: tuple[str, ...]
    """Distributions whose versions decide what it does; none for ours."""
    load: Callable[[], Extractor]
    chooses: bool = True
    """Whether it looks for the main content at all."""


def _load_ours() -> Extractor:
    return lambda html, url: extract(html, url).markdown


def _load_trafilatura() -> Extractor:
    library = importlib.import_module("trafilatura")

    def convert(html: str, url: str) -> str:
        # With comments, its default, it scores lower on most sets.
        options = {"output_format": "markdown", "include_links": True, "include_comments": False}
        return library.extract(html, url=url, **options) or ""

    return convert


def _load_readability() -> Extractor:
    readability = importlib.import_module("readability")
    converter = importlib.import_module("html_to_markdown")

    def convert(html: str, url: str) -> str:
        summary = readability.Document(html, url=url).summary()
        return converter.convert(summary).content or ""

    return convert


def _load_rs_trafilatura() -> Extractor:
    library = importlib.import_module("rs_trafilatura")
    converter = importlib.import_module("html_to_markdown")

    def convert(html: str, url: str) -> str:
        found = library.extract(html, url=url).content_html
        return (converter.convert(found).content or "") if found else ""

    return convert


def _load_whole_page() -> Extractor:
    converter = importlib.import_module("html_to_markdown")
    return lambda html, _url: converter.convert(html).content or ""


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(OURS, (), _load_ours),
        Tool("trafilatura", ("trafilatura", "lxml"), _load_trafilatura),
        Tool(
            "readability-lxml + html-to-markdown",
            ("readability-lxml", "html-to-markdown", "lxml"),
            _load_readability,
        ),
        Tool(
            "rs-trafilatura + html-to-markdown",
            ("rs-trafilatura", "html-to-markdown"),
            _load_rs_trafilatura,
        ),
        Tool(
            "html-to-markdown, whole page",
            ("html-to-markdown",),
            _load_whole_page,
            chooses=False,
        ),
    )
}


def installed() -> list[str]:
    """The tools that can run here, ours first; of the others it is said why not."""
    names = []
    for tool in TOOLS.values():
        try:
            tool.load()
        except ImportError as error:
            say(f"extract: left out: {tool.name} ({error})")
        else:
            names.append(tool.name)
    return names


def say(line: str) -> None:
    """Tell whoever runs the bench what the table leaves out."""
    print(line, file=sys.stderr)


def identity(tool: Tool) -> str:
    """What decides its results: how it is called, and the versions of what is called."""
    known = hashlib.sha256(inspect.getsource(tool.load).encode())
    for name in tool.needs:
        known.update(f"{name} {metadata.version(name)}\n".encode())
    return known.hexdigest()
