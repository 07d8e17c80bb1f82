"""Why a file has not become a document."""

from __future__ import annotations

from broker.errors import BrokerError, Category, Phase


class Unconverted(BrokerError):
    """A file that cannot be converted.

    `code` is one of:
        encrypted: it asks for a password.
        damaged: it is cut, or is not what it says it is.
        too_large: it, or what it unpacks to, is larger than what is read.
        unsupported: nothing reads this format.
        empty: there is no text in it.
        missing_part: an optional part is not installed; the message names the command that adds it.
        timeout: the time was up before OCR had read anything.
        conversion_failed: the converter broke down, or took more memory or time than it may.
    """

    phase = Phase.PROCESSING
    category = Category.PROCESSING

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
