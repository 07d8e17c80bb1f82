"""Where an answer sends its reader on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.fetch.redirects import is_downgrade, joined, location, refresh, split_login

HERE = "https://site.example/a/b?c=d"


@pytest.mark.parametrize(
    ("where", "absolute"),
    [
        ("/x", "https://site.example/x"),
        ("x", "https://site.example/a/x"),
        ("?x=1", "https://site.example/a/b?x=1"),
        ("//other.example/x", "https://other.example/x"),
        ("\\\\other.example\\x", "https://other.example/x"),
        ("http://other.example", "http://other.example"),
        ("/a b/ü?q=ü|", "https://site.example/a%20b/%C3%BC?q=%C3%BC%7C"),
        ("/already%20there", "https://site.example/already%20there"),
        ("/x?back=\\y", "https://site.example/x?back=%5Cy"),
    ],
)
def test_addresses_are_read_as_browsers_read_them(where: str, absolute: str) -> None:
    assert location(302, {"location": where}, HERE) == absolute


@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 306, 404])
def test_only_redirects_redirect(status: int) -> None:
    assert location(status, {"location": "/x"}, HERE) is None


def test_a_redirect_to_nowhere_is_a_page() -> None:
    assert location(302, {}, HERE) is None
    assert location(302, {"location": " "}, HERE) is None


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("0; url=/x", "https://site.example/x"),
        ("0;URL='/x'", "https://site.example/x"),
        ('5 ; url = "/x" and rubbish', "https://site.example/x"),
        ("0,/x", "https://site.example/x"),
        ("0 url=/x", "https://site.example/x"),
        ("0;url='/x", "https://site.example/x"),
        ("1.5; url=/x", "https://site.example/x"),
        ("; url=/x", "https://site.example/x"),
        ("6; url=/x", None),
        ("300", None),
        ("0", None),
        ("0;url=", None),
        ("url=/x", None),
        ("", None),
    ],
)
def test_a_page_that_only_refreshes_leads_on(content: str, where: str | None) -> None:
    escaped = content.replace('"', "&quot;")
    page = f'<html><head><META content="{escaped}" HTTP-EQUIV=refresh></head></html>'.encode()
    assert refresh({}, page, HERE, markup=True) == where
    assert refresh({"refresh": content}, b"<p>Wait</p>", HERE, markup=True) == where
    assert refresh({"refresh": content}, b"Wait", HERE, markup=False) == where


META = '<meta http-equiv="refresh" content="0;url=/x">'


@pytest.mark.parametrize(
    "page",
    [
        f"<head>{META}</head><body><p>{'Something to read. ' * 20}</p></body>",
        f"<head><noscript>{META}</noscript></head>",
        f"<head>{META}</head>{' ' * 70_000}",
        "<head><meta http-equiv='content-type' content='0;url=/x'><!-- refresh --></head>",
    ],
    ids=["prose", "noscript", "large", "another"],
)
def test_a_page_that_is_one_stays(page: str) -> None:
    assert refresh({}, page.encode(), HERE, markup=True) is None


def test_text_about_refreshing_stays() -> None:
    assert refresh({}, META.encode(), HERE, markup=False) is None
    assert refresh({"refresh": "0;url=/x"}, b"words " * 100, HERE, markup=False) is None


def test_a_refresh_is_read_from_the_pages_base() -> None:
    page = f'<head><base href="/deep/">{META.replace("/x", "x")}</head>'.encode()
    assert refresh({}, page, HERE, markup=True) == "https://site.example/deep/x"


def test_a_login_is_taken_out_of_an_address() -> None:
    assert split_login("http://me:p%40ss@site.example:8080/x?y") == (
        "http://site.example:8080/x?y",
        ("me", "p@ss"),
    )
    assert split_login("http://site.example/a@b") == ("http://site.example/a@b", None)


def test_leaving_tls_is_noticed() -> None:
    assert is_downgrade("https://a.example", "http://a.example")
    assert not is_downgrade("http://a.example", "https://a.example")


@given(where=st.text(max_size=80))
def test_no_address_is_too_odd(where: str) -> None:
    assert isinstance(joined(HERE, where), str)
    refresh({"refresh": where}, where.encode("utf-8", "replace"), HERE, markup=True)
