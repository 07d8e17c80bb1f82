"""What reading needs of those who bring bytes: the page client and the renderer, as protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broker.context import RequestContext


class Fetched(Protocol):
    """A page as it came over HTTP."""

    @property
    def final_url(self) -> str:
        """Where redirects have led."""
        ...

    @property
    def status(self) -> int:
        """HTTP's; 304 only where a condition was sent."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Names in lower case."""
        ...

    @property
    def body(self) -> bytes:
        """Decompressed."""
        ...

    @property
    def media_type(self) -> str:
        """Without parameters, in lower case."""
        ...

    @property
    def content_type(self) -> str:
        """The header as it came."""
        ...

    @property
    def retry_after_s(self) -> float | None:
        """How long the site asks to be left alone; None where it says nothing."""
        ...

    @property
    def truncated(self) -> bool:
        """Whether this is only the beginning."""
        ...

    @property
    def broken_off(self) -> bool:
        """Whether that is because it ended early, and not because it is too long."""
        ...

    @property
    def etag(self) -> str | None:
        """For asking again."""
        ...

    @property
    def last_modified(self) -> str | None:
        """For asking again."""
        ...

    @property
    def not_modified(self) -> bool:
        """Whether the origin says that nothing has changed."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What a reader should know: that the body was cut, that a server was asked twice."""
        ...


class Pages(Protocol):
    """The page client: `broker.fetch.pages.PageClient`."""

    async def get(
        self,
        ctx: RequestContext,
        url: str,
        *,
        accept: str = ...,
        etag: str | None = ...,
        last_modified: str | None = ...,
        headers: Mapping[str, str] | None = ...,
    ) -> Fetched:
        """Bring one page; ends by `ctx.deadline`.

        Raises:
            BrokerError: there is none.
        """
        ...

    async def get_once(
        self, ctx: RequestContext, url: str, *, accept: str, headers: Mapping[str, str]
    ) -> Fetched:
        """The same, and an answer is not asked for again, whatever it is."""
        ...


class Rendered(Protocol):
    """A page as the browser shows it."""

    @property
    def final_url(self) -> str:
        """Where redirects and scripts have led."""
        ...

    @property
    def status(self) -> int | None:
        """HTTP's, of the document; None where it is not known."""
        ...

    @property
    def html(self) -> str:
        """The DOM as markup."""
        ...

    @property
    def settled(self) -> bool:
        """Whether its text had stopped growing."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What a reader should know."""
        ...


class Renders(Protocol):
    """The renderer: `broker.browser.render.Renderer`."""

    async def render(self, ctx: RequestContext, url: str) -> Rendered:
        """Open one page in the browser; ends by `ctx.deadline`.

        Raises:
            BrokerError: it cannot be opened.
        """
        ...
