"""A message: who wrote it to whom and when, its text, and what is attached."""

from __future__ import annotations

import re
from email import policy
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from broker.documents.records import Converted
from extract.decode import decode
from extract.inline import escape

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_LONGEST_FIELD = 1000
_LONGEST_RAW = 4000
_MOST_PARTS = 500
_DEEPEST = 8
_RAW = re.compile(r"[\udc80-\udcff]")
"""What a byte that is no ASCII becomes in a field."""
_SPECIAL_LINE = re.compile(r"(?=#{1,6}(?:\s|\Z)|=+\s*\Z|-+\s*\Z|(?:```|~~~))")
_INDENTED = re.compile(r" {4}|\t")


def convert(body: bytes) -> Converted:
    """The message in `body`; never raises for what a message can hold."""
    try:
        return _convert(BytesParser(policy=policy.default).parsebytes(body))
    except (AttributeError, IndexError, LookupError, TypeError, ValueError):
        # The parser that understands most breaks down at some fields; the old one reads on.
        return _convert(BytesParser(policy=policy.compat32).parsebytes(body))


def _convert(message: Message) -> Converted:
    subject, sender = _field(message, "Subject"), _field(message, "From")
    texts, attached = _contents(message)
    parts = [*_head(message, "#"), *texts]
    if attached:
        parts += ["## Attachments", "\n".join(f"- {escape(each)}" for each in attached)]
    notes = [f"{len(attached)} attachments are named, not read"] if attached else []
    return Converted(
        markdown="\n\n".join(part for part in parts if part),
        title=subject,
        byline=sender or None,
        published=_date(message),
        notes=notes,
    )


def _head(message: Message, marks: str) -> list[str]:
    """Its subject as a heading, and who wrote it to whom and when."""
    subject = _field(message, "Subject")
    head = [f"**{name}:** {escape(value)}  " for name in _SHOWN if (value := _field(message, name))]
    return [f"{marks} {escape(subject)}"] * bool(subject) + ["\n".join(head)] * bool(head)


def _field(message: Message, name: str) -> str:
    try:
        value = _raw_field(message, name) or str(message.get(name, ""))
    except (AttributeError, IndexError, TypeError, ValueError):  # the parser gives up on some
        return ""
    return " ".join(value.encode("utf-8", "replace").decode().split())[:_LONGEST_FIELD]


def _raw_field(message: Message, name: str) -> str:
    """A field that the parser would not read well.

    Bytes of no declared encoding it throws away; its time grows with the square of a length.
    """
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
    if not isinstance(raw, str):
        return ""
    if _RAW.search(raw) is not None:
        return decode(raw[:_LONGEST_RAW].encode("utf-8", "surrogateescape")).text
    return str(make_header(decode_header(raw[:_LONGEST_RAW]))) if len(raw) > _LONGEST_RAW else ""


def _date(message: Message) -> str | None:
    try:
        return parsedate_to_datetime(_field(message, "Date")).isoformat()
    except (ValueError, TypeError, IndexError):
        return None


def _contents(message: Message) -> tuple[list[str], list[str]]:
    """The texts to read and the names of what else there is."""
    texts: list[str] = []
    attached: list[str] = []
    pending: list[tuple[Message, int]] = [(message, 0)]
    seen = 0
    while pending and seen < _MOST_PARTS:
        part, depth = pending.pop()
        seen += 1
        kind = part.get_content_type()
        if part.is_multipart() and depth < _DEEPEST:
            children = [child for child in part.get_payload() if isinstance(child, Message)]
            if kind == "multipart/alternative":
                children = [_best(children)] if children else []
            pending.extend((child, depth + 1) for child in reversed(children))
            if kind == "message/rfc822" and children:
                texts += _head(children[0], "##")
        elif part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            attached.append(_name(part))
        else:
            texts.append(_text(part))
    return [text for text in texts if text], attached


def _best(children: list[Message]) -> Message:
    """Of several forms of one text the plain one, unless it is only a stub."""
    plain = [child for child in children if child.get_content_type() == "text/plain"]
    if plain and len(_text(plain[0])) > 20:  # noqa: PLR2004 - "please use an HTML reader"
        return plain[0]
    return children[-1]


def _text(part: Message) -> str:
    raw = part.get_payload(decode=True)
    if not isinstance(raw, bytes):
        return ""
    charset = part.get_content_charset() or ""
    if part.get_content_type() == "text/html":
        from extract.page import extract  # noqa: PLC0415 - few messages have only HTML

        return extract(raw, content_type=f"text/html; charset={charset}").markdown
    return _literal(decode(raw, f"text/plain; charset={charset}").text)


def _literal(text: str) -> str:
    """Plain text as Markdown that reads as it was written.

    Lists and quotations are marked alike in both; what is indented reads as it is.
    """
    lines: list[str] = []
    code = False
    for line in text.strip("\r\n").splitlines():
        blank_before = not lines or not lines[-1].strip()
        code = bool(_INDENTED.match(line)) and (code or blank_before)
        lines.append(line.rstrip() if code else _literal_line(line))
    return "\n".join(lines).strip("\n")


def _literal_line(line: str) -> str:
    bare = line.lstrip("> \t")
    return line[: len(line) - len(bare)] + _SPECIAL_LINE.sub("\\\\", escape(bare.rstrip()), count=1)


def _name(part: Message) -> str:
    name = part.get_filename() or "without a name"
    payload = part.get_payload(decode=True)
    size = f", {len(payload):,} bytes" if isinstance(payload, bytes) else ""
    return f"{' '.join(str(name).split())[:200]} ({part.get_content_type()}{size})"
