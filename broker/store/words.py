"""Texts and queries as the index knows them. Pure.

SQLite's tokenizer ends words at white space and signs. Scripts without spaces (Chinese, Japanese,
Thai, …; Korean, whose words carry their particles) are therefore cut into overlapping pairs first:
東京大学 becomes 東京 京大 大学 学. Pairs find two-character words, which most words of Chinese
are and which SQLite's trigrams cannot find; and one index serves queries of mixed scripts. The last
character stands alone, so that every character begins something and can be found by itself.

Compatibility forms are folded (ligatures, full and half width): PDFs and forms are full of them.
So are letters that people type without their marks (Łódź as Lodz, Straße as Strasse, ёлка as елка)
and the vowel signs of Hebrew and Arabic, which are seldom written. C++ and C# are words of their
own, though their signs are none.

Words that only make a question of a query (`asking`) are left out of it: among a few pages they are
rarer than what is asked about, and would decide.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from broker.store.asking import is_asking, without_asking

MAX_QUERY_CHARS = 2048
MAX_WORDS = 48
"""Most words of a query that are looked at."""

_SPACELESS = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff"  # kana and repetition marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff"
    "\uac00-\ud7af"  # Hangul
    "]+"
)
_MARKED_LETTERS = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "ё": "е", "Ё": "Е", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O"}  # noqa: RUF001
    | {"đ": "d", "Đ": "D", "ı": "i", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ـ": None}  # noqa: RUF001
    | dict.fromkeys((*range(0x0591, 0x05C8), *range(0x064B, 0x0660), 0x0670))
)
"""Letters that SQLite's tokenizer does not take apart, and signs that are left out: the points of
Hebrew, the vowel signs and the lengthening stroke of Arabic."""
_MARKED = re.compile(f"[{re.escape(''.join(map(chr, _MARKED_LETTERS)))}]")
"""Most texts have few of them, and translating a whole text takes ten times as long."""
_SIGNED = re.compile(r"(?<=[A-Za-z])(?<![^\W_][A-Za-z])(\+\+|#)(?![\w+#])")
_SIGNS = {"++": "plusplus", "#": "sharp"}
_WORD = re.compile(r"\w+")
_TAG = re.compile(r"<[^<>]*>")
_QUOTED = re.compile(r'["“”„«»]([^"“”„«»]+)["“”„«»]')


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A query, understood; every field holds terms of the full-text query language, quoted."""

    required: tuple[str, ...]
    """What stood in quotation marks."""
    phrase: str | None
    """All its words in their order; None for a single word."""
    words: tuple[str, ...]
    """Each word that says what is wanted once, in their order."""


def indexed(text: str) -> str:
    """The text as it is handed to the index, at insertion and at deletion alike."""
    text = _named(text)
    if text.isascii():
        return text
    return _SPACELESS.sub(lambda run: f" {_pairs(run[0], last=True)} ", _folded(text))


def understood(query: str) -> Wanted:
    """A person's query. Whatever stands in it, the terms are safe; signs count for nothing."""
    text = _folded(_named(query[:MAX_QUERY_CHARS]))
    words = _words(text)[:MAX_WORDS]
    telling = [word for word in _words(without_asking(text)) if not is_asking(word)][:MAX_WORDS]
    quoted = (_words(match[1])[:MAX_WORDS] for match in _QUOTED.finditer(text))
    return Wanted(
        required=tuple(_term(*inside) for inside in quoted if inside),
        phrase=_term(*words) if len(words) > 1 else None,
        words=tuple(dict.fromkeys(_term(word) for word in telling or words)),
    )


def compared(text: str) -> list[str]:
    """The words of a text, by which it is compared with another; markup is left out."""
    return _WORD.findall(indexed(_TAG.sub(" ", text)).lower())


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    return _MARKED.sub(lambda letter: letter[0].translate(_MARKED_LETTERS), text)


def _named(text: str) -> str:
    """The text with the names of languages that end in signs as words: C++ as cplusplus."""
    if "++" not in text and "#" not in text:
        return text
    return _SIGNED.sub(lambda sign: _SIGNS[sign[1]], text)


def _pairs(run: str, *, last: bool) -> str:
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    if last or not pairs:
        pairs.append(run[-1])
    return " ".join(pairs)


def _words(text: str) -> list[str]:
    """What the tokenizer would make of it: runs of letters, marks and digits."""
    kept = "".join(sign if _is_letter(sign) else " " for sign in text)
    return _SPACELESS.sub(lambda run: f" {_pairs(run[0], last=False)} ", kept).lower().split()


def _is_letter(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category[0] in "LMN" or category == "Co"


def _term(*words: str) -> str:
    """One word or a phrase in quotation marks; none of the words can hold one."""
    quoted = f'"{" ".join(words)}"'
    alone = len(words) == 1 and len(words[0]) == 1 and _SPACELESS.match(words[0])
    return f"{quoted}*" if alone else quoted
