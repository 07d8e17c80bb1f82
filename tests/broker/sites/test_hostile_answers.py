"""Answers that nobody expects: fields of any type, and texts that would pass for our Markdown."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from broker.sites.fxtwitter_page import thread_piece
from broker.sites.fxtwitter_post import Post, post_of
from broker.sites.hn_thread import thread_of
from broker.sites.youtube_film import film_of
from broker.sites.youtube_page import film_markdown
from broker.sites.youtube_words import words_of
from tests.broker.sites.talking import no_heading_but_ours
from tests.emulators.saved_sites import FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable

STORY = json.loads((FOLDER / "hn" / "story.json").read_bytes())
POLL = json.loads((FOLDER / "hn" / "poll.json").read_bytes())
THREAD = json.loads((FOLDER / "fxtwitter" / "v2-thread.json").read_bytes())
ARTICLE = json.loads((FOLDER / "fxtwitter" / "article.json").read_bytes())
WORDS = json.loads((FOLDER / "youtube" / "words.json").read_bytes())
WATCH = (FOLDER / "youtube" / "watch.html").read_text()
START = WATCH.index("{", WATCH.index("ytInitialPlayerResponse = {"))
PLAYER, END = json.JSONDecoder().raw_decode(WATCH, START)

JUNK: st.SearchStrategy[object] = st.sampled_from(
    [None, True, 0, -1, 1e308, 7.5, "", "x", "\ud800", [], {}, [[]], [None], {"id": {}}, "9" * 5000]
)
LOUD = st.text(
    alphabet=st.sampled_from("#`~>-*_[]()<!|=+1. \n\t\\&;:/a\u2028\u202e"), min_size=1, max_size=40
)


def changed(value: object, choose: Callable[[int], int], put: Callable[[object], object]) -> object:
    """A copy of `value` with one of its leaves or branches replaced."""
    value = copy.deepcopy(value)
    at = value
    while True:
        keys: list[object] = list(at) if isinstance(at, dict) else list(range(len(at)))  # type: ignore[arg-type]
        if not keys:
            return value
        key = keys[choose(len(keys))]
        inner = at[key]  # type: ignore[index]
        if isinstance(inner, dict | list) and inner and choose(4):
            at = inner
            continue
        at[key] = put(inner)  # type: ignore[index]
        return value


def loud(value: object, text: str) -> object:
    """`value` with every text that a person wrote replaced."""
    if isinstance(value, dict):
        kept = {"type", "id", "kind", "baseUrl", "languageCode", "key", "style", "code", "status"}
        return {
            k: v if k in kept and not isinstance(v, dict) else loud(v, text)
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [loud(each, text) for each in value]
    return text if isinstance(value, str) and not value.startswith("http") else value


def documents(story: object, thread: object, player: object, words: object) -> list[str]:
    """What is made of answers; empty for those that hold nothing."""
    made = []
    if isinstance(story, dict) and (found := thread_of(story)) is not None:
        made.append(found.markdown)
    if isinstance(thread, dict):
        post = post_of(thread.get("status"))
        others = thread.get("thread")
        posts = map(post_of, others) if isinstance(others, list) else ()
        if isinstance(post, Post):
            rest = tuple(each for each in posts if isinstance(each, Post))
            made.append(thread_piece(post, rest).markdown)
    film = film_of(WATCH[:START] + json.dumps(player) + WATCH[END:])
    if film is not None and film.title:
        lines = words_of(json.dumps(words).encode())
        made.append(film_markdown(film, "https://youtu.be/x", film.best_track(), lines))
    return made


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_field_of_another_type_costs_nothing_but_itself(data: st.DataObject) -> None:
    def choose(count: int) -> int:
        return data.draw(st.integers(0, count - 1))

    def put(_old: object) -> object:
        return data.draw(JUNK)

    story = changed(data.draw(st.sampled_from([STORY, POLL])), choose, put)
    thread = changed(data.draw(st.sampled_from([THREAD, ARTICLE])), choose, put)
    for text in documents(story, thread, changed(PLAYER, choose, put), changed(WORDS, choose, put)):
        text.encode()
        assert no_heading_but_ours(text)


@settings(max_examples=150, deadline=None)
@given(LOUD)
def test_no_text_passes_for_our_own_markdown(text: str) -> None:
    for story, thread in ((STORY, THREAD), (POLL, ARTICLE)):
        made = documents(*(loud(each, text) for each in (story, thread, PLAYER, WORDS)))
        for markdown in made:
            assert no_heading_but_ours(markdown), markdown
