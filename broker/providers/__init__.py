"""The registry of providers: an explicit list, and what must be known of each before it is asked.

The providers' own modules, and lxml with them, are imported when a page is parsed or a query asked:
the sidecar's first `status` names every provider and waits for none of that.
"""

from __future__ import annotations

from broker.errors import RequestInvalid
from broker.providers.base import Pace, Provider

REGISTRY: tuple[Provider, ...] = (
    Provider(name="google", talks=None),
    # Under 5 requests a second, which is the least that accounts were ever granted.
    Provider(name="deepseek", key="DEEPSEEK_API_KEY", paid=True, pace=Pace(in_flight=3, gap_s=0.3)),
    # Users were refused after a handful of calls a day: one at a time is plenty.
    Provider(name="zai", key="ZAI_API_KEY", paid=True, pace=Pace(in_flight=1)),
    # An account has 10 requests a second.
    Provider(name="exa", key="EXA_API_KEY", paid=True, pace=Pace(in_flight=3, gap_s=0.1)),
    # Its limits count all requests from this machine's address.
    Provider(
        name="exa_free",
        pace=Pace(in_flight=1, gap_s=0.5, shared=True),
        allowance="exa_free_per_day",
    ),
    # Two seconds, and what a slow connection may take from them: the fourth request of a quick row
    # is challenged.
    Provider(name="ddg", talks="ddg_talk", pace=Pace(in_flight=1, gap_s=2.2, shared=True)),
    # Its terms of use: three seconds.
    Provider(name="arxiv", pace=Pace(in_flight=1, gap_s=3.2, shared=True)),
    Provider(name="hn", pace=Pace(in_flight=3)),
)
"""One entry a provider, in the order in which `auto` tries those that search the whole web."""


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
