"""What a page says about itself, in all the places where pages say it."""

# ruff: noqa: RUF001 - dashes and full-width signs are meant

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.byline import clean_name
from extract.dates import in_path, iso
from extract.json_data import loads, objects
from extract.metadata import Metadata, as_language, metadata
from extract.titles import agree
from extract.tree import parse

URL = "https://www.example.org/a/page.html"


def read(html: str, url: str = URL) -> Metadata:
    return metadata(parse(html), url)


def ld(*items: object) -> str:
    return "".join(
        f"<script type=application/ld+json>{json.dumps(item)}</script>" for item in items
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["@type", "@id", "@graph", "author", "name", "headline", "datePublished",
                         "publisher", "inLanguage"]), inner),
)  # fmt: skip


@given(JSON, st.text())
def test_no_json_ld_and_no_address_raises(value: object, url: str) -> None:
    read(ld(value, {"@type": "Article", "author": value, "publisher": value}), url)


@given(st.text(st.sampled_from("<>\"'/ =abmetscriplndj+{}[]:,#@h1")), st.text())
def test_no_markup_raises(html: str, url: str) -> None:
    read(html, url)
    read(f"<h1>{html}</h1><base href='{url}'><link rel=canonical href='{url}'><time>{html}", url)


def test_an_empty_page_says_nothing() -> None:
    assert read("") == Metadata(
        title="", site_name=None, byline=None, published=None, language=None, canonical=None,
        base=URL,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Only this</title>", "Only this"),
        ("<title> Two \n lines </title>", "Two lines"),
        ("<h1>Only <b>this</b></h1>", "Only this"),
        ("<title>A long way - The Site</title><h1>A long way</h1>", "A long way"),
        ("<title>The Site | A long way</title><h1>A long way</h1>", "A long way"),
        ("<title>The Site: A long way</title><h1>A long way</h1>", "A long way"),
        ("<title>标题在这里_网站</title><h1>标题在这里</h1>", "标题在这里"),
        ("<title>标题在这里——网站</title><meta name=og:title content=标题在这里>", "标题在这里"),
        ("<title>A long way - The Site</title>", "A long way - The Site"),
        (
            "<title>A long way - The Site</title><meta property=og:site_name content='The Site'>",
            "A long way",
        ),
        ("<title>A long way | Example</title>", "A long way"),
        ("<title>A long way | Example | News, sports, weather</title>", "A long way"),
        (ld({"@type": "WebSite", "name": "Apple"})
         + "<title>New bands for the Watch - Apple Watch</title>",
         "New bands for the Watch - Apple Watch"),
        ("<title>Spider-Man: No Way Home - review</title>", "Spider-Man: No Way Home - review"),
        (
            ("<title>Article here - Section - Site</title><h1>Section</h1>"
            "<meta property=og:title content='Article here'>"),
            "Article here",
        ),
        ("<title>A long way</title><h1>The Site</h1><meta name=og:site_name content='The Site'>",
         "A long way"),
        ("<title>Where to - My Blog</title><h1><a href=/>My Blog</a></h1><h1>Where to</h1>",
         "Where to"),
        ("<title>mod_ssl - Server Version 2.4</title><h1>Server Module mod_ssl</h1>",
         "Server Module mod_ssl"),
        ("<title>A long way</title><h1>A long way<a href=#x>¶</a></h1>", "A long way"),
        ("<title>A long way</title><h1 hidden>Menu</h1><div style='display:none'><h1>A long</h1>",
         "A long way"),
        ("<svg><title>icon</title></svg><h1>A long way</h1>", "A long way"),
        (("<title>Shown, said otherwise</title><h1>Quite another thing</h1>"
         "<meta name=og:title content='Quite another thing | Example'>"), "Quite another thing"),
        ("<meta property=og:title content='Home'><title>A long way</title>", "A long way"),
        (ld({"@type": "NewsArticle", "headline": "A long way"}), "A long way"),
    ],
)  # fmt: skip
def test_the_title_is_the_pages_own(html: str, title: str) -> None:
    assert read(html).title == title


def test_titles_agree_when_they_share_most_words() -> None:
    assert agree("How the moon moves", "How The Moon Moves!")
    assert agree("How the moon moves the sea", "How the moon moves seas")
    assert not agree("News", "News about the moon and how it moves the sea")
    assert not agree("The moon", "")


