"""Articles of Wikipedia and its sisters by their interface."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from broker.settings import SiteSettings
from tests.broker.sites.talking import conversation, no_heading_but_ours, spoken
from tests.emulators.saved_sites import WAIT_S, SavedSite, SiteMode

MILL = "https://en.wikipedia.org/wiki/Old_Mill"


def site() -> SavedSite:
    return SavedSite("wikipedia")


@pytest.mark.parametrize(
    ("path", "host", "place"),
    [
        ("en.wikipedia.org/wiki/Old_Mill", "en.wikipedia.org", "page/Old_Mill"),
        ("en.m.wikipedia.org/wiki/Old_Mill", "en.wikipedia.org", "page/Old_Mill"),
        ("en.wikipedia.org/wiki/Old%20Mill", "en.wikipedia.org", "page/Old_Mill"),
        ("en.wikipedia.org/wiki/A/B", "en.wikipedia.org", "page/A%2FB"),
        ("en.wikipedia.org/w/index.php?title=Old_Mill", "en.wikipedia.org", "page/Old_Mill"),
        ("en.wikipedia.org/w/index.php?title=X&oldid=77", "en.wikipedia.org", "revision/77"),
        ("en.wikipedia.org/wiki/Old_Mill?oldid=77", "en.wikipedia.org", "revision/77"),
        ("zh.wikipedia.org/zh-tw/Old_Mill", "zh.wikipedia.org", "page/Old_Mill"),
        ("de.wiktionary.org/wiki/Old_Mill", "de.wiktionary.org", "page/Old_Mill"),
        ("www.mediawiki.org/wiki/Old_Mill", "www.mediawiki.org", "page/Old_Mill"),
        ("en.wikipedia.org/wiki/Talk:Old_Mill", "en.wikipedia.org", "page/Talk%3AOld_Mill"),
    ],
)
def test_an_article_costs_one_request(path: str, host: str, place: str) -> None:
    talk = spoken(f"https://{path}", site())
    assert talk.asked == [f"https://{host}/w/rest.php/v1/{place}/with_html"]
    assert dict(talk.gets[0].headers)["User-Agent"].startswith("webaio/")


@pytest.mark.parametrize(
    "url",
    [
        "https://www.wikipedia.org/",
        "https://en.wikipedia.org/",
        "https://en.wikipedia.org/wiki/",
        "https://en.wikipedia.org/wiki/Special:Search?search=mill",
        "https://de.wikipedia.org/wiki/Spezial:Zufall",
        "https://en.wikipedia.org/wiki/File:Mill.jpg",
        "https://ja.wikipedia.org/wiki/Category:水車",
        f"{MILL}?action=history",
        f"{MILL}?oldid=prev",
        "https://en.wikipedia.org/w/index.php?title=Old_Mill&diff=3",
        "https://en.wikipedia.org/w/api.php?action=query",
        "https://en.wikipedia.org/sr-el/Old_Mill",
    ],
)
def test_other_pages_are_read_in_the_ordinary_way(url: str) -> None:
    assert conversation(url) is None


def test_an_article_keeps_its_facts_tables_formulas_and_sources() -> None:
    piece = spoken(MILL, site()).document
    assert (piece.title, piece.lang, piece.url) == ("Old Mill", "en", MILL)
    assert piece.published == "2026-05-04T10:11:12Z"
    assert piece.markdown.startswith(
        "# Old Mill\n\nlast changed 2026-05-04 · revision 1201 · coordinates 54.1°N 9.2°E\n\n"
        "| Old Mill |  |\n| --- | --- |\n| Built | 1712[^1] |\n"
        "| Owners | Ada<br>[Bob](https://en.wikipedia.org/wiki/Bob) |"
    )
    for part in ("$P=\\rho gQh$", "Sacks ground\n\n| Year | Sacks |\n| --- | --- |\n| 1900 | 12 |",
                 "\n[^1]: Berg, Ada (2019). *Mills of the north*. Coast Press.", "## History",
                 "[river](https://en.wikipedia.org/wiki/River_(water)).[^1]"):  # fmt: skip
        assert part in piece.markdown
    for furniture in ("All the mills", "Notice for editors", "hidden words", "A mill somewhere"):
        assert furniture not in piece.markdown
    assert no_heading_but_ours(piece.markdown)


def test_what_the_address_says_besides_is_told() -> None:
    assert (
        "redirected from Vieux moulin"
        in spoken("https://en.wikipedia.org/wiki/Vieux_moulin", site()).text
    )
    assert (
        "asked for: section Early \\*history\\*" in spoken(f"{MILL}#Early_*history*", site()).text
    )
    old = spoken(f"{MILL}?oldid=77", site()).document
    assert "revision 77 · of 2020-01-01" in old.markdown
    assert old.url == f"{MILL}?oldid=77"
    variant = spoken("https://zh.wikipedia.org/zh-tw/Old_Mill", site())
    assert variant.document.lang == "zh-tw"
    assert dict(variant.gets[0].headers)["Accept-Language"] == "zh-tw"


def test_a_page_that_lists_meanings_is_whole() -> None:
    text = spoken("https://en.wikipedia.org/wiki/Mill", site()).text
    assert "\ndisambiguation page · " in text
    assert "a mill\n- [Mill (town)](https://en.wikipedia.org/wiki/Mill_(town)), a town" in text


def test_a_page_that_is_made_and_not_written_is_left_to_the_ordinary_way() -> None:
    error = spoken("https://fi.wikipedia.org/wiki/Luokka:Mills", site()).error
    assert error is not None
    assert error.code == "elsewhere"
    assert not getattr(error, "conclusive", True)


def test_an_address_that_is_set_stands_for_all_wikis() -> None:
    settings = SiteSettings(wikipedia_url="https://wiki.example/")
    talk = spoken("https://sv.wikipedia.org/wiki/Old_Mill", site(), settings)
    assert urlsplit(talk.asked[0]).netloc == "wiki.example"
    assert talk.document.url == "https://sv.wikipedia.org/wiki/Old_Mill"


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        (SiteMode.MISSING, "not_found"),
        (SiteMode.RATE_LIMITED, "rate_limited"),
        (SiteMode.MALFORMED, "unparseable"),
        (SiteMode.STRANGE, "unparseable"),
        (SiteMode.BROKEN, "upstream"),
        (SiteMode.SLOW, "dns"),
    ],
)
def test_what_is_refused_is_named(mode: SiteMode, code: str) -> None:
    app = site()
    app.mode = mode
    error = spoken(MILL, app).error
    assert error is not None
    assert error.code == code
    assert error.retry_after_s == (WAIT_S if code == "rate_limited" else None)
