"""The pure parts on saved pages, for debugging and for measuring: `webaio serp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.wire import replies, text
from broker.wire.screen import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from broker.models import Serp
    from broker.wire.screen import Screen


def serp(
    parse: Callable[[bytes], Serp],
    files: Iterable[str],
    screen: Screen,
    *,
    read: Callable[[str], bytes],
) -> ExitCode:
    """Print what stands on each result page; a file that cannot be read does not end the run."""
    exit_code = ExitCode.ANSWERED
    for file in files:
        try:
            page = read(file)
        except OSError as error:
            screen.complain(f"{file}: {error.strerror or error}")
            exit_code = ExitCode.USAGE
            continue
        parsed = parse(page)
        screen.show(text.serp_text(file, parsed, screen.width), replies.dump_serp(file, parsed))
    return exit_code
