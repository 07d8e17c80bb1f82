"""Pages that need scripts, read through the service with the real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from broker.reading.records import FetchRequest, Form, Part, Render
from broker.service import open_broker
from broker.settings import EgressSettings, ReadingSettings, Settings
from tests.emulators.server import LoopbackServer
from tests.emulators.web_reading import ReadingWeb

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser


async def test_a_page_that_scripts_fill_is_read_and_one_they_leave_empty_says_so(
    tmp_path: Path,
) -> None:
    settings = Settings(
        home=tmp_path,
        egress=EgressSettings(allow_ranges=("127.0.0.0/8",)),
        reading=ReadingSettings(archives=False),
    )
    with anyio.fail_after(50):
        async with LoopbackServer(ReadingWeb()) as server, open_broker(settings) as broker:
            urls = tuple(f"{server.origin}{path}" for path in ("/shell", "/shell-empty"))
            full, empty = await broker.fetch(FetchRequest(sources=urls))
            assert (full.via, full.verdict, full.title) == ("browser", "content", "Chronicle app")
            assert "Made by scripts" in full.text
            assert empty.error is not None
            assert empty.error.code == "js_shell"
            article = f"{server.origin}/article/4"
            markup = Part(form=Form.HTML)
            request = FetchRequest(sources=(article,), render=Render.ALWAYS, part=markup)
            (page,) = await broker.fetch(request)
            assert page.via == "browser"
            assert "<article>" in page.text
            file = FetchRequest(sources=(f"{server.origin}/paper.pdf",), render=Render.ALWAYS)
            (page,) = await broker.fetch(file)
            assert page.error is not None
            assert page.error.code == "damaged"  # it was given to what converts files