@pytest.mark.parametrize(
    ("html", "byline"),
    [
        (ld({"@type": "Article", "author": "Ann Bee"}), "Ann Bee"),
        (ld({"@type": "Article", "author": [{"name": "Ann Bee"}, {"name": "By Cy Dee"}]}),
         "Ann Bee, Cy Dee"),
        (ld({"@graph": [{"@type": ["Thing", "BlogPosting"], "author": {"@id": "#p"}},
                        {"@type": "Person", "@id": "#p", "name": "Ann Bee"}]}), "Ann Bee"),
        (ld({"@type": "Article", "author": "https://example.org/ann"})
         + "<meta name=author content='Ann Bee'>", "Ann Bee"),
        ("<meta name=citation_author content='Bee, Ann'><meta name=citation_author content=Dee>",
         "Bee, Ann, Dee"),
        ("<meta name=author content=admin>", None),
        ("<meta name=author content=Example>", None),
        ("<meta property=article:author content=https://social.example/ann>", None),
        ("<article><h1>T</h1><p class=byline>By <a href=/ann>Ann Bee</a> | May 5</p>", "Ann Bee"),
        ("<article><h1>T</h1><span class=author>Written by Ann Bee on Tuesday</span>", "Ann Bee"),
        ("<article><h1>T</h1><a rel=author>Von Ann Bee</a>", "Ann Bee"),
        ("<article><p class=c-author>Piše: Ann Bee</p><h1>T</h1></article>", "Ann Bee"),
        ("<div itemscope><h1>T</h1><i itemprop=author><b itemprop=name>Ann</b> 5 posts</i></div>",
         "Ann"),
        ("<article><h1>T</h1><p class=author hidden>Ann Bee</p>", None),
        ("<article><h1>T</h1><p class=authorize>Log in</p>", None),
        ("<p class=author>Somebody else</p>", None),
    ],
)  # fmt: skip
def test_the_byline_is_who_wrote_it(html: str, byline: str | None) -> None:
    assert read(html).byline == byline


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("by Ann Bee", "Ann Bee"),
        ("Byron Bee", "Byron Bee"),
        ("作者：张三", "张三"),
        ("记者 张三", "张三"),
        ("Ann Bee • 5 min read", "Ann Bee"),
        ("Ann Bee, 12 May", "Ann Bee"),
        ("Par Ann Bee – 12.05.2020", "Ann Bee"),
        ("@annbee", ""),
        ("user4567", ""),
        ("Anonymous", ""),
        ("Name *", ""),
        ("Everything that you always wanted to know about this writer", ""),
    ],
)
def test_a_name_is_freed_of_what_stands_around_it(text: str, name: str) -> None:
    assert clean_name(text) == name


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2019-11-05", "2019-11-05"),
        ("2019-11-05T12:30:00Z", "2019-11-05T12:30:00+00:00"),
        ("2019-11-05T12:30:00.123+0100", "2019-11-05T12:30:00+01:00"),
        ("2019-11-05T08:00-05:00", "2019-11-05T08:00:00-05:00"),
        ("2019-11-05 12:30", "2019-11-05T12:30:00"),
        ("2019/11/5", "2019-11-05"),
        ("20191105", "2019-11-05"),
        ("Tue, 05 Nov 2019 12:00:00 GMT", "2019-11-05T12:00:00+00:00"),
        ("Tue Nov 05 2019 12:00:00 GMT+0100 (CET)", "2019-11-05T12:00:00+01:00"),
        ("November 5th, 2019 at 3:05 pm", "2019-11-05T15:05:00"),
        ("Nov. 5, 2019 12:05 a.m.", "2019-11-05T00:05:00"),
        ("am 5. März 2019, 14:30 Uhr", "2019-03-05T14:30:00"),
        ("5 de noviembre de 2019", "2019-11-05"),
        ("2019年11月5日 12:30", "2019-11-05T12:30:00"),
        ("05.11.2019", "2019-11-05"),
        ("13/04/2020", "2020-04-13"),
        ("04/13/2020", "2020-04-13"),
        ("03/04/2020", None),
        ("1573000000", "2019-11-06T00:26:40+00:00"),
        ("1573000000000", "2019-11-06T00:26:40+00:00"),
        ("2019-02-30 or 2019-03-01", "2019-03-01"),
        ("2019-11-05T25:00:00", "2019-11-05"),
        ("2019-11-05T12:00:00+99:99", "2019-11-05"),
        ("2019-11", None),
        ("1970-01-01", None),
        ("2101-01-01", None),
        ("9999999999999", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_date_is_iso_8601_or_nothing(text: str, date: str | None) -> None:
    assert iso(text) == date


@given(st.text(st.sampled_from("0123456789-/.: TZ+年月日MayNovde,")))
def test_no_date_raises(text: str) -> None:
    iso(text)
    in_path(text)


@pytest.mark.parametrize(
    ("html", "date"),
    [
        (ld({"@type": "Article", "datePublished": "2019-11-05"}), "2019-11-05"),
        (ld({"@type": "VideoObject", "uploadDate": "2019-11-05"}), "2019-11-05"),
        (ld({"@type": "Article", "datePublished": "soon"})
         + "<meta property=article:published_time content=2019-11-05>", "2019-11-05"),
        ("<meta name=DC.date.issued content=2019-11-05>", "2019-11-05"),
        ("<meta itemprop=datePublished content=2019-11-05>", "2019-11-05"),
        ("<main><h1>T</h1><time datetime=2019-11-05>today</time></main>", "2019-11-05"),
        ("<main><h1>T</h1><p class=post-date>Nov 5, 2019</p></main>", "2019-11-05"),
        ("<time datetime=2019-11-05>of something else</time>", None),
    ],
)  # fmt: skip
def test_the_date_is_when_it_was_published(html: str, date: str | None) -> None:
    assert read(html).published == date


def test_the_address_gives_the_date_where_nothing_else_does() -> None:
    assert read("<p>x", "https://example.org/2019/11/05/x").published == "2019-11-05"
    assert read("<p>x", "https://example.org/2019/11/x").published is None


def test_of_several_articles_the_one_that_is_the_page_speaks() -> None:
    posts = [
        {"@type": "BlogPosting", "headline": "First of all", "author": "Ann"},
        {"@type": "BlogPosting", "headline": "Second to none", "author": "Bob"},
    ]
    assert read("<title>Second to none | Blog</title>" + ld(posts)).byline == "Bob"
    assert read("<title>All posts of the year</title>" + ld(posts)).byline is None


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=en_US>", "en-US"),
        ("<html lang=DE>", "de"),
        ("<html xml:lang=zh-hans-cn>", "zh-Hans-CN"),
        ("<html lang=''><meta http-equiv=content-language content='fr, en'>", "fr"),
        ("<meta property=og:locale content=pt_BR>", "pt-BR"),
        (ld({"@type": "WebPage", "inLanguage": "es-419"}), "es-419"),
        ("<html lang=und>", None),
        ("<html lang='{{lang}}'>", None),
    ],
)
def test_the_language_is_a_bcp_47_tag(html: str, language: str | None) -> None:
    assert read(html + "<p>x").language == language


