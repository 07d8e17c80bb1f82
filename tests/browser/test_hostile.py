"""Pages that do what pages should not: nothing of it reaches the next search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.browser.worlds import World, broker_for, settings_for
from tests.emulators.google.app import Google
from tests.emulators.server import LoopbackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.emulators.messages import Request, Response

pytestmark = pytest.mark.browser

BEFORE, AFTER = b'<div class="dURPMd"', b"</body>"
"""Where scripts are put in: before the results, or behind everything."""


class Spoiled:
    """Google's pages with a script in them."""

    def __init__(self) -> None:
        self.google = Google()
        self.script = ""
        self.place = AFTER

    def __call__(self, request: Request) -> Response:
        response = self.google(request)
        if request.path != "/search" or not self.script:
            return response
        script = f"<script>{self.script}</script>".encode()
        return replace(response, body=response.body.replace(self.place, script + self.place, 1))


@pytest.fixture(scope="module")
async def spoiled() -> AsyncIterator[tuple[Spoiled, LoopbackServer]]:
    app = Spoiled()
    async with LoopbackServer(app) as server:
        yield app, server


@pytest.fixture(scope="module")
async def world(
    spoiled: tuple[Spoiled, LoopbackServer], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[World]:
    app, server = spoiled
    home = tmp_path_factory.mktemp("home")
    async with broker_for(server, home) as broker:
        settings = settings_for(server.origin, home)
        made = World(google=app.google, server=server, broker=broker, settings=settings)
        await made.search("warm up")
        yield made


SCRIPTS = {
    "half a character": (BEFORE, 'document.write("<p>\\ud83d</p>")'),
    "half a character in the title": (AFTER, 'document.title = "\\ud800"'),
    "a dialog without end": (AFTER, "for (;;) alert(1)"),
    "a dialog that keeps the page": (
        AFTER,
        'onbeforeunload = e => { e.preventDefault(); e.returnValue = "x"; }; alert("stay")',
    ),
    "windows": (BEFORE, 'open("/popup"); open("/popup", "_blank", "noopener")'),
    "windows behind links": (
        BEFORE,
        """
        const a = document.createElement("a");
        a.href = "/popup"; a.target = "_blank"; a.rel = "noopener";
        document.head.append(a); a.click(); a.click();
        """,
    ),
    "downloads": (
        BEFORE,
        """
        const a = document.createElement("a");
        a.href = "/file.bin"; a.download = "file.bin";
        document.head.append(a); a.click();
        """,
    ),
    "a console that is never silent": (AFTER, "for (let i = 0; ; i++) console.log(i)"),
    "a console that is loud": (AFTER, 'const s = "x".repeat(1e6); for (;;) console.log(s)'),
    "a console that is busy all the time": (
        BEFORE,
        "setInterval(() => { for (let i = 0; i < 500; i++) console.log(i) }, 0)",
    ),
    "frames of another host": (
        AFTER,
        """
        for (let i = 0; i < 20; i++) {
          const frame = document.createElement("iframe");
          frame.src = "http://elsewhere.localhost:" + location.port + "/elsewhere";
          document.body.append(frame);
        }
        """,
    ),
    "a document that rewrites itself": (
        AFTER,
        "setInterval(() => document.body.append(document.createElement('p')), 0)",
    ),
    "globals of our names": (
        BEFORE,
        """
        window.__webaio = null; window.webaioReport = () => { throw 1 };
        JSON.stringify = () => "x"; Node.prototype.cloneNode = null;
        document.querySelector = () => null;
        """,
    ),
}


@pytest.mark.parametrize(("place", "script"), SCRIPTS.values(), ids=SCRIPTS)
async def test_a_hostile_page_is_read_and_leaves_nothing(
    place: bytes, script: str, spoiled: tuple[Spoiled, LoopbackServer], world: World
) -> None:
    app, server = spoiled
    app.place, app.script = place, script
    answer, lane = await world.search("hostile")
    assert (lane.status, len(answer.hits)) == ("ok", 10), lane.reason
    app.script = ""
    answer, lane = await world.search("peaceful", 20)
    assert (lane.status, len(answer.hits)) == ("ok", 20), lane.reason
    await world.tidy()
    assert server.log.count("/elsewhere") == 0
    assert len(list((world.settings.home / "run").iterdir())) == 1, "the browser is the same"


async def test_tabs_behind_dialogs_are_not_lent_again(
    spoiled: tuple[Spoiled, LoopbackServer], world: World
) -> None:
    app, _ = spoiled
    app.place, app.script = AFTER, "alert(1)"
    for number in range(12):
        answer, lane = await world.search(f"alert {number}")
        assert (lane.status, len(answer.hits)) == ("ok", 10), lane.reason
    app.script = ""
