"""The registry of sites, and what every one of them brings along."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from broker.settings import Settings
from broker.sites import REGISTRY, site_of
from broker.sites.base import Site, Visit


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("github.com", "github"),
        ("WWW.GitHub.com.", "github"),
        ("gist.github.com", "github"),
        ("raw.githubusercontent.com", None),
        ("github.com.evil.example", None),
        ("notgithub.com", None),
        ("ru.stackoverflow.com", "stackexchange"),
        ("en.m.wikipedia.org", "wikipedia"),
        ("fakewikipedia.org", None),
        ("", None),
    ],
)
def test_a_host_belongs_to_a_site_or_to_none(host: str, name: str | None) -> None:
    site = site_of(host)
    assert (site and site.name) == name


def test_a_site_keeps_the_fragments_that_mean_something_to_it() -> None:
    github = next(site for site in REGISTRY if site.name == "github")
    kept = [
        each for each in ("L10", "L1C2-L3", "issuecomment-7", "readme", "") if github.keeps(each)
    ]
    assert kept == ["L10", "L1C2-L3", "issuecomment-7"]
    assert not Site(name="x", title="X", hosts=()).keeps("L10")


@pytest.mark.parametrize("site", REGISTRY, ids=[site.name for site in REGISTRY])
def test_a_site_leaves_addresses_that_it_does_not_know(site: Site) -> None:
    for path in ("", "/", "/%00", "//", "/no-such-page-here", "/a/b/c/d/e/f?x=[", "/wiki", "/é"):
        url = f"https://{site.hosts[0].lstrip('.')}{path}"
        visit = Visit(
            url=url,
            parts=urlsplit(url),
            settings=Settings(home=Path("/nowhere")),
            now=datetime(2026, 11, 30, tzinfo=UTC),
        )
        assert site.converse(visit) is None, url
