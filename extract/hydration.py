"""The formats in which frameworks send data along with a page, as plain JSON values.

React's flight rows (Next.js: `self.__next_f.push([1, "…"])`), Nuxt's flat array with indexes,
JSON assigned to a variable in a script, and JSON in a string that a script parses.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote

from extract.json_data import MOST_CHARS, Json, loads, string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PUSH = re.compile(r"__next_f\.push\(\s*(?=\[)")
_ROW = re.compile(r"([0-9a-f]{1,8}):")
_TEXT_ROW = re.compile(r"T([0-9a-f]{1,8}),")
_REFERENCE = re.compile(r"^\$[L@]?([0-9a-f]{1,8})$")
_REFERENCES = re.compile(rb"\"\$[L@]?([0-9a-f]{1,8})\"")
_ASSIGNED = re.compile(r"(?:=|\()\s*(?=\[?\s*\{\s*\")")
_PARSED = re.compile(
    r"(JSON\.parse|decodeURIComponent)\(\s*(?:\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)')",
    re.DOTALL,
)
_LEAST_CHARS = 200
_MOST_VALUES = 40
_MOST_ATTEMPTS = 200
_MOST_REFERENCES = 20_000
_DEEPEST = 60
_PAIR = 2
_DECODER = json.JSONDecoder(strict=False)


def flight(scripts: Iterable[str]) -> Json:
    """React's flight data in `scripts` as a list of trees, references put in; None without any."""
    stream = "".join(_chunks(scripts)).encode("utf-8", "replace")[:MOST_CHARS]
    rows: dict[str, Json] = {}
    at = 0
    while at < len(stream):
        head = _ROW.match(stream[at : at + 10].decode("latin-1"))
        at += head.end() if head else 0
        long = _TEXT_ROW.match(stream[at : at + 10].decode("latin-1")) if head else None
        if head and long:
            at += long.end()
            rows[head[1]] = stream[at : at + int(long[1], 16)].decode("utf-8", "replace")
            at += int(long[1], 16)
            continue
        end = stream.find(b"\n", at)
        end = len(stream) if end < 0 else end
        if head and stream[at : at + 1] in {b"[", b"{", b'"'}:
            rows[head[1]] = loads(stream[at:end].decode("utf-8", "replace"))
        at = end + 1
    inner = {name.decode() for name in _REFERENCES.findall(stream)}
    resolver = _Resolver(rows)
    return [resolver.resolve(row) for name, row in rows.items() if name not in inner] or None


def _chunks(scripts: Iterable[str]) -> Iterator[str]:
    for script in scripts:
        for push in _PUSH.finditer(script):
            pair: Json = None
            with suppress(ValueError, RecursionError):
                pair, _ = _DECODER.raw_decode(script, push.end())
            if isinstance(pair, list) and len(pair) == _PAIR:
                yield string(pair[1])


class _Resolver:
    """Puts flight rows where others refer to them, each in the first place only."""

    def __init__(self, rows: dict[str, Json]) -> None:
        self._rows = rows
        self._used: set[str] = set()
        self._left = _MOST_REFERENCES

    def resolve(self, value: Json, depth: int = 0) -> Json:
        if depth > _DEEPEST or self._left < 0:
            return None
        if isinstance(value, str):
            found = _REFERENCE.match(value)
            if found is None or found[1] in self._used or found[1] not in self._rows:
                return value
            self._used.add(found[1])
            self._left -= 1
            return self.resolve(self._rows[found[1]], depth + 1)
        if isinstance(value, list):
            return [self.resolve(item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {key: self.resolve(item, depth + 1) for key, item in value.items()}
        return value


def indexed(value: Json) -> Json:
    """Nuxt's flat array, in which numbers are places in the array, as the value it stands for."""
    if not isinstance(value, list) or not value:
        return value
    left = [_MOST_REFERENCES]

    def at(place: Json, depth: int) -> Json:
        left[0] -= 1
        if (
            not isinstance(place, int)
            or not 0 <= place < len(value)
            or depth > _DEEPEST
            or left[0] < 0
        ):
            return None
        item = value[place]
        if isinstance(item, dict):
            return {key: at(inner, depth + 1) for key, inner in item.items()}
        if isinstance(item, list):
            if len(item) == _PAIR and isinstance(item[0], str):  # ["Reactive", 4]
                return at(item[1], depth + 1)
            return [at(inner, depth + 1) for inner in item]
        return item

    return at(0, 0)


def assigned(script: str) -> Iterator[Json]:
    """The JSON values of some size that `script` assigns, passes on or parses from a string."""
    at = found = 0
    for _ in range(_MOST_ATTEMPTS):
        start = _ASSIGNED.search(script, at)
        if start is None or found >= _MOST_VALUES:
            break
        at = start.end()
        try:
            value, end = _DECODER.raw_decode(script, at)
        except json.JSONDecodeError as error:
            at = max(at, error.pos)  # nothing is read twice
        except (ValueError, RecursionError):
            continue
        else:
            if end - at >= _LEAST_CHARS:
                found += 1
                yield value
            at = end
    for call in _PARSED.finditer(script):
        text = call[2] or call[3] or ""
        if len(text) >= _LEAST_CHARS:
            yield loads(_unquoted(text, call[1]))


def _unquoted(text: str, call: str) -> str:
    if call != "JSON.parse":
        return unquote(text)
    literal = text.replace("\\'", "'").replace('\\"', '"').replace('"', '\\"')
    return string(loads(f'"{literal}"'))
