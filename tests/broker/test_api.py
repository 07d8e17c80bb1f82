"""The Python door: settings from where the command line finds them, errors as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import broker
from broker.errors import RequestInvalid
from tests.emulators.server import LoopbackServer
from tests.emulators.sites import Web

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
