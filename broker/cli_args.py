"""The command line's commands and flags.

Flags only name what a client of the sidecar would put into its params: `search_params` makes those,
and `wire.schema` checks them, so that both doors accept and refuse the same.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from broker.cli_parser import CommandParser, seconds
from broker.pull import records as pulls
from broker.wire.schema import MAX_DEADLINE_S, MIN_DEADLINE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_EXIT_CODES = """\
exit codes: 0 answered, 1 nothing found, 2 wrong usage, 3 every lane failed or no page was read,
4 refused by policy, 130 interrupted
"""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """What was asked for; `command` is None when nothing was.

    Raises:
        SystemExit: 2 for a wrong command line, 0 after `--help`.
    """
    return _parser().parse_args(argv)


def help_text() -> str:
    """What `--help` prints."""
    return _parser().format_help()


def search_params(flags: argparse.Namespace) -> dict[str, object]:
    """The flags of `search` as the sidecar's params; None stands for a flag that is not given."""
    return {
        "queries": flags.query,
        "max": flags.max,
        "providers": flags.provider,
        "sites": flags.site,
        "not_sites": flags.not_site,
        "since": flags.since,
        "until": flags.until,
        "lang": flags.lang,
        "region": flags.region,
        "content": flags.content or None,
        "chars": flags.chars,
        "allow_secrets": flags.allow_secrets or None,
        "deadline_ms": None if flags.deadline is None else flags.deadline * 1000,
    }


def fetch_params(flags: argparse.Namespace) -> dict[str, object]:
    """The flags of `fetch` as the sidecar's params."""
    return {
        "sources": flags.source,
        "query": flags.query,
        "render": flags.render,
        **_part_params(flags),
        "fresh": flags.fresh or None,
        "deadline_ms": None if flags.deadline is None else flags.deadline * 1000,
    }


def pull_params(flags: argparse.Namespace) -> dict[str, object]:
    """The flags of `pull` as params."""
    return {
        "url": flags.url,
        "out": flags.out,
        "max": flags.max,
        "deadline_ms": None if flags.deadline is None else flags.deadline * 1000,
    }


def read_params(flags: argparse.Namespace) -> dict[str, object]:
    """The flags of `read` as the sidecar's params."""
    return {"id": flags.id, **_part_params(flags)}


def recall_params(flags: argparse.Namespace) -> dict[str, object]:
    """The flags of `recall` as the sidecar's params."""
    return {"query": " ".join(flags.query), "max": flags.max}


def _part_params(flags: argparse.Namespace) -> dict[str, object]:
    return {
        "format": flags.format,
        "find": flags.find,
        "offset": flags.offset,
        "limit": flags.limit,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webaio",
        description="Search the web from a warm headless Chromium, inside a hard deadline.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.set_defaults(json=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=CommandParser)
    for name, (about, exit_codes, add_flags) in _COMMANDS.items():
        command = commands.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            epilog=f"exit codes: {exit_codes}",
            allow_abbrev=False,
        )
        if add_flags is not None:
            add_flags(command)
            command.add_argument("--json", action="store_true", help="print JSON, not text")
    return parser


def _add_search_flags(search: argparse.ArgumentParser) -> None:
    add = search.add_argument
    add("query", metavar="QUERY", nargs="+", help="1 to 6 queries, each one argument")
    add("--max", metavar="N", type=int, help="how many hits to find, 1 to 100 (10)")
    add(
        "--provider",
        metavar="NAME",
        help="auto (in order, hedged), all (at once, ranked by agreement), or names separated by "
        "commas: google, deepseek, zai, exa, exa_free, ddg, arxiv, hn (auto)",
    )
    add("--site", metavar="D", action="append", help="only this site; may be repeated")
    add("--not-site", metavar="D", action="append", help="not this site; may be repeated")
    add("--since", metavar="WHEN", help="day, week, month, year, or a date: YYYY[-MM[-DD]]")
    add("--until", metavar="DATE", help="the newest date: YYYY[-MM[-DD]]")
    add("--lang", metavar="xx", help="language, ISO 639-1")
    add("--region", metavar="XX", help="region, ISO 3166")
    add("--content", action="store_true", help="with the full text of the hits, where known")
    add(
        "--chars",
        metavar="N",
        type=int,
        help="characters of full text in an answer, 500 to 1000000 (12000)",
    )
    add(
        "--allow-secrets",
        action="store_true",
        help="send a query although it looks as if it held a secret",
    )
    _add_deadline(search, "seconds for the whole search, {} (7)", MIN_DEADLINE_S, MAX_DEADLINE_S)


def _add_fetch_flags(fetch: argparse.ArgumentParser) -> None:
    add = fetch.add_argument
    add("source", metavar="SOURCE", nargs="+", help="1 to 20 addresses or local paths")
    add(
        "--query",
        metavar="Q",
        help="show the passages of all sources that answer this, the best first",
    )
    add("--render", metavar="WHEN", help="open it in the browser: auto, never, always (auto)")
    _add_part_flags(fetch)
    add("--fresh", action="store_true", help="ask its origin even if it was read a moment ago")
    _add_deadline(fetch, "seconds for the whole fetch, {} (20)", MIN_DEADLINE_S, MAX_DEADLINE_S)


