"""The authors of a paper as LaTeXML gives them: names, and below or behind them where they work.

Every class of document writes them in another way. Names may stand in an element each, or many in
one, set apart by breaks, commas or `and`; marks that lead to affiliations stand among them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from broker.providers.arxiv_feed import Author
from extract.fragment import remove
from extract.tree import fold, query, raw_text

if TYPE_CHECKING:
    from extract.tree import Node

_CREATORS = query(".//span[contains(@class, 'ltx_role_author')]")
_NAMES = query(".//span[contains(@class, 'ltx_personname')]")
_PLACES = query(
    ".//span[contains(@class, 'ltx_role_affiliation') or contains(@class, 'ltx_role_address')]"
)
_RAISED = query(".//sup | .//math")
_NO_NAMES = query(
    ".//*[contains(@class, 'ltx_note')] | .//*[contains(@class, 'ltx_contact')]"
    " | .//*[contains(@class, 'ltx_author_notes')] | .//a[starts-with(@href, 'mailto:')]"
)
_UNKNOWN = query(".//*[contains(@class, 'ltx_ERROR')]")
_BREAKS = query(".//br | .//p | .//tr | .//div | .//td")
_MARK = "\ue000"
"""Stands for what is raised: behind a name it leads to a place, before a place it is led to."""
_NEXT = "&"
_LABELS = re.compile(r"^(?:affiliation|address|institution)s?\s*:?\s*", re.IGNORECASE)
_SPLIT = re.compile(r"\s*(?:;|,(?!\s*(?:Jr|Sr|III?|IV|Ph\.?D|M\.?D)\b)|&|\band\b|\u2003+)\s*")
_GOES_ON = re.compile(rf"(?:[,&]|\band)[\s{_MARK}]*\Z")
_EDGES = f" ,;&*\u2020\u2021\u00a7\u00b6#\u2217{_MARK}"
_NAME = re.compile(r"[^\W\d_][^\d@/\\{}$]*")
_LONGEST_NAME, _MOST_WORDS = 60, 6
_PLACE_WORDS = re.compile(
    r"\b(?:university|universit\w+|institute?|institut\w*|department|dept|laborator\w+|labs?|school"
    r"|college|academy|research|center|centre|inc|ltd|llc|corp|corporation|company|google|microsoft"
    r"|meta|openai|deepmind|nvidia|amazon|ibm|apple|facult\w+|hospital|ministry|foundation|group"
    r"|team|contribution|equal|equally|corresponding|author|email|street|road|china|usa|germany"
    r"|france|uk|canada|japan|india|korea|singapore|switzerland|australia|italy|israel)\b",
    re.IGNORECASE,
)
"""Words that stand in no name of a person."""


def authors_in(node: Node) -> list[Author]:
    """The authors that the element of all of them names, which it changes."""
    found: list[Author] = []
    for creator in _CREATORS(node):
        places = tuple(
            text for each in _PLACES(creator) if (text := _LABELS.sub("", fold(raw_text(each))))
        )
        for each in _NAMES(creator):
            people = _people(each)
            # Where several stand in one, nobody can say whose place it is.
            found += [
                Author(name=name, affiliations=places if len(people) == 1 else ())
                for name in people
            ]
    return found


def _people(name: Node) -> list[str]:
    """The names in one element.

    The first line has some, and so have those on which it goes on: by a comma, by `&`, or with
    marks behind what they list. All others say where people work and how to write to them.
    """
    for node in _NO_NAMES(name):
        remove(node)
    for node in _RAISED(name):
        node.tail = f"{_MARK}{node.tail or ''}"
        remove(node)
    for node in _UNKNOWN(name):  # mostly the command that begins the next author
        node.tail = f"\n{_NEXT}{node.tail or ''}"
        remove(node)
    for end in _BREAKS(name):
        end.tail = f"\n{end.tail or ''}"
        end.text = f"\n{end.text or ''}"
    people: list[str] = []
    goes_on = True
    for line in filter(None, (fold(line) for line in raw_text(name).split("\n"))):
        parts = [part for part in _SPLIT.split(line) if part.strip(_EDGES)]
        if goes_on or line.startswith(_NEXT):
            people += (part for part in parts if not part.startswith(_MARK))
        else:
            people += (part for part in parts if part.endswith(_MARK) and part[0] != _MARK)
        goes_on = _GOES_ON.search(line) is not None
    names = (part.strip(_EDGES) for part in people)
    return [name for name in names if _is_person(name)]


def _is_person(text: str) -> bool:
    return (
        0 < len(text) <= _LONGEST_NAME
        and len(text.split()) <= _MOST_WORDS
        and _NAME.fullmatch(text) is not None
        and _PLACE_WORDS.search(text) is None
        and text[0] == text[0].upper()
    )
