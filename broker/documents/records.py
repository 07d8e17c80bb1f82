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
    """What the child writes."""
    if isinstance(result, Unconverted):
        return json.dumps({"code": result.code, "message": str(result)}).encode()
    # A lone surrogate, which PDFs do hold, stands in no UTF-8.
    result.markdown = result.markdown.encode("utf-8", "replace").decode()
    return json.dumps(asdict(result)).encode()


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