def _add_pull_flags(pull: argparse.ArgumentParser) -> None:
    add = pull.add_argument
    add("url", metavar="URL", help="where to begin: pages of its host below its path are pulled")
    add("--out", metavar="DIR", required=True, help="a new folder, or an earlier pull's to go on")
    add("--max", metavar="N", type=int, help="most pages in the folder, 1 to 5000 (100)")
    about = "stop after so many seconds, {}, to go on later (never)"
    _add_deadline(pull, about, pulls.MIN_DEADLINE_S, pulls.MAX_DEADLINE_S)


def _add_recall_flags(recall: argparse.ArgumentParser) -> None:
    add = recall.add_argument
    add(
        "query",
        metavar="QUERY",
        nargs="+",
        help="words to find; what stands in double quotation marks must be there as it is",
    )
    add("--in", dest="folder", metavar="DIR", help="search the Markdown files of a folder instead")
    add("--max", metavar="N", type=int, help="at most so many passages, 1 to 50 (10)")


def _add_part_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say which part of a document to show, and as what."""
    add = parser.add_argument
    add("--format", metavar="F", help="markdown, text, html, json or outline (markdown)")
    add("--find", metavar="TEXT", help="show the places where this stands, or something like it")
    add("--offset", metavar="N", type=int, help="begin at this character")
    add("--limit", metavar="N", type=int, help="at most so many characters")


def _add_deadline(parser: argparse.ArgumentParser, about: str, low_s: float, high_s: float) -> None:
    """The flag that says how long a command may take."""
    parser.add_argument(
        "--deadline",
        metavar="S",
        type=seconds(low_s, high_s),
        help=about.format(f"{low_s:g} to {high_s:g}"),
    )


def _add_saved_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say which saved pages to read."""
    add = parser.add_argument
    add("file", metavar="FILE", nargs="*", help="a saved page; - reads stdin")
    add("--url", metavar="U", help="the address that the files were served from")
    add("--status", metavar="N", type=int, help="the HTTP status that they were served with")
    add(
        "--manifest",
        metavar="F",
        help='a file that names further pages, {"file", "url", "status"} a line',
    )


def _add_read_flags(read: argparse.ArgumentParser) -> None:
    read.add_argument("id", metavar="ID", help="the id of a document, as fetch gave it")
    _add_part_flags(read)


def _add_serp_flags(serp: argparse.ArgumentParser) -> None:
    add = serp.add_argument
    add("provider", metavar="PROVIDER", help="whose pages they are, such as google")
    add("file", metavar="FILE", nargs="+", help="a saved page; - reads stdin")
    add("--url", metavar="U", default="", help="the address that the pages were served from")


def _add_no_flags(_command: argparse.ArgumentParser) -> None:
    return None


_USAGE = "2 wrong usage"
_STOP = "130 interrupted"
_SAVED = f"{_USAGE} or a file that cannot be read, {_STOP}"
_COMMANDS: dict[str, tuple[str, str, Callable[[argparse.ArgumentParser], None] | None]] = {
    "search": (
        "search the web",
        f"0 answered, 1 nothing found, {_USAGE}, 3 every lane failed, 4 refused by policy, {_STOP}",
        _add_search_flags,
    ),
    "fetch": (
        "read pages and files",
        (
            f"0 at least one was read, 1 --find or --query found nothing in them, {_USAGE}, "
            f"3 none was read, 4 all were refused by policy, {_STOP}"
        ),
        _add_fetch_flags,
    ),
    "read": (
        "page through, or search in, what was read",
        f"0 answered, 1 no such document, or --find found nothing in it, {_USAGE}, {_STOP}",
        _add_read_flags,
    ),
    "pull": (
        "a documentation site into a folder of Markdown files",
        (
            f"0 pages are in the folder, 1 the site has none, {_USAGE}, 3 none could be had, "
            f"4 refused by policy or robots.txt, {_STOP}"
        ),
        _add_pull_flags,
    ),
    "recall": (
        "search in all that was read",
        f"0 answered, 1 nothing found, {_USAGE}, {_STOP}",
        _add_recall_flags,
    ),
    "serp": ("parse saved result pages", f"0 parsed, {_SAVED}", _add_serp_flags),
    "judge": (
        "tell whether saved pages are content or walls",
        f"0 judged, {_SAVED}",
        _add_saved_flags,
    ),
    "extract": (
        "print the main content of saved pages as Markdown",
        f"0 printed, 1 none has any text, {_SAVED}",
        _add_saved_flags,
    ),
    "status": (
        "tell what works and what does not",
        f"0 told, {_USAGE}, {_STOP}",
        _add_no_flags,
    ),
    "serve": (
        "serve JSON-RPC, a line each, on stdin and stdout",
        f"0 stdin has ended, or shutdown was asked for, {_USAGE}",
        None,
    ),
}
"""Each command: what it does, its exit codes, and what adds its flags but for --json."""
