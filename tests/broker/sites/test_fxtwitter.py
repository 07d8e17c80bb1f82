"""X: posts, threads and Articles in either form of FxTwitter's API, and posts that are gone."""

from __future__ import annotations

import json

import pytest

from broker.errors import SiteFailed
from broker.sites.fxtwitter_article import article_blocks
from broker.sites.fxtwitter_post import Lost, post_of
from extract.markdown import render
from tests.broker.sites.talking import Talk, conversation, no_heading_but_ours, spoken
from tests.emulators.saved_sites import FOLDER, SiteMode
from tests.emulators.site_doors import Door

API = "https://api.fxtwitter.com"
THREAD, FIRST_FORM = "1900000000000000002", "1900000000000000004"
ARTICLE, LOST, PRIVATE = "1900000000000000005", "1900000000000000666", "1900000000000000401"


def read(number: str, door: Door | None = None) -> Talk:
    return spoken(f"https://x.com/ada/status/{number}", door or Door("fxtwitter"))


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("https://x.com/ada/status/1900000000000000002", THREAD),
        ("https://twitter.com/ada/statuses/1900000000000000002?s=20", THREAD),
        ("https://mobile.twitter.com/ada/status/1900000000000000002/photo/1", THREAD),
        ("https://x.com/i/web/status/1900000000000000002", THREAD),
        ("https://www.x.com/i/status/1900000000000000002", THREAD),
        ("https://fxtwitter.com/ada/status/1900000000000000002", THREAD),
        ("https://vxtwitter.com/ada/status/1900000000000000002", THREAD),
        ("https://fixupx.com/ada/status/1900000000000000002", THREAD),
        ("https://x.com/ada/article/1900000000000000005", ARTICLE),
    ],
)
def test_a_post_under_each_of_its_addresses_is_one_request(path: str, number: str) -> None:
    talk = spoken(path, Door("fxtwitter"))
    assert talk.asked == [f"{API}/2/thread/{number}"]
    assert talk.document.url == f"https://x.com/ada/status/{number}"
    assert dict(talk.gets[0].headers)["User-Agent"].startswith("webaio/")


def test_a_thread_stands_in_its_order_and_says_which_post_was_asked_for() -> None:
    piece = read(THREAD).document
    assert (
        piece.title == "Ada *Example* (@ada): A heron thread 🧵 about reading rivers. Full notes:…"
    )
    assert (piece.byline, piece.lang) == ("Ada *Example* (@ada)", "en")
    assert piece.published == "2026-09-21T14:15:20Z"
    assert "A thread of 3 posts; the one that was asked for is number 2.\n\n## 1 of 3\n" in (
        piece.markdown
    )
    places = [piece.markdown.index(part) for part in ("## 1 of 3", "## 2 of 3", "The very end.")]
    assert places == sorted(places)
    assert no_heading_but_ours(piece.markdown)


@pytest.mark.parametrize(
    "part",
    [
        "**Ada \\*Example\\* (@ada)** · 2026-09-21 14:14 · 1,200 likes · 3 reposts · 1 reply · [X]",
        "Full notes: [https://herons.example/notes?a=1&b=2](https://herons.example/notes?a=1&b=2)",
        " and a picture\n\n",
        "![A heron [standing] in reeds](https://pbs.example/heron.jpg?name=orig)",
        "[Video, 1:12](https://video.example/h.mp4)",
        "answers [@ada](https://x.com/ada/status/1900000000000000001)",
        "- The long one: 75 %, 3 votes\n- \\- [ ] the other: 25 %, 1 vote\n\n",
        "4 votes · ends 2026-09-30 10:00",
        "> **Community note:**\n>\n> The long river is the short one. See [https://rivers.example/",
        "> **Bob (@bob)** · ",
        "> \\# Nets are fine\\\n> \\`\\`\\`",
    ],
)
def test_what_a_thread_shows_is_kept(part: str) -> None:
    text = read(THREAD).text
    assert part in text
    assert "t.co" not in text


def test_the_first_form_is_asked_where_the_second_has_no_post() -> None:
    talk = read(FIRST_FORM)
    assert talk.asked == [
        f"{API}/2/thread/{FIRST_FORM}",
        f"{API}/ada/status/{FIRST_FORM}",
    ]
    for part in (
        "answers [@carol](https://x.com/carol/status/1800000000000000007)",
        "· 9 reposts · 1 reply · 456 views ·",
        "[Picture](https://pbs.example/plain.jpg)",
        "> The post quoted here is gone.",
    ):
        assert part in talk.text
    assert "thread" not in talk.text


