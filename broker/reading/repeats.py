"""Pages of one host that say the same under different addresses: a wall that no word gives away.

Remembered for the session, a limited number for each host. Whether two addresses differ is decided
as strictly as can be: two forms of one address, or two that name the same canonical page, may well
show the same. Pure, for one thread.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from broker.fusion import url_identity
from extract.fingerprint import is_same

if TYPE_CHECKING:
    from broker.reading.drafts import Draft
    from broker.reading.judging import Judged
    from extract.fingerprint import Fingerprint

_MAX_HOSTS = 200
_MAX_PAGES = 40
_MUCH_WORDS = 300
"""A page with so many words of content is worth reading even if another address shows it too."""
_SURELY_CHARS = 50 * _MUCH_WORDS
"""A text of so many characters has so many words in any script."""


@dataclass(frozen=True, slots=True)
class _Seen:
    url: str
    canonical: str | None
    sample: Fingerprint


class Repeats:
    """What the pages of this session have said."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, deque[_Seen]] = OrderedDict()

    def other(self, url: str, page: Judged) -> str | None:
        """The address, other than `url`, of a page of its host that said the same; else None.

        What this page says is remembered.
        """
        sample, draft = page.fingerprint, page.draft
        if sample is None or not sample.hashes or draft is None:
            return None
        host = urlsplit(url).netloc.lower()
        seen = self._hosts.setdefault(host, deque(maxlen=_MAX_PAGES))
        self._hosts.move_to_end(host)
        if len(self._hosts) > _MAX_HOSTS:
            self._hosts.popitem(last=False)
        this = _Seen(url, draft.canonical, sample)
        twin = next((each for each in seen if _repeats(this, each)), None)
        if all(each.url != url for each in seen):
            seen.append(this)
        return None if twin is None else twin.url


def verdict_of_repeat(page: Judged) -> str | None:
    """What a page is that another address of its host gave as well; None for content after all."""
    if page.draft is not None and _is_long(page.draft):
        return None
    return "login_wall" if page.asks_password else "error_page"


def _repeats(one: _Seen, other: _Seen) -> bool:
    if url_identity(one.url) == url_identity(other.url):
        return False
    if one.canonical and other.canonical:
        same = url_identity(one.canonical) == url_identity(other.canonical)
        here = url_identity(one.canonical) in {url_identity(one.url), url_identity(other.url)}
        if same and here:
            return False
    return is_same(one.sample, other.sample)


def _is_long(draft: Draft) -> bool:
    # Words of megabytes are counted in none but worker threads.
    return len(draft.body.markdown) >= _SURELY_CHARS or draft.words >= _MUCH_WORDS
