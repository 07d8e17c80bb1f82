"""Sites that live on JavaScript: shells that fetch their text, and traps for whoever renders them.

    apps = WebApps()
    async with LoopbackServer(apps) as server:
        ... f"{server.origin}/app"            # a shell whose text comes from a call of 100 ms
        ... f"{server.origin}/app?ms=600&n=40"
        ... f"{server.origin}/trap/loop"

`/app`, `/PAGE` and `/trap/NAME` take their text from `text(n)`: n paragraphs that are numbered, so
that a test can see which of them were read. `LAST` stands at the end of every text that is whole.
Where a page needs another origin, it is `?to=ORIGIN`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.emulators.messages import Drip, Fault, FaultKind, Response, as_json, html, redirect

if TYPE_CHECKING:
    from tests.emulators.messages import Request

LAST = "That is all there is to say."
CALL_S = 0.1
_SENTENCE = (
    "Paragraph {n} tells of a river that has run through the same valley for longer than anybody "
    "can remember, of the mills along it, and of the people who have kept them."
)


def text(n: int = 8) -> list[str]:
    """Paragraphs, and `LAST`."""
    return [*(_SENTENCE.format(n=number) for number in range(1, n + 1)), LAST]


def paragraphs(n: int = 8) -> str:
    return "".join(f"<p>{each}</p>" for each in text(n))


SHELL = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>An app</title>"
    "<link rel=stylesheet href=/app.css><script src=/app.js defer></script></head><body>"
    "<nav><a href=/>Home</a> <a href=/about>About</a></nav>"
    "<noscript>You need to enable JavaScript to run this app.</noscript>"
    "<div id=root></div><footer>All rights reserved by nobody in particular.</footer></body></html>"
)

# Like a framework's: builds its elements anew from data, and puts them in place in one go.
APP_JS = """
const show = (paragraphs) => {
  const main = document.createElement("main");
  const head = document.createElement("h1");
  head.textContent = "An app";
  main.append(head);
  for (const each of paragraphs) {
    const p = document.createElement("p");
    p.textContent = each;
    main.append(p);
  }
  document.getElementById("root").replaceChildren(main);
};
fetch("/data" + location.search).then(answer => answer.json()).then(data => show(data.text));
"""

_DATA = "fetch('/data?n={n}&ms={ms}').then(a => a.json()).then(d => {{ {then} }});"
_ADD = (
    "const add = (t, to = document.body) => { const p = document.createElement('p');"
    " p.textContent = t; to.append(p); return p; };"
)


def _call(then: str, *, n: int = 8, ms: int = 100) -> str:
    return _DATA.format(n=n, ms=ms, then=then)


PAGES: dict[str, str] = {
    "article": f"<h1>Plain</h1>{paragraphs()}",
    "short": "<h1>Short</h1><p>Hello.</p>",
    "empty": "",
    # Text in pieces, a little apart, as an answer that is streamed is shown.
    "stream": (
        f"<main></main><script>{_ADD} const all = {json.dumps(text(20))};"
        "const more = () => { add(all.shift(), document.querySelector('main'));"
        " if (all.length) setTimeout(more, 15) }; more()</script>"
    ),
    # One call after another, each made when the one before was answered.
    "waterfall": f"<script>{_ADD}"
    + _call("add(d.text[0]); " + _call("add(d.text[1]); " + _call("d.text.forEach(t => add(t))")))
    + "</script>",
    "chunk": "<div id=root></div><script type=module>import('/chunk.js')</script>",
    "xhr": (
        f"<script>{_ADD} const x = new XMLHttpRequest(); x.open('GET', '/data?ms=150');"
        "x.onload = () => JSON.parse(x.responseText).text.forEach(t => add(t)); x.send()</script>"
    ),
    # Something to read at once, and what was asked for later.
    "banner": (
        "<div class=cookie-consent><p>We value your privacy, and so do the several hundred partners"
        " that we share it with, as you can read below. We and our partners store things on your"
        " device, read them again, and would like you to be happy with that for ever.</p></div>"
        f"<script>{_ADD}{_call('d.text.forEach(t => add(t))', ms=400)}</script>"
    ),
    "teaser": (
        "<p>A teaser of some hundred characters that stands there before anything else is, and is "
        f"not what anybody came for.</p><script>{_ADD}"
        f"{_call('d.text.forEach(t => add(t))', ms=700)}</script>"
    ),
    "spinner": (
        f"<p class=intro>{_SENTENCE}</p><div class='app-spinner'>Loading</div><script>{_ADD}"
        "setTimeout(() => { document.querySelector('.app-spinner').remove();"
        f"{json.dumps(text())}.forEach(t => add(t)) }}, 300)</script>"
    ),
    # Text that comes when it is scrolled to.
    "lazy": (
        f"<p>{_SENTENCE[:80]}</p><div style='height:3000px'></div><div id=end>.</div><script>{_ADD}"
        "new IntersectionObserver((seen, o) => { if (!seen[0].isIntersecting) return;"
        f"o.disconnect(); {_call('d.text.forEach(t => add(t))')} }}).observe("
        "document.getElementById('end'))</script>"
    ),
    # … and one that shows only what is in view.
    "window": (
        f"<p id=top>{text(1)[0]}</p><div style='height:3000px'></div><script>"
        "onscroll = () => { document.getElementById('top').hidden = scrollY > 100;"
        " document.getElementById('top').textContent = scrollY > 100 ? '' :"
        f" {json.dumps(text(1)[0])} }}</script>"
    ),
    "shadow": (
        "<a-card><b slot=name>Slotted words</b></a-card><script>customElements.define('a-card',"
        "class extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'})"
        ".innerHTML = '<style>p{color:red}</style><h2><slot name=name>none</slot></h2>' +"
        f"{json.dumps(paragraphs())} + '<slot name=other>Fallback words</slot>' }} }})</script>"
    ),
    "frame": (
        f"<h1>Around</h1><iframe srcdoc='{paragraphs()}'></iframe>"
        f"<iframe hidden srcdoc='<p>{_SENTENCE}</p><p>hidden frame</p>'></iframe>"
    ),
    "deep": (
        f"<script>{_ADD} let at = document.body; for (let i = 0; i < 1000; i++) {{"
        " const d = document.createElement('div'); at.append(d); at = d }"
        f" at.attachShadow({{mode: 'open'}}).innerHTML = '<p>at the bottom</p>';"
        f"{json.dumps(text())}.forEach(t => add(t))</script>"
    ),
    "table": (
        "<table id=t></table><script>setTimeout(() => { for (let i = 0; i < 200; i++)"
        " t.insertRow().innerHTML = `<td>row ${i}<td>${i * i}` }, 100)</script>"
    ),
    "chinese": (
        "<script>setTimeout(() => { document.body.innerHTML = '<p>"
        + "这条河在同一个山谷里流了很久。没有人记得它是从什么时候开始的。" * 6
        + "</p>' }, 100)</script>"
    ),
    "markup": (
        '<script type=application/ld+json>{"name": "linked"}</script><style>p{color:red}</style>'
        "<script>var secret = 1</script><script src=/nothing.js></script><svg><text>drawn</text>"
        "</svg>"
        "<img src='data:image/png;base64,AAAA' srcset='a.png 2x'><template>unused</template>"
        f"<noscript>without scripts</noscript><link rel=canonical href=/c>{paragraphs()}"
    ),
    "clobbered": (
        "<form><input name=firstChild><input name=getAttribute><input name=querySelectorAll>"
        "<input name=childNodes></form><img name=documentElement><img name=readyState>"
        f"<img name=querySelector>{paragraphs()}<script>JSON.stringify = () => 'x';"
        "window.__webaio = null; Node.prototype.appendChild = () => {{ throw 1 }};</script>"
    ),
    "weights": (
        f"{paragraphs()}<video autoplay src=/film.mp4></video><audio autoplay src='/a.mp3?x=1'>"
        "</audio>"
        "<img src=/picture.png><style>@font-face{font-family:f;src:url(/f.woff2)}p{font-family:f}"
        "</style><script src='http://www.google-analytics.com/analytics.js'></script>"
    ),
    "moved": (
        f"<div id=root></div><script>{_ADD} history.pushState(0, '', '/by/route');"
        f"{_call('d.text.forEach(t => add(t)); document.body.innerHTML += `<a href=next>x</a>`')}"
        "</script>"
    ),
    "route": (
        f"<script>{_ADD} if (location.hash === '#/chapter/2')"
        f" {json.dumps(text())}.forEach(t => add(t)); else add('another chapter')</script>"
    ),
    "gone": f"{paragraphs()}<script>setTimeout(() => location = '/empty', 2000)</script>",
    "interstitial": "<p>You are being redirected.</p><script>location = '/slow-article'</script>",
    "pending": f"{paragraphs()}<script>fetch('/hang')</script>",
    "polling": (
        f"{paragraphs()}<script>const ask = () => fetch('/data?ms=300').then(ask); ask(); "
        "new EventSource('/events')</script>"
    ),
    "ticking": (
        f"{paragraphs()}<p id=clock></p><script>setInterval(() =>"
        " document.getElementById('clock').textContent = Date.now(), 10)</script>"
    ),
    "stuck": f"{paragraphs()}<script src=/hang></script><p>never</p>",
}

TRAPS: dict[str, str] = {
    "loop": f"{paragraphs()}<script>setTimeout(() => {{ for (;;); }}, 0)</script>",
    "loop-at-once": f"{paragraphs()}<script>for (;;);</script>",
    "loop-empty": "<script>for (;;);</script>",
    "growth": (
        f"{paragraphs()}<script>{_ADD} setInterval(() => {{ for (let i = 0; i < 200; i++)"
        f" add({json.dumps(_SENTENCE)} + i) }}, 5)</script>"
    ),
    "growth-at-once": (
        f"{paragraphs()}<script>{_ADD} setTimeout(() => {{ for (let i = 0; ; i++) add('x' + i) }})"
        "</script>"
    ),
    "dialogs": (
        f"<script>alert(1); confirm(2); prompt(3); print()</script>{paragraphs()}"
        "<script>alert(4); print()</script>"
    ),
    "dialog-loop": f"{paragraphs()}<script>setInterval(() => alert(1), 1)</script>",
    "beforeunload": (
        f"{paragraphs()}<script>onbeforeunload = e => {{ e.preventDefault(); return 'x' }}</script>"
    ),
    "windows": (
        "<script>open('/empty'); open('/empty', '_blank', 'noopener');"
        f"for (let i = 0; i < 5; i++) open('/empty?' + i)</script>{paragraphs()}"
    ),
    "close": f"<script>close(); window.close()</script>{paragraphs()}",
    "permissions": (
        f"{paragraphs()}<script>{_ADD} const ask = async (name, call) => {{ try {{"
        " add(name + ' ' + await call()) } catch { add(name + ' denied') } };"
        "ask('camera', () => navigator.mediaDevices.getUserMedia({video: true}));"
        "ask('place', () => new Promise((a, b) => navigator.geolocation.getCurrentPosition(a, b)));"
        "ask('notices', () => Notification.requestPermission()); ask('clipboard', () =>"
        " navigator.clipboard.readText())</script>"
    ),
    "push-state": (
        f"{paragraphs()}<script>setInterval(() => {{ for (let i = 0; i < 50; i++)"
        " history.pushState(0, '', '/pushed/' + Math.random()) }, 1)</script>"
    ),
    "reloads": "<p>Again and again.</p><script>location.reload()</script>",
    "script-redirects": "<script>location = '/trap/script-redirects?' + Math.random()</script>",
    "download-link": (
        f"{paragraphs()}<a id=a href=/file.bin download>x</a><script>"
        "document.getElementById('a').click()</script>"
    ),
    "download-page": "<p>Your download starts.</p><script>location = '/file.bin?token=1'</script>",
    "download-refresh": "<meta http-equiv=refresh content='0;url=/file.bin'>",
    "worker": (
        f"{paragraphs()}<script>new Worker(URL.createObjectURL(new Blob(['for (;;);'])))</script>"
    ),
    "service-worker": (
        f"{paragraphs()}<script>navigator.serviceWorker.register('/sw.js')</script>"
    ),
    "sockets": (
        f"{paragraphs()}<script>for (let i = 0; i < 64; i++) new WebSocket(`ws://${{location.host}}"
        "/hang?${i}`)</script>"
    ),
    "console": f"{paragraphs()}<script>setInterval(() => console.log('x'.repeat(1e5)))</script>",
    "half-character": (
        f"{paragraphs()}<script>document.title = '\\ud800'; document.body.append('\\ud83d')"
        "</script>"
    ),
    "rejections": f"{paragraphs()}<script>Promise.reject(1); throw new Error('broken')</script>",
    "focus": f"{paragraphs()}<input autofocus><script>setInterval(() => focus(), 1)</script>",
    "frames": (
        f"{paragraphs()}<script>for (let i = 0; i < 30; i++) {{ const f ="
        " document.createElement('iframe'); f.src = '/empty?' + i; document.body.append(f) }"
        "</script>"
    ),
    "document-write": (
        f"<script>onload = () => {{ document.open(); document.write({json.dumps(paragraphs())});"
        " document.close() }</script>"
    ),
    "leaves": f"{paragraphs()}<script>location = 'http://127.0.0.1:1/'</script>",
}


class WebApps:
    """An app for `LoopbackServer`."""

    def __call__(self, request: Request) -> Response:
        kind, _, name = request.path.strip("/").partition("/")
        if kind == "trap":
            return _page(TRAPS.get(name))
        if kind in PAGES:
            return _page(PAGES[kind])
        return self._other(kind, request)

    def _other(self, kind: str, request: Request) -> Response:  # noqa: PLR0911 - one a path
        match kind:
            case "" | "app":
                return html(SHELL)
            case "app.js" | "chunk.js" | "sw.js":
                return _script(kind)
            case "data":
                return _data(request)
            case "hang":
                return Response(fault=Fault(kind=FaultKind.HANG))
            case "events":
                drip = Drip(chunk_bytes=64, interval_s=0.05, forever=True)
                return Response(body=b": \n\n", content_type="text/event-stream", drip=drip)
            case "file.bin":
                return Response(body=bytes(1000), content_type="application/octet-stream")
            case "paper.pdf":
                return Response(body=b"%PDF-1.4 x", content_type="application/pdf")
            case "slow-article":
                return replace(html(f"<h1>Arrived</h1>{paragraphs()}"), latency_s=0.5)
            case "slow":
                return replace(html(SHELL), latency_s=float(request.query.get("s", "0.3")))
            case _:
                return _refusal(kind, request)


def _refusal(kind: str, request: Request) -> Response:  # noqa: PLR0911 - as above
    match kind:
        case "login":
            asks = (("WWW-Authenticate", 'Basic realm="x"'),)
            return html(f"<h1>Log in</h1>{paragraphs()}", 401, *asks)
        case "missing":
            return html("<h1>Not found</h1><p>There is nothing here.</p>", 404)
        case "nothing":
            return Response(status=204)
        case "round":
            return redirect(f"/round?{len(request.target)}")
        case "to":
            return redirect(request.query["url"])
        case "script-to":
            return html(f"<script>location = {json.dumps(request.query['url'])}</script>")
        case "reset":
            return Response(fault=Fault(kind=FaultKind.RESET))
        case "cut":
            cut = Fault(kind=FaultKind.RESET, after_bytes=1500)
            return replace(_page(f"{paragraphs()}{'<p>more</p>' * 2000}"), fault=cut)
        case _:
            return Response(status=404, body=b"", content_type="text/plain")


def _page(body: str | None) -> Response:
    if body is None:
        return Response(status=404, body=b"no such page", content_type="text/plain")
    return html(f"<!doctype html><title>A page</title><body>{body}")


SCRIPTS = {
    "app.js": APP_JS,
    "chunk.js": f"{_ADD} {_call('d.text.forEach(t => add(t))')}",
    "sw.js": "onfetch = e => e.respondWith(new Response('from the worker'))",
}


def _script(name: str) -> Response:
    wait_s = 0.2 if name == "chunk.js" else 0.0
    return Response(body=SCRIPTS[name].encode(), content_type="text/javascript", latency_s=wait_s)


def _data(request: Request) -> Response:
    wait_s = int(request.query.get("ms", CALL_S * 1000)) / 1000
    return replace(as_json({"text": text(int(request.query.get("n", "8")))}), latency_s=wait_s)
