"""The registry of sites that are read by their own doors: an explicit list, in no special order.

A site's module is imported when a page of its hosts is read, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broker.sites.base import Site

REGISTRY: tuple[Site, ...] = ()


def site_of(host: str) -> Site | None:
    """The site that a host belongs to; None for all the others."""
    return next((site for site in REGISTRY if site.has(host)), None)
