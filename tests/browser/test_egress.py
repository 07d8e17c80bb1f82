"""The real Chromium behind the guard: no page makes it reach what must not be read."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio
import pytest

from broker.browser.engine import LaunchedEngine
from broker.browser.pool import TabPool
from broker.browser.watch import NavigationFailed, TabPolicy, WatchPlan
from broker.context import RequestContext
from broker.deadline import Deadline
from broker.egress.guard import Guard, Refusal
from broker.egress.policy import EgressRefused
from broker.errors import Refused
from broker.settings import BrowserSettings
from broker.trace import OFF
from tests.broker.egress.doubles import Names, Tripwire, egress_for
from tests.browser.test_attach import somebodys_browser
from tests.emulators.messages import Request, Response, html, redirect
from tests.emulators.server import LoopbackServer
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from broker.browser.tab import Tab
    from broker.egress.dial import Egress

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

TRAP = "trap.example"
FOUR_TABS = BrowserSettings(tabs=4)


class Traps(Names):
    """A resolver to which every name below the trap's is this machine."""

    async def __call__(self, name: str):  # type: ignore[no-untyped-def]  # noqa: ANN204
        if name.endswith(TRAP):
            self.asked.append(name)
            self.default = ("127.0.0.1",)
        return await super().__call__(name)


# What a page may do to have something requested; {0} is the forbidden origin's host and port.
WAYS = {
    "script": "<script src='http://{0}/x.js'></script>",
    "module": "<script type=module>import 'http://{0}/x.js'</script>",
    "style": "<link rel=stylesheet href='http://{0}/x.css'>",
    "css-import": "<style>@import url('http://{0}/x.css');</style>",
    "iframe": "<iframe src='http://{0}/'></iframe>",
    "iframe-https": "<iframe src='https://{0}/'></iframe>",
    "frame-in-srcdoc": '<iframe srcdoc="<iframe src=http://{0}/></iframe>"></iframe>',
    "object": "<object data='http://{0}/x'></object>",
    "embed": "<embed src='http://{0}/x'>",
    "fetch": "<script>fetch('http://{0}/').catch(()=>0)</script>",
    "fetch-https": "<script>fetch('https://{0}/').catch(()=>0)</script>",
    "fetch-no-cors": "<script>fetch('http://{0}/',{{mode:'no-cors'}}).catch(()=>0)</script>",
    "fetch-post": "<script>fetch('http://{0}/',{{method:'POST',body:'x'}}).catch(()=>0)</script>",
    "xhr": "<script>let x=new XMLHttpRequest();x.open('GET','http://{0}/');x.send()</script>",
    "websocket": "<script>new WebSocket('ws://{0}/')</script>",
    "websocket-tls": "<script>new WebSocket('wss://{0}/')</script>",
    "event-source": "<script>new EventSource('http://{0}/')</script>",
    "beacon": "<script>navigator.sendBeacon('http://{0}/','x')</script>",
    "worker-fetch": (
        "<script>new Worker(URL.createObjectURL(new Blob(["
        "\"fetch('http://{0}/').catch(()=>0)\"])))</script>"
    ),
    "worker-import": (
        "<script>new Worker(URL.createObjectURL(new Blob(["
        "\"importScripts('http://{0}/x.js')\"])))</script>"
    ),
    "shared-worker": (
        "<script>new SharedWorker('data:text/javascript,'+encodeURIComponent("
        "\"fetch('http://{0}/').catch(()=>0)\"))</script>"
    ),
    "redirected-script": "<script src='/to/{0}'></script>",
    "redirected-fetch": "<script>fetch('/to/{0}').catch(()=>0)</script>",
    "redirected-iframe": "<iframe src='/to/{0}'></iframe>",
    "meta-refresh": "<meta http-equiv=refresh content='0;url=http://{0}/'>",
    "meta-refresh-in-frame": "<iframe src='/refresh/{0}'></iframe>",
    "location": "<script>location='http://{0}/'</script>",
    "location-https": "<script>location='https://{0}/'</script>",
    "link-click": "<a id=a href='http://{0}/'>x</a><script>a.click()</script>",
    "link-ping": "<a id=a ping='http://{0}/' href='#x'>x</a><script>a.click()</script>",
    "window-open": "<script>window.open('http://{0}/')</script>",
    "form-get": "<form id=f action='http://{0}/'></form><script>f.submit()</script>",
    "form-post": "<form id=f method=post action='http://{0}/'></form><script>f.submit()</script>",
    "form-in-frame": (
        "<iframe name=t></iframe><form id=f target=t action='http://{0}/'></form>"
        "<script>f.submit()</script>"
    ),
    "service-worker": (
        "<script>navigator.serviceWorker.register('/sw.js?{0}').catch(()=>0)</script>"
    ),
    "preload": "<link rel=preload as=script href='http://{0}/x.js'>",
    "module-preload": "<link rel=modulepreload href='http://{0}/x.js'>",
    "image": "<img src='http://{0}/x.png'>",
    "image-by-script": "<script>new Image().src='http://{0}/x.png'</script>",
    "css-image": "<style>body{{background:url('http://{0}/x.png')}}</style><p>x",
    "svg-use": "<svg><use href='http://{0}/x.svg#a'/></svg>",
    "font": (
        "<style>@font-face{{font-family:f;src:url('http://{0}/x.woff')}}p{{font-family:f}}</style>"
        "<p>x"
    ),
    "video": "<video autoplay src='http://{0}/x.mp4'></video>",
    "audio": "<script>new Audio('http://{0}/x.mp3').play().catch(()=>0)</script>",
    "track": "<video><track default src='http://{0}/x.vtt'></video>",
    "icon": "<link rel=icon href='http://{0}/x.ico'>",
    "manifest": "<link rel=manifest href='http://{0}/x.json'>",
    "prefetch": "<link rel=prefetch href='http://{0}/'>",
    "prerender": (
        "<script type=speculationrules>"
        '{{"prerender":[{{"source":"list","urls":["http://{0}/"],"eagerness":"immediate"}}]}}'
        "</script>"
    ),
    "preconnect": "<link rel=preconnect href='http://{0}/'>",
    "preconnect-https": "<link rel=preconnect href='https://{0}/'>",
    "dns-prefetch": "<link rel=dns-prefetch href='//{0}/'>",
    "webtransport": "<script>try{{new WebTransport('https://{0}/')}}catch{{}}</script>",
    "webrtc": (
        "<script>let p=new RTCPeerConnection({{iceServers:[{{urls:["
        "'stun:{0}','turn:{0}?transport=udp','turn:{0}?transport=tcp'],username:'u',"
        "credential:'c'}}]}});p.createDataChannel('x');"
        "p.createOffer().then(o=>p.setLocalDescription(o))</script>"
    ),
    "policy-report": "<img src='http://csp.invalid/'>",
}

