"""A documentation site: guides that link to each other in every way there is, and its traps.

    site = DocSite(pages=200)
    async with LoopbackServer(site) as server:
        ... f"{server.origin}/docs/" ... site.guides() ... server.log.count(path)

Below `/docs/` there are guides in sections of ten. The first of a section is its folder's page. A
quarter of them stands in each part of the sitemap, a quarter in llms.txt, the rest is only linked.
Each has a sentence that stands nowhere else. What is no guide is in `TRAPS`.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.emulators.messages import Response, html, redirect, reset, truncate
from tests.emulators.web_reading import prose

if TYPE_CHECKING:
    from collections.abc import Iterable

    import anyio

    from tests.emulators.messages import Request

SECTION = 10
MAX_PAGES = 260
ROBOTS = """\
User-agent: *
Disallow: /docs/private/
Disallow: /docs/*.secret$
Allow: /docs/private/open

Sitemap: {origin}/sitemaps/index.xml
"""
TRAPS = (
    "/docs/part-a/index.html",
    "/docs/part-a",
    "/docs/part-a/guide-1.html?utm_campaign=front",
    "/docs/part-a/guide-1.html#usage",
    "/docs/part-a/../part-a/guide-2.html",
    "/docs/part-a//guide-3.html",
    "/docs/p%61rt-a/guide-4.html",
    "/docs/moved",
    "/docs/away",
    "/docs/to-private",
    "/docs/private/plans",
    "/docs/private/open",
    "/docs/notes.secret",
    "/docs/gone",
    "/docs/shell",
    "/docs/data",
    "/docs/manual.pdf",
    "/docs/logo.png",
    "/docs/twin",
    "/docs/printed?view=print",
    "/docs/calendar/1",
    "/elsewhere/",
    "https://elsewhere.example/",
    "mailto:somebody@elsewhere.example",
    "javascript:void(0)",
    "http://[",
)
"""What the front page links to besides its sections."""

_ADJECTIVES = ("amber", "brisk", "calm", "dusky", "eager", "faint", "gilded", "hollow", "ivory")
_NOUNS = ("anvil", "beacon", "cistern", "easel", "flagon", "gantry", "hopper", "inkwell", "jib")
_VERBS = (
    "adjusts",
    "braces",
    "caulks",
    "drains",
    "etches",
    "fastens",
    "grinds",
    "hoists",
    "inlays",
)


def sentence(number: int) -> str:
    """What stands on one guide alone, in letters only."""
    a, b, c = number % 9, number // 9 % 9, number // 81 % 9
    return (
        f"The {_ADJECTIVES[a]} {_NOUNS[b]} {_VERBS[c]} its {_NOUNS[a]} before the "
        f"{_ADJECTIVES[c]} {_NOUNS[(a + b + c) % 9]} is closed."
    )


class DocSite:
    """The app, with `pages` guides, and with or without a calendar, which has no end."""

    def __init__(self, pages: int = 200, *, calendar: bool = True) -> None:
        self.pages = min(pages, MAX_PAGES)
        self._calendar = calendar
        self.reset()

    def configure(self, settings: dict[str, object]) -> None:
        self.pages = min(int(str(settings.get("pages", self.pages))), MAX_PAGES)
        self.robots = str(settings.get("robots", ROBOTS))

    def reset(self) -> None:
        self.robots = ROBOTS
        self.robots_status = 200
        self.gated: dict[str, anyio.Event] = {}
        """Paths that wait for an event before they answer."""
        self.broken: set[str] = set()
        """Paths whose connection is reset."""
        self.halved: set[str] = set()
        """Paths whose answer ends in the middle."""
        self.astray: dict[str, str] = {}
        """Where paths lead that are something else otherwise."""

    def guides(self) -> dict[str, int]:
        """Every guide by its path."""
        return {self.path(number): number for number in range(self.pages)}

    @staticmethod
    def path(number: int) -> str:
        """The address of a guide."""
        section, place = divmod(number, SECTION)
        return f"{_folder(section)}guide-{place}.html" if place else _folder(section)

    def __call__(self, request: Request) -> Response:
        response = self._guide(request) or self._list(request) or _other(request)
        if request.path in self.astray:
            response = redirect(self.astray[request.path])
        if request.path in self.broken:
            response = replace(response, fault=reset())
        if request.path in self.halved:
            response = replace(response, fault=truncate(len(response.body) // 2))
        gate = self.gated.get(request.path)
        return response if gate is None else replace(response, gate=gate)

    # --- pages ---------------------------------------------------------------------------------

    def _guide(self, request: Request) -> Response | None:
        path, guides = request.path, self.guides()
        if path == "/docs/":
            traps = [each for each in TRAPS if self._calendar or "calendar" not in each]
            return html(_page("The handbook", f"{prose(4, 900)}{_items(traps)}", self._menu()))
        if f"{path}/" in guides:
            return redirect(f"{path}/", 301)
        number = guides.get(path.removesuffix("index.html"))
        return None if number is None else html(self._text(number, request.origin))

    def _text(self, number: int, origin: str) -> str:
        section, place = divmod(number, SECTION)
        following, far = self.path((number + 1) % self.pages), self.path(number * 7 % self.pages)
        links = [
            following,
            f"{far}?utm_source=guide&utm_medium=link#usage",
            f"{origin}{far}#details-of-it",
            "https://elsewhere.example/guide",
            *([f"./guide-{place % (SECTION - 1) + 1}.html", "index.html"] if place else ["./"]),
        ]
        # With a base of its own, where relative links lead astray without it.
        base = f"<base href='{origin}{_folder(section)}'>" if number % 3 == 0 else ""
        body = (
            f"{prose(2, number)}<h2 id='usage'>Usage</h2>{prose(1, number + 300)}"
            f"<p>{sentence(number)}</p><section id='details-of-it'><h2>Details &amp; limits"
            f"<a class='headerlink' href='#details-of-it'>¶</a></h2>{prose(1, number + 600)}"
            f"</section><pre><code>open('{origin}{following}')  # [a](guide-1.html)\n</code></pre>"
            f"<h2>See also</h2>{_items(links)}"
        )
        return _page(f"Guide {number}", body, self._menu(), head=base)

    def _menu(self) -> str:
        sections = range(0, self.pages, SECTION)
        return "".join(f"<a href='{self.path(number)}'>Part {number}</a>" for number in sections)

    # --- lists ---------------------------------------------------------------------------------

    def _list(self, request: Request) -> Response | None:
        origin = request.origin
        match request.path:
            case "/robots.txt":
                text = _text(self.robots.replace("{origin}", origin))
                return replace(text, status=self.robots_status)
            case "/sitemaps/index.xml":
                names = ("one.xml", "two.xml.gz", "one.xml", "index.xml")
                maps = (f"<sitemap><loc>{origin}/sitemaps/{n}</loc></sitemap>" for n in names)
                return _xml(f"<sitemapindex>{''.join(maps)}</sitemapindex>".encode())
            case "/sitemaps/one.xml":
                return _xml(self._urls(origin, 0))
            case "/sitemaps/two.xml.gz":
                packed = _xml(gzip.compress(self._urls(origin, 1)))
                return replace(packed, content_type="application/gzip")
            case "/docs/llms.txt":
                quarter = (f".{path.removeprefix('/docs')}" for path in self._quarter(2))
                lines = "".join(f"- [Guide]({path}): of use\n" for path in quarter)
                return _text(f"# The handbook\n\n> All of it.\n\n## Guides\n\n{lines}")
        return None

    def _urls(self, origin: str, which: int) -> bytes:
        places = (*self._quarter(which), "/elsewhere/", "/docs/private/listed")
        urls = "".join(f"<url><loc>{origin}{path}</loc></url>" for path in places)
        return (
            "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
            f"{urls}</urlset>"
        ).encode()

    def _quarter(self, which: int) -> list[str]:
        return [self.path(number) for number in range(self.pages) if number % 4 == which]


def _other(request: Request) -> Response:
    """What is no guide."""
    path = request.path
    moves = {
        "/docs/moved": "/docs/part-a/guide-1.html",
        "/docs/away": "/elsewhere/",
        "/docs/to-private": "/docs/private/plans",
        "/handbook": f"http://localhost:{request.origin.rpartition(':')[2]}/docs/",
    }
    if path in moves:
        return redirect(moves[path])
    if path.startswith("/docs/calendar/"):
        month = int(path.rpartition("/")[2])
        beside = (f"/docs/calendar/{other}" for other in (month + 1, max(1, month - 1)))
        return html(
            _page(f"Month {month}", f"<p>Nothing is planned.</p>{prose(3, 2000)}{_items(beside)}")
        )
    if path == "/docs/printed":
        canonical = "<link rel='canonical' href='/docs/printed'>"
        note = prose(1, 74) if "view" in request.query else ""
        return html(_page("The printed plans", prose(4, 73) + note, head=canonical))
    known = {
        "/docs/shell": html(_SHELL),
        "/docs/data": Response(body=bytes(range(256)), content_type="image/x-odd"),
        "/docs/twin": html(_page("The open plans", prose(4, 72))),
        "/docs/private/open": html(_page("The open plans", prose(4, 72))),
        "/docs/private/plans": html(_page("Elsewhere", prose(4, 71))),
        "/elsewhere/": html(_page("Elsewhere", prose(4, 71))),
    }
    return known.get(path) or html(_page("Not found", "<p>There is no such page.</p>"), 404)


_SHELL = (
    "<!doctype html><html><head><title>App</title><script src='/app.js'></script></head><body>"
    "<div id='root'></div><noscript>You need to enable JavaScript to run this app.</noscript>"
    "</body></html>"
)


def _folder(section: int) -> str:
    return f"/docs/part-{'abcdefghijklmnopqrstuvwxyz'[section]}/"


def _items(links: Iterable[str]) -> str:
    items = (f"<li><a href='{link}'>What is at {link}</a> is told there.</li>" for link in links)
    return f"<ul>{''.join(items)}</ul>"


def _page(title: str, body: str, menu: str = "", *, head: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}'
        f"</head><body><nav><a href='/docs/'>Handbook</a> {menu}</nav><main><article>"
        f"<h1>{title}</h1>{body}</article></main><footer>The handbook</footer></body></html>"
    )


def _text(text: str) -> Response:
    return Response(body=text.encode(), content_type="text/plain; charset=utf-8")


def _xml(body: bytes) -> Response:
    return Response(body=body, content_type="application/xml")
