"""`scripts/bench [PART…|all] [--markdown]`: see `PARTS`."""

from __future__ import annotations

import argparse
import sys

import anyio

from scripts.benches import (
    endurance,
    extract,
    fallback,
    judge,
    pages,
    reading,
    recall,
    render,
    search,
)
from scripts.benches.table import Row, show
from scripts.benches.worlds import World, world

PARTS = ("search", "fallback", "pages", "render", "faults", "kill", "soak", "recall", "reading",
         "extract", "judge")  # fmt: skip
PURE = {"extract": extract.bench, "judge": judge.bench}
"""What needs no web, only saved pages."""


def main() -> int:
    """Run the parts that were named and print their table."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("parts", nargs="*", default=["search"], help=f"{', '.join(PARTS)} or all")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    arguments = parser.parse_args()
    parts = PARTS if "all" in arguments.parts else arguments.parts
    if unknown := set(parts) - set(PARTS):
        parser.error(f"unknown part {', '.join(sorted(unknown))}; there are: {', '.join(PARTS)}")
    rows: list[Row] = []
    for part in parts:
        print(f"{part}…", file=sys.stderr)
        if part in PURE:
            rows += PURE[part]()
            continue
        with world() as fresh:
            rows += _run(part, fresh)
    print(show(rows, markdown=arguments.markdown))
    return 0


def _run(part: str, fresh: World) -> list[Row]:
    match part:
        case "search":
            return anyio.run(search.bench, fresh)
        case "fallback":
            return anyio.run(fallback.bench, fresh)
        case "pages":
            return anyio.run(pages.bench)
        case "render":
            return anyio.run(render.bench, fresh.home)
        case "reading":
            return anyio.run(reading.bench, fresh.home)
        case "faults":
            rows = anyio.run(endurance.faults, fresh)
        case "soak":
            rows = anyio.run(endurance.soak, fresh)
        case "recall":
            rows = anyio.run(recall.bench, fresh.home)
        case _:
            rows = endurance.kills(fresh)
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
