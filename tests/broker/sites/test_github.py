"""GitHub's pages by its interface: what they say, what they cost, what is refused."""

from __future__ import annotations

import json
import re

import pytest

from broker.errors import NotConnected
from broker.settings import SiteSettings
from broker.sites.base import Text
from tests.broker.sites.talking import conversation, no_heading_but_ours, spoken
from tests.emulators.saved_sites import RESET_S, SavedSite, SiteMode

MILL = "https://github.com/ada/mill"
GIST = "https://gist.github.com/ada/0a1b2c3d4e"
API, RAW = "https://api.github.com", "https://raw.githubusercontent.com"
TOKEN = SiteSettings(github_token="ghp_0123456789")  # noqa: S106 - made up


def site(**answers: object) -> SavedSite:
    """The saved answers, and others beside them."""
    app = SavedSite("github")
    app.answers |= {f"/{name}": value for name, value in answers.items()}
    return app


def long_issue(comments: int) -> SavedSite:
    """An issue with so many comments, a hundred a page."""

    class Paged(SavedSite):
        def _found(self, request: object) -> object:
            path, query = request.path, request.query  # type: ignore[attr-defined]
            if not path.endswith("/7/comments"):
                return super()._found(request)  # type: ignore[arg-type]
            first = (int(query.get("page", "1")) - 1) * 100
            return [
                {"id": n, "user": {"login": "bob"}, "body": f"Comment {n}.",
                 "created_at": f"2026-01-01T{n // 60:02}:{n % 60:02}:00Z"}
                for n in range(first, min(first + 100, comments))
            ]  # fmt: skip

    app = Paged("github")
    issue = app.answers["/repos/ada/mill/issues/7"]
    assert isinstance(issue, dict)
    app.answers["/repos/ada/mill/issues/7"] = issue | {"comments": comments}
    return app


@pytest.mark.parametrize(
    ("url", "api", "raw"),
    [
        (MILL, 2, 1),
        (f"{MILL}/blob/main/src/wheel.py", 0, 1),
        (f"{MILL}/blob/feature/wheel/src/wheel.py", 3, 1),
        (f"{MILL}/tree/main/src", 1, 1),
        (f"{MILL}/issues/7", 2, 0),
        (f"{MILL}/issues/7#issuecomment-72", 2, 0),
        (f"{MILL}/issues/7#issuecomment-99", 3, 0),
        (f"{MILL}/pull/8", 5, 0),
        (f"{MILL}/pull/8/files", 5, 0),
        (f"{MILL}/commit/abcdef1", 1, 0),
        (f"{MILL}/releases", 1, 0),
        (f"{MILL}/releases/latest", 1, 0),
        (f"{MILL}/releases/tag/v1.2", 1, 0),
        (f"{MILL}/issues", 1, 0),
        (f"{MILL}/pulls?q=is%3Apr+oil&page=2", 1, 0),
        (GIST, 2, 0),
    ],
)
def test_what_a_page_costs(url: str, api: int, raw: int) -> None:
    talk = spoken(url, site())
    assert sum(each.startswith(API) for each in talk.asked) == api, talk.asked
    assert sum(each.startswith(RAW) for each in talk.asked) == raw
    assert len(talk.asked) == api + raw
    assert no_heading_but_ours(talk.text)
    assert talk.document.warnings == () or "search" in talk.asked[0] or url == GIST


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/ada",
        "/topics/mills",
        "/orgs/mill/people",
        "/ada/mill/discussions/3",
        "/ada/mill/wiki/Home",
        "/ada/mill/compare/a...b",
        "/ada/mill/blob/main",
        "/ada/mill/raw/main/x.py",
        "/ada/mill/issues/new",
        "/ada/mill/issues?state=closed",
        "/ada/mill/commit/abcdef1.diff",
        "/ada/mill/pull/8/conflicts",
        "/ada/mi%20ll",
    ],
)
def test_other_pages_are_read_in_the_ordinary_way(path: str) -> None:
    assert conversation(f"https://github.com{path}") is None


