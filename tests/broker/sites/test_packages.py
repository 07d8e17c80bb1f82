"""Packages of PyPI, npm and crates.io by their interfaces."""

from __future__ import annotations

import pytest

from broker.sites.base import Reply
from broker.sites.package_page import repository_of, web
from broker.sites.rst import rst_to_markdown
from tests.broker.sites.talking import conversation, no_heading_but_ours, spoken
from tests.emulators.saved_sites import SavedSite, SiteMode

PAGES = {
    "pypi": "https://pypi.org/project/mill/",
    "npm": "https://www.npmjs.com/package/@ada/mill",
    "crates": "https://crates.io/crates/mill",
}
COSTS = {"pypi": 1, "npm": 2, "crates": 3}


@pytest.mark.parametrize("site", PAGES)
def test_what_a_page_costs(site: str) -> None:
    talk = spoken(PAGES[site], SavedSite(site))
    assert len(talk.asked) == COSTS[site]
    assert talk.document.url == PAGES[site]
    assert talk.document.warnings == ()
    assert no_heading_but_ours(talk.text)
    assert all(dict(get.headers)["User-Agent"].startswith("webaio/") for get in talk.gets)


@pytest.mark.parametrize(
    "url",
    [
        "https://pypi.org/",
        "https://pypi.org/search/?q=mill",
        "https://pypi.org/project/mill/1.0/x",
        "https://www.npmjs.com/~ada",
        "https://www.npmjs.com/package/@ada",
        "https://www.npmjs.com/package/mill/access",
        "https://crates.io/crates/mill/versions",
        "https://crates.io/crates",
        "https://crates.io/users/ada",
    ],
)
def test_other_pages_are_read_in_the_ordinary_way(url: str) -> None:
    assert conversation(url) is None


def test_a_project_of_pypi() -> None:
    piece = spoken(PAGES["pypi"], SavedSite("pypi")).document
    assert (piece.title, piece.byline) == ("mill 1.2", "Ada Berg")
    assert piece.published == "2026-04-01T08:00:00.000000Z"
    for part in ("Counts \\<sacks>", "package on PyPI · published 2026-04-01 · licence MIT",
                 "requires Python >=3.11 · beta · source only", "Keywords: mill, grain",
                 "**This version was yanked: broken wheel**", "vulnerable: CVE-0000-1**",
                 "- [Source](https://github.com/ada/mill)", "- `grain>=2`", "### mill",
                 "[docs](https://github.com/ada/mill/blob/HEAD/docs/guide.md)",
                 "- `1.2` · 2026-04-01 · yanked: broken wheel\n- `1.1` · 2026-01-01"):  # fmt: skip
        assert part in piece.markdown
    assert "0.1" not in piece.markdown, "a version without files was never there"
    old = spoken("https://pypi.org/project/mill/1.1/", SavedSite("pypi"))
    assert old.asked == ["https://pypi.org/pypi/mill/1.1/json"]
    assert "## README\n\n### mill\n" in old.text
    assert "Use `count`." in old.text


def test_a_package_of_npm() -> None:
    piece = spoken(PAGES["npm"], SavedSite("npm")).document
    assert (piece.title, piece.byline) == ("@ada/mill 2.0.0", "ada")
    assert piece.published == "2026-04-01T00:00:00.000Z"
    for part in ("licence MIT · requires node >=20 · 12 KB unpacked · has types",
                 "- [Issues](https://github.com/ada/mill/issues)",
                 "- [Repository](https://github.com/ada/mill)", "- `wheel * (peer)`",
                 "[more](https://github.com/ada/mill/blob/HEAD/packages/mill/docs/more.md)",
                 "- `1.0.0` · 2025-01-01 · deprecated"):  # fmt: skip
        assert part in piece.markdown
    old = spoken(f"{PAGES['npm']}/v/1.0.0", SavedSite("npm")).document
    assert "latest is 2.0.0" in old.markdown
    assert "**This version is deprecated: use 2.x**" in old.markdown
    assert old.warnings == ("the README is that of the latest version, 2.0.0",)


