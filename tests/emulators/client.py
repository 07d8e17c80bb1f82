"""A client for the loopback web, without what only the real one needs."""

from __future__ import annotations

import ssl

import httpx

_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Loading the certificates of the real web would cost each client some 50 ms."""


def plain_client(base_url: str = "") -> httpx.AsyncClient:
    """A client that ignores proxies, has no certificates, and gives up late."""
    return httpx.AsyncClient(base_url=base_url, verify=_NO_TLS, trust_env=False, timeout=60)
