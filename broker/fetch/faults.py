"""What went wrong on the way to a page, as errors of our own: by types and states, never by words.

How far a request had come is told by httpcore, which names each of its steps as it takes it.
Loading this module loads httpx.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import h11
import httpx
from h2.exceptions import H2Error

from broker.deadline import bounded_close
from broker.egress.dial import ConnectFailed, NameUnknown, ProxyFailed
from broker.egress.policy import EgressRefused
from broker.egress.proxies import ProxyUnusable
from broker.errors import (
    BrokenOff,
    Misdirected,
    NotConnected,
    PageFailed,
    Phase,
    TimedOut,
    TlsFailed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from httpcore import AsyncNetworkStream

    _Kind = type[BaseException] | tuple[type[BaseException], ...]

_CLOSE_GRACE_S = 1.0

_STEPS: Mapping[str, Phase] = {
    "connect_tcp.started": Phase.CONNECTING,
    "start_tls.started": Phase.TLS,
    "send_request_headers.started": Phase.WAITING,
    "receive_response_headers.complete": Phase.DOWNLOADING,
}
_DOING: Mapping[Phase, str] = {
    Phase.CONNECTING: "connecting to it",
    Phase.TLS: "its TLS handshake",
    Phase.WAITING: "waiting for its answer",
    Phase.HEADERS: "reading its headers",
    Phase.DOWNLOADING: "reading its body",
}

# `ConnectFailed.reason` is what the operating system calls the error, in the words of the C
# library: its own table, turned around.
_CONNECT_CODES: Mapping[str, str] = {
    os.strerror(errno.ECONNREFUSED): "refused",
    os.strerror(errno.ENETUNREACH): "unreachable",
    os.strerror(errno.EHOSTUNREACH): "unreachable",
    os.strerror(errno.EHOSTDOWN): "unreachable",
    os.strerror(errno.ENETDOWN): "unreachable",
    os.strerror(errno.ETIMEDOUT): "unreachable",
}

_CERTIFICATE_CODES: Mapping[int, tuple[str, str]] = {
    9: ("tls_not_yet_valid", "its certificate is not valid yet"),
    10: ("tls_expired", "its certificate has expired"),
    18: ("tls_self_signed", "its certificate is signed by itself"),
    19: ("tls_self_signed", "its certificate's chain is signed by itself"),
    23: ("tls_revoked", "its certificate is revoked"),
    62: ("tls_wrong_host", "its certificate is for another host"),
    64: ("tls_wrong_host", "its certificate is for another host"),
}
"""OpenSSL's `X509_V_ERR_…`."""


_TLS_ENDED = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLWantReadError, ssl.SSLSyscallError)
"""Not TLS is at fault then, but the connection below it."""


class Track:
    """How far the request that runs now has come."""

    def __init__(self) -> None:
        self.phase = Phase.WAITING
        self.queued = True
        """Whether it waits for its turn at the host still."""
        self.reused = False
        """Whether it runs over a connection that was kept."""
        self._half_open: AsyncNetworkStream | None = None

    def begin(self) -> None:
        """Another request waits for its turn."""
        self.phase, self.queued, self.reused = Phase.WAITING, True, False

    def send(self) -> None:
        """It has its turn and is sent."""
        self.queued, self.reused = False, True

    async def note(self, event: str, info: Mapping[str, object]) -> None:
        """What httpcore tells of; the name begins with the part that took the step."""
        step = event.partition(".")[2]
        self.phase = _STEPS.get(step, self.phase)
        if step == "connect_tcp.started":
            self.reused = False
        elif step == "connect_tcp.complete":
            self._half_open = cast("AsyncNetworkStream", info["return_value"])
        elif step in {"start_tls.complete", "send_request_headers.started"}:
            self._half_open = None

    async def close_half_open(self) -> None:
        """Close a connection whose TLS handshake was cancelled: httpcore 1.0 leaves it open."""
        stream, self._half_open = self._half_open, None
        if stream is not None:
            await bounded_close(stream.aclose, _CLOSE_GRACE_S)

    def timed_out(self, shown_url: str) -> TimedOut:
        """The error that the time was up at this point."""
        doing = "waiting for its turn at the host" if self.queued else _DOING[self.phase]
        message = f"{shown_url} could not be read in the time given; it ran out while {doing}"
        return TimedOut(message, url=shown_url, phase=self.phase)


