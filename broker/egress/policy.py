"""Which connections a page may cause. Pure: it knows no sockets, and names only as text.

Everything that is not the public internet is refused, unless `allow_ranges` holds the address or
the address of the page has an origin that the operator configured. The credentials servers of
clouds are refused whatever is set. The policy is asked three times, each time for another reason:
`check_url` before a request is made (each redirect is one), `check_host` before a connection is,
and `usable` with what the name resolved to, of which the connection then uses nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_network
from typing import TYPE_CHECKING, Self

from broker.egress.locate import AddressInvalid, Host, Location, locate, parse_host, scheme_of
from broker.egress.ranges import (
    BAD_PORTS,
    FAKE_IP,
    LOOPBACK,
    METADATA,
    METADATA_NAMES,
    denied_range,
    embedded,
    unscoped,
)
from broker.errors import Refused
from broker.settings import ProviderSettings, SiteSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from broker.egress.ranges import Address, Network
    from broker.settings import Settings

SETTING = "PI_WEBAIO_ALLOW_RANGES"
SCHEMES = ("http", "https")
_SHOWN_CHARS = 80


class EgressRefused(Refused):
    """The policy forbids a connection.

    `host` is what was asked for, `address` what it stands for, `range` the block with its name;
    the last two are empty where the address is not the reason. `setting` names what would allow
    it, and is empty where nothing does.
    """

    def __init__(
        self, message: str, *, host: str, address: str = "", block: str = "", setting: str = ""
    ) -> None:
        super().__init__("blocked_ssrf", message)
        self.host = host
        self.address = address
        self.range = block
        self.setting = setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a connection is to go, as far as the policy has seen it."""

    host: Host
    port: int
    configured: bool = False
    """Whether the operator named this origin."""
    url: str = ""
    """The address in the form to request, where it began with one; without a fragment."""

    @property
    def local(self) -> bool:
        """Whether it means this machine by name, which nobody is asked about."""
        return self.host.name == "localhost" or self.host.name.endswith(".localhost")

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressPolicy:
    """What the operator lets through, above the public internet."""

    allow_ranges: tuple[Network, ...] = ()
    origins: frozenset[Origin] = frozenset()

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """What `settings` open: the ranges, and every address of theirs that is not the usual."""
        return cls(
            allow_ranges=tuple(map(ip_network, settings.egress.allow_ranges)),
            origins=frozenset(map(origin, _configured_urls(settings))),
        )

    def check_url(self, url: str) -> Target:
        """Whether a page may be asked for, as far as its address tells.

        Returns the target with `url` in the one form to request.

        Raises:
            EgressRefused: it may not.
            AddressInvalid: it is no address; nothing could be requested.
        """
        scheme = scheme_of(url)
        if scheme not in SCHEMES:
            if not scheme:
                raise AddressInvalid("an address begins with http:// or https://", field="source")
            message = f"{scheme}: addresses are not read, only http and https ones"
            raise EgressRefused(message, host=url[:_SHOWN_CHARS])
        location = locate(url)
        return self._checked(
            Target(
                host=location.host,
                port=location.port,
                configured=_origin(location) in self.origins,
                url=location.url,
            )
        )

    def check_host(self, host: Host | str, port: int, *, scheme: str = "") -> Target:
        """The same for the two ends of a connection whose scheme may not be known.

        Raises:
            EgressRefused: no connection may be made.
            AddressInvalid: `host` is none.
        """
        host = parse_host(host) if isinstance(host, str) else host
        schemes = (scheme,) if scheme else SCHEMES
        configured = any(Origin(each, host.name, port) in self.origins for each in schemes)
        return self._checked(Target(host=host, port=port, configured=configured))

    def usable(self, target: Target, answers: Iterable[Address]) -> tuple[Address, ...]:
        """The addresses that `target`'s name resolved to, if a connection may use all of them.

        One that may not be used spoils the rest: a name with a public and a private address is
        how a page is made to reach what it should not.

        Raises:
            EgressRefused: there is one.
        """
        found = tuple(answers)
        if target.local:
            found = tuple(each for each in found if self._objection(target, each) is None) or found
        for each in found:
            if (objection := self._objection(target, each)) is not None:
                raise objection
        return found

    def _checked(self, target: Target) -> Target:
        if target.host.name in METADATA_NAMES:
            message = f"{target.host} serves a cloud's credentials, and no setting opens it"
            raise EgressRefused(message, host=str(target.host))
        if target.port in BAD_PORTS and not target.configured:
            message = f"port {target.port} of {target.host} is none that web pages are served at"
            raise EgressRefused(message, host=str(target.host))
        if target.host.address is not None:
            self.usable(target, (target.host.address,))
        elif target.local:
            self.usable(target, LOOPBACK)
        return target

    def _objection(self, target: Target, address: Address) -> EgressRefused | None:
        plain = unscoped(address)
        faces = (plain, *embedded(plain))
        for face in faces:
            if face in METADATA:
                return _refusal(target, address, f"cloud metadata, {face}", "")
        literal = target.host.address is not None
        if target.configured or self._allows(plain, literal=literal):
            return None
        for face in faces:
            block = denied_range(face)
            if block is not None and not self._allows(face, literal=literal):
                openable = not (literal and block.network == FAKE_IP)
                return _refusal(target, address, str(block), SETTING if openable else "")
        return None

    def _allows(self, address: Address, *, literal: bool) -> bool:
        if literal and address in FAKE_IP:
            return False
        return any(address in network for network in self.allow_ranges)


def origin(url: str) -> Origin:
    """The origin of an address.

    Raises:
        AddressInvalid: it has none.
    """
    return _origin(locate(url))


def _origin(location: Location) -> Origin:
    return Origin(location.scheme, location.host.name, location.port)


def _configured_urls(settings: Settings) -> list[str]:
    pairs = ((settings.providers, ProviderSettings()), (settings.sites, SiteSettings()))
    return [
        getattr(branch, name)
        for branch, usual in pairs
        for name in usual.__dataclass_fields__
        if name.endswith("_url") and getattr(branch, name) not in {None, getattr(usual, name)}
    ]


def _refusal(target: Target, address: Address, block: str, setting: str) -> EgressRefused:
    named = target.host.address is None
    subject = f"{target.host} is {address}" if named else str(address)
    network = block.rpartition(", ")[2]
    message = f"{subject} is not read from ({block}): " if not named else f"{subject} ({block}): "
    if not setting:
        message += "no setting opens that"
    elif network == str(FAKE_IP):
        message += (
            "this looks like a fake-IP proxy (Clash, Surge, sing-box …), which answers so for "
            f"every name; {setting}={network} accepts its answers"
        )
    else:
        message += f"{setting} (egress.allow_ranges) can open that range"
    return EgressRefused(
        message, host=str(target.host), address=str(address), block=block, setting=setting
    )