def test_a_repository_says_what_it_is() -> None:
    piece = spoken(f"{MILL}.git", site()).document
    assert piece.title == piece.markdown.partition("\n")[0].removeprefix("# ") == "ada/mill"
    assert (piece.url, piece.byline, piece.published) == (MILL, "ada", "2021-02-03T04:05:06Z")
    for fact in (
        "1,234 stars · 56 forks · Python · licence MIT · default branch `main`",
        "1 open issue or pull request",
        "archived, fork · forked from [bob/mill](https://github.com/bob/mill)",
        "topics: grain, water-power",
        "Counts what a \\*mill\\* grinds \\<daily>",
        "### Mill",
        f"[the guide]({MILL}/blob/main/docs/guide.md)",
        f"[the licence]({MILL}/blob/main/LICENSE)",
        f"![a wheel]({RAW}/ada/mill/main/img/wheel.png)",
        f"- [src/]({MILL}/tree/main/src)\n- [README.md]({MILL}/blob/main/README.md) 2.3 KB",
        f"[vendor/]({MILL}/tree/main/vendor) submodule",
    ):
        assert fact in piece.markdown
    assert "generated" not in piece.markdown


def test_a_readme_of_another_name_is_found_in_the_tree() -> None:
    app = site()
    text = app.answers.pop("/ada/mill/HEAD/README.md")
    app.answers["/repos/ada/mill/git/trees/HEAD"] = {
        "tree": [{"path": "Readme.rst", "type": "blob"}, {"path": "readme_old", "type": "blob"}]
    }
    app.answers["/ada/mill/main/Readme.rst"] = "Mill\n====\n\nTurns.\n"
    assert text
    assert "### Mill\n\nTurns." in spoken(MILL, app).text
    app.answers["/repos/ada/mill/git/trees/HEAD"] = {"tree": [{"path": "src", "type": "tree"}]}
    talk = spoken(MILL, app)
    assert len(talk.asked) == 3
    assert "README" not in talk.text


def test_a_repository_without_a_list_of_files_says_so() -> None:
    app = site()
    app.mode, app.only = SiteMode.BROKEN, "git/trees"
    piece = spoken(MILL, app).document
    assert piece.warnings[0].startswith("the list of files is missing: GitHub's interface answers")
    assert "## README" in piece.markdown


def test_lines_of_a_file_come_first() -> None:
    piece = spoken(f"{MILL}/blob/main/src/wheel.py#L2-L3", site()).document
    assert piece.url == f"{MILL}/blob/main/src/wheel.py#L2-L3"
    start = piece.markdown.index("## Lines 2 to 3\n\n```python\ndef turn():\n    return 1\n```")
    assert start < piece.markdown.index("## The whole file")
    assert "\n````python\n# turns\n" in piece.markdown, "the fence is longer than those in the file"
    one = spoken(f"{MILL}/blob/main/src/wheel.py#L900", site()).text
    assert "## Line 900\n\nThere is nothing in these lines." in one
    assert "## The whole file" not in spoken(f"{MILL}/blob/main/src/wheel.py#oddity", site()).text


def test_files_are_shown_as_what_they_are() -> None:
    guide = spoken(f"{MILL}/blob/main/docs/guide.md", site()).document
    assert guide.title == "The guide"
    assert f"[more]({MILL}/blob/main/docs/other.md#top)" in guide.markdown
    assert "## Second part" in guide.markdown
    rst = spoken(f"{MILL}/blob/main/docs/intro.rst", site()).document
    assert rst.title == "Intro"
    assert "[shown](https://mill.example/use):\n\n```\ncount(1)\n```\n\n```python" in rst.markdown
    notebook = spoken(f"{MILL}/blob/main/notes.ipynb", site()).text
    assert "## Notes\nOn grain.\n\n```python\n1 + 1\n```\n\n```\n2\n```" in notebook


def test_a_branch_with_slashes_is_found_by_its_name() -> None:
    piece = spoken(f"{MILL}/blob/feature/wheel/src/wheel.py", site()).document
    assert "`src/wheel.py` in [ada/mill]" in piece.markdown
    assert "at `feature/wheel`" in piece.markdown
    missing = spoken(f"{MILL}/blob/feature/sail/src/wheel.py", site())
    assert (missing.error and missing.error.code) == "not_found"
    assert len(missing.asked) == 3


