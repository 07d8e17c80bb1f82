"""Handles of documents: ten letters and digits that can be read out and typed. Pure.

An id is made from the document's key and a salt that the file keeps. The same key therefore has
the same id in every process, however often it is read anew, dropped and read again; and nobody can
make the id of an address without the file, or learn an address from an id.
"""

from __future__ import annotations

import hashlib

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: without i, l, o and u."""
ID_CHARS = 10
_BITS = 5
_LOOKALIKES = str.maketrans("iloIL", "11011")


def make_id(key: str, salt: bytes) -> str:
    """The id of the document with that key, 50 bits."""
    digest = hashlib.blake2b(key.encode("utf-8", "replace"), key=salt, digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return "".join(_ALPHABET[(number >> (_BITS * place)) & 31] for place in range(ID_CHARS))


def typed_id(text: str) -> str:
    """An id as it was meant: capitals, i, l and o for 1 and 0, and spaces around do not matter."""
    return text.strip().translate(_LOOKALIKES).lower().replace("o", "0")
