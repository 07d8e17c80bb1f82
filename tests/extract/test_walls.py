"""The tables: vocabulary, vendors' marks, addresses and headers."""

from __future__ import annotations

import pytest

from extract import vocab, walls
from extract.phrases import Phrases, normal
from extract.tree import parse

VOCABULARIES = {name: value for name, value in vars(vocab).items() if isinstance(value, Phrases)}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Page  Not-Found!", " page not found "),
        ("It\u2019s / it's", " its its "),
        ("", "  "),
        ("404 — Störung", " 404 störung "),
    ],
)
def test_texts_and_phrases_are_compared_in_one_form(text: str, written: str) -> None:
    assert normal(text) == written


def test_a_blank_is_the_edge_of_a_word() -> None:
    phrases = Phrases(" bot |nicht gefunden", " isn't here")

    assert phrases.within(normal("a bot!")) == (" bot ",)
    assert phrases.within(normal("robots, bots")) == ()
    assert phrases.within(normal("Seite nicht gefunden.")) == ("nicht gefunden",)
    assert phrases.within(normal("It isn\u2019t hereabouts")) == (" isnt here",)
    assert phrases.opens(normal("Nicht gefundene Seiten"))
    assert not phrases.opens(normal("Seite nicht gefunden"))


@pytest.mark.parametrize("name", VOCABULARIES)
def test_phrases_are_long_enough_to_mean_something(name: str) -> None:
    for literal in VOCABULARIES[name].literals:
        word = literal.strip()
        assert word
        assert len(word) >= 2
        assert len(word) > 3 or not word.isascii() or literal.startswith(" "), literal


def test_what_texts_about_robots_say_is_part_of_what_walls_say() -> None:
    assert set(vocab.ROBOT_TOPICS.literals) <= set(vocab.ROBOT.literals)


MARKERS = (*walls.CHALLENGES, *walls.CONSENTS, *walls.PAYWALLS, *walls.BROWSERS, walls.WIDGETS)


@pytest.mark.parametrize("marker", MARKERS, ids=lambda marker: marker.needles[0])
def test_a_marker_can_be_found_and_means_one_thing(marker: walls.Marker) -> None:
    for needle in marker.needles:
        assert needle == needle.lower()
        assert len(needle) >= 4
        assert walls.marked(f"before {needle} behind", (marker,)) == (marker.vendor, needle)
    assert walls.marked("an ordinary text", (marker,)) is None


def test_markers_are_looked_for_in_scripts_addresses_and_names() -> None:
    page = (
        "<link href=/LINK.css><form action=/form></form><div id=name class=other></div>"
        "<script src=/src.js></script><script>inline()</script><p>prose</p>"
    )
    machinery = walls.machinery(parse(page))
    for word in ("/link.css", "/form", "name other", "/src.js", "inline()"):
        assert word in machinery
    assert "prose" not in machinery


def test_the_machinery_of_a_huge_page_is_cut() -> None:
    page = "<script>" + "x" * 1_000_000 + "</script>" + "<div class=abcdefgh></div>" * 50_000
    assert len(walls.machinery(parse(page))) < 1.2 * walls.MACHINERY_CHARS


@pytest.mark.parametrize(
    "headers",
    [
        {"cf-mitigated": "challenge"},
        {"x-vercel-mitigated": "deny"},
        {"x-amzn-waf-action": "captcha"},
        {"x-dd-b": "1"},
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_a_header_can_say_it_all(headers: dict[str, str]) -> None:
    assert next(iter(headers)) in walls.challenge_header(headers)


@pytest.mark.parametrize(
    "headers", [{}, {"x-datadome": "protected"}, {"server": "cloudflare"}, {"cf-mitigated": ""}]
)
def test_the_headers_of_a_page_that_was_let_through_say_nothing(headers: dict[str, str]) -> None:
    assert walls.challenge_header(headers) == ""


@pytest.mark.parametrize(
    ("url", "challenge", "consent", "login"),
    [
        ("https://www.google.co.uk/sorry/index?continue=x", True, False, False),
        ("https://validate.perfdrive.com/?ssa=x", True, False, False),
        ("https://shop.example/showcaptcha?retpath=x", True, False, False),
        ("https://consent.google.de/ml?continue=x", False, True, False),
        ("https://guce.yahoo.com/consent?brand=x", False, True, False),
        ("https://paper.example/privacy-gate/?to=x", False, True, False),
        ("https://accounts.google.com/v3/signin", False, False, True),
        ("https://a.example/login?next=/x", False, False, True),
        ("https://a.example/wp-login.php", False, False, True),
        ("https://login.a.example/", False, False, True),
        ("https://a.example/oauth2/authorize?x", False, False, True),
        ("https://a.example/blog/how-captchas-work", False, False, False),
        ("https://a.example/blog/a-blogin-story", False, False, False),
        ("https://a.example/authors/smith", False, False, False),
        ("https://a.example/cookies-with-oats", False, False, False),
        ("https://[broken", False, False, False),
        ("", False, False, False),
    ],
)
def test_an_address_can_say_what_stands_there(
    url: str, challenge: bool, consent: bool, login: bool
) -> None:
    assert walls.is_challenge_url(url) is challenge
    assert walls.is_consent_url(url) is consent
    assert walls.is_login_url(url) is login