def test_a_file_that_is_no_text_is_read_as_any_file() -> None:
    class Picture(SavedSite):
        def _answer(self, request: object) -> object:  # type: ignore[override]
            answer = super()._answer(request)  # type: ignore[arg-type]
            return type(answer)(body=b"%PDF-1.7 \x00\x01")

    url, raw = f"{MILL}/blob/main/paper.pdf", f"{RAW}/ada/mill/main/paper.pdf"
    text = Text(url=raw, markdown="# Paper\n\nOn mills.", title="Paper")
    piece = spoken(url, Picture("github"), texts={raw: text}).document
    assert piece.title == "Paper"
    assert piece.markdown.endswith("## Paper\n\nOn mills.")
    failure = NotConnected("dns", "this is a file (PDF)", url=raw)
    piece = spoken(url, Picture("github"), texts={raw: failure}).document
    assert piece.warnings == ("this is a file (PDF)",)
    assert f"[The file itself]({raw}) is no text." in piece.markdown


def test_a_directory_lists_what_is_in_it() -> None:
    text = spoken(f"{MILL}/tree/main/src", site()).text
    assert f"- [gears/]({MILL}/tree/main/src/gears)\n- [wheel.py]" in text
    assert f"## README.md\n\n### Sources\n\nSee [the wheel]({MILL}/blob/main/src/wheel.py)." in text


def test_an_issue_reads_in_the_order_of_time() -> None:
    piece = spoken(f"{MILL}/issues/7", site()).document
    assert (piece.title, piece.byline) == ("The wheel stops at `noon`", "ada")
    for fact in ("closed as not planned", "labels: bug, help wanted", "assigned to bob",
                 "milestone Spring", "3 comments", "locked", "member · 4 reactions"):  # fmt: skip
        assert fact in piece.markdown
    assert re.findall(r"^### (\S+),", piece.markdown, re.MULTILINE) == [
        "checker[bot]",
        "ghost",
        "ada",
    ]
    assert "#### Not a part of the page" in piece.markdown
    assert "template" not in piece.markdown


def test_the_comment_of_a_permalink_comes_first() -> None:
    for key, words in (("72", "### ghost"), ("99", "Far down.")):
        text = spoken(f"{MILL}/issues/7#issuecomment-{key}", site()).text
        asked, _, rest = text.partition("## The comment that was asked for")[2].partition("\n## ")
        assert words in asked
        assert rest.startswith("Comments")


@pytest.mark.parametrize(
    ("comments", "pages", "left"),
    [(100, [1], 0), (101, [1, 2], 0), (300, [1, 2, 3], 0), (950, [1, 2, 10], 700)],
)
def test_many_comments_are_cut_and_counted(comments: int, pages: list[int], left: int) -> None:
    talk = spoken(f"{MILL}/issues/7", long_issue(comments))
    asked = [each for each in talk.asked if "/comments?" in each]
    numbers = [int(found[1]) if (found := re.search(r"&page=(\d+)", each)) else 1 for each in asked]
    assert numbers == pages
    assert f"Comment {comments - 1}." in talk.text
    assert ("Not shown here: 700 more comments." in talk.text) is bool(left)
    assert bool(talk.document.warnings) is bool(left)


def test_a_pull_request_has_reviews_and_comments_on_code() -> None:
    piece = spoken(f"{MILL}/issues/8", site()).document
    assert piece.url == f"{MILL}/pull/8", "an issue that is a pull request is read as one"
    for fact in ("merged 2026-02-03", "`ada:oil` into `ada:main` · 2 commits",
                 "- `src/oil.py` +1 −0 (renamed from `src/fat.py`)",  # noqa: RUF001
                 "on `src/wheel.py` line 3\n\n```diff", "Which oil?"):  # fmt: skip
        assert fact in piece.markdown
    named = re.findall(r"^### (\S+),", piece.markdown, re.MULTILINE)
    assert named == ["checker[bot]", "bob", "cy"]
    assert "approved" in piece.markdown


def test_parts_that_cannot_be_had_are_named() -> None:
    app = site()
    app.mode, app.only = SiteMode.RATE_LIMITED, "pulls/8/"
    piece = spoken(f"{MILL}/pull/8", app).document
    assert [each.partition(":")[0] for each in piece.warnings] == [
        "the list of changed files is missing",
        "comments are missing",
    ]
    assert "Last word." in piece.markdown