def test_an_article_is_whole() -> None:
    piece = read(ARTICLE).document
    assert piece.title == "How Herons Read # a River"
    assert piece.markdown.partition("[X]")[2].partition("\n\n")[2] == (
        "![Cover](https://pbs.example/cover.jpg)\n\n"
        "🪶🪶 **Herons** read *rivers*, see [the notes](https://herons.example/(notes))"
        " and run `heron --read` now.\n\n"
        "## The long view\n\n"
        "\\# not a heading, and [https://bare.example/x](https://bare.example/x).\n\n"
        "### Steps\n\n1. Stand\n2. Wait\n   - for fish\n3. Strike\n\n- a point\n\n"
        "> Patience is a net.\n\n"
        "![A heron](https://pbs.example/in-text.jpg)\n\n"
        "```python\n# wait\nheron.read(river)\n```\n\n---\n\n"
        "[https://x.com/i/status/1900000000000000099](https://x.com/i/status/1900000000000000099)"
        "\n\nThe very last words of the Article."
    )
    assert piece.warnings == ("parts of the Article are of an unknown kind: HOLOGRAM",)
    assert no_heading_but_ours(piece.markdown)


def test_of_an_article_without_blocks_the_beginning_is_shown() -> None:
    warnings: list[str] = []
    blocks = article_blocks({"preview_text": "Herons read …", "content": None}, warnings)
    assert render(blocks) == "Herons read …"
    assert warnings == ["of the Article only the beginning is known"]


@pytest.mark.parametrize("markdown", ["| a | b |\n|---|---|\n| 1 | 2 |", "# loud", "~~~\nopen"])
def test_markdown_in_an_article_stays_apart_from_ours(markdown: str) -> None:
    content = {
        "blocks": [{"type": "atomic", "text": " ", "entityRanges": [{"key": 0}]}],
        "entityMap": {"0": {"type": "MARKDOWN", "data": {"markdown": markdown}}},
    }
    text = render(article_blocks({"content": content}, []))
    assert text == f"```markdown\n{markdown}\n```"


def test_the_address_of_an_article_says_what_to_ask_for() -> None:
    talk = spoken("https://x.com/i/article/1950000000000000001", Door("fxtwitter"))
    assert talk.asked == []
    assert isinstance(talk.error, SiteFailed)
    assert (talk.error.code, talk.error.conclusive) == ("elsewhere", True)
    assert "https://x.com/<author>/status/<number of the post>" in talk.error.message


@pytest.mark.parametrize(
    ("number", "code", "requests"),
    [(LOST, "gone", 1), (PRIVATE, "private", 2), ("1900000000000000404", "not_found", 2)],
)
def test_a_post_that_cannot_be_had_is_a_clear_end(number: str, code: str, requests: int) -> None:
    talk = read(number)
    assert isinstance(talk.error, SiteFailed)
    assert (talk.error.code, talk.error.conclusive) == (code, True)
    assert len(talk.asked) == requests


@pytest.mark.parametrize(
    ("mode", "code", "requests"),
    [
        (SiteMode.RATE_LIMITED, "rate_limited", 1),
        (SiteMode.BROKEN, "upstream", 2),
        (SiteMode.MALFORMED, "unparseable", 2),
        (SiteMode.STRANGE, "unparseable", 2),
        (SiteMode.RESETTING, "dns", 2),
    ],
)
def test_an_interface_that_fails_leaves_the_page_to_the_ordinary_way(
    mode: SiteMode, code: str, requests: int
) -> None:
    door = Door("fxtwitter")
    door.mode = mode
    talk = read(THREAD, door)
    assert talk.error is not None
    assert talk.error.code == code
    assert not getattr(talk.error, "conclusive", False)
    assert len(talk.asked) == requests


@pytest.mark.parametrize(
    "path",
    ["/ada", "/", "/search?q=x", "/ada/status/x", "/ada/status/", "/i/lists/5", "/2/status/"],
)
def test_other_pages_are_read_as_any_page_is(path: str) -> None:
    assert conversation(f"https://x.com{path}") is None


@pytest.mark.parametrize(
    "value", [None, 5, [], {}, {"id": 7}, {"id": "x"}, {"id": True}, {"id": -4}]
)
def test_what_is_no_post_is_none(value: object) -> None:
    assert post_of(value) is None


def test_quotes_of_quotes_end() -> None:
    post = json.loads((FOLDER / "fxtwitter" / "v1-post.json").read_bytes())["tweet"]
    for _ in range(50):
        post = {**post, "quote": post}
    depth, at = 0, post_of(post)
    while at is not None and not isinstance(at, Lost):
        depth, at = depth + 1, at.quote
    assert depth == 4


def test_odd_fields_are_passed_over() -> None:
    odd = {
        "id": 7, "text": "Still here.", "raw_text": [], "author": "ada",
        "media": {"all": [3, {"url": "x"}]},
        "poll": {"choices": [{"label": 3}]}, "quote": 5, "article": "no", "replying_to": ["a"],
        "created_timestamp": "now", "community_note": 3,
    }  # fmt: skip
    post = post_of(odd)
    assert post is not None
    assert not isinstance(post, Lost)
    assert (post.id, post.text, post.media, post.article) == ("7", "Still here.", (), None)
