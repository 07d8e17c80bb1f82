"""A key that another program keeps: z.ai's, as the coding agent Pi writes it down.

The file is not ours. One that is missing or has no such key is fine, any other trouble becomes a
sentence; none repeats what stands in it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(".pi", "agent", "auth.json")
"""Below the home folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What stands in the agent's file."""

    path: Path
    key: object = field(default=None, repr=False)
    """`zai.key`, of whatever type; None where there is none."""
    problem: str | None = None
    """Why the file could not be used; completes "the file …"."""


def find(home: Path) -> Found:
    """Read the file below the folder `home`. Never raises."""
    path = home / FILE
    try:
        entries = json.loads(path.read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return Found(path=path)
    except OSError as error:
        return Found(path=path, problem=f"cannot be read ({error.strerror})")
    except (ValueError, RecursionError):  # text that is not UTF-8, or no JSON, or no end of it
        return Found(path=path, problem="is not JSON")
    entry = entries.get("zai") if isinstance(entries, dict) else None
    return Found(path=path, key=entry.get("key") if isinstance(entry, dict) else None)
