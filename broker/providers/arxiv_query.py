"""A search query in arXiv's language: `all:graph AND au:"ada example" ANDNOT ti:survey`.

Every plain word gets a field and is joined by AND; joined by nothing, arXiv takes any of them.
Fields, quoted phrases, AND, OR, ANDNOT and parentheses that the user wrote stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from broker.providers.arxiv_id import paper_id
from broker.providers.filters import first_day

if TYPE_CHECKING:
    from broker.models import SearchQuery

HOST = "arxiv.org"

_FIELDS = "ti|au|abs|co|jr|cat|rn|id|all"
_EVERYWHERE = "all:"
_TOKEN = re.compile(
    rf"""
      (?P<range> (?: submittedDate | lastUpdatedDate ) : \[ [^\]]* \] )
    | (?P<open> (?: (?:{_FIELDS}): )? \( )
    | (?P<close> \) )
    | (?P<minus> (?<!\S)- )? (?P<field> (?:{_FIELDS}): )?
      (?: " (?P<phrase> [^"]* ) " | (?P<word> [^\s()"]+ ) )
    """,
    re.VERBOSE,
)
_OPERATORS = {"AND": "AND", "OR": "OR", "ANDNOT": "ANDNOT", "NOT": "ANDNOT"}
_SITE = re.compile(r"(?<!\S)(-?)site:([^\s/]+)\S*")

# What the query language would read as its own: a hyphen, for one, excludes the word after it
# (arXiv/arxiv-search#322), so a compound is asked for as a phrase.
_SYNTAX = re.compile(r"[-:/\\\[\]{}^~+*?!&|]+")
_EDGES = ".,;:!?'\u2018\u2019\u201c\u201d"

_FIRST_PAPER = date(1991, 7, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How arXiv is asked."""

    search_query: str = ""
    id_list: str = ""
    newest_first: bool = False

    @property
    def shown(self) -> str:
        """The plan for a person."""
        return " ".join(filter(None, (self.id_list, self.search_query)))


def plan(query: SearchQuery, today: date) -> Plan | None:
    """How to ask for `query`; None when no word of it can be asked for.

    A query of ids only asks for those papers. Papers come newest first when the query says how
    old they may be, else by relevance.
    """
    text = " ".join(_SITE.sub(" ", query.text).split())
    dates = _dates(query, today)
    newest_first = query.since is not None
    if ids := _ids(text):
        return Plan(id_list=",".join(ids), search_query=dates, newest_first=newest_first)
    words = compiled(text)
    if not words:
        return None
    if dates and (" OR " in words or " ANDNOT " in words):
        words = f"({words})"
    search_query = " AND ".join(filter(None, (words, dates)))
    return Plan(search_query=search_query, newest_first=newest_first)


def out_of_reach(query: SearchQuery) -> str | None:
    """Why arXiv cannot have what `query` asks for, judged by its sites; None when it may."""
    typed = _SITE.findall(query.text)
    sites = [*query.sites, *(host for minus, host in typed if not minus)]
    not_sites = [*query.not_sites, *(host for minus, host in typed if minus)]
    if (sites and not any(map(_is_arxiv, sites))) or any(map(_is_arxiv, not_sites)):
        return f"it holds papers on {HOST} only, and the query leaves that site out"
    return None


def compiled(text: str) -> str:
    """`text` as an expression; empty when nothing in it can be searched for."""
    expression = _Expression()
    tokens = list(_TOKEN.finditer(text))
    grouped = _is_balanced(tokens)
    for token in tokens:
        if token["open"] and grouped:
            expression.open(token["open"])
        elif token["close"] and grouped:
            expression.close()
        elif token["word"] in _OPERATORS and not (token["field"] or token["minus"]):
            expression.join(_OPERATORS[token["word"]])
        elif operand := _operand(token, expression.field):
            expression.add(operand, excluded=bool(token["minus"]))
    return " ".join(expression.parts).replace("( ", "(").replace(" )", ")")


@dataclass(slots=True)
class _Expression:
    """An expression as it grows, with the operators that nobody wrote."""

    parts: list[str] = field(default_factory=list)
    _fields: list[str] = field(default_factory=lambda: [_EVERYWHERE])
    _operator: str = ""

    @property
    def field(self) -> str:
        """The field of a word that names none."""
        return self._fields[-1]

    def join(self, operator: str) -> None:
        """Take the operator before the next operand; the last one written counts."""
        self._operator = operator

    def add(self, operand: str, *, excluded: bool = False) -> None:
        """Append an operand. One that is excluded from nothing is wanted."""
        if self.parts and self.parts[-1] != "(":
            self.parts.append("ANDNOT" if excluded else self._operator or "AND")
        self.parts.append(operand)
        self._operator = ""

    def open(self, mark: str) -> None:
        """Begin a group; `ti:(` gives its field to the words inside."""
        self.add("(")
        self._fields.append(mark.removesuffix("(") or self.field)

    def close(self) -> None:
        """End a group; an empty one leaves no trace."""
        self._fields.pop()
        self._operator = ""
        if self.parts[-1] != "(":
            self.parts.append(")")
            return
        self.parts.pop()
        if self.parts and self.parts[-1] in _OPERATORS:
            self.parts.pop()


def _operand(token: re.Match[str], usual: str) -> str:
    """What is searched for by one token, `usual` being its field; empty for nothing."""
    if token["range"]:
        return token["range"]
    field = token["field"] or usual
    phrase, word = token["phrase"], token["word"] or ""
    if phrase is not None:
        words = re.sub(r"[()]", " ", phrase).split()
    elif token["field"]:
        words = [word]
    else:
        words = _SYNTAX.sub(" ", word.strip(_EDGES)).split()
    if not any(char.isalnum() for word in words for char in word):
        return ""
    is_phrase = phrase is not None or len(words) > 1
    return f'{field}"{" ".join(words)}"' if is_phrase else f"{field}{words[0]}"


def _is_balanced(tokens: list[re.Match[str]]) -> bool:
    depth = 0
    for token in tokens:
        depth += bool(token["open"]) - bool(token["close"])
        if depth < 0:
            return False
    return depth == 0


def _ids(text: str) -> list[str]:
    """The ids that `text` consists of; none when it holds anything else."""
    papers = [paper_id(word) for word in re.split(r"[\s,]+", text.strip(" ,"))]
    return [str(paper) for paper in papers if paper] if all(papers) else []


def _dates(query: SearchQuery, today: date) -> str:
    """The range of submission dates, in UTC and to the minute; both ends are part of it."""
    if query.since is None and query.until is None:
        return ""
    first = max(first_day(query, today) or _FIRST_PAPER, _FIRST_PAPER)
    last = max(query.until or today, _FIRST_PAPER)
    return f"submittedDate:[{first:%Y%m%d}0000 TO {last:%Y%m%d}2359]"


def _is_arxiv(site: str) -> bool:
    host = site.partition("/")[0].lower()
    return host == HOST or host.endswith(f".{HOST}")
