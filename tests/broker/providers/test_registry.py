"""The list of providers, and what is known of each before it is asked."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pytest

from broker.errors import RequestInvalid
from broker.providers import REGISTRY, by_name
from broker.settings import ProviderSettings

if TYPE_CHECKING:
    from broker.providers.base import Provider

KEYED = [provider for provider in REGISTRY if provider.key]
TALKING = [provider for provider in REGISTRY if provider.talks is not None]


def test_a_provider_is_found_by_its_name() -> None:
    assert [by_name(provider.name) for provider in REGISTRY] == list(REGISTRY)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(RequestInvalid, match=r"'bing'; there are google, deepseek") as raised:
        by_name("bing")
    assert raised.value.field == "providers"


@pytest.mark.parametrize("provider", KEYED, ids=[p.name for p in KEYED])
def test_a_provider_without_its_key_says_which_one_is_missing(provider: Provider) -> None:
    field = str(provider.key).lower()
    assert field in {known.name for known in fields(ProviderSettings)}
    assert provider.lacks(ProviderSettings()) == f"no key: set {provider.key}"
    assert provider.lacks(replace(ProviderSettings(), **{field: "k"})) is None  # type: ignore[arg-type]


def test_only_providers_with_a_key_cost_money() -> None:
    assert {p.name for p in REGISTRY if p.paid} == {p.name for p in KEYED}


def test_the_keyless_tier_has_an_allowance_that_can_be_set_and_switched_off() -> None:
    exa_free = by_name("exa_free")
    assert exa_free.pace_for(ProviderSettings(exa_free_per_day=20)).per_day == 20
    off = ProviderSettings(exa_free_per_day=0)
    assert exa_free.lacks(off) == "switched off: exa_free_per_day is 0"


@pytest.mark.parametrize(
    ("name", "gap_s", "in_flight", "shared"),
    [
        ("deepseek", 0.3, 3, False),
        ("exa_free", 0.5, 1, True),
        ("ddg", 2.2, 1, True),
        ("arxiv", 3.2, 1, True),
    ],
)
def test_a_provider_has_the_pace_it_asks_for(
    name: str, gap_s: float, in_flight: int, *, shared: bool
) -> None:
    pace = by_name(name).pace_for(ProviderSettings())
    assert (pace.gap_s, pace.in_flight, pace.shared) == (gap_s, in_flight, shared)


def test_the_pace_is_told_in_words() -> None:
    words = by_name("exa_free").pace_for(ProviderSettings()).words()
    assert words == "1 at a time, 0.5 s apart, across processes, 50 a day"
    assert by_name("hn").pace.words() is None


@pytest.mark.parametrize("provider", TALKING, ids=[p.name for p in TALKING])
def test_each_module_has_the_functions_the_registry_promises(provider: Provider) -> None:
    assert provider.parse(b"", "").hits == ()
    module = provider._module(provider.talks or provider.name)
    assert callable(module.converse)
