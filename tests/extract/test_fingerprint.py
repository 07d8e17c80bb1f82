"""Fingerprints: pages that say the same, and pages that do not."""

from __future__ import annotations

from extract.fingerprint import fingerprint, is_same, likeness
from extract.tree import parse
from tests.extract.wall_pages import STORY, page, site


def of(html: str) -> frozenset[int]:
    return fingerprint(parse(html)).hashes


def form(token: str, time: str) -> str:
    return site(
        "Sign in",
        f"<h1>Sign in</h1><form><input type=hidden value={token}><input type=password></form>"
        f"<p>Served at {time}</p><script>var token = '{token}'</script>",
    )


def test_two_answers_of_one_form_are_the_same_page() -> None:
    one, other = (fingerprint(parse(form(*args))) for args in (("a1", "10:00"), ("b2", "10:01")))

    assert is_same(one, other)
    assert likeness(one, other) == 1


def test_two_articles_in_the_same_menus_are_not() -> None:
    texts = ["".join(f"<p>{STORY}{word} {n}</p>" for n in "abcdefgh") for word in ("east", "west")]
    one, other = (fingerprint(parse(site("A boat", text))) for text in texts)

    assert not is_same(one, other)
    assert 0 < likeness(one, other) < 1


def test_likeness_is_the_share_of_lines_in_common() -> None:
    lines = [f"<p>line {chr(97 + n)}{chr(97 + n)}</p>" for n in range(20)]
    half = likeness(fingerprint(parse("".join(lines[:15]))), fingerprint(parse("".join(lines[5:]))))
    assert half == 0.5


def test_an_empty_page_is_like_another_and_like_nothing_else() -> None:
    empty, full = fingerprint(parse("")), fingerprint(parse(page("x", STORY)))

    assert of("") == frozenset()
    assert likeness(empty, empty) == 1
    assert likeness(empty, full) == 0
