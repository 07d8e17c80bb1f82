"""The registry of providers: an explicit list, in no particular order."""

from __future__ import annotations

from broker.errors import RequestInvalid
from broker.providers import ddg, google
from broker.providers.base import Provider

REGISTRY: tuple[Provider, ...] = (
    Provider(name=google.NAME, parse=google.parse),
    Provider(name=ddg.NAME, parse=ddg.parse),
)
"""One line a provider."""


def by_name(name: str) -> Provider:
    """The provider called `name`.

    Raises:
        RequestInvalid: There is none; the message lists the names.
    """
    for provider in REGISTRY:
        if provider.name == name:
            return provider
    known = ", ".join(provider.name for provider in REGISTRY)
    raise RequestInvalid(f"no provider is called {name!r}; there are {known}", field="providers")
