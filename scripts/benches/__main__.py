"""`scripts/bench [PART…|all] [--markdown]`: see `PARTS`."""

from __future__ import annotations

import argparse
import sys

import anyio

from scripts.benches import (
    documents,
    endurance,
    extract,
    fallback,
    judge,
    pages,
    pull,
    reading,
    recall,
    render,
    search,
)
from scripts.benches.table import Row, show
from scripts.benches.worlds import World, world

PARTS = ("search", "fallback", "pages", "render", "faults", "kill", "soak", "recall", "reading",
         "documents", "pull", "extract", "judge")  # fmt: skip
PURE = {"extract": extract.bench, "judge": judge.bench}
"""What needs no web, only saved pages."""
AT_HOME = {
    "render": render.bench,
    "reading": reading.bench,
    "recall": recall.bench,
    "documents": documents.bench,
    "pull": pull.bench,
}
"""What makes its own web, and needs a home."""
ON_THE_WEB = {
    "search": search.bench,
    "fallback": fallback.bench,
    "faults": endurance.faults,
    "soak": endurance.soak,
}


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
    if part in AT_HOME:
        return anyio.run(AT_HOME[part], fresh.home)
    if part in ON_THE_WEB:
        return anyio.run(ON_THE_WEB[part], fresh)
    return anyio.run(pages.bench) if part == "pages" else endurance.kills(fresh)


if __name__ == "__main__":
    raise SystemExit(main())
