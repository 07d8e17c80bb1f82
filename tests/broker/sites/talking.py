"""Drives a site's conversation by hand, with the emulator's answers and without a network."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from broker.errors import BrokerError, NotConnected
from broker.settings import Settings, SiteSettings
from broker.sites import site_of
from broker.sites.base import Get, Read, Reply, Text, Together, Visit
from tests.emulators.messages import parse_head

if TYPE_CHECKING:
    from broker.sites.base import Conversation, Piece, Step
    from tests.emulators.messages import Request
    from tests.emulators.saved_sites import SavedSite

NOW = datetime(2027, 1, 15, 8, 0, tzinfo=UTC)
"""1,800,000,000 in Unix time."""
READER = MarkdownIt("commonmark").enable("table")


@dataclass
class Talk:
    """What a conversation came to."""

    asked: list[str] = field(default_factory=list)
    """Addresses in the order of asking; those asked together stand together."""
    gets: list[Get] = field(default_factory=list)
    piece: Piece | None = None
    error: BrokerError | None = None

    @property
    def document(self) -> Piece:
        assert self.piece is not None, self.error
        return self.piece

    @property
    def text(self) -> str:
        return self.document.markdown


def conversation(url: str, settings: SiteSettings | None = None) -> Conversation | None:
    """How a page is read; None for the ordinary way."""
    site = site_of(urlsplit(url).hostname or "")
    if site is None:
        return None
    config = Settings(home=Path("/nowhere"), sites=settings or SiteSettings())
    return site.converse(Visit(url=url, parts=urlsplit(url), settings=config, now=NOW))


def spoken(
    url: str,
    app: SavedSite,
    settings: SiteSettings | None = None,
    texts: dict[str, Text | BrokerError] | None = None,
) -> Talk:
    """The conversation about a page to its end, over an app's answers."""
    talk = conversation(url, settings)
    assert talk is not None, f"{url} is read in the ordinary way"
    said = Talk()
    try:
        step = next(talk)
        while True:
            came = _done(step, said, app, texts or {})
            step = talk.throw(came) if isinstance(came, BrokerError) else talk.send(came)
    except StopIteration as end:
        said.piece = end.value
    except BrokerError as error:
        said.error = error
    return said


def _done(
    step: Step, said: Talk, app: SavedSite, texts: dict[str, Text | BrokerError]
) -> Reply | Text | BrokerError | tuple[Reply | Text | BrokerError, ...]:
    if isinstance(step, Together):
        return tuple(_one(each, said, app, texts) for each in step.steps)
    return _one(step, said, app, texts)


def _one(
    step: Get | Read, said: Talk, app: SavedSite, texts: dict[str, Text | BrokerError]
) -> Reply | Text | BrokerError:
    said.asked.append(step.url)
    if isinstance(step, Read):
        return texts[step.url]
    said.gets.append(step)
    response = app(request_for(step))
    if response.fault is not None:
        return NotConnected("dns", "nobody answers", url=step.url)
    headers = {name.lower(): value for name, value in response.headers}
    wait = headers.get("retry-after")
    return Reply(
        url=step.url,
        status=response.status,
        headers=headers,
        body=response.body,
        media_type=response.content_type.partition(";")[0],
        retry_after_s=float(wait) if wait else None,
    )


def request_for(step: Get) -> Request:
    parts = urlsplit(step.url)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return parse_head(f"GET {target} HTTP/1.1\r\nhost: {parts.netloc}".encode())


def no_heading_but_ours(markdown: str) -> bool:
    """Whether a document has one h1, which comes first, and what is written below it is read."""
    tokens = READER.parse(f"{markdown}\n\n# below")
    tops = [
        at for at, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h1"
    ]
    return len(tops) == 2 and tops[0] == 0 and not tokens[tops[1]].level