def test_a_commit_shows_its_changes_within_bounds() -> None:
    app = site()
    text = spoken(f"{MILL}/commit/abcdef1", app).text
    assert "```\n# Why\n\nIt squeaked.\n```" in text
    assert "````diff\n@@ -1 +1,2 @@\n+```\n````" in text
    commit = json.loads(json.dumps(app.answers["/repos/ada/mill/commits/abcdef1"]))
    commit["files"] = [
        {"filename": f"f{n}", "patch": "+x\n" * 20_000, "additions": 1, "deletions": 0}
        for n in range(9)
    ]
    app.answers["/repos/ada/mill/commits/abcdef1"] = commit
    long = spoken(f"{MILL}/commit/abcdef1", app).text
    assert len(long) < 105_000
    assert "40,000 more characters of it are left out." in long
    assert "The changes of the other files are left out." in long


def test_a_list_asks_for_what_its_page_asks_for() -> None:
    asked = spoken(f"{MILL}/issues?q=label%3Abug+oil", site()).asked[0]
    assert "q=repo%3Aada%2Fmill+is%3Aissue+label%3Abug+oil&" in asked
    piece = spoken(f"{MILL}/pulls?q=is%3Apr&page=2", site()).document
    assert "page=2" in piece.url
    assert piece.warnings == ("24 more are on the pages that follow",)


@pytest.mark.parametrize(
    ("mode", "code", "words"),
    [
        (SiteMode.MISSING, "not_found", "GitHub's interface answers with the status 404"),
        (SiteMode.RATE_LIMITED, "rate_limited", "its 60 requests are used up, and counted anew"),
        (SiteMode.RATE_LIMITED, "rate_limited", "in 30 min, at 08:30 UTC; a token in"),
        (SiteMode.SECONDARY, "rate_limited", "again in 2 min, at 08:02 UTC"),
        (SiteMode.MALFORMED, "unparseable", "is no such JSON"),
        (SiteMode.BROKEN, "upstream", "the status 501"),
        (SiteMode.SLOW, "dns", "nobody answers"),
    ],
)  # fmt: skip
def test_what_is_refused_is_named(mode: SiteMode, code: str, words: str) -> None:
    app = site()
    app.mode = mode
    error = spoken(f"{MILL}/issues/7", app).error
    assert error is not None
    assert error.code == code
    assert words in error.message
    if mode is SiteMode.RATE_LIMITED:
        assert error.retry_after_s == RESET_S - 1_800_000_000
    assert not getattr(error, "conclusive", False)


@pytest.mark.parametrize("url", [MILL, f"{MILL}/issues/7", f"{MILL}/pull/8", f"{MILL}/releases",
                                 f"{MILL}/commit/abcdef1", f"{MILL}/issues", GIST,
                                 f"{MILL}/tree/main/src", f"{MILL}/releases/latest"])  # fmt: skip
def test_answers_of_another_shape_end_in_words(url: str) -> None:
    app = site()
    app.mode = SiteMode.STRANGE
    talk = spoken(url, app)
    if talk.error is not None:
        assert talk.error.code == "unparseable"
    else:
        assert no_heading_but_ours(talk.text)


def test_the_token_goes_to_the_interface_and_to_nobody_else() -> None:
    for url in (MILL, f"{MILL}/blob/main/src/wheel.py", f"{MILL}/tree/main/src", f"{MILL}/pull/8"):
        talk = spoken(url, site(), TOKEN)
        for get in talk.gets:
            sent = "Authorization" in dict(get.headers)
            assert sent == get.url.startswith(API + "/")
            assert "ghp_" not in get.url + repr(get)
    plain = spoken(MILL, site())
    assert all("Authorization" not in dict(get.headers) for get in plain.gets)


def test_with_a_token_files_come_by_the_interface() -> None:
    app = site()
    app.answers["/repos/ada/mill/contents/README.md"] = "# Private\n"
    talk = spoken(MILL, app, TOKEN)
    assert "### Private" in talk.text
    assert "latest release [v1.2]" in talk.text
    assert not any(each.startswith(RAW) for each in talk.asked)
    assert len(talk.asked) == 4
