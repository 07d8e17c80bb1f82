"""The operator's own proxies: which one leads to a target, and what it has to be told. Pure.

A target behind a proxy is named to it and resolved there, so only its name, its port and an
address that is written out can be checked here; what the name stands for is the proxy's to judge.
The proxy itself is the operator's word and not checked at all.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote, urlsplit

from broker.egress.locate import AddressInvalid, split_host_port
from broker.errors import BrokerError

if TYPE_CHECKING:
    from broker.egress.policy import Target
    from broker.egress.ranges import Address, Network
    from broker.settings import EgressSettings

USABLE_SCHEMES = ("http", "https")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class ProxyUnusable(BrokerError):
    """The configured proxy is of a kind that cannot be used."""

    code = "proxy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A proxy that leads out."""

    scheme: str
    """http, or https for one that is itself spoken to over TLS."""
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read a proxy's address as the settings hold it.

        Raises:
            ProxyUnusable: it is a SOCKS proxy.
        """
        parts = urlsplit(url)
        if parts.scheme not in USABLE_SCHEMES:
            message = (
                f"pages cannot be read through a {parts.scheme} proxy; name its HTTP port in "
                "HTTP_PROXY and HTTPS_PROXY (egress.http_proxy, egress.https_proxy)"
            )
            raise ProxyUnusable(message)
        return cls(
            scheme=parts.scheme,
            host=parts.hostname or "",
            port=parts.port or _DEFAULT_PORTS[parts.scheme],
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
        )

    @property
    def url(self) -> str:
        """Its address without user and password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def authorization(self) -> str | None:
        """The value of `Proxy-Authorization`, where it wants one."""
        if not self.user and not self.password:
            return None
        return f"Basic {b64encode(f'{self.user}:{self.password}'.encode()).decode()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRules:
    """Which proxy leads where."""

    http: str | None = field(default=None, repr=False)
    https: str | None = field(default=None, repr=False)
    exceptions: tuple[_Exception, ...] = ()

    @classmethod
    def from_settings(cls, settings: EgressSettings) -> Self:
        """What the settings, and by them the environment, say."""
        return cls(
            http=settings.http_proxy,
            https=settings.https_proxy,
            exceptions=tuple(_Exception.parse(text) for text in settings.no_proxy if text),
        )

    def route(self, target: Target, *, tls: bool) -> Upstream | None:
        """The proxy that leads to `target`, None for the direct way.

        This machine is always reached directly: to a proxy, `localhost` would be another one.

        Raises:
            ProxyUnusable: it is one that cannot be used.
        """
        url = self.https if tls else self.http
        address = target.host.address
        if url is None or target.local or (address is not None and address.is_loopback):
            return None
        if any(each.matches(target) for each in self.exceptions):
            return None
        return Upstream.parse(url)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exception:
    """One word of NO_PROXY: a domain and all below it, an address or a range, or everything."""

    everything: bool = False
    domain: str = ""
    network: Network | None = None
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        word = text.lower()
        if word == "*":
            return cls(everything=True)
        if "/" in word:
            try:
                return cls(network=ip_network(word, strict=False))
            except ValueError:
                return cls(domain=word)  # no host has this form, so it matches none
        try:
            host, port = split_host_port(word.removeprefix("*").removeprefix("."), 0)
        except AddressInvalid:
            return cls(domain=word)
        if host.address is not None:
            return cls(network=ip_network(host.address), port=port or None)
        return cls(domain=host.name, port=port or None)

    def matches(self, target: Target) -> bool:
        if self.port is not None and self.port != target.port:
            return False
        if self.network is not None:
            return target.host.address is not None and _plain(target.host.address) in self.network
        name = target.host.name
        return self.everything or name == self.domain or name.endswith(f".{self.domain}")


def _plain(address: Address) -> Address:
    mapped = getattr(address, "ipv4_mapped", None)
    return address if mapped is None else ip_address(mapped)
