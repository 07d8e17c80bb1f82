"""What can go wrong on the way from an address to a document, and what is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.errors import BrokerError, Category, Layer, PageFailed, Phase, Refused
from broker.reading.records import Failure
from broker.redact import redact, safe_url

if TYPE_CHECKING:
    from broker.reading.seen import Got


class Unread(PageFailed):
    """There is an answer, and it is not what was asked for.

    `code` is a verdict, unsupported, not_found, or an HTTP status; `verdict` is what the page was
    judged to be, and `teaser` what could be read of it all the same.
    """

    phase = Phase.PROCESSING

    def __init__(
        self,
        code: str,
        message: str,
        *,
        url: str,
        category: Category = Category.BLOCKED,
        verdict: str = "",
        teaser: Got | None = None,
    ) -> None:
        super().__init__(code, message, url=url)
        self.category = category
        self.verdict = verdict
        self.teaser = teaser


class FileUnread(BrokerError):
    """A local path is no file that can be read.

    `code` is not_found, not_a_file, forbidden, too_large or unreadable.
    """

    phase = Phase.VALIDATION
    category = Category.VALIDATION

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Unstored(BrokerError):
    """No document has that id."""

    code = "unknown_id"
    phase = Phase.VALIDATION
    category = Category.VALIDATION

    def __init__(self, document_id: str) -> None:
        message = (
            f"no document has the id {document_id[:40]!r}: it was never read, or was dropped since "
            "(documents are kept for a limited time); fetch its source again"
        )
        super().__init__(message)


def failure_of(error: BrokerError, url: str = "") -> Failure:
    """An error as it stands in an answer; nothing secret is left in it."""
    data = error.as_data()
    about = data["url"] or url
    data["message"] = redact(data["message"])
    data["url"] = safe_url(about) if "://" in about else ""
    return Failure(**data)


def crashed(message: str, url: str) -> Failure:
    """A mistake of our own, which costs one document and no other."""
    return Failure(
        code="internal",
        phase=Phase.PROCESSING.value,
        category=Category.PROCESSING.value,
        layer=Layer.BROKER.value,
        message=f"internal error: {message}",
        url=safe_url(url) if "://" in url else "",
    )


def is_refusal(error: BrokerError) -> bool:
    """Whether policy forbids it, which is none of the site's doing."""
    return isinstance(error, Refused)
