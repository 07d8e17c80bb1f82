"""What an address written by anybody means: scheme, host and port, read as a browser reads it.

Follows the URL standard, so that no form of a host is one thing to the policy and another to who
connects: decimal, octal, hexadecimal and short IPv4 addresses, full-width digits, other full
stops, percent-encoding, a user name that looks like a host, backslashes. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from broker.errors import RequestInvalid

if TYPE_CHECKING:
    from broker.egress.ranges import Address

DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
MAX_PORT = 65_535
MAX_HOST_CHARS = 253
MAX_LABEL_CHARS = 63

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_BLANKS = "".join(map(chr, range(0x21)))
_DROPPED = str.maketrans("", "", "\t\n\r")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f#/:<>?@\[\\\]^|%]")
_RADIX = {"0x": 16, "0": 8}
_MAX_PARTS = 4


class AddressInvalid(RequestInvalid):
    """What was given is no address of a page at all."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host in its one form."""

    name: str
    """Lower-case ASCII without a dot at its end; of an IP address, its usual text."""
    address: Address | None = None
    """What the name says by itself, where it is an IP address in any notation."""

    def __str__(self) -> str:
        return f"[{self.name}]" if isinstance(self.address, IPv6Address) else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """An address of a page, taken apart."""

    scheme: str
    """In lower case."""
    host: Host
    port: int
    url: str
    """The same address in the form that every reader of it understands alike, less its fragment."""


def scheme_of(url: str) -> str:
    """The scheme in lower case; empty where there is none."""
    found = _SCHEME.match(_tidy(url))
    return found[1].lower() if found else ""


def locate(url: str) -> Location:
    """Take an http, https, ws or wss address apart.

    Raises:
        AddressInvalid: it has another scheme, no host, or one that cannot exist.
    """
    url = _tidy(url)
    scheme = scheme_of(url)
    if scheme not in DEFAULT_PORTS:
        raise AddressInvalid("this is no address of a page", field="source")
    rest = url[len(scheme) + 1 :].partition("#")[0]
    before_query, mark, query = rest.partition("?")
    # A browser takes any number of slashes, of either kind.
    authority, _, path = before_query.replace("\\", "/").lstrip("/").partition("/")
    userinfo, at, host_port = authority.rpartition("@")
    host_text, port = _split_port(host_port, DEFAULT_PORTS[scheme])
    host = parse_host(host_text)
    shown_port = "" if port == DEFAULT_PORTS[scheme] else f":{port}"
    whole = f"{scheme}://{userinfo}{at}{host}{shown_port}/{path}{mark}{query}"
    return Location(scheme=scheme, host=host, port=port, url=whole)


def split_host_port(text: str, default_port: int) -> tuple[Host, int]:
    """Read `host`, `host:port` or `[v6]:port`.

    Raises:
        AddressInvalid: it is none of these.
    """
    host_text, port = _split_port(text, default_port)
    return parse_host(host_text), port


def parse_host(text: str) -> Host:
    """Read a host in any notation; an IPv6 address with or without brackets.

    Raises:
        AddressInvalid: no such host can exist.
    """
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if ":" in bare:
        return _ipv6(bare)
    decoded = unquote_to_bytes(text.encode("utf-8", "replace")).decode("utf-8", "replace")
    name = _ascii(decoded).removesuffix(".")
    labels = name.split(".")
    if not name or _FORBIDDEN.search(name) or not _fits(name, labels):
        raise _invalid(text)
    if _is_number(labels[-1]):
        address = _ipv4(labels)
        if address is None:
            raise _invalid(text)
        return Host(str(address), address)
    return Host(name)


def _tidy(url: str) -> str:
    return url.strip(_BLANKS).translate(_DROPPED)


def _split_port(text: str, default: int) -> tuple[str, int]:
    host, colon, digits = text.rpartition(":")
    if not colon or text.endswith("]"):
        return text, default
    if ":" in host and not host.startswith("["):
        raise _invalid(text)
    if not digits:
        return host, default
    number = digits.lstrip("0") or "0"
    # Python itself refuses to read a number of some thousand digits.
    sound = number.isascii() and number.isdigit() and len(number) <= len(str(MAX_PORT))
    if not sound or int(number) > MAX_PORT:
        raise AddressInvalid(f"{digits[:20]!r} is no port", field="source")
    return host, int(number)


def _ipv6(text: str) -> Host:
    try:
        # The standard knows no interface names, so the strict form is the only one.
        address = IPv6Address("%" if "%" in text else text)
    except ValueError as error:
        raise _invalid(text) from error
    return Host(str(address), address)


def _ascii(name: str) -> str:
    if name.isascii():
        return name.lower()
    import idna  # noqa: PLC0415 - tables of 10 ms that most hosts need not

    try:
        # After this, digits and dots of other scripts are plain ones.
        mapped = idna.uts46_remap(name, std3_rules=False, transitional=False)
    except (idna.IDNAError, UnicodeError) as error:
        raise _invalid(name) from error
    # As browsers do, and unlike IDNA 2008, this takes emoji; whoever owns such a name, it is only
    # a name.
    return ".".join(
        label if label.isascii() else f"xn--{label.encode('punycode').decode()}"
        for label in mapped.split(".")
    )


def _fits(name: str, labels: list[str]) -> bool:
    return len(name) <= MAX_HOST_CHARS and all(0 < len(each) <= MAX_LABEL_CHARS for each in labels)


def _is_number(label: str) -> bool:
    return label.isdigit() or _number(label) is not None


def _ipv4(parts: list[str]) -> IPv4Address | None:
    """The address that up to four numbers make, of which the last fills what is left."""
    if len(parts) > _MAX_PARTS:
        return None
    numbers = [number for part in parts if (number := _number(part)) is not None]
    if len(numbers) != len(parts) or any(number > 0xFF for number in numbers[:-1]):  # noqa: PLR2004
        return None
    if numbers[-1] >= 256 ** (5 - len(numbers)):
        return None
    value = numbers[-1]
    for index, number in enumerate(numbers[:-1]):
        value += number << (8 * (3 - index))
    return IPv4Address(value)


def _number(part: str) -> int | None:
    prefix = next((known for known in _RADIX if part.startswith(known) and part != known), "")
    digits, radix = part[len(prefix) :], _RADIX.get(prefix, 10)
    if part == "0x":
        return 0
    try:
        # int() also takes signs, underscores and spaces.
        return int(digits, radix) if digits.isalnum() else None
    except ValueError:
        return None


def _invalid(text: str) -> AddressInvalid:
    shown = "".join(c if unicodedata.category(c)[0] != "C" else "�" for c in text[:80])
    return AddressInvalid(f"{shown!r} is no host", field="source")
