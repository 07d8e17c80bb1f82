"""Bodies that are no web pages: text, Markdown, JSON, XML, feeds. Pure.

`kind_of` says what a body is: by its bytes first, then by the type that was declared, then by the
name, since servers call everything text/html, text/plain or octet-stream. Files of formats with a
signature (PDF, Office, pictures) and messages are not read here but named, for what converts them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from broker.documents.formats import Format, is_mail
from broker.documents.tabular import table_of
from broker.documents.vectors import is_vector, vector_markdown
from broker.reading.drafts import Draft, from_code, from_markdown
from extract.decode import decode
from extract.raw import BodyKind, sniff

if TYPE_CHECKING:
    from extract.raw import Body as Sniffed

_HTML_BEGIN = re.compile(
    r"\s*(?:<\?xml\b[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML_BEGIN = re.compile(r"\s*<\?xml\b", re.IGNORECASE)
_XML_TYPES = re.compile(r"(?:application|text)/(?:[\w.+-]+\+)?xml\Z")
_JSON_TYPES = re.compile(r"application/(?:[\w.+-]+\+)?(?:json|x-ndjson|jsonl)|text/json")
_UNREADABLE = re.compile(r"(?:image|audio|video|font|model)/(?!svg)")
_PROSE_TYPES = frozenset({"text/plain", "text/markdown", "text/x-markdown", "text/x-rst"})
_NO_TYPE = frozenset({"", "application/octet-stream", "binary/octet-stream", "text/html"})

_MAIL_TYPES = frozenset({"message/rfc822", "text/plain", "multipart/related", *_NO_TYPE})

_LANGUAGES = {
    "py": "python", "js": "javascript", "mjs": "javascript", "ts": "typescript", "jsx": "jsx",
    "tsx": "tsx", "sh": "bash", "bash": "bash", "zsh": "bash", "yaml": "yaml", "yml": "yaml",
    "toml": "toml", "ini": "ini", "cfg": "ini", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp",
    "hpp": "cpp", "rs": "rust", "go": "go", "java": "java", "kt": "kotlin", "rb": "ruby",
    "php": "php", "pl": "perl", "lua": "lua", "swift": "swift", "cs": "csharp", "sql": "sql",
    "css": "css", "scss": "scss", "diff": "diff", "patch": "diff", "csv": "csv", "tsv": "tsv",
    "jsonl": "json", "ndjson": "json", "tex": "tex", "r": "r", "jl": "julia", "ps1": "powershell",
}  # fmt: skip
"""What a file of that ending is fenced as."""
_TEXT_ENDINGS = frozenset({"md", "markdown", "txt", "rst", *_LANGUAGES})
_TYPE_LANGUAGES = {
    "text/css": "css",
    "text/javascript": "javascript",
    "application/javascript": "javascript",
    "application/x-javascript": "javascript",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "text/yaml": "yaml",
    "text/x-yaml": "yaml",
    "application/toml": "toml",
    "application/x-sh": "bash",
    "text/x-python": "python",
    "text/x-diff": "diff",
    "text/x-patch": "diff",
}
_LONGEST_PRETTY = 2_000_000
"""Characters of JSON that are set out anew; longer ones stay as they came."""
DOCUMENTS = frozenset({"PDF", "Office", "ZIP, Office or EPUB", "RTF"})
"""Formats of files that hold text."""


class PlainKind(StrEnum):
    """What a body is."""

    HTML = "html"
    TEXT = "text"
    JSON = "json"
    XML = "xml"
    FILE = "file"
    """A format of its own."""
    NOISE = "noise"
    """Bytes that are no text."""
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Known:
    """What a body is, and what that is called."""

    kind: PlainKind
    name: str = ""
    """Of the format, for a file."""


def kind_of(body: bytes, media_type: str = "", name: str = "") -> Known:
    """What `body` is, served as `media_type` or kept under `name`."""
    sniffed = sniff(body, media_type)
    match sniffed.kind:
        case BodyKind.BLANK:
            return Known(PlainKind.BLANK)
        case BodyKind.FILE:
            return Known(PlainKind.FILE, sniffed.name)
        case BodyKind.NOISE:
            return Known(PlainKind.NOISE, media_type if _UNREADABLE.match(media_type) else "")
    if is_mail(body) and media_type in _MAIL_TYPES:
        return Known(PlainKind.FILE, Format.MAIL)
    return Known(_text_kind(sniffed, body, media_type, _ending(name)))


def _text_kind(sniffed: Sniffed, body: bytes, media_type: str, ending: str) -> PlainKind:
    head = body[:2048].decode("utf-8", "replace").lstrip("\ufeff")
    if _HTML_BEGIN.match(head):
        return PlainKind.HTML
    if sniffed.kind is BodyKind.DATA or _JSON_TYPES.match(media_type):
        return PlainKind.JSON
    if media_type != "application/xhtml+xml" and _is_xml(head, media_type):
        return PlainKind.XML
    is_named_text = ending in _TEXT_ENDINGS and media_type in _NO_TYPE
    if media_type == "text/html" and "<" in head:
        is_named_text = False
    if media_type in _PROSE_TYPES or media_type in _TYPE_LANGUAGES or is_named_text:
        return PlainKind.TEXT
    return PlainKind.HTML if sniffed.kind is BodyKind.MARKUP else PlainKind.TEXT


def _is_xml(head: str, media_type: str) -> bool:
    if _XML_BEGIN.match(head) or is_vector(head):
        return True
    return bool(_XML_TYPES.match(media_type)) and head.lstrip().startswith("<")


def draft_of(
    body: bytes, kind: PlainKind, *, content_type: str = "", media_type: str = "", name: str = ""
) -> Draft:
    """The document that a body of text is; `kind` is one of text, JSON and XML."""
    decoded = decode(body, content_type or None)
    notes = decoded.notes
    title = PurePosixPath(name).name
    if kind is PlainKind.JSON:
        return from_code(_pretty(decoded.text), "json", title=title, notes=notes)
    if kind is PlainKind.XML:
        return _xml_draft(decoded.text, title, notes)
    if (delimiter := _delimiter(media_type, _ending(name))) is not None:
        table = table_of(decoded.text, delimiter)
        if table.markdown:
            return from_markdown(table.markdown, title=title, notes=(*notes, *table.notes))
    language = _TYPE_LANGUAGES.get(media_type) or _LANGUAGES.get(_ending(name), "")
    if language:
        return from_code(decoded.text, language, title=title, notes=notes)
    draft = from_markdown(decoded.text, notes=notes)
    return draft if draft.title else from_markdown(decoded.text, title=title, notes=notes)


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower().removeprefix(".")


def _delimiter(media_type: str, ending: str) -> str | None:
    """What separates a table's values: empty where that is to be seen, None for no table."""
    if media_type == "text/tab-separated-values" or ending == "tsv":
        return "\t"
    return "" if media_type == "text/csv" or ending == "csv" else None


def _pretty(text: str) -> str:
    if len(text) > _LONGEST_PRETTY:
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text  # a value a line, or nearly JSON


def _xml_draft(text: str, title: str, notes: tuple[str, ...]) -> Draft:
    from broker.reading.feeds import feed_markdown  # noqa: PLC0415 - few pages are XML

    if is_vector(text[:2048]):
        drawn = vector_markdown(text)
        draft = from_markdown(drawn, notes=notes)
        return draft if draft.title else from_markdown(drawn, title=title, notes=notes)
    feed = feed_markdown(text)
    if feed is not None:
        return from_markdown(feed, notes=notes)
    return from_code(text, "xml", title=title, notes=notes)
