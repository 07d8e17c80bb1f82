"""Addresses that aim elsewhere, and answers of any shape: no request strays, nothing breaks."""

from __future__ import annotations

import json
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broker.errors import BrokerError
from broker.redact import safe_url
from broker.settings import SiteSettings
from broker.sites.base import Read, Reply, Text, Together, is_plain
from broker.sites.fxtwitter_article import article_blocks
from broker.sites.hn_thread import thread_of
from broker.sites.writing import facts, fenced, told
from tests.broker.sites.talking import conversation, no_heading_but_ours, spoken
from tests.emulators.saved_sites import SavedSite

TOKEN = SiteSettings(github_token="ghp_0123456789")  # noqa: S106 - made up
UP = ("..", ".", "%2e%2e", "..%2fx", "..%2f..%2fuser%2femails", "%2e%2e%2Fuser", "a%5cb", "a%00")
WAYS = (
    "https://github.com/{}/r", "https://github.com/o/{}", "https://github.com/o/r/blob/{}/f",
    "https://github.com/o/r/blob/main/{}", "https://github.com/o/r/tree/{}",
    "https://github.com/o/r/tree/main/{}/x", "https://github.com/o/r/releases/tag/{}",
    "https://github.com/o/r/commit/{}", "https://gist.github.com/o/{}",
    "https://pypi.org/project/{}", "https://pypi.org/project/a/{}",
    "https://www.npmjs.com/package/{}", "https://www.npmjs.com/package/@s/{}",
    "https://www.npmjs.com/package/a/v/{}", "https://crates.io/crates/{}",
    "https://crates.io/crates/a/{}", "https://stackoverflow.com/questions/{}",
    "https://news.ycombinator.com/item?id={}", "https://x.com/{}/status/1",
    "https://x.com/a/status/{}",
)  # fmt: skip
PAGES = (
    "https://github.com/o/r", "https://github.com/o/r/issues/1", "https://github.com/o/r/pull/1",
    "https://github.com/o/r/commit/abcdef1", "https://github.com/o/r/releases",
    "https://github.com/o/r/issues", "https://github.com/o/r/tree/main/x",
    "https://gist.github.com/o/abcdef1", "https://pypi.org/project/a", "https://crates.io/crates/a",
    "https://www.npmjs.com/package/a", "https://stackoverflow.com/questions/1",
    "https://en.wikipedia.org/wiki/A", "https://news.ycombinator.com/item?id=1",
    "https://x.com/a/status/1",
)  # fmt: skip
NAMES = (
    "id", "title", "body", "user", "login", "created_at", "full_name", "default_branch", "tree",
    "path", "type", "number", "comments", "items", "files", "info", "name", "version", "releases",
    "question_id", "owner", "html", "text", "children", "status", "article", "content", "blocks",
    "depth", "likes", "author", "crate", "versions", "commit", "message", "score", "creation_date",
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.text(max_size=8)
    | st.sampled_from([0, -3, 1, 1e300, 10**400, "..", "../x", "ordered-list-item", "\u202e", "9"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(NAMES), inner, max_size=8),
    max_leaves=20,
)  # fmt: skip


@pytest.mark.parametrize("up", UP)
@pytest.mark.parametrize("way", WAYS)
def test_no_address_leads_beside_what_it_names(way: str, up: str) -> None:
    talk = conversation(way.format(up), TOKEN)
    if talk is not None:  # a part of the address that no request has
        step = next(talk)
        for each in step.steps if isinstance(step, Together) else (step,):
            path = urlsplit(each.url).path
            assert is_plain(path.strip("/")), each.url
            assert "user" not in unquote(path)


def test_a_branch_that_leads_elsewhere_is_not_followed() -> None:
    app = SavedSite("github")
    said = app.answers["/repos/ada/mill"]
    assert isinstance(said, dict)
    app.answers["/repos/ada/mill"] = said | {"full_name": "../user", "default_branch": "../.."}
    talk = spoken("https://github.com/ada/mill", app, TOKEN)
    assert all(is_plain(urlsplit(url).path.strip("/")) for url in talk.asked)


@pytest.mark.parametrize("kind", ["issues", "pull"])
def test_numbers_of_addresses_are_bounded(kind: str) -> None:
    assert conversation(f"https://github.com/o/r/{kind}/{'1' * 5000}") is None
    assert conversation(f"https://github.com/o/r/{kind}/{'1' * 18}") is not None


def test_a_message_names_the_item_it_is_about() -> None:
    url = "https://news.ycombinator.com/item?id=123"
    assert safe_url(url) == url
    assert safe_url("https://a.example/?id=s3cret&q=x") == "https://a.example/?id&q"


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PAGES), st.data())
def test_no_answer_breaks_a_conversation(url: str, data: st.DataObject) -> None:
    talk = conversation(url, TOKEN)
    assert talk is not None

    def reply(step: object) -> Reply | Text:
        if isinstance(step, Read):
            return Text(url=step.url, markdown="x")
        body = json.dumps(data.draw(VALUES)).encode()
        return Reply(url=url, status=200, body=body, media_type="application/json")

    made = ""
    try:
        step = next(talk)
        while True:
            inner = step.steps if isinstance(step, Together) else None
            step = talk.send(reply(step) if inner is None else tuple(map(reply, inner)))
    except StopIteration as end:
        made = end.value.markdown
    except BrokerError:
        return
    assert no_heading_but_ours(made)


def test_an_article_of_any_depth_is_shown() -> None:
    item = {"type": "unordered-list-item", "text": "a"}
    content = {"blocks": [{**item, "depth": depth} for depth in (-3, 10**400, 2, -1)]}
    assert len(article_blocks({"content": content}, [])) == 4


def test_a_comment_has_no_heading_of_the_document() -> None:
    comment = {"id": 2, "author": "a\nb", "text": "<h1>x</h1>", "children": []}
    thread = thread_of({"id": 1, "title": "T", "type": "story", "children": [comment]})
    assert thread is not None
    assert no_heading_but_ours(thread.markdown)
    assert "**a b**" in thread.markdown


def test_facts_without_a_value_are_left_out() -> None:
    assert facts(told("created", ""), told("by", "a")) == "by a"
    assert fenced("a\u202eb\x1b[0m") == "```\nab[0m\n```"
