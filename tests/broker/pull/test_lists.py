"""robots.txt, sitemaps and llms.txt: what a site says of itself, in every form and malformed."""

from __future__ import annotations

import gzip

import pytest

from broker.pull import llms, robots, sitemap
from broker.pull.sitemap import Sitemap

SITE = "https://docs.example"
NS = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
ONE = f"<urlset {NS}><url><loc>{SITE}/a</loc></url></urlset>".encode()

RULES = """\
User-agent: *
Disallow: /private/
Allow: /private/open
Disallow: /*.tmp$
Disallow: /search?q=
Disallow: /caf\u00e9
Crawl-delay: 2.5

User-agent: otherbot
Disallow: /

Sitemap: https://docs.example/map.xml
Sitemap: https://docs.example/map.xml
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private", True),
        ("/private/", False),
        ("/private/a", False),
        ("/private/open", True),
        ("/private/open/er", True),
        ("/%70rivate/a", False),
        ("/a.tmp", False),
        ("/a.tmp?x", True),
        ("/a.tmpl", True),
        ("/search?q=a", False),
        ("/search", True),
        ("/caf%C3%A9/a", False),
    ],
)
def test_the_longest_rule_holds(path: str, allowed: bool) -> None:
    assert robots.of_text(RULES.encode()).allows(SITE + path) is allowed


def test_our_own_group_holds_where_there_is_one() -> None:
    rules = robots.of_text(b"User-agent: *\nDisallow: /\n\nUser-agent: WebAIO\nDisallow: /a\n")
    assert (rules.allows(f"{SITE}/b"), rules.allows(f"{SITE}/a")) == (True, False)


@pytest.mark.parametrize(("stated", "kept"), [("2.5", 2.5), ("3600", 10.0), ("soon", 0.0)])
def test_the_delay_that_is_asked_for_is_kept_up_to_a_bound(stated: str, kept: float) -> None:
    text = f"User-agent: *\nCrawl-delay: {stated}\nDisallow: /a\n"
    assert robots.of_text(text.encode()).delay_s == kept


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe\x00", b"<!doctype html><p>Welcome</p>", b"\x00" * 1000, b":\n" * 1000]
)
def test_what_is_no_robots_txt_forbids_nothing(body: bytes) -> None:
    rules = robots.of_text(body)
    assert rules.allows(f"{SITE}/a")
    assert (rules.delay_s, rules.sitemaps) == (0.0, ())


def test_a_mark_of_byte_order_hides_no_rule() -> None:
    rules = robots.of_text(b"\xef\xbb\xbfUser-agent: *\nDisallow: /a\n")
    assert not rules.allows(f"{SITE}/a")


def test_sitemaps_are_named_once() -> None:
    assert robots.of_text(RULES.encode()).sitemaps == ("https://docs.example/map.xml",)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (ONE, Sitemap(pages=(f"{SITE}/a",))),
        (ONE.replace(NS.encode(), b""), Sitemap(pages=(f"{SITE}/a",))),
        (b"\xef\xbb\xbf\n" + ONE, Sitemap(pages=(f"{SITE}/a",))),
        (gzip.compress(ONE), Sitemap(pages=(f"{SITE}/a",))),
        (gzip.compress(ONE)[:-12], Sitemap(pages=(f"{SITE}/a",))),
        (ONE[:-10], Sitemap(pages=(f"{SITE}/a",))),
        (
            f"<sitemapindex><sitemap><loc> {SITE}/b.xml </loc></sitemap></sitemapindex>".encode(),
            Sitemap(sitemaps=(f"{SITE}/b.xml",)),
        ),
        (f"{SITE}/a\n\n{SITE}/b\nno address\n".encode(), Sitemap(pages=(f"{SITE}/a", f"{SITE}/b"))),
        (
            f"<urlset xmlns:i='x'><url><loc>{SITE}/a?b=1&amp;c=2</loc><i:image><i:loc>{SITE}/p.png"
            f"</i:loc></i:image></url><url><loc>javascript:0</loc></url></urlset>".encode(),
            Sitemap(pages=(f"{SITE}/a?b=1&c=2",)),
        ),
        (b"<html><body>Not found</body></html>", Sitemap()),
        (b"<rss><channel><link>https://docs.example/a</link></channel></rss>", Sitemap()),
        (b"", Sitemap()),
        (b"\x1f\x8bbroken", Sitemap()),
    ],
    ids=(
        "plain",
        "no namespace",
        "byte order mark",
        "gzip",
        "gzip cut off",
        "cut off",
        "index",
        "lines",
        "pictures",
        "a page",
        "a feed",
        "empty",
        "broken gzip",
    ),
)
def test_sitemaps_of_every_form(body: bytes, expected: Sitemap) -> None:
    assert sitemap.read(body) == expected


def test_no_entity_of_a_sitemap_is_expanded() -> None:
    entities = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
    body = (
        f"<!DOCTYPE urlset [<!ENTITY a0 '{SITE}/'><!ENTITY f SYSTEM 'file:///etc/passwd'>{entities}]>"
        f"<urlset><url><loc>{SITE}/a</loc></url><url><loc>{SITE}/&f;</loc></url>"
        f"<url><loc>{SITE}/&a11;</loc></url></urlset>"
    )
    assert set(sitemap.read(body.encode()).pages) <= {f"{SITE}/a", f"{SITE}/"}
    assert f"{SITE}/a" in sitemap.read(body.encode()).pages


def test_a_sitemap_that_unpacks_without_end_is_read_as_far_as_the_bound() -> None:
    bomb = gzip.compress(ONE[: -len("</urlset>")] + b" " * (sitemap.MAX_BYTES + 10))
    assert len(bomb) < 100_000
    assert sitemap.read(bomb) == Sitemap(pages=(f"{SITE}/a",))


def test_a_sitemap_lists_no_more_than_the_protocol_allows() -> None:
    urls = "".join(f"<url><loc>{SITE}/{n}</loc></url>" for n in range(sitemap.MAX_URLS + 5))
    assert len(sitemap.read(f"<urlset>{urls}</urlset>".encode()).pages) == sitemap.MAX_URLS


def test_llms_txt_lists_its_links() -> None:
    text = (
        "# Docs\n\n> About [nothing](https://else.example/).\n\n## Guides\n\n"
        "- [One](/guide/one.md): first\n- [Two](two): second\n- [One](/guide/one.md)\n"
        "```\n[code](/no)\n```\n"
    )
    assert llms.read(text, f"{SITE}/guide/llms.txt") == (
        "https://else.example/",
        f"{SITE}/guide/one.md",
        f"{SITE}/guide/two",
    )


def test_a_page_in_its_place_is_no_llms_txt() -> None:
    assert llms.read("<!doctype html><p>[a](b)", f"{SITE}/llms.txt") == ()