QUIET = frozenset(
    {
        # Off at launch, or not done by a browser without windows.
        *("image", "image-by-script", "css-image", "font", "icon", "manifest", "policy-report"),
        # Nothing without anything to gain from it.
        *("prefetch", "prerender", "preconnect", "preconnect-https", "dns-prefetch", "track"),
        "window-open",  # the window may be closed before it asks
        *("webtransport", "webrtc", "svg-use", "link-ping", "audio", "video", "embed", "object"),
    }
)
"""What need not get as far as the guard."""

LITERALS = [
    *("127.0.0.1", "127.1", "2130706433", "0x7f.1", "017700000001", "0x7f000001", "127.0.0.1."),
    *("localhost", "localhost.", "a.b.localhost", "[::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]"),
    *("[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0", "0.0.0.0", "%31%32%37.0.0.1"),
    "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
    *("127。0。0。1", "u:p@127.0.0.1", "example.com@127.0.0.1"),
]


@dataclass
class Web:
    """A site of pages that try one way each."""

    trap: int
    """The forbidden port."""
    server: LoopbackServer = field(init=False)

    def __call__(self, request: Request) -> Response:
        kind, _, rest = request.path.lstrip("/").partition("/")
        match kind:
            case "way":
                headers = (("Content-Security-Policy-Report-Only", self._report_to()),)
                return html(f"<body>{WAYS[rest].format(self.at(rest))}</body>", 200, *headers)
            case "to":
                return redirect(f"http://{rest}/")
            case "refresh":
                return html(f"<meta http-equiv=refresh content='0;url=http://{rest}/'>")
            case "literal":
                return html(f"<iframe src='http://{request.query['host']}:{self.trap}/'></iframe>")
            case "sw.js":
                host = request.target.partition("?")[2]
                script = f"self.oninstall=e=>e.waitUntil(fetch('http://{host}/').catch(()=>0))"
                return Response(body=script.encode(), content_type="text/javascript")
            case _:
                return html("<p>hello")

    def at(self, way: str) -> str:
        return f"{way}.{TRAP}:{self.trap}"

    def _report_to(self) -> str:
        return f"img-src 'none'; report-uri http://{self.at('policy-report')}/"


@dataclass
class Reading:
    web: Web
    pool: TabPool
    guard: Guard
    refusals: list[Refusal]

    @asynccontextmanager
    async def tab(self) -> AsyncIterator[Tab]:
        ctx = RequestContext(request_id="test", deadline=Deadline.after(60), trace=OFF)
        async with self.pool.lease(ctx) as tab:
            yield tab

    def refused(self, host: str) -> bool:
        return any(each.host == host for each in self.refusals)


