"""The settings: a frozen tree with the unit in every field name.

From low to high: the defaults below, the configuration file, the environment, the flags. Unknown
keys are errors. This module reads neither file nor environment; `broker.settings_load` does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

DEFAULT_HOME = "~/.local/state/webaio"
"""A state folder and not a cache: cooldowns and stored answers should outlive a cleaned cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneSettings:
    """Time and size rules of searching."""

    search_deadline_s: float = 7.0
    """Default budget of a whole search."""
    google_lane_s: float = 3.0
    """Hard limit of the Google lane, from the start of the search, browser start included."""
    reserve_s: float = 0.15
    """Kept at the end of a budget to hand over what was found."""
    hedge_after_s: float = 1.2
    """When nobody has a hit after this long, the next provider is asked as well."""
    pages_in_flight: int = 2
    """Further result pages that load at the same time."""
    cooldown_first_s: float = 300.0
    """How long a provider is left alone after its first refusal; doubles with each further one."""
    cooldown_max_s: float = 3600.0
    """Longest cooldown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSettings:
    """The Chromium that the broker owns."""

    enabled: bool = True
    """False turns the browser lane off (`PI_WEBAIO_CDP_BROKER=0`)."""
    executable: Path | None = None
    """The browser to run (`PI_WEBAIO_CHROME`); None searches for one."""
    cdp_url: str | None = None
    """A running CDP endpoint to attach to instead of launching (`PI_WEBAIO_CDP_URL`)."""
    tabs: int = 8
    """Most tabs that are kept warm and in use at the same time."""
    max_uses: int = 500
    """Leases after which the browser is replaced."""
    max_rss_mb: int = 1500
    """Resident memory of the browser's process tree, in MiB, above which it is replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """Where a provider is reached."""

    google_url: str = "https://www.google.com"
    """Origin of the Google endpoints (`PI_WEBAIO_GOOGLE_URL`)."""
    deepseek_url: str = "https://api.deepseek.com"
    """(`PI_WEBAIO_DEEPSEEK_URL`)"""
    exa_url: str = "https://api.exa.ai"
    """(`PI_WEBAIO_EXA_URL`)"""
    exa_mcp_url: str = "https://mcp.exa.ai"
    """(`PI_WEBAIO_EXA_MCP_URL`)"""
    ddg_url: str = "https://html.duckduckgo.com"
    """(`PI_WEBAIO_DDG_URL`)"""
    ddg_lite_url: str = "https://lite.duckduckgo.com"
    """(`PI_WEBAIO_DDG_LITE_URL`)"""
    zai_url: str = "https://api.z.ai"
    """(`PI_WEBAIO_ZAI_URL`)"""
    arxiv_url: str = "https://export.arxiv.org"
    """(`PI_WEBAIO_ARXIV_URL`)"""
    hn_url: str = "https://hn.algolia.com"
    """(`PI_WEBAIO_HN_URL`)"""
    jina_url: str = "https://r.jina.ai"
    """The reader proxy (`PI_WEBAIO_JINA_URL`)"""
    wayback_url: str = "https://web.archive.org"
    """(`PI_WEBAIO_WAYBACK_URL`)"""
    deepseek_api_key: str | None = field(default=None, repr=False)
    """(`DEEPSEEK_API_KEY`)"""
    exa_api_key: str | None = field(default=None, repr=False)
    """(`EXA_API_KEY`)"""
    zai_api_key: str | None = field(default=None, repr=False)
    """(`ZAI_API_KEY`, else `zai.key` in `~/.pi/agent/auth.json`)"""
    exa_free_per_day: int = 50
    """Calls of Exa's keyless tier a day; its own limit is not published (50 to 150)."""
    paid_hedges: bool = False
    """Whether a provider that costs money is asked while a free one may still answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """What is kept of pages and files that were read."""

    max_age_days: float = 7.0
    """How long after its last use a document is dropped."""
    max_documents: int = 200
    """Most documents on disk, the least recently used dropped first; 0 keeps none there."""
    max_mb: int = 64
    """Most MiB of their text; the index adds about three quarters of that to the file."""
    hot_documents: int = 32
    """Most documents that a process has in memory, to give the same page again at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSettings:
    """How pages are read."""

    fetch_deadline_s: float = 20.0
    """Default budget of a whole fetch."""
    archives: bool = True
    """Whether the reader proxy and the Wayback Machine are asked for pages behind a wall; they
    learn the address. Never for private networks and for addresses that hold a secret."""
    fresh_for_s: float = 900.0
    """How long a page that was read counts as what its origin would give."""
    answer_kb: int = 20
    """Kilobytes of an answer that names no size."""
    host_gap_s: float = 0.3
    """Seconds between the beginnings of two requests for pages of one host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSettings:
    """Where sites that are read by their own doors are reached.

    arXiv and Hacker News are providers as well, and have their addresses there.
    """

    fxtwitter_url: str = "https://api.fxtwitter.com"
    """Posts of X (`PI_WEBAIO_FXTWITTER_URL`)"""
    github_url: str = "https://api.github.com"
    """(`PI_WEBAIO_GITHUB_URL`)"""
    github_raw_url: str = "https://raw.githubusercontent.com"
    """(`PI_WEBAIO_GITHUB_RAW_URL`)"""
    stackexchange_url: str = "https://api.stackexchange.com"
    """(`PI_WEBAIO_STACKEXCHANGE_URL`)"""
    wikipedia_url: str | None = None
    """None for the host of the article itself (`PI_WEBAIO_WIKIPEDIA_URL`)."""
    pypi_url: str = "https://pypi.org"
    """(`PI_WEBAIO_PYPI_URL`)"""
    npm_url: str = "https://registry.npmjs.org"
    """(`PI_WEBAIO_NPM_URL`)"""
    crates_url: str = "https://crates.io"
    """(`PI_WEBAIO_CRATES_URL`)"""
    youtube_url: str = "https://www.youtube.com"
    """(`PI_WEBAIO_YOUTUBE_URL`)"""
    github_token: str | None = field(default=None, repr=False)
    """Sent to `github_url` alone; more requests an hour and private repositories
    (`PI_WEBAIO_GITHUB_TOKEN`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressSettings:
    """Where pages may be read from, and by which way."""

    allow_ranges: tuple[str, ...] = ()
    """Address ranges (CIDR) that pages may be read from although they are not the public internet
    (`PI_WEBAIO_ALLOW_RANGES`)."""
    http_proxy: str | None = field(default=None, repr=False)
    """Proxy for http pages; it may hold a password (`HTTP_PROXY`, `ALL_PROXY`)."""
    https_proxy: str | None = field(default=None, repr=False)
    """Proxy for https pages and WebSockets (`HTTPS_PROXY`, `ALL_PROXY`)."""
    no_proxy: tuple[str, ...] = ()
    """Hosts, domains, addresses and ranges that are reached without a proxy (`NO_PROXY`)."""


class TraceMode(StrEnum):
    """The forms of the debugging trace."""

    OFF = "off"
    HUMAN = "human"
    JSON = "json"
    CHROME = "chrome"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings:
    """What the debugging trace writes (`PI_WEBAIO_DEBUG` sets both fields)."""

    mode: TraceMode = TraceMode.OFF
    path: Path | None = None
    """The file of a chrome trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set."""

    home: Path = field(default_factory=lambda: Path(DEFAULT_HOME).expanduser())
    """Folder of the state and the cache (`PI_WEBAIO_HOME`), made with mode 0700."""
    lanes: LaneSettings = LaneSettings()
    browser: BrowserSettings = BrowserSettings()
    providers: ProviderSettings = ProviderSettings()
    store: StoreSettings = StoreSettings()
    reading: ReadingSettings = ReadingSettings()
    sites: SiteSettings = SiteSettings()
    egress: EgressSettings = EgressSettings()
    trace: TraceSettings = TraceSettings()
    warnings: tuple[str, ...] = ()
    """What loading them found odd but not wrong, one sentence each; `status` shows them."""
