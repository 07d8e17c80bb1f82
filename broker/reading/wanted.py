"""One source of a request, and how it is wanted. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broker.reading.records import Form, Render
from broker.redact import safe_url

if TYPE_CHECKING:
    from broker.reading.sources import Source

LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One source, and how it is wanted."""

    source: Source
    index: int = 0
    """Its place in the request."""
    render: Render = Render.AUTO
    form: Form = Form.MARKDOWN
    fresh: bool = False

    def key(self, url: str) -> str:
        """What the document is kept under: the address, and the variant."""
        variant = "" if self.render is Render.AUTO else f" [{self.render}]"
        return url + variant + (" [html]" if self.form is Form.HTML else "")

    def flight(self, key: str) -> str:
        """What others have to ask for to share the work."""
        return f"{key} fresh" if self.fresh else key


def host_group(source: Source) -> str:
    """Sources of one group are read together: those of one host, and the files of this machine."""
    if source.path is not None:
        return LOCAL
    return safe_url(source.url).partition("://")[2].partition("/")[0]
