"""Pages as data: HTML in, structure and text out. Pure, synchronous, on lxml.

`extract(html, url)` gives a page's main content as a `Document`; `judge(html, url, status,
headers)` says whether it is content at all. Both are loaded when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extract.page import extract
    from extract.verdict import judge

__all__ = ("extract", "judge")


def __getattr__(name: str) -> object:
    # The result page readers use `extract.tree` only and should not wait for the rest.
    if name == "extract":
        from extract.page import extract  # noqa: PLC0415 - see above

        return extract
    if name == "judge":
        from extract.verdict import judge  # noqa: PLC0415 - see above

        return judge
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
