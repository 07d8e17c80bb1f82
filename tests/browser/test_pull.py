"""A documentation site whose pages are made by scripts, pulled with the real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from broker.pull.records import PullRequest
from broker.service import open_broker
from broker.settings import EgressSettings, ReadingSettings, Settings
from tests.broker.pull.worlds import texts
from tests.emulators.messages import Request, Response, html
from tests.emulators.server import LoopbackServer
from tests.emulators.web_reading import prose

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

SHELL = (
    "<!doctype html><html><head><title>Manual</title><script src='/app.js' defer></script></head>"
    "<body><div id='root'></div>"
    "<noscript>You need to enable JavaScript to run this app.</noscript></body></html>"
)
APP_JS = """
const route = location.hash.slice(1) || location.pathname;
const answer = await fetch(`/parts?of=${encodeURIComponent(route)}`);
document.getElementById("root").innerHTML = await answer.text();
"""
TOPICS = {"/": 1, "/#/install": 2, "/#/usage": 3, "/limits": 4}


def app(request: Request) -> Response:
    if request.path == "/app.js":
        script = f"(async () => {{ {APP_JS} }})();"
        return Response(body=script.encode(), content_type="text/javascript")
    if request.path == "/parts":
        route = request.query["of"]
        number = TOPICS.get(f"/#{route}", TOPICS.get(route, 0))
        menu = "".join(f"<a href='{path}'>Topic {topic}</a> " for path, topic in TOPICS.items())
        return html(f"<nav>{menu}</nav><main><h1>Topic {number}</h1>{prose(5, number)}</main>")
    if request.path in {"/", "/limits"}:
        return html(SHELL)
    return html("no", 404)


async def test_pages_and_routes_that_scripts_make_become_files(tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path / "home",
        egress=EgressSettings(allow_ranges=("127.0.0.0/8",)),
        reading=ReadingSettings(host_gap_s=0.0),
    )
    out = tmp_path / "out"
    with anyio.fail_after(50):
        async with LoopbackServer(app) as server, open_broker(settings) as broker:
            request = PullRequest(url=f"{server.origin}/", out=out)
            report = await broker.pull(request)
            assert (report.pulled, report.failed) == (4, ())
            titles = {
                name: next(line for line in text.splitlines() if line.startswith("# "))
                for name, text in texts(out).items()
            }
            assert titles == {
                "index.md": "# Topic 1",
                "index-install.md": "# Topic 2",
                "index-usage.md": "# Topic 3",
                "limits.md": "# Topic 4",
            }
            again = await broker.pull(request)
            assert (again.added, server.log.count("/limits")) == (0, 2)  # as markup, and rendered