def test_a_package_of_npm_whose_record_is_too_large_has_its_readme_from_its_repository() -> None:
    class Huge(SavedSite):
        def __call__(self, request: object) -> object:  # type: ignore[override]
            answer = super().__call__(request)  # type: ignore[arg-type]
            whole = request.path == "/@ada/mill"  # type: ignore[attr-defined]
            return type(answer)(body=answer.body[:200]) if whole else answer

    talk = spoken(PAGES["npm"], Huge("npm"))
    assert len(talk.asked) == 3
    assert "### From the repository" in talk.text
    assert talk.document.warnings[0].startswith("dates and other versions are missing: ")
    truncated = Reply(url="x", status=200, body=b"{" * 10_000_000, truncated=True)
    assert truncated.json() is None


def test_a_crate() -> None:
    piece = spoken(PAGES["crates"], SavedSite("crates")).document
    assert (piece.title, piece.byline) == ("mill 1.2.0", "Ada Berg")
    for part in ("licence MIT OR Apache-2.0 · requires Rust 1.80", "123,456 downloads",
                 "- `oil * (optional)`\n- `cc ^1 (build)`", "### mill",
                 "[docs](https://github.com/ada/mill/blob/HEAD/docs/a.md)",
                 "- `1.1.0` · 2026-01-01 · yanked"):  # fmt: skip
        assert part in piece.markdown
    assert "spy" not in piece.markdown
    old = spoken(f"{PAGES['crates']}/1.1.0", SavedSite("crates")).text
    assert "newest is 1.2.0" in old
    assert "**This version was yanked: wrong counts**" in old
    missing = spoken(f"{PAGES['crates']}/9.9.9", SavedSite("crates")).error
    assert missing is not None
    assert missing.code == "not_found"


@pytest.mark.parametrize("site", PAGES)
@pytest.mark.parametrize(
    ("mode", "code"),
    [
        (SiteMode.MISSING, "not_found"),
        (SiteMode.RATE_LIMITED, "rate_limited"),
        (SiteMode.MALFORMED, "unparseable"),
        (SiteMode.BROKEN, "upstream"),
        (SiteMode.SLOW, "dns"),
    ],
)
def test_what_is_refused_is_named(site: str, mode: SiteMode, code: str) -> None:
    app = SavedSite(site)
    app.mode = mode
    error = spoken(PAGES[site], app).error
    assert error is not None
    assert error.code == code


@pytest.mark.parametrize("site", PAGES)
def test_answers_of_another_shape_give_what_can_be_read(site: str) -> None:
    app = SavedSite(site)
    app.mode = SiteMode.STRANGE
    talk = spoken(PAGES[site], app)
    assert no_heading_but_ours(talk.text)
    assert talk.document.title


@pytest.mark.parametrize(
    ("url", "repository", "page"),
    [
        ("git+https://github.com/a/b.git", ("a", "b"), "https://github.com/a/b"),
        ("git+ssh://git@github.com/a/b.git", ("a", "b"), "https://github.com/a/b"),
        ("github:a/b", ("a", "b"), "https://github.com/a/b"),
        ("https://github.com/a/b/issues", ("a", "b"), "https://github.com/a/b/issues"),
        ("git://host.example/x.git", None, "https://host.example/x.git"),
        ("https://mill.example/", None, "https://mill.example/"),
        ("javascript:alert(1)", None, ""),
        ("http://[", None, ""),
        ("", None, ""),
    ],
)
def test_addresses_of_repositories(url: str, repository: object, page: str) -> None:
    assert repository_of([url]) == repository
    assert web(url) == page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=====\nTitle\n=====\n\nPart\n----\n", "# Title\n\n\n## Part"),
        ("Use::\n\n  a\n\n    b\n\nend", "Use:\n\n```\na\n\n  b\n```\n\nend"),
        ("::\n\n  a\n", "```\na\n```"),
        (".. code:: rust\n   :lines:\n\n   fn x() {}\n\nend", "```rust\nfn x() {}\n```\n\nend"),
        (".. image:: a.png\n   :alt: A\n   :target: b\n", "[![A](a.png)](b)"),
        (".. |x| image:: a.png\n", "![](a.png)"),
        (".. a comment\n   more\n\nend", "end"),
        ("See `the site`_ and b_.\n\n.. _the site: https://x.example/\n",
         "See [the site](https://x.example/) and b_."),
        (":func:`count <mill.count>` and ``a_`` and __init__", "`count` and `a_` and __init__"),
        ("a\n--", "a\n--"),
    ],
)  # fmt: skip
def test_restructured_text_reads_as_markdown(text: str, expected: str) -> None:
    assert rst_to_markdown(text) == expected
