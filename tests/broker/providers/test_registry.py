"""The list of providers."""

from __future__ import annotations

import pytest

from broker.errors import RequestInvalid
from broker.providers import REGISTRY, by_name


def test_a_provider_is_found_by_its_name() -> None:
    assert [by_name(provider.name) for provider in REGISTRY] == list(REGISTRY)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(RequestInvalid, match=r"'bing'; there are google, ddg") as raised:
        by_name("bing")
    assert raised.value.field == "providers"
