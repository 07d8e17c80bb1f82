"""What outlives a process: one SQLite file under the home folder, shared by every broker.

`shared` holds what providers must be spared (cooldowns, turns, allowances), `documents` what was
read, to be paged through by its id and searched. `file` opens the file and keeps the manners that
both have: private, written ahead, patient with other processes for half a second, and replaced by
memory, with a warning that `status` shows, when it cannot be used.

A search needs `shared` alone, which is at hand here; the rest is imported from its modules by
those who read pages, so that a search does not wait for it (15 ms).
"""

from __future__ import annotations

from broker.store.file import SCHEMA_VERSION, wall_clock_s
from broker.store.shared import Cooldown, Outcome, Store

__all__ = ("SCHEMA_VERSION", "Cooldown", "Outcome", "Store", "wall_clock_s")
