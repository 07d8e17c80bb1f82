"""Content or wall: a table of pages of every kind, and what holds for any input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.tree import parse
from extract.verdict import VerdictKind, judge, judge_tree
from tests.extract.wall_pages import SHELL, STORY, Case, article, cases, page, site

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}-{case.name}")
def test_a_page_is_what_it_is(case: Case) -> None:
    verdict = judge(case.html, case.url, case.status, case.headers)

    assert verdict.kind is case.kind, verdict.reasons


@pytest.mark.parametrize("kind", VerdictKind)
def test_every_kind_has_pages_and_their_names_differ(kind: VerdictKind) -> None:
    names = [case.name for case in CASES if case.kind is kind]
    assert names
    assert len(set(names)) == len(names)


@given(st.one_of(st.text(), st.binary(), st.text(st.sampled_from("<>/=\"' adivpscrt{}[]&;\n"))))
def test_any_input_gets_a_verdict_with_reasons(body: str | bytes) -> None:
    verdict = judge(body, "https://a.example/", 200, {})

    assert 0.5 <= verdict.confidence <= 1
    assert verdict.reasons
    assert all(verdict.reasons)


@given(
    st.text(),
    st.one_of(st.none(), st.integers(-1, 999)),
    st.dictionaries(st.text(), st.text()),
)
def test_what_came_with_a_page_may_be_anything(
    url: str, status: int | None, headers: dict[str, str]
) -> None:
    assert judge("<p>Hello</p>", url, status, headers).reasons


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", VerdictKind.CONTENT, "PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0", VerdictKind.CONTENT, "PNG"),
        (b"BM" + bytes(8) + b"\x36\0\0\0\x28\0\0\0" + b"\xff" * 90, VerdictKind.CONTENT, "BMP"),
        (b"II*\0\x08\0\0\0", VerdictKind.CONTENT, "TIFF"),
        (b"PK\x03\x04\x14\0", VerdictKind.CONTENT, "Office"),
        (b"\x1f\x8b\x08\0\0\0\0", VerdictKind.EMPTY, "bytes"),
        (bytes(range(256)) * 40, VerdictKind.EMPTY, "bytes"),
        ("\ufffd\u0090x\u00a4" * 500, VerdictKind.EMPTY, "bytes"),
        ("<p>" + "\ufffd\u0090x\u00a4" * 500, VerdictKind.EMPTY, "bytes"),
        (STORY.encode("utf-16"), VerdictKind.CONTENT, "text"),
        ("[1, 2, 3, 4, 5, 6]", VerdictKind.CONTENT, "data"),
        ("{" * 5000, VerdictKind.CONTENT, "text"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_page_is_told_apart_by_its_beginning(
    body: str | bytes, kind: VerdictKind, reason: str
) -> None:
    verdict = judge(body)

    assert verdict.kind is kind
    assert any(reason in said for said in verdict.reasons)


@pytest.mark.parametrize(
    "body",
    ["<div>" * 100_000, "<p>one</p>" * 50_000, "<a href=x>one</a>" * 50_000, "&" * 100_000],
    ids=lambda body: body[:10],
)
def test_a_page_may_be_deep_or_long(body: str) -> None:
    assert judge(body).reasons


def test_a_parsed_tree_is_judged_as_its_page_is_and_stays_as_it_was() -> None:
    html = site("Page not found", "<h1>Page not found</h1>")
    root = parse(html)
    before = len(list(root.iter()))

    assert judge_tree(root, status=404) == judge(html, status=404)
    assert len(list(root.iter())) == before


def test_header_names_may_be_in_any_case() -> None:
    stub = page("", "<script>x</script>")

    upper = judge(stub, headers={"CF-MITIGATED": "challenge"})

    assert upper == judge(stub, headers={"cf-mitigated": "challenge"})
    assert upper.kind is VerdictKind.BOT_CHALLENGE


def test_a_401_is_a_login_wall_with_its_header_and_not_without() -> None:
    bare = "<h1>Unauthorized</h1>"

    asked = judge(bare, status=401, headers={"WWW-Authenticate": "Negotiate"})
    refused = judge("", status=401, headers={"Server": "firewall"})

    assert asked.kind is VerdictKind.LOGIN_WALL
    assert refused.kind is not VerdictKind.LOGIN_WALL


def test_words_alone_never_make_a_wall_of_an_article() -> None:
    words = (
        "Sign in to continue. Verify that you are human. Access denied. Page not found. "
        "Subscribe to continue reading. We use cookies. Enable JavaScript and cookies to continue. "
    )
    text = "".join(f"<p>{words}{STORY}{number}</p>" for number in range(20))

    assert judge(site("Sign in, or page not found", f"<h1>Login</h1>{text}")).kind == "content"


def test_the_same_offer_is_a_paywall_until_the_text_before_it_is_whole() -> None:
    offer = "<p>To continue reading, log in or become a subscriber.</p>"
    kinds = [judge(article(offer, paragraphs)).kind for paragraphs in (1, 3, 30)]

    assert kinds == ["paywall", "paywall", "content"]


def test_a_framework_is_nothing_where_there_is_text() -> None:
    assert judge(page("Harbour", f"{SHELL}<p>{STORY}</p>")).kind == "content"
    assert judge(page("Harbour", SHELL)).kind == "js_shell"


def test_reasons_name_what_can_be_checked() -> None:
    html = page("Sign in", "<form><input type=text><input type=password></form>")

    reasons = judge(html, "https://a.example/login").reasons

    assert "form with password field" in reasons
    assert "the address is a place to sign in at" in reasons
    assert 'title "sign in"' in reasons
