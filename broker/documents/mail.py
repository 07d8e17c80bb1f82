"""A message: who wrote it to whom and when, its text, and what is attached."""

from __future__ import annotations

from email import policy
from email.message import Message
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from broker.documents.records import Converted
from extract.inline import escape

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_LONGEST_FIELD = 1000
_MOST_PARTS = 500
_DEEPEST = 8


def convert(body: bytes) -> Converted:
    """The message in `body`; never raises for what a message can hold."""
    try:
        return _convert(BytesParser(policy=policy.default).parsebytes(body))
    except (AttributeError, IndexError, LookupError, TypeError, ValueError):
        # The parser that understands most breaks down at some fields; the old one reads on.
        return _convert(BytesParser(policy=policy.compat32).parsebytes(body))


def _convert(message: Message) -> Converted:
    subject, sender = _field(message, "Subject"), _field(message, "From")
    head = [f"**{name}:** {escape(value)}  " for name in _SHOWN if (value := _field(message, name))]
    texts, attached = _contents(message)
    parts = [f"# {escape(subject)}"] if subject else []
    parts += ["\n".join(head), *texts]
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


def _field(message: Message, name: str) -> str:
    try:
        value = str(message.get(name, ""))
    except (AttributeError, IndexError, TypeError, ValueError):  # the parser gives up on some
        return ""
    return " ".join(value.encode("utf-8", "replace").decode().split())[:_LONGEST_FIELD]


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
    from extract.decode import decode  # noqa: PLC0415

    return decode(raw, f"text/plain; charset={charset}").text.replace("\r\n", "\n").strip()


def _name(part: Message) -> str:
    name = part.get_filename() or "without a name"
    payload = part.get_payload(decode=True)
    size = f", {len(payload):,} bytes" if isinstance(payload, bytes) else ""
    return f"{' '.join(str(name).split())[:200]} ({part.get_content_type()}{size})"
