"""Bytes over HTTP: the only place that knows httpx."""
