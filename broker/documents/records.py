"""What a conversion gives, and how it comes from the process that makes it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from broker.documents.failures import Unconverted

MAX_ANSWER_BYTES = 32_000_000
"""Of what the child process answers; the largest text that a file of 30 MB reasonably holds."""


@dataclass(slots=True, kw_only=True)
class Converted:
    """A file as a document."""

    markdown: str
    title: str = ""
    byline: str | None = None
    published: str | None = None
    """ISO 8601."""
    lang: str | None = None
    notes: list[str] = field(default_factory=list)
    """What a reader must know: how it was read, and what was left out."""


def packed(result: Converted | Unconverted) -> bytes:
    """What the child writes. A text that is too long for an answer is cut, and says so."""
    if isinstance(result, Unconverted):
        return json.dumps({"code": result.code, "message": str(result)}).encode()
    # A lone surrogate, which PDFs do hold, stands in no UTF-8.
    result.markdown = result.markdown.encode("utf-8", "replace").decode()
    answer = json.dumps(asdict(result)).encode()
    whole, notes = len(result.markdown), result.notes
    while len(answer) > MAX_ANSWER_BYTES and result.markdown:
        share = min(0.9, 0.9 * MAX_ANSWER_BYTES / len(answer))
        result.markdown = _beginning(result.markdown, int(len(result.markdown) * share))
        told = f"only the first {len(result.markdown):,} of {whole:,} characters are shown"
        result.notes = [*notes, told]
        answer = json.dumps(asdict(result)).encode()
    return answer


def _beginning(markdown: str, most: int) -> str:
    """At most so many characters of a text, up to a blank line or else the end of a line."""
    for border in ("\n\n", "\n"):
        end = markdown.rfind(border, most // 2, most)
        if end > 0:
            return markdown[:end]
    return markdown[:most]


def unpacked(answer: bytes) -> Converted:
    """What the child has written.

    Raises:
        Unconverted: it says why there is nothing, or its answer is cut.
    """
    try:
        fields = json.loads(answer)
        if "code" in fields:
            raise Unconverted(fields["code"], fields["message"])
        return Converted(**fields)
    except (ValueError, TypeError, KeyError) as error:
        raise Unconverted("conversion_failed", "the converter broke off") from error
