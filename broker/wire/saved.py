"""The pure parts on saved pages, for debugging and for measuring: serp, judge, extract.

Which pages: the files of the command line, all served from the address of `--url`, then those of a
manifest, where each has its own. A file that cannot be read does not end a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.errors import RequestInvalid
from broker.wire import codec, replies, text
from broker.wire.screen import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from broker.models import Serp
    from broker.wire.screen import Screen
    from extract.model import Document
    from extract.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPage:
    """A page in a file, and what is known of how it was served."""

    file: str
    url: str | None = None
    status: int | None = None
    """The HTTP status."""


def listed(
    files: Sequence[str],
    *,
    url: str | None = None,
    status: int | None = None,
    manifest: bytes | None = None,
) -> list[SavedPage]:
    """The pages in `files`, then those of `manifest`: {"file", "url", "status"}, one a line.

    Raises:
        RequestInvalid: A line of the manifest is not such an object, or no page is named.
    """
    pages = [SavedPage(file=file, url=url, status=status) for file in files]
    lines = (manifest or b"").splitlines()
    pages += [_entry(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not pages and manifest is None:
        raise RequestInvalid("neither a file nor a manifest is given", field="file")
    return pages


def serp(
    parse: Callable[[bytes], Serp],
    files: Iterable[str],
    screen: Screen,
    *,
    read: Callable[[str], bytes],
) -> ExitCode:
    """Print what stands on each result page."""

    def show(page: SavedPage, body: bytes) -> None:
        parsed = parse(body)
        readable = text.serp_text(page.file, parsed, screen.width)
        screen.show(readable, replies.dump_serp(page.file, parsed))

    return each((SavedPage(file=file) for file in files), show, screen, read=read)


def judge(
    decide: Callable[[bytes, SavedPage], Verdict],
    pages: Iterable[SavedPage],
    screen: Screen,
    *,
    read: Callable[[str], bytes],
) -> ExitCode:
    """Print what each page is, and why."""

    def show(page: SavedPage, body: bytes) -> None:
        verdict = decide(body, page)
        readable = text.verdict_text(page.file, verdict, screen.width)
        screen.show(readable, replies.dump_verdict(page.file, verdict))

    return each(pages, show, screen, read=read)


def extract(
    read_page: Callable[[bytes, SavedPage], Document],
    pages: Iterable[SavedPage],
    screen: Screen,
    *,
    read: Callable[[str], bytes],
) -> ExitCode:
    """Print the main content of each page, named where they are several; notes go to stderr.

    No page with any text is nothing found.
    """
    listed_pages = list(pages)
    found = False

    def show(page: SavedPage, body: bytes) -> None:
        nonlocal found
        document = read_page(body, page)
        found = found or bool(document.blocks)
        if not screen.as_json:
            for note in document.notes:
                screen.complain(f"{page.file}: {note}")
        name = page.file if len(listed_pages) > 1 else ""
        screen.show(text.document_text(document, name), replies.dump_document(page.file, document))

    exit_code = each(listed_pages, show, screen, read=read)
    return exit_code if exit_code or found else ExitCode.NOTHING_FOUND


def each(
    pages: Iterable[SavedPage],
    show: Callable[[SavedPage, bytes], None],
    screen: Screen,
    *,
    read: Callable[[str], bytes],
) -> ExitCode:
    """Read the pages and show them one after another."""
    exit_code = ExitCode.ANSWERED
    for page in pages:
        try:
            body = read(page.file)
        except OSError as error:
            screen.complain(f"{page.file}: {error.strerror or error}")
            exit_code = ExitCode.USAGE
            continue
        show(page, body)
    return exit_code


def _entry(number: int, line: bytes) -> SavedPage:
    entry = codec.decode_object(line)
    where = f"line {number} of the manifest"
    if entry is None:
        raise RequestInvalid(f"{where} is no JSON object", field="manifest")
    file, url, status = (entry.get(name) for name in ("file", "url", "status"))
    if not isinstance(file, str):
        raise RequestInvalid(f"{where} has no file", field="manifest")
    if not isinstance(url, str | None):
        raise RequestInvalid(f"{where}: url is no text", field="manifest")
    if not isinstance(status, int | None) or isinstance(status, bool):
        raise RequestInvalid(f"{where}: status is no whole number", field="manifest")
    return SavedPage(file=file, url=url, status=status)
