"""Every saved page or answer is read as the JSON file beside it says.

The pages are small and invented; each is named for what it shows, in the markup of its year.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, fields
from typing import TYPE_CHECKING, Any

import pytest

from broker.models import Hit
from broker.providers import REGISTRY, by_name
from tests.broker.providers.pages import PAGES

if TYPE_CHECKING:
    from pathlib import Path

    from broker.models import Serp

SAVED = sorted(path for path in PAGES.glob("*/*") if path.suffix != ".json")


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def said_of(hit: Hit) -> dict[str, Any]:
    defaults = {field.name: field.default for field in fields(Hit) if field.default is not MISSING}
    told = {key: value for key, value in asdict(hit).items() if value != defaults.get(key, MISSING)}
    said = {key: value for key, value in told.items() if key != "provider"}
    return dict(json.loads(json.dumps(said)))  # tuples are lists there


def read(serp: Serp) -> dict[str, Any]:
    answer: dict[str, Any] = {"state": str(serp.state)}
    if serp.hits:
        answer["hits"] = [said_of(hit) for hit in serp.hits]
    if serp.next_url:
        answer["next"] = serp.next_url
    if serp.page_urls:
        answer["pages"] = [list(entry) for entry in serp.page_urls]
    if serp.next_form:
        answer["form"] = [serp.next_form.action, [list(pair) for pair in serp.next_form.fields]]
    return answer


@pytest.mark.parametrize("path", SAVED, ids=name_of)
def test_a_saved_page_is_read_as_its_reading_says(path: Path) -> None:
    serp = by_name(path.parent.name).parse(path.read_bytes(), "")
    assert read(serp) == json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert all(hit.provider == path.parent.name for hit in serp.hits)


@pytest.mark.parametrize("provider", [provider.name for provider in REGISTRY])
def test_a_provider_has_saved_pages_with_results_and_without(provider: str) -> None:
    states = {
        json.loads(path.read_text(encoding="utf-8"))["state"]
        for path in (PAGES / provider).glob("*.json")
    }
    assert {"results", "no_results", "blank"} <= states
