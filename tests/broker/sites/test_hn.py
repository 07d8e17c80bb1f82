"""Hacker News: stories, questions, polls and comments with their answers as nested lists."""

from __future__ import annotations

import pytest

from broker.sites import hn_thread
from broker.sites.hn_thread import DEEPEST, MOST_COMMENTS, Thread, thread_of
from tests.broker.sites.talking import conversation, no_heading_but_ours, spoken
from tests.emulators.saved_sites import SiteMode
from tests.emulators.site_doors import Door

ITEM = "https://news.ycombinator.com/item?id="
API = "https://hn.algolia.com/api/v1/items/"


def comment(
    number: int, *answers: object, text: str = "", author: str = "bob"
) -> dict[str, object]:
    return {
        "id": number,
        "type": "comment",
        "author": author,
        "text": text or f"Comment {number}.",
        "children": list(answers),
    }


def story(*answers: object) -> Thread:
    item = {
        "id": 1,
        "type": "story",
        "title": "A story",
        "author": "ada",
        "children": list(answers),
    }
    thread = thread_of(item)
    assert thread is not None
    assert no_heading_but_ours(thread.markdown)
    return thread


def test_a_story_and_its_comments() -> None:
    talk = spoken(f"{ITEM}40000001", Door("hn"))
    piece = talk.document
    assert talk.asked == [f"{API}40000001"]
    assert (piece.title, piece.byline) == ("Show HN: A gauge that learns *tides*", "ada")
    assert piece.published == "2026-05-04T10:11:12Z"
    assert piece.url == f"{ITEM}40000001"
    parts = (
        f"ada · 2026-05-04 10:11 · 123 points · [Hacker News]({ITEM}40000001)\n\n",
        "[https://gauge.example/](https://gauge.example/)\n\n## Comments\n\n",
        f"- **bob** · [2026-05-04 10:11]({ITEM}40000002)\n\n  I built the old one.\n\n",
        "old one.\n\n  > harmonic tables age badly\n\n  They do, see ",
        "[https://tides.example/a/very/long/address](https://tides.example/a/very/long/address)",
        "and *weep*.\n\n  ```\n  # not a heading\n  for t in tides:\n      read(t)\n  ```\n\n",
        f"  - **cy** · [2026-05-04 10:11]({ITEM}40000004) · answers a deleted comment\n\n",
        "deleted comment\n\n    An answer to nobody.",
        "    \\# Loud \\`\\`\\`",
        "\n- **eve** · ",
    )
    assert [part for part in parts if part not in piece.markdown] == []
    assert no_heading_but_ours(piece.markdown)


def test_a_question_has_its_text() -> None:
    text = spoken(f"{ITEM}40000010", Door("hn")).text
    assert "\n\nI have a net.\n\nIt is **wet**." in text
    assert "## Comments" not in text


def test_a_poll_has_its_options_once() -> None:
    text = spoken(f"{ITEM}40000020", Door("hn")).text
    assert "## Options\n\n- Nets · 3 points\n- Herons · 41 points\n\n## Comments\n" in text
    assert text.count("Nets ·") == 1


def test_a_comment_names_its_story_and_what_it_answers() -> None:
    piece = spoken(f"{ITEM}40000005", Door("hn")).document
    assert piece.title == "Comment by dee: The tide is late. Again."
    assert f"· 4 points · on [its story]({ITEM}40000001)" in piece.markdown
    assert f"answers [a comment]({ITEM}40000002)" in piece.markdown
    assert "## Answers\n\n- **eve**" in piece.markdown


def test_answers_stand_below_what_they_answer_in_the_order_given() -> None:
    thread = story(comment(2, comment(4), comment(3)), comment(5))
    places = [thread.markdown.index(f"Comment {number}.") for number in (2, 4, 3, 5)]
    assert places == sorted(places)
    assert "\n- **bob**" in thread.markdown
    assert "\n  - **bob**" in thread.markdown


def test_deep_answers_stay_within_the_page_and_name_whom_they_answer() -> None:
    tree = comment(100, author="u100")
    for number in range(101, 160):
        tree = comment(number, tree, author=f"u{number}")
    thread = story(tree)
    indents = [len(line) - len(line.lstrip()) for line in thread.markdown.split("\n") if line]
    assert max(indents) == 2 * DEEPEST
    assert "**u100** · [link](https://news.ycombinator.com/item?id=100) · answers u101" in (
        thread.markdown
    )
    assert thread.warnings == ()


def test_a_huge_thread_is_cut_where_every_branch_has_begun() -> None:
    branches = [
        comment(branch, *(comment(branch + each) for each in range(1, 60)))
        for branch in range(1000, 11_000, 1000)
    ]
    thread = story(*branches)
    assert thread.markdown.count("**bob**") == MOST_COMMENTS
    for branch in range(1000, 11_000, 1000):
        assert f"Comment {branch}." in thread.markdown
    # Ten branches, then the answers of one after the other: of six all, of the seventh 36.
    assert thread.warnings == ("200 of 600 comments are left out",)
    assert "  [23 more](https://news.ycombinator.com/item?id=7000) left out" in thread.markdown
    assert "  [59 more](https://news.ycombinator.com/item?id=8000) left out" in thread.markdown


def test_more_first_comments_than_fit_are_counted_at_the_end() -> None:
    thread = story(*(comment(number) for number in range(10, 10 + MOST_COMMENTS + 5)))
    assert thread.markdown.endswith("[5 more](https://news.ycombinator.com/item?id=1) left out")


def test_a_thread_of_long_comments_is_cut_by_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hn_thread, "MOST_CHARS", 1000)
    thread = story(*(comment(number, text="x" * 300) for number in range(10, 20)))
    assert thread.markdown.count("**bob**") == 2
    assert thread.warnings == ("8 of 10 comments are left out",)


def test_ten_thousand_levels_are_no_trouble() -> None:
    tree = comment(1)
    for number in range(2, 10_000):
        tree = comment(number, tree)
    assert story(tree).warnings == ("9599 of 9999 comments are left out",)


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"id": 1},
        {"id": "x", "title": "t"},
        {"id": 1, "title": 5, "text": []},
        {"id": True, "title": "t"},
    ],
)
def test_what_is_no_item_is_none(item: dict[str, object]) -> None:
    assert thread_of(item) is None


def test_odd_fields_are_passed_over() -> None:
    thread = thread_of(
        {
            "id": "7", "title": "t", "author": 5, "points": "many", "url": "javascript:x",
            "options": 3, "created_at_i": 1e99, "created_at": None,
            "children": [None, 4, [], {"text": "Still here."}],
        }
    )  # fmt: skip
    assert thread is not None
    assert "Still here." in thread.markdown
    assert "javascript" not in thread.markdown


@pytest.mark.parametrize("path", ["/", "/news", "/item", "/item?id=x", "/item?id=-1", "/user?id=5"])
def test_other_pages_are_read_as_any_page_is(path: str) -> None:
    assert conversation(f"https://news.ycombinator.com{path}") is None


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        (SiteMode.MISSING, "not_found"),
        (SiteMode.RATE_LIMITED, "rate_limited"),
        (SiteMode.MALFORMED, "unparseable"),
        (SiteMode.STRANGE, "unparseable"),
        (SiteMode.BROKEN, "upstream"),
        (SiteMode.RESETTING, "dns"),
    ],
)
def test_what_goes_wrong(mode: SiteMode, code: str) -> None:
    door = Door("hn")
    door.mode = mode
    talk = spoken(f"{ITEM}40000001", door)
    assert talk.error is not None
    assert talk.error.code == code
