"""XML as a tree: what machines write, and what hostile machines write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.xml import parse, query, text

BOMB = "".join(
    f'<!ENTITY {name} "{f"&{inner};" * 10}">'
    for inner, name in zip("abcdefghi", "bcdefghij", strict=True)
)


def read(document: str | bytes) -> str:
    root = parse(document)
    return "" if root is None else text(root)


@pytest.mark.parametrize(
    "document", ["", " \n", "no markup", "\0", b"", b"\xff\xfe", b"\0" * 9], ids=repr
)
def test_what_holds_no_markup_is_no_tree(document: str | bytes) -> None:
    assert parse(document) is None


@given(st.one_of(st.text(), st.binary(), st.text(st.sampled_from('<>&;a/"=! ?xml[]'))))
def test_parsing_never_raises(document: str | bytes) -> None:
    read(document)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("<a>1 &lt; 2 &amp; 3</a>", "1 < 2 & 3"),
        ("<a>one\n  two<b>three</b> four</a>", "one twothree four"),
        ("<a><!-- no -->yes<?no yes?></a>", "yes"),
        ("<a><![CDATA[<b>&amp;]]></a>", "<b>&amp;"),
        ("\ufeff<a>mark</a>", "mark"),
        ("<a>grüße €</a>".encode(), "grüße €"),
        ('<?xml version="1.0" encoding="iso-8859-1"?><a>grüße</a>'.encode("latin-1"), "grüße"),
        ('<?xml version="1.0" encoding="iso-8859-1"?><a>grüße €</a>', "grüße €"),
        ('<?xml version="1.0" encoding="utf-16"?><a>grüße</a>'.encode("utf-16"), "grüße"),
        ("<a>kept<b>and this", "keptand this"),
        ("<a>kept &nbsp; &unknown; too</a>", "kept too"),
    ],
)
def test_text_is_what_was_written(document: str | bytes, said: str) -> None:
    assert read(document) == said


@pytest.mark.parametrize(
    "document",
    [
        '<!DOCTYPE a [<!ENTITY x "boom">]><a>safe&x;</a>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>safe&x;</a>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/never.dtd"><a>safe</a>',
        f'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">{BOMB}]><a>safe&j;</a>',
    ],
    ids=["own entity", "file", "remote DTD", "billion laughs"],
)
def test_nothing_is_expanded_and_nothing_fetched(document: str) -> None:
    assert read(document) == "safe"


def test_nesting_without_end_ends_the_tree_and_nothing_else() -> None:
    assert read("<a>up here" + "<b>" * 100_000 + "lost") == "up here"


def test_a_query_finds_elements_by_their_namespace() -> None:
    root = parse('<a xmlns="urn:one" xmlns:t="urn:two"><b>1</b><t:b>2</t:b><b>3</b></a>')
    assert root is not None
    found = query("x:b", {"x": "urn:one"})(root)
    assert [text(node) for node in found] == ["1", "3"]
