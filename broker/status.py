"""How everything stands: what works, what does not, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from broker.documents.tools import missing_parts
from broker.errors import BrowserMissing
from broker.models import BrowserStatus, ProviderStatus, ReadingStatus, Status
from broker.store.file import FILE_NAME
from broker.trace import safe_url
from broker.version import __version__

if TYPE_CHECKING:
    from broker.browser.pool import TabPool
    from broker.reading.session import Reading
    from broker.settings import BrowserSettings, Settings
    from broker.store import Outcome, Store


async def status_of(
    settings: Settings, store: Store, tabs: TabPool | None, reading: Reading | None
) -> Status:
    """How a broker stands; starts nothing, and asks a browser at most for its version.

    Args:
        settings: what it goes by.
        store: its cooldowns and outcomes.
        tabs: the browser's; None where it is off.
        reading: its reading part; None where nothing was read yet.
    """
    browser = BrowserStatus(state="off") if tabs is None else tabs.status()
    if browser.state == "idle":
        browser = await anyio.to_thread.run_sync(_found_browser, settings.browser)
    if browser.state == "ready" and tabs is not None:
        browser = await tabs.measured_status()
    providers = await anyio.to_thread.run_sync(_providers, settings, store, browser)
    warnings = settings.warnings
    if store.warning is not None:
        warnings = (*warnings, store.warning)
    return Status(
        version=__version__,
        home=str(settings.home),
        browser=browser,
        providers=providers,
        reading=await (_kept_status(settings) if reading is None else reading.status()),
        warnings=warnings,
    )


def _providers(
    settings: Settings, store: Store, browser: BrowserStatus
) -> tuple[ProviderStatus, ...]:
    from broker.providers import REGISTRY  # noqa: PLC0415 - see Broker.search

    cooling = {c.name: c for c in store.cooldowns() if c.left_s > 0}
    outcomes = store.outcomes()
    statuses = []
    for provider in REGISTRY:
        name, lacks = provider.name, provider.lacks(settings.providers)
        if name == "google":
            lacks = _lacking(browser)
        cooldown = cooling.get(name)
        statuses.append(
            ProviderStatus(
                name=name,
                configured=lacks is None,
                lacks=lacks,
                cooldown_s=None if cooldown is None else round(cooldown.left_s),
                cooldown_code=None if cooldown is None else cooldown.code,
                last=_last(outcomes.get(name)),
                pace=provider.pace_for(settings.providers).words(),
            )
        )
    return tuple(statuses)


def _lacking(browser: BrowserStatus) -> str | None:
    if browser.state == "off":
        return "the browser lane is switched off"
    return "no browser" if browser.state == "missing" else None


def _last(outcome: Outcome | None) -> str | None:
    return None if outcome is None else f"{outcome.outcome}, {outcome.age_s:.0f} s ago"


def _found_browser(settings: BrowserSettings) -> BrowserStatus:
    """What would be started, were it needed."""
    from broker.browser.find import find_browser, product  # noqa: PLC0415 - see Broker.search

    if settings.cdp_url is not None:
        return BrowserStatus(state="idle", note=f"attaches to {safe_url(settings.cdp_url)}")
    try:
        found = find_browser(settings.executable)
    except BrowserMissing as error:
        return BrowserStatus(state="missing", note=error.message)
    return BrowserStatus(state="idle", executable=str(found.path), version=product(found))


async def _kept_status(settings: Settings) -> ReadingStatus:
    """What the store holds, where there is one; opens nothing else."""
    missing = await anyio.to_thread.run_sync(missing_parts)
    status = ReadingStatus(archives=settings.reading.archives, missing=missing)
    file = settings.home / FILE_NAME
    if not await anyio.to_thread.run_sync(file.exists):
        return status
    from broker.store.documents import Documents  # noqa: PLC0415 - see broker.store

    documents = Documents(settings.home, settings.store)
    kept = await documents.statistics()
    await documents.close()
    oldest_s = kept.oldest_age_s
    return replace(
        status,
        documents=kept.documents,
        stored_bytes=kept.bytes,
        oldest_age_s=None if oldest_s is None else round(oldest_s),
    )
