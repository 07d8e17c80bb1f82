"""How the command line is parsed: one parser a command, which tells its own usage and limits.

`argparse` lets a command's unknown flags through to the parser above it, which then shows the usage
of all commands. Here each command refuses them itself, and names the flag that may be meant.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_ALIKE = 0.6
"""How alike two flags are, from 0 to 1, if one may be a slip for the other."""


class CommandParser(argparse.ArgumentParser):
    """The parser of one command."""

    def parse_known_args(  # type: ignore[override]  # the base class is overloaded
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As the base class does, but that nothing unknown is left over.

        Raises:
            SystemExit: 2 for a wrong command line, 0 after `--help`.
        """
        # Before anything else: a slip in a flag that is required would be told as one that is
        # missing.
        unknown = list(self._unknown(args or ()))
        if unknown:
            self._refuse(unknown)
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self._refuse(rest)
        return found, []

    def _unknown(self, args: Iterable[str]) -> Iterable[str]:
        for arg in args:
            if arg == "--":
                return
            if arg.startswith("--") and " " not in arg and _flag(arg) not in self._flags:
                yield arg

    def _refuse(self, unknown: Sequence[str]) -> NoReturn:
        hints = [_hint(arg, self._flags) for arg in unknown]
        self.error(f"unknown: {', '.join(hints)}")

    @property
    def _flags(self) -> list[str]:
        return list(self._option_string_actions)


def seconds(low: float, high: float) -> Callable[[str], float]:
    """The type of a flag that takes `low` to `high` seconds."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            message = f"must be {low:g} to {high:g} seconds, not {text[:40]!r}"
            raise argparse.ArgumentTypeError(message)
        return value

    return read


def _flag(arg: str) -> str:
    """A flag without the value behind its `=`."""
    return arg.partition("=")[0]


def _hint(arg: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - what only a slip needs

    near = get_close_matches(_flag(arg), known, 1, _ALIKE) if arg.startswith("-") else []
    return f"{arg} (do you mean {near[0]}?)" if near else arg
