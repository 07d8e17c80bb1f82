"""Which providers there are, what each lacks here, and the lanes that ask them.

The order is the one in which they are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.lanes.google import GoogleLane
from broker.lanes.http import HttpLane
from broker.lanes.off import LaneOff
from broker.lanes.race import RaceRules
from broker.providers import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broker.browser.pool import TabPool
    from broker.fetch.http import HttpClient
    from broker.lanes.cooldown import Cooldowns
    from broker.lanes.lane import Lane
    from broker.settings import Settings
    from broker.store import Store

SPECIAL = frozenset({"arxiv", "hn"})
"""Providers of one source: asked when they are named, and a miss falls to the web."""

WEB = tuple(provider.name for provider in REGISTRY if provider.name not in SPECIAL)
"""The providers that search the whole web, in the order in which `auto` tries them."""

_TWINS = {"exa_free": "exa"}
"""The same engine twice: asking both would count its opinion double."""

BROWSER_OFF = "the browser lane is switched off (browser.enabled, PI_WEBAIO_CDP_BROKER)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The lanes of one broker."""

    lanes: dict[str, Lane]
    settings: Settings

    def chosen(self, providers: Sequence[str]) -> tuple[list[Lane], RaceRules]:
        """The lanes that were asked for, and how they are raced.

        `("auto",)` tries the configured ones in order, `("all",)` asks them at the same time; names
        are tried in the order given, and special sources fall back to the web.
        """
        hedge_after_s = self.settings.lanes.hedge_after_s
        paid_hedges = self.settings.providers.paid_hedges
        configured = [name for name in WEB if name == "google" or self._is_ready(name)]
        if tuple(providers) == ("all",):
            names = [n for n in configured if _TWINS.get(n) not in configured]
            return self._named(names), RaceRules(at_once=True)
        eager = None
        names = configured if tuple(providers) == ("auto",) else list(providers)
        if set(names) <= SPECIAL:
            eager = len(names)
            names += configured
        rules = RaceRules(hedge_after_s=hedge_after_s, paid_hedges=paid_hedges, eager=eager)
        return self._named(names), rules

    def _is_ready(self, name: str) -> bool:
        return self.lanes[name].lacks is None

    def _named(self, names: Sequence[str]) -> list[Lane]:
        return [self.lanes[name] for name in names]


def make_catalogue(
    settings: Settings,
    *,
    tabs: TabPool | None,
    client: HttpClient,
    store: Store,
    cooldowns: Cooldowns,
) -> Catalogue:
    """The lanes for these settings; `tabs` is None where the browser lane is off."""
    lanes: dict[str, Lane] = {}
    for provider in REGISTRY:
        if provider.talks is not None:
            lanes[provider.name] = HttpLane(
                provider,
                settings.providers,
                client=client,
                store=store,
                cooldowns=cooldowns,
                tabs=tabs,
            )
    lanes["google"] = (
        LaneOff("google", BROWSER_OFF) if tabs is None else GoogleLane(settings, tabs, cooldowns)
    )
    return Catalogue(lanes=lanes, settings=settings)
