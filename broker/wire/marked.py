"""The texts of hits between the marks that the text of pages has; for both forms of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from broker.reading.fence import fenced, nonce

if TYPE_CHECKING:
    from collections.abc import Iterable

    from broker.models import Answer


def marked(answers: Iterable[Answer]) -> list[Answer]:
    """The answers with their hits' texts marked as the web's; one number for all of them."""
    number = nonce()
    return [
        replace(
            answer,
            hits=tuple(
                replace(hit, content=fenced(hit.content, number)) if hit.content else hit
                for hit in answer.hits
            ),
        )
        for answer in answers
    ]
