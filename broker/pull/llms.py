"""llms.txt: a list of a site's pages, as Markdown. Pure.

`llms-full.txt`, which some sites have beside it, holds the pages' text and is no list.
"""

from __future__ import annotations

from broker.pull.links import targets

MAX_URLS = 10_000


def read(text: str, url: str) -> tuple[str, ...]:
    """The pages that the file at `url` lists, absolute, in its order; none for a web page.

    Sites that answer every address with a page of theirs have no llms.txt.
    """
    if text.lstrip("\ufeff \t\r\n")[:1] == "<":
        return ()
    found = (target for target in targets(text, url) if target.startswith(("http:", "https:")))
    return tuple(dict.fromkeys(found))[:MAX_URLS]