@pytest.mark.parametrize("text", ["english", "x", "e n", "", "\0", "12"])
def test_what_is_no_language_tag_is_none(text: str) -> None:
    assert as_language(text) is None


@pytest.mark.parametrize(
    ("html", "canonical"),
    [
        ("<link rel=canonical href=https://example.org/x>", "https://example.org/x"),
        ("<link rel='Canonical nofollow' href=' ../x?a=1 '>", "https://www.example.org/x?a=1"),
        ("<base href=/b/><link rel=canonical href=x>", "https://www.example.org/b/x"),
        ("<link rel=canonical href=javascript:alert(1)>", None),
        ("<link rel=canonical href='http://[bad'>", None),
        ("<link rel=canonical href=''><meta property=og:url content=//example.org/y>",
         "https://example.org/y"),
        ("<link rel=stylesheet href=/x>", None),
    ],
)  # fmt: skip
def test_the_canonical_address_is_absolute_and_of_the_web(html: str, canonical: str | None) -> None:
    assert read(html).canonical == canonical


@pytest.mark.parametrize(
    ("html", "url", "base"),
    [
        ("<p>x", URL, URL),
        ("<base target=_blank><base href=/b/>", URL, "https://www.example.org/b/"),
        ("<base href=//cdn.example>", URL, "https://cdn.example"),
        ("<base href=javascript:x>", URL, URL),
        ("<base href=x>", "", ""),
    ],
)
def test_the_base_is_what_links_are_resolved_against(html: str, url: str, base: str) -> None:
    assert read(html, url).base == base


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        (' <!-- \n{"a": "two\nlines"}\n //--> ', {"a": "two\nlines"}),
        ('/*<![CDATA[*/ {"a": 1} /*]]>*/', {"a": 1}),
        ('//<![CDATA[\n{"a": 1};\n//]]>', {"a": 1}),
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ('{"a": 1} {"b": 2}', {"a": 1}),
        ("{&quot;a&quot;: 1}", {"a": 1}),
        ("[" * 100_000, None),
        ('{"a":' * 100_000, None),
        ("1" * 10_000, None),
        ("{a: 1}", None),
        ("", None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_json_is_read_as_pages_write_it(text: str, value: object) -> None:
    assert loads(text) == value


def test_the_objects_of_a_value_come_in_the_order_of_the_text() -> None:
    value = loads('{"n": 1, "a": [{"n": 2}, [{"n": 3}]], "b": {"n": 4}}')
    assert [item["n"] for item in objects(value)] == [1, 2, 3, 4]