def may_visit(egress: Egress) -> Callable[[str], bool]:
    def check(url: str) -> bool:
        try:
            egress.policy.check_url(url)
        except Refused:
            return False
        return True

    return check


@asynccontextmanager
async def reading(
    home: Path,
    web: Web,
    *,
    allow: tuple[str, ...] = (),
    names: Names | None = None,
    browser: BrowserSettings = FOUR_TABS,
) -> AsyncIterator[Reading]:
    refusals: list[Refusal] = []
    async with LoopbackServer(web) as server:
        web.server = server
        origin = None if allow else server.origin
        egress = egress_for(open_origin=origin, allow=allow, names=names or Traps())
        async with Guard(egress, on_refusal=refusals.append) as guard:
            policy = TabPolicy(
                watch=WatchPlan(), may_visit=may_visit(egress), proxy=guard.url, apart=True
            )
            async with TabPool(browser, home, lambda: policy, OFF) as pool:
                yield Reading(web, pool, guard, refusals)


@pytest.fixture(scope="module")
def tripwire() -> Iterator[Tripwire]:
    wire = Tripwire()
    yield wire
    assert wire.reached() == 0
    wire.close()


@pytest.fixture(scope="module")
async def world(
    tmp_path_factory: pytest.TempPathFactory, tripwire: Tripwire
) -> AsyncIterator[Reading]:
    async with reading(tmp_path_factory.mktemp("home"), Web(tripwire.port)) as made:
        yield made


async def settle(tab: Tab) -> None:
    """Until the page, and what it began, had every chance to get somewhere."""
    script = "new Promise(done => setTimeout(done, 300))"
    for _ in range(2):
        await tab.session.send("Runtime.evaluate", {"expression": script, "awaitPromise": True})


@pytest.mark.parametrize("way", WAYS)
async def test_no_way_leads_to_a_forbidden_address(
    world: Reading, tripwire: Tripwire, way: str
) -> None:
    async with world.tab() as tab:
        await tab.open(f"{world.web.server.origin}/way/{way}")
        if way in QUIET:
            await settle(tab)
        else:
            await until(lambda: world.refused(f"{way}.{TRAP}"))
    assert tripwire.reached() == 0


@pytest.mark.parametrize("host", LITERALS)
async def test_no_notation_leads_to_a_forbidden_address(
    world: Reading, tripwire: Tripwire, host: str
) -> None:
    known = len(world.refusals)
    async with world.tab() as tab:
        await tab.open(f"{world.web.server.origin}/literal?host={host}")
        if "@" in host:  # Chromium itself loads no frame with a password in its address
            await settle(tab)
        else:
            await until(lambda: len(world.refusals) > known)
            assert isinstance(world.refusals[-1].error, EgressRefused)
    assert tripwire.reached() == 0


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_page_that_is_refused_can_be_told_from_one_that_is_not_there(
    world: Reading, tripwire: Tripwire, scheme: str
) -> None:
    url = f"{scheme}://page.{TRAP}:{tripwire.port}/"
    async with world.tab() as tab:
        if scheme == "https":
            with pytest.raises(NavigationFailed, match="ERR_TUNNEL_CONNECTION_FAILED"):
                await tab.open(url)
        else:
            await tab.open(url)
            assert (await tab.next_report()).status == 403
    refusal = world.guard.refusal_of(url)
    assert refusal is not None
    assert isinstance(refusal.error, EgressRefused)
    assert refusal.error.address == "127.0.0.1"


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "chrome://version/", "view-source:http://example.com/"),
        *("data:text/html,x", "about:version", "http://127.0.0.1:1/", "http://localhost/"),
    ],
)
async def test_a_tab_is_not_sent_where_no_proxy_would_be_asked(world: Reading, url: str) -> None:
    async with world.tab() as tab:
        with pytest.raises(NavigationFailed, match="ERR_BLOCKED_BY_CLIENT"):
            await tab.open(url)
        assert await tab.read_now() is None


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "chrome://version/", "view-source:/", "data:text/html,x"]
)
async def test_a_page_cannot_go_there_either(world: Reading, url: str) -> None:
    async with world.tab() as tab:
        await tab.open(f"{world.web.server.origin}/")
        first = await tab.next_report()
        await tab.session.send("Runtime.evaluate", {"expression": f"location = '{url}'"})
        await settle(tab)
        report = await tab.read_now()
        assert report is not None
        assert report.url == first.url


