"""What to say of an exception that nobody expected."""

from __future__ import annotations

from pathlib import PurePath


def origin(error: BaseException) -> BaseException:
    """The exception itself, or the first one in a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def describe(error: BaseException) -> str:
    """Type and place of an exception; not its text, which may quote a query or a page."""
    error = origin(error)
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    if where is None:
        return type(error).__name__
    file = PurePath(where.tb_frame.f_code.co_filename).name
    return f"{type(error).__name__} at {file}:{where.tb_lineno}"
