"""The Python door: settings from where the command line finds them, errors as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import broker
from broker.errors import RequestInvalid
from tests.emulators.server import LoopbackServer
from tests.emulators.sites import Web
from tests.emulators.web_reading import ReadingWeb

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.may_block  # the environment's configuration file is read at the door


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    config = tmp_path / "config.toml"
    config.touch()
    monkeypatch.setenv("PI_WEBAIO_CONFIG", str(config))
    monkeypatch.setenv("PI_WEBAIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PI_WEBAIO_CDP_BROKER", "0")
    return monkeypatch


async def test_settings_come_from_the_environment_unless_they_are_handed_in(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with LoopbackServer(Web()) as server:
        environment.setenv("PI_WEBAIO_EXA_MCP_URL", server.origin)
        async with broker.open() as b:
            answer = await b.search("quick cats", max=3, providers="exa_free")
            status = await b.status()
    assert len(answer.hits) == 3
    assert status.home == str(tmp_path / "home")


async def test_what_the_callers_block_raises_leaves_it_as_it_is(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("PI_WEBAIO_DEBUG", "0")
    with pytest.raises(LookupError, match="mine"):
        async with broker.open():
            raise LookupError("mine")


async def test_a_wrong_option_is_named(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("PI_WEBAIO_DEBUG", "0")
    async with broker.open() as b:
        with pytest.raises(RequestInvalid) as raised:
            await b.search("cats", maximum=3)
    assert raised.value.field == "maximum"


async def test_pages_are_fetched_one_or_several_and_read_on(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment.setenv("PI_WEBAIO_ALLOW_RANGES", "127.0.0.0/8")
    (tmp_path / "notes.md").write_text("# Notes\n\nOn the river.\n")
    async with LoopbackServer(ReadingWeb()) as server, broker.open() as b:
        page = await b.fetch(f"{server.origin}/long")
        assert page.text.startswith("## Chapter 5"), "text is not fenced here"
        rest = await b.read(page.id, offset=page.next_offset, limit=500)
        assert rest.offset == page.next_offset
        pages = await b.fetch([str(tmp_path / "notes.md"), "http://10.0.0.1/"])
        assert [each.error.code if each.error else "" for each in pages] == ["", "blocked_ssrf"]
        with pytest.raises(RequestInvalid):
            await b.fetch("notes.md", colour="red")


async def test_what_was_read_is_recalled_and_several_pages_are_searched_together(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment.setenv("PI_WEBAIO_ALLOW_RANGES", "127.0.0.0/8")
    (tmp_path / "notes.md").write_text("# Notes\n\nThe windlass is in the mill.\n")
    async with LoopbackServer(ReadingWeb()) as server, broker.open() as b:
        sources = [f"{server.origin}/long", str(tmp_path / "notes.md")]
        pooled = await b.fetch(sources, query="where is the windlass")
        assert [page.passages for page in pooled.pages] == [0, 1]
        assert "windlass" in pooled.passages[0].text, "text is not fenced here"
        recalled = await b.recall("chronicle 3-7", max=2)
        assert 1 <= len(recalled.passages) <= 2
        assert recalled.passages[0].url == sources[0]
        page = await b.read(recalled.passages[0].id, offset=recalled.passages[0].offset, limit=50)
        assert recalled.passages[0].text.startswith(page.text.rstrip()[:20])
        with pytest.raises(RequestInvalid):
            await b.recall("heron", limit=3)
        with pytest.raises(RequestInvalid):
            await b.fetch("notes.md", query="heron", find="owl")


async def test_a_searchs_hits_are_read_where_the_provider_gives_no_text(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("PI_WEBAIO_ALLOW_RANGES", "127.0.0.0/8")
    async with LoopbackServer(Web()) as server:
        environment.setenv("PI_WEBAIO_HN_URL", server.origin)
        async with broker.open() as b:
            answer = await b.search("quick cats", max=3, providers="hn", content=True)
    # The loopback web's hits are on hosts that nobody has.
    lacking = [hit for hit in answer.hits if not hit.content]
    assert lacking
    assert all(hit.content_error for hit in lacking)
    assert "pages were read" in str(answer.lanes[0].reason)