@contextmanager
def converted(shown_url: str, track: Track, *, proxied: bool) -> Iterator[None]:
    """Turn what httpx and the egress raise in the block into errors of ours.

    Args:
        shown_url: the address, for messages.
        track: how far the request has come.
        proxied: whether one of the operator's proxies leads there.

    Raises:
        PageFailed: always one of its leaves.
        EgressRefused: the policy forbids it; `url` and `phase` are filled in.
    """
    try:
        yield
    except EgressRefused as error:
        error.url, error.phase = shown_url, Phase.CONNECTING
        raise
    except (ConnectFailed, ProxyUnusable) as error:
        raise _not_connected(error, shown_url) from error
    except (httpx.HTTPError, httpx.StreamError, ssl.SSLError, H2Error) as error:
        raise _broken(error, shown_url, track, proxied=proxied) from error
    except httpx.InvalidURL as error:
        message = f"{shown_url} leads to an address that cannot be requested"
        raise Misdirected("bad_redirect", message, url=shown_url) from error


def _not_connected(error: ConnectFailed | ProxyUnusable, shown_url: str) -> NotConnected:
    message = f"{shown_url}: {error}"
    if isinstance(error, ProxyUnusable | ProxyFailed):
        return NotConnected("proxy", message, url=shown_url, lasting=True)
    if isinstance(error, NameUnknown):
        said = _first(error, socket.gaierror)
        passing = isinstance(said, socket.gaierror) and said.errno == socket.EAI_AGAIN
        return NotConnected("dns", message, url=shown_url, lasting=not passing)
    code = _CONNECT_CODES.get(error.reason, "connect")
    return NotConnected(code, message, url=shown_url)


def _broken(error: Exception, shown_url: str, track: Track, *, proxied: bool) -> PageFailed:
    tls = _first(error, ssl.SSLError)
    handshake = track.phase in {Phase.CONNECTING, Phase.TLS}
    if handshake and isinstance(tls, ssl.SSLError) and not isinstance(tls, _TLS_ENDED):
        return _tls_failed(tls, shown_url)
    before_tls = track.phase is Phase.CONNECTING or isinstance(error, httpx.ProxyError)
    if proxied and before_tls:
        message = f"{shown_url}: the configured proxy did not lead there"
        return NotConnected("proxy", message, url=shown_url)
    if track.phase is Phase.CONNECTING:
        message = f"{shown_url} cannot be connected to ({type(error).__name__})"
        return NotConnected("connect", message, url=shown_url)
    return _broken_off(error, shown_url, track)


def _broken_off(error: Exception, shown_url: str, track: Track) -> BrokenOff:
    where = f"{shown_url} broke off while {_DOING[track.phase]}"
    if track.phase is Phase.DOWNLOADING:
        return BrokenOff("cut_off", where, url=shown_url, phase=track.phase)
    unreadable = _first(error, h11.RemoteProtocolError) or _first(error, H2Error)
    if unreadable is not None or isinstance(error, httpx.LocalProtocolError):
        message = f"what {shown_url} answers is not HTTP"
        return BrokenOff("protocol", message, url=shown_url, phase=Phase.HEADERS)
    silent = isinstance(error, httpx.RemoteProtocolError) or _first(error, _TLS_ENDED) is not None
    code = "closed" if silent else "reset"
    return BrokenOff(code, where, url=shown_url, phase=track.phase)


def _tls_failed(error: ssl.SSLError, shown_url: str) -> TlsFailed:
    if isinstance(error, ssl.SSLCertVerificationError):
        code, why = _CERTIFICATE_CODES.get(
            error.verify_code, ("tls_untrusted", "nobody vouches for its certificate")
        )
    else:
        code, why = "tls", f"its TLS handshake failed ({error.reason or type(error).__name__})"
    return TlsFailed(code, f"{shown_url} cannot be trusted: {why}", url=shown_url)


def _first(error: BaseException, kind: _Kind) -> BaseException | None:
    """The error itself or the nearest one behind it that is of a kind.

    httpcore raises with `from None`, which leaves only the context.
    """
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, kind):
        seen = seen.__cause__ or seen.__context__
    return seen
