"""How arXiv's papers are called: `1706.03762v7` since April 2007, `hep-th/9901001` before.

The first four digits of either say in which month the paper came.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NEW = r"\d{4}\.\d{4,5}"
_OLD = r"[a-z]+(?:-[a-z]+)?(?:\.[a-z]{2})?/\d{7}"
_NAMED = re.compile(
    r"(?:arxiv:\s* | https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/ )?"
    rf"( {_NEW} | {_OLD} )( v\d+ )?(?:\.pdf)?",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_FIRST_WITH_HTML = (23, 12)
"""Year and month from which arXiv makes a page of what authors send."""
_CENTURY = 91
"""The oldest paper is of 1991: two digits from here on are of that century."""


@dataclass(frozen=True, slots=True)
class PaperId:
    """A paper, or one version of it."""

    paper: str
    version: str = ""
    """`v2`; empty for the newest one."""

    def __str__(self) -> str:
        return self.paper + self.version

    @property
    def has_html(self) -> bool:
        """Whether the paper is young enough for a page of its text."""
        digits = self.paper.rpartition("/")[2]
        year, month = int(digits[:2]), int(digits[2:4])
        return "/" not in self.paper and year < _CENTURY and (year, month) >= _FIRST_WITH_HTML


def paper_id(text: str) -> PaperId | None:
    """The paper that `text` is the id of, bare, behind `arXiv:` or as an address."""
    found = _NAMED.fullmatch(text)
    return None if found is None else PaperId(found[1], (found[2] or "").lower())
