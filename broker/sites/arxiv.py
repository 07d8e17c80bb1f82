"""arXiv: a paper's own page of text where it is young enough to have one, else abstract and PDF.

Nothing is probed for: the id says how old a paper is. What is known of it comes from the API for
programs, or from its abstract's page where the API is busy.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from broker.errors import BrokerError, SiteFailed
from broker.providers.arxiv import USER_AGENT
from broker.providers.arxiv_feed import NAME, read_paper
from broker.providers.arxiv_id import paper_id
from broker.settings import ProviderSettings
from broker.sites.arxiv_abs import paper_of_page
from broker.sites.arxiv_html import piece_of_html
from broker.sites.arxiv_page import paper_piece
from broker.sites.base import Get, Read, Reply, Text, got, together
from broker.sites.replies import NOT_FOUND, OK, check

if TYPE_CHECKING:
    from collections.abc import Generator

    from broker.providers.arxiv_feed import Paper
    from broker.providers.arxiv_id import PaperId
    from broker.sites.base import Conversation, Piece, Step, Visit

_PATH = re.compile(r"/(abs|pdf|html)/(.+?)/?", re.ASCII)
_PAGES = "https://arxiv.org"
_API = ProviderSettings().arxiv_url
"""Where the API is by default; a configured origin stands for that of the pages as well."""
_HTML = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"
_ATOM = "application/atom+xml, */*;q=0.5"


def converse(visit: Visit) -> Conversation | None:
    """How to read a paper under any of its addresses; None for every other page of its hosts."""
    found = _PATH.fullmatch(visit.parts.path)
    paper = paper_id(found[2]) if found is not None else None
    if found is None or paper is None:
        return None
    return _read(visit, paper)


def _read(visit: Visit, paper: PaperId) -> Conversation:
    api = visit.settings.providers.arxiv_url.rstrip("/")
    pages = _PAGES if api == _API else api
    warnings: list[str] = []
    if paper.has_html:
        piece = yield from _by_html(f"{pages}/html/{paper}", paper, warnings)
        if piece is not None:
            return piece
    query = urlencode({"id_list": str(paper), "max_results": "1"})
    of_api = Get(
        url=f"{api}/api/query?{query}",
        accept=_ATOM,
        headers=(("User-Agent", USER_AGENT),),
        provider=NAME,
    )
    answer, file = yield from together(of_api, Read(url=f"{pages}/pdf/{paper}"))
    known = read_paper(answer.body) if isinstance(answer, Reply) and answer.status == OK else None
    failure: BrokerError | None = None
    if known is None:
        try:
            known = yield from _by_abstract(f"{pages}/abs/{paper}")
        except BrokerError as error:
            failure = error
    text = file if isinstance(file, Text) else None
    if isinstance(file, BrokerError):
        warnings.append(f"the text of its PDF is left out: {file.message}")
    if failure is not None:
        if text is None:
            raise failure
        warnings.append(f"what arXiv knows of it is left out: {failure.message}")
    return paper_piece(paper, known, text, tuple(warnings))


def _by_html(url: str, paper: PaperId, warnings: list[str]) -> Generator[Step, Reply, Piece | None]:
    """The paper by the page of its text; None where it has none, with a warning if it should."""
    try:
        reply = yield from got(Get(url=url, accept=_HTML))
    except BrokerError as error:
        warnings.append(f"the page of its text could not be read: {error.message}")
        return None
    if reply.status == NOT_FOUND:
        return None
    piece = piece_of_html(reply.text, url, paper) if reply.status == OK else None
    if piece is not None and reply.truncated:
        return replace(piece, warnings=("the page of its text was cut off",))
    if piece is None:
        what = "has no paper in it" if reply.status == OK else f"answered {reply.status}"
        warnings.append(f"the page of its text {what}")
    return piece


def _by_abstract(url: str) -> Generator[Step, Reply, Paper]:
    """What the abstract's page says of a paper.

    Raises:
        BrokerError: nothing.
    """
    reply = yield from got(Get(url=url, accept=_HTML))
    check(reply, "arXiv")
    known = paper_of_page(reply.text)
    if known is None:
        raise SiteFailed("unparseable", "arXiv's page has no abstract")
    return known
