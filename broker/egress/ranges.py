"""The address space as the policy sees it: what is not the public internet, and what is in what.

Pure tables. The ranges are IANA's special-purpose registries; an IPv6 address outside of the one
block that is assigned to the public internet counts as reserved.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Range:
    """A block of addresses that pages are not read from."""

    network: Network
    name: str

    def __str__(self) -> str:
        return f"{self.name}, {self.network}"


_DENIED = tuple(
    Range(ip_network(network), name)
    for network, name in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relays"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4-compatible"),
        ("::ffff:0:0:0/96", "IPv4-translated"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("100::/64", "discard"),
        ("2001::/32", "Teredo"),
        ("2001::/23", "protocol assignments"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
"""The first that holds an address names it."""

_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_TEREDO = IPv6Network("2001::/32")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_ENDS_IN_IPV4 = (
    _MAPPED,
    _NAT64,
    IPv6Network("::/96"),
    IPv6Network("::ffff:0:0:0/96"),
)
_PUBLIC_IPV6 = IPv6Network("2000::/3")
_OTHER_IPV6 = Range(IPv6Network("::/0"), "reserved")
_ISATAP_BITS = 0x0000_5EFE
_ISATAP_MASK = 0xFCFF_FFFF
"""Two bits of an ISATAP identifier say whether its address is unique; they are not looked at."""
_32_BITS = 0xFFFF_FFFF

FAKE_IP = IPv4Network("198.18.0.0/15")
"""What proxies on the user's machine answer for every name, to know it again when it is asked."""

LOOPBACK: tuple[Address, ...] = (IPv4Address("127.0.0.1"), IPv6Address("::1"))
"""What `localhost` means, whatever a resolver may say."""

METADATA: frozenset[Address] = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",  # AWS, Azure, Google, Oracle, OpenStack, DigitalOcean, Hetzner …
        "169.254.169.253",  # AWS, the resolver
        "169.254.170.2",  # AWS, credentials of a container
        "169.254.170.23",  # AWS, credentials of a pod
        "169.254.42.42",  # Scaleway
        "169.254.0.23",  # Tencent
        "100.100.100.200",  # Alibaba
        "168.63.129.16",  # Azure, the host's own server
        "192.0.0.192",  # Oracle, classic
        "fd00:ec2::254",  # AWS
        "fd00:ec2::253",
        "fd00:ec2::23",
        "fd20:ce::254",  # Google
        "fd00:c1::a9fe:a9fe",  # Oracle
        "fd00:42::42",  # Scaleway
        "fe80::a9fe:a9fe",  # OpenStack
    )
)
"""Where a machine of a cloud learns its own credentials; public addresses among them or not."""

METADATA_NAMES = frozenset(
    {
        "instance-data",
        "instance-data.ec2.internal",
        "metadata",
        "metadata.goog",
        "metadata.google.internal",
        "metadata.tencentyun.com",
    }
)

BAD_PORTS = frozenset(
    # fetch.spec.whatwg.org, "port blocking"
    (
        *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95),
        *(101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161),
        *(179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563),
        *(587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060),
        *(5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
    )
)


def denied_range(address: Address) -> Range | None:
    """The block that keeps `address` from being read; what is embedded in it does not count."""
    for block in _DENIED:
        if address in block.network:
            return block
    if address.version == 4 or address in _PUBLIC_IPV6:  # noqa: PLR2004 - IP's own number
        return None
    # These two are as good as the IPv4 address in them.
    return None if address in _MAPPED or address in _NAT64 else _OTHER_IPV6


def embedded(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that a packet to `address` may end up at."""
    return tuple(_embedded(address)) if isinstance(address, IPv6Address) else ()


def _embedded(address: IPv6Address) -> Iterator[IPv4Address]:
    bits = int(address)
    if any(address in network for network in _ENDS_IN_IPV4):
        yield IPv4Address(bits & _32_BITS)
    elif address in _LOCAL_NAT64:
        # RFC 6052 has a place for it with each length of a prefix, around a byte of zeros.
        yield IPv4Address(bits & _32_BITS)
        yield IPv4Address((bits >> 24) & _32_BITS)
        yield IPv4Address((bits >> 64 & 0xFF) << 24 | (bits >> 32 & 0xFF_FFFF))
        yield IPv4Address((bits >> 64 & 0xFFFF) << 16 | (bits >> 40 & 0xFFFF))
    elif address in _SIX_TO_FOUR:
        yield IPv4Address(bits >> 80 & _32_BITS)
    elif address in _TEREDO:
        yield IPv4Address(bits >> 64 & _32_BITS)  # its server
        yield IPv4Address(bits & _32_BITS ^ _32_BITS)  # itself, every bit turned over
    if bits >> 32 & _ISATAP_MASK == _ISATAP_BITS:
        yield IPv4Address(bits & _32_BITS)


def unscoped(address: Address) -> Address:
    """`address` without the name of an interface, which says nothing of what it is."""
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return IPv6Address(int(address))
    return address
