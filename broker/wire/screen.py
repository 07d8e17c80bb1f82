"""Where a one-shot command's output goes, and which exit code tells the shell how it went."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from broker.errors import BrokerError, Refused, RequestInvalid, SettingsInvalid
from broker.wire import codec
from broker.wire.crash import describe, origin
from broker.wire.text import clean

if TYPE_CHECKING:
    from typing import BinaryIO, TextIO


class ExitCode(IntEnum):
    """What a command tells the shell."""

    ANSWERED = 0
    NOTHING_FOUND = 1
    USAGE = 2
    FAILED = 3
    REFUSED = 4
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Standard output for results, standard error for progress and complaints."""

    out: BinaryIO
    err: TextIO
    encoding: str = "utf-8"
    """Of readable text on `out`; JSON is UTF-8 everywhere."""
    width: int = 80
    """Columns."""
    as_json: bool = False
    """True for JSON lines instead of readable text."""
    live: bool = False
    """True when a person watches `err` and nothing but progress is written there meanwhile."""

    def show(self, readable: str, value: object) -> None:
        """Print a result, as text or as one line of JSON.

        A reader that has left (`| head -1`) is no error: the rest is dropped.
        """
        if self.as_json:
            printed = codec.encode_json(value)
        else:
            printed = readable.encode(self.encoding, "replace")
        try:
            self.out.write(printed)
            self.out.flush()
        except OSError as error:
            # What is still buffered would raise again at exit; it goes to the null device.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.out.fileno())
            if not isinstance(error, BrokenPipeError):
                raise

    def complain(self, message: str) -> None:
        """Tell what went wrong, on one line."""
        with suppress(OSError, ValueError):  # its reader may have gone
            self.err.write(f"webaio: {clean(message)}\n")
            self.err.flush()

    def fail(self, error: BaseException) -> ExitCode:
        """Tell why a command ended without an answer; return the exit code for that."""
        error = origin(error)
        if isinstance(error, KeyboardInterrupt):
            return ExitCode.INTERRUPTED
        if not isinstance(error, BrokerError):
            reason = error.strerror if isinstance(error, OSError) else None
            self.complain(reason or f"internal error: {describe(error)}")
            return ExitCode.FAILED
        self.complain(error.message)
        if isinstance(error, RequestInvalid | SettingsInvalid):
            return ExitCode.USAGE
        return ExitCode.REFUSED if isinstance(error, Refused) else ExitCode.FAILED
