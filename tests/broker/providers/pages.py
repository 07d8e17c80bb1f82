"""The saved pages of the providers; each has what stands on it in a file beside it."""

from __future__ import annotations

from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "data" / "serps"


def page(provider: str, name: str) -> str:
    """The markup of the saved page `name` of `provider`."""
    return (PAGES / provider / f"{name}.html").read_text(encoding="utf-8")
