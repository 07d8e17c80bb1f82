"""The registry of sites that are read by their own doors: an explicit list, in no special order.

A site's module is imported when a page of its hosts is read, and not before.
"""

from __future__ import annotations

from broker.sites.base import Site

REGISTRY: tuple[Site, ...] = (
    Site(name="arxiv", title="arXiv", hosts=("arxiv.org", "www.arxiv.org", "export.arxiv.org")),
    Site(
        name="fxtwitter",
        title="X",
        hosts=(
            *("x.com", "www.x.com", "mobile.x.com"),
            *("twitter.com", "www.twitter.com", "mobile.twitter.com"),
            *("fxtwitter.com", "vxtwitter.com", "fixupx.com", "fixvx.com"),
        ),
    ),
    Site(name="hn", title="Hacker News", hosts=("news.ycombinator.com",)),
    Site(
        name="youtube",
        title="YouTube",
        hosts=(
            *("youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com"),
            *("youtu.be", "www.youtube-nocookie.com"),
        ),
    ),
    Site(
        name="github",
        title="GitHub",
        hosts=("github.com", "www.github.com", "gist.github.com"),
        fragments=r"L\d.*|issuecomment-\d+|discussion_r\d+",
    ),
    Site(
        name="stackexchange",
        title="Stack Exchange",
        hosts=(
            ".stackoverflow.com",
            ".stackexchange.com",
            ".superuser.com",
            ".serverfault.com",
            ".askubuntu.com",
            ".mathoverflow.net",
            "stackapps.com",
        ),
    ),
    Site(
        name="wikipedia",
        title="Wikimedia",
        hosts=(
            ".wikipedia.org",
            ".wiktionary.org",
            ".wikivoyage.org",
            ".wikibooks.org",
            ".wikiquote.org",
            ".wikiversity.org",
            ".wikinews.org",
            ".wikisource.org",
            "www.mediawiki.org",
        ),
        fragments=r"[^/!].*",
    ),
    Site(name="pypi", title="PyPI", hosts=("pypi.org", "www.pypi.org")),
    Site(name="npm", title="npm", hosts=("npmjs.com", "www.npmjs.com")),
    Site(name="crates", title="crates.io", hosts=("crates.io", "www.crates.io")),
)


def site_of(host: str) -> Site | None:
    """The site that a host belongs to; None for all the others."""
    return next((site for site in REGISTRY if site.has(host)), None)
