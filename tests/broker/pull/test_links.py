"""Links of a Markdown text: which there are, and leading them elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.pull.links import absolute, relative, rewritten, slugs, targets


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a](b)", ("b",)),
        ("[a](<b c>)", ("b c",)),
        ('[a](b "title") and [c](d (t))', ("b", "d")),
        ("![p](q.png)", ("q.png",)),
        ("[![p](q.png)](r)", ("q.png", "r")),
        ("[a](b_(c)_(d(e)))", ("b_(c)_(d(e))",)),
        (r"[a](b\)c) \[no](d\&e;)", ("b)c", r"d\&e;".replace("\\&", "&"))),
        (r"\[a\](b)", ()),
        ("<https://a.example/x>", ("https://a.example/x",)),
        ("[ref]: https://a.example/x 'title'\n[two]: <y z>", ("https://a.example/x", "y z")),
        ("`[a](b)` and ``[a](b) ` [c](d)`` [e](f)", ("f",)),
        ("an open ` tick\n\n[a](b) ` more", ("b",)),
        ("```\n[a](b)\n```\n[c](d)", ("d",)),
        ("~~~~ py\n```\n[a](b)\n~~~\n~~~~\n[c](d)", ("d",)),
        ("- item\n\n  ```\n  [a](b)\n  ```\n- [c](d)", ("d",)),
        ("> ```\n> [a](b)\n> ```\n\n[c](d)", ("d",)),
        ("- ```sh\n  [a](b)\n  ```\n\n[c](d)", ("d",)),
        ("```\n[a](b)", ()),
        ("``` not `a fence` [a](b)", ("b",)),
        ("[a] (b)", ()),
        ("a](b)", ("b",)),
    ],
)
def test_the_links_of_a_text(text: str, found: tuple[str, ...]) -> None:
    assert targets(text) == found


def test_links_are_led_elsewhere_and_nothing_else_changes() -> None:
    code = "\n\n```\n[a](x)\n```\n"
    text = '[a](x "t") `[a](x)` ![p](y) <https://z.example/> [b](<x y>)'
    moved = '[a](1.md "t") `[a](x)` ![p](y) [https://z.example/](3.md) [b](<2.md>)'
    files = {"x": "1.md", "x y": "2.md", "https://z.example/": "3.md"}
    assert rewritten(text + code, files.get) == moved + code


@given(st.text(alphabet="[]()<>`~\\ \n#ab:!-", max_size=80))
def test_a_text_whose_links_stay_stays_as_it_is(text: str) -> None:
    assert rewritten(text, lambda _target: None) == text


def test_relative_links_become_absolute_and_places_of_the_text_stay() -> None:
    text = "[a](../b.md#c) [d](#e) [f](https://g.example/) [h](mailto:i@j.example) [k](?l=(m))"
    assert absolute(text, "https://docs.example/guide/one.md") == (
        "[a](https://docs.example/b.md#c) [d](#e) [f](https://g.example/) "
        "[h](mailto:i@j.example) [k](https://docs.example/guide/one.md?l=%28m%29)"
    )


@pytest.mark.parametrize(
    ("from_file", "to_file", "fragment", "link"),
    [
        ("index.md", "a/b.md", "", "a/b.md"),
        ("a/b.md", "index.md", "c", "../index.md#c"),
        ("a/b.md", "a/c.md", "", "c.md"),
        ("a/b.md", "a/b.md", "c d", "#c%20d"),
        ("a/b.md", "a/b.md", "", "b.md"),
        ("a.md", "文書/é.md", "節", "%E6%96%87%E6%9B%B8/%C3%A9.md#%E7%AF%80"),
        ("a.md", "list-page=2.md", "", "list-page=2.md"),
    ],
)
def test_the_way_from_file_to_file(from_file: str, to_file: str, fragment: str, link: str) -> None:
    assert relative(from_file, to_file, fragment) == link


def test_headings_have_the_names_that_readers_give_them() -> None:
    headings = ["Usage", "Details & limits", "Usage", "`open()`", "Usage 1", "Usage", "節 一"]
    expected = ("usage", "details--limits", "usage-1", "open", "usage-1-1", "usage-2", "節-一")
    assert slugs(headings) == expected


def test_a_text_of_signs_takes_no_time() -> None:
    for sign in ("`", "[", "](", "](a(", "<https://", "\\", "> ", "~~~"):
        assert rewritten(sign * 30_000, lambda _target: None) == sign * 30_000
