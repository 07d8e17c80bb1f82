"""What a provider is: a name and pure functions, nothing that fetches.

Adding one takes a file with its functions and a line in the registry of this package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.models import Serp


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A source of results."""

    name: str
    """As it stands in requests, settings and answers."""
    parse: Callable[[str | bytes, str], Serp]
    """`parse(html, url)`: what the page at `url` is and which hits it holds. Never raises."""
