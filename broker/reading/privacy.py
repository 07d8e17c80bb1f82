"""Which addresses may be told to a third party: no intranet, no secrets.

An archive that the operator runs on a network of their own is no third party.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from broker.egress.locate import AddressInvalid, locate
from broker.egress.ranges import FAKE_IP, denied_range, unscoped
from broker.errors import BrokerError
from broker.secrets import find_secret

if TYPE_CHECKING:
    from broker.egress.dial import Egress
    from broker.egress.locate import Host
    from broker.egress.ranges import Address

_PRIVATE_SUFFIXES = (
    ".local", ".localhost", ".internal", ".intranet", ".intra", ".lan", ".corp", ".home",
    ".home.arpa", ".private", ".localdomain",
)  # fmt: skip


class Privacy:
    """Says of an address whether an archive may be asked about it."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    async def objection(self, url: str, archive: str) -> str | None:
        """Why the archive at the origin `archive` is not asked about `url`; None where it may."""
        kind = find_secret(url)
        if kind is not None:
            return f"the address seems to hold {kind}"
        if "@" in urlsplit(url).netloc:
            return "the address holds a user name"
        if await self._is_intranet(url) and not _is_private_origin(archive):
            return "the address belongs to a private network"
        return None

    async def _is_intranet(self, url: str) -> bool:
        try:
            target = self._egress.policy.check_url(url)
            if target.configured:
                return False  # it stands for a public service
            if _is_private_name(target.host):
                return True
            tls = url.startswith("https:")
            if self._egress.proxies.route(target, tls=tls) is not None:
                return False  # only the proxy knows what the name stands for
            return any(map(_is_private, await self._egress.addresses(target)))
        except BrokerError:
            return True


def _is_private_origin(url: str) -> bool:
    try:
        return _is_private_name(locate(url).host)
    except AddressInvalid:
        return False


def _is_private_name(host: Host) -> bool:
    if host.address is not None:
        return _is_private(host.address)
    return "." not in host.name or host.name.endswith(_PRIVATE_SUFFIXES)


def _is_private(address: Address) -> bool:
    block = denied_range(unscoped(address))
    return block is not None and block.network != FAKE_IP