async def test_names_are_asked_for_by_the_guard_alone_and_each_time(
    tmp_path_factory: pytest.TempPathFactory, tripwire: Tripwire
) -> None:
    # The first answer is the page's, the second would be what its scripts then reach.
    names = Names(site_example=[["127.0.0.1"], ["10.0.0.1"]])
    home = tmp_path_factory.mktemp("home")
    async with reading(home, Web(tripwire.port), allow=("127.0.0.0/8",), names=names) as made:
        origin = f"http://site.example:{made.web.server.port}"
        async with made.tab() as tab:
            await tab.open(f"{origin}/")
            assert "hello" in (await tab.next_report()).html
            await tab.session.send("Runtime.evaluate", {"expression": "fetch('/again')"})
            await until(lambda: made.refused("site.example"))
        refusal = made.guard.refusal_of(origin)
        assert refusal is not None
        assert "10.0.0.1" in refusal.error.message
        assert made.web.server.log.count("/again") == 0


async def test_an_open_range_is_read_like_the_public_internet(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("home")
    async with LoopbackServer(lambda _: html("<p>inside")) as intranet:
        web = Web(intranet.port)
        async with reading(home, web, allow=("127.0.0.0/8",)) as made, made.tab() as tab:
            for host in ("127.0.0.1", "localhost", TRAP):
                await tab.open(f"http://{host}:{intranet.port}/")
                assert "inside" in (await tab.next_report()).html
            await tab.open(f"{web.server.origin}/way/fetch")
            await until(lambda: intranet.log.count("/") == 4)


async def test_udp_is_not_spoken(world: Reading, tripwire: Tripwire) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.setblocking(False)
        listener.bind(("127.0.0.1", tripwire.port))
        for way in ("webrtc", "webtransport"):
            async with world.tab() as tab:
                markup = WAYS[way].format(f"127.0.0.1:{tripwire.port}")
                await tab.open(f"{world.web.server.origin}/")
                script = markup.removeprefix("<script>").removesuffix("</script>")
                await tab.session.send("Runtime.evaluate", {"expression": f"{{{script}}}"})
                await settle(tab)
        with pytest.raises(BlockingIOError):
            listener.recv(100)


async def test_a_page_that_takes_every_connection_takes_none_of_others(world: Reading) -> None:
    async with world.tab() as hog, world.tab() as other:
        await hog.open(f"{world.web.server.origin}/")
        script = (
            "for (let i = 0; i < 64; i++) new WebSocket(`ws://127.0.0.1:"
            f"{world.web.server.port}/hang${{i}}`)"
        )
        await hog.session.send("Runtime.evaluate", {"expression": script})
        with anyio.fail_after(20):
            await other.open(f"{world.web.server.origin}/")
            assert "hello" in (await other.next_report()).html


async def test_a_browser_that_is_not_ours_goes_through_the_guard_as_well(
    chromium: Path, tmp_path: Path, tripwire: Tripwire
) -> None:
    async with somebodys_browser(chromium, tmp_path / "theirs") as theirs:
        browser = BrowserSettings(cdp_url=theirs.http_url)
        before = await theirs.pages()
        async with reading(tmp_path / "ours", Web(tripwire.port), browser=browser) as made:
            async with made.tab() as tab:
                await tab.open(f"{made.web.server.origin}/way/fetch")
                await until(lambda: made.refused(f"fetch.{TRAP}"))
            assert made.guard.statistics().refused
        assert await theirs.pages() == before
    assert tripwire.reached() == 0


async def test_a_context_of_its_own_ends_with_its_tab(world: Reading) -> None:
    async def contexts() -> list[str]:
        generation = world.pool._current
        assert generation is not None
        assert isinstance(generation.engine, LaunchedEngine)
        found = await generation.engine._browser.send("Target.getBrowserContexts")
        return list(found["browserContextIds"])

    async def lease(script: str) -> object:
        ctx = RequestContext(request_id="test", deadline=Deadline.after(60), trace=OFF)
        # With a policy that is not the pool's, a tab is closed after its use.
        policy = replace(world.pool._policy(), watch=WatchPlan())
        async with world.pool.lease(ctx, policy=policy) as tab:
            await tab.open(f"{world.web.server.origin}/")
            await tab.next_report()
            answer = await tab.session.send("Runtime.evaluate", {"expression": script})
            return answer["result"].get("value")

    known = len(await contexts())
    assert await lease("document.cookie = 'a=b'; localStorage.a = 'b'; document.cookie") == "a=b"
    assert await lease("document.cookie + (localStorage.a ?? '')") == ""
    with anyio.fail_after(10):
        while len(await contexts()) > known:  # noqa: ASYNC110 - the browser tells nobody
            await anyio.sleep(0.01)
