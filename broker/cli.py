"""The command line: argv, environment and standard streams in, an exit code out.

This is the one module that touches those. It imports little; each command brings what it needs
when it is run, so that the sidecar's first answer waits for nothing that only another one uses.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from broker import cli_args
from broker.errors import RequestInvalid, SettingsInvalid
from broker.settings import TraceMode
from broker.settings_load import load
from broker.version import __version__
from broker.wire.schema import parse_search
from broker.wire.screen import ExitCode, Screen

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from broker.settings import Settings
    from broker.wire.saved import SavedPage


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; nobody is shown a traceback."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    flags = cli_args.parse(sys.argv[1:] if argv is None else argv)
    screen = _screen(as_json=flags.json)
    try:
        return _run(flags, screen)
    except (KeyboardInterrupt, BaseExceptionGroup) as error:
        return screen.fail(error)
    except Exception as error:  # noqa: BLE001 - the last boundary: a sentence, not a traceback
        return screen.fail(error)


def _run(flags: argparse.Namespace, screen: Screen) -> int:
    match flags.command:
        case "serve":
            return _serve()
        case "search":
            return _search(flags, screen)
        case "fetch" | "read" | "recall" | "pull" | "status":
            return _ask(flags, screen)
        case "serp" | "judge" | "extract":
            return _saved(flags, screen)
    if flags.version:
        return _version(screen)
    screen.err.write(cli_args.help_text())
    return ExitCode.USAGE


def _serve() -> int:
    if sys.stdin is None or sys.stdout is None:
        raise SettingsInvalid("it is closed", where="standard input or output")
    from broker.wire.serving import serve  # noqa: PLC0415 - see the top

    return serve(load(os.environ))


def _search(flags: argparse.Namespace, screen: Screen) -> int:
    settings = load(os.environ)
    request = parse_search(
        cli_args.search_params(flags), deadline_s=settings.lanes.search_deadline_s
    )
    from broker.wire import oneshot  # noqa: PLC0415 - see the top

    watched = _watched(settings, screen)
    return oneshot.run(settings, partial(oneshot.search, request=request, screen=watched))


def _ask(flags: argparse.Namespace, screen: Screen) -> int:
    match flags.command:
        case "status":
            return _status(screen)
        case "pull":
            return _pull(flags, screen)
        case "recall" if flags.folder is not None:
            return _recall_in(flags, screen)
    return _reading(flags, screen)


def _reading(flags: argparse.Namespace, screen: Screen) -> int:
    """The commands that read pages, and what was read."""
    from broker.wire import oneshot, schema_reading  # noqa: PLC0415 - see the top

    settings = load(os.environ)
    watched = _watched(settings, screen)
    if flags.command == "read":
        wanted = schema_reading.parse_read(cli_args.read_params(flags))
        return oneshot.run(settings, partial(oneshot.read, request=wanted, screen=watched))
    if flags.command == "recall":
        words = schema_reading.parse_recall(cli_args.recall_params(flags))
        return oneshot.run(settings, partial(oneshot.recall, request=words, screen=watched))
    request = schema_reading.parse_fetch(
        cli_args.fetch_params(flags), deadline_s=settings.reading.fetch_deadline_s
    )
    return oneshot.run(settings, partial(oneshot.fetch, request=request, screen=watched))


def _pull(flags: argparse.Namespace, screen: Screen) -> int:
    from broker.wire import oneshot, oneshot_pull, schema_pull  # noqa: PLC0415 - see the top

    settings = load(os.environ)
    request = schema_pull.parse_pull(cli_args.pull_params(flags))
    watched = _watched(settings, screen)
    return oneshot.run(settings, partial(oneshot_pull.pull, request=request, screen=watched))


def _recall_in(flags: argparse.Namespace, screen: Screen) -> int:
    from broker.wire import oneshot, schema_reading  # noqa: PLC0415 - see the top

    request = schema_reading.parse_recall(cli_args.recall_params(flags))
    return oneshot.recall_in(Path(flags.folder).expanduser(), request, load(os.environ), screen)


def _status(screen: Screen) -> int:
    from broker.wire import oneshot  # noqa: PLC0415 - see the top

    return oneshot.run(load(os.environ), partial(oneshot.status, screen=screen))


def _saved(flags: argparse.Namespace, screen: Screen) -> int:
    """The commands that work on saved pages."""
    match flags.command:
        case "serp":
            return _serp(flags, screen)
        case "judge":
            return _judge(flags, screen)
    return _extract(flags, screen)


def _serp(flags: argparse.Namespace, screen: Screen) -> int:
    from broker.providers import by_name  # noqa: PLC0415 - see the top
    from broker.wire import saved  # noqa: PLC0415 - see the top

    parse = by_name(flags.provider).parse
    return saved.serp(lambda page: parse(page, flags.url), flags.file, screen, read=_read_file)


def _judge(flags: argparse.Namespace, screen: Screen) -> int:
    from broker.wire import saved  # noqa: PLC0415 - see the top
    from extract.verdict import judge  # noqa: PLC0415 - see the top

    pages = _saved_pages(flags)
    return saved.judge(
        lambda body, page: judge(body, page.url, page.status), pages, screen, read=_read_file
    )


def _extract(flags: argparse.Namespace, screen: Screen) -> int:
    from broker.wire import saved  # noqa: PLC0415 - see the top
    from extract.page import extract_judged  # noqa: PLC0415 - see the top

    pages = _saved_pages(flags)
    return saved.extract(
        lambda body, page: extract_judged(body, page.url or "", page.status),
        pages,
        screen,
        read=_read_file,
    )


def _saved_pages(flags: argparse.Namespace) -> list[SavedPage]:
    """The pages that the flags of a command on saved pages name."""
    from broker.wire import saved  # noqa: PLC0415 - see the top

    manifest = None
    if flags.manifest is not None:
        try:
            manifest = _read_file(flags.manifest)
        except OSError as error:
            reason = f"{flags.manifest}: {error.strerror or error}"
            raise RequestInvalid(reason, field="manifest") from error
    return saved.listed(flags.file, url=flags.url, status=flags.status, manifest=manifest)


def _watched(settings: Settings, screen: Screen) -> Screen:
    """The screen of a command that shows how far it is; what is odd about the settings is said."""
    for warning in settings.warnings:
        screen.complain(warning)
    return replace(screen, live=screen.err.isatty() and settings.trace.mode is TraceMode.OFF)


def _version(screen: Screen) -> int:
    screen.show(f"webaio {__version__}\n", {"version": __version__})
    return ExitCode.ANSWERED


def _screen(*, as_json: bool) -> Screen:
    from shutil import get_terminal_size  # noqa: PLC0415 - see the top

    # A stream that was closed before the start is None; what would go there is dropped.
    null = Path(os.devnull)
    return Screen(
        out=sys.stdout.buffer if sys.stdout else null.open("wb"),
        err=sys.stderr or null.open("w", encoding="utf-8"),
        encoding=sys.stdout.encoding if sys.stdout else "utf-8",
        width=get_terminal_size().columns,
        as_json=as_json,
    )


def _read_file(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
