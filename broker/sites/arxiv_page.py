"""A paper as a document: what arXiv knows of it, its abstract, and the text of its PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.sites.base import Piece
from broker.sites.blocks import document, facts, heading, items, named, prose
from broker.sites.user_markdown import contained
from broker.sites.writing import day, joined, section
from extract.inline import escape
from extract.tree import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.providers.arxiv_feed import Author, Paper
    from broker.providers.arxiv_id import PaperId
    from broker.sites.base import Text
    from extract.model import Block

ORIGIN = "https://arxiv.org"
_MOST_NAMES = 200
"""Authors that are named; some papers have thousands."""


def paper_piece(
    paper: PaperId, known: Paper | None, text: Text | None, warnings: tuple[str, ...]
) -> Piece:
    """The document of a paper of which `known`, its PDF's `text`, or both are there."""
    url = f"{ORIGIN}/abs/{paper}"
    title = (known.title if known else "") or (text.title if text else "") or f"arXiv:{paper}"
    blocks = _about(paper, known)
    whole = "" if text is None else section(2, "Full text", contained(text.markdown, 2))
    if text is not None:
        warnings = (*warnings, *text.warnings)
    return Piece(
        url=url,
        title=title,
        markdown=joined(document(title, blocks), whole),
        byline=names(known.authors) if known and known.authors else text.byline if text else None,
        published=(known.published if known else "") or (text.published if text else None) or None,
        lang=text.lang if text else None,
        warnings=warnings,
    )


def names(authors: Sequence[Author]) -> str:
    """Authors on one line."""
    shown = [author.name for author in authors[:_MOST_NAMES]]
    left = len(authors) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")


def affiliated(authors: Sequence[Author]) -> tuple[Block, ...]:
    """Who works where, as a list; nothing where nobody says so."""
    lines = [
        f"{escape(author.name)}: {escape(fold('; '.join(author.affiliations)))}"
        for author in authors[:_MOST_NAMES]
        if author.affiliations
    ]
    return items(lines)


def _about(paper: PaperId, known: Paper | None) -> list[Block]:
    """What stands below the title, and the abstract."""
    pdf = named("PDF", f"{ORIGIN}/pdf/{paper}")
    if known is None:
        return [*facts(named(f"arXiv:{paper}", f"{ORIGIN}/abs/{paper}"), pdf)]
    name = f"{paper.paper}{paper.version or known.version}"
    revised = day(known.updated) if day(known.updated) != day(known.published) else ""
    blocks = [
        *facts(
            escape(names(known.authors)),
            day(known.published),
            f"revised {revised}" if revised else "",
            named(f"arXiv:{name}", f"{ORIGIN}/abs/{name}"),
            escape(", ".join(known.categories)),
            pdf,
        ),
        *affiliated(known.authors),
        *items(
            (
                f"Comments: {escape(known.comment)}" if known.comment else "",
                f"Journal: {escape(known.journal)}" if known.journal else "",
                f"DOI: {named(known.doi, f'https://doi.org/{known.doi}')}" if known.doi else "",
            )
        ),
    ]
    if known.abstract:
        blocks += [heading("Abstract", 2), *prose(known.abstract)]
    return blocks
