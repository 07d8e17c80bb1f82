"""The child process that converts one file: `python -m broker.documents.worker FOLDER SECONDS FD`.

FOLDER holds the file, as `input`, and takes whatever is made on the way. The answer goes to the
standard output of this process, which nothing else can reach. FD is the end of a pipe that the
broker holds open: when it closes, the broker is gone, and so is everything here.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted
from broker.documents.formats import Format, format_of
from broker.documents.records import MAX_ANSWER_BYTES, Converted, packed
from broker.documents.tools import has_libraries

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY_BYTES = 2_500_000_000
"""Of address space, which is more than what is used of it."""
_SPEECH_BYTES = 12_000_000_000
FILE_BYTES = 256_000_000
_FILES = 256
_SHARE = 0.85
"""Of the time that OCR may take, so that what it has read is handed over."""


def main(arguments: list[str]) -> int:
    """Convert the file and write the answer."""
    folder, seconds, watched = Path(arguments[0]), float(arguments[1]), int(arguments[2])
    until_s = time.monotonic() + seconds * _SHARE
    threading.Thread(target=_watch, args=(watched, folder), daemon=True).start()
    answer_to = os.dup(1)
    os.dup2(2, 1)  # libraries that print do not print into the answer
    os.chdir(folder)
    body = (folder / "input").read_bytes()
    kind = format_of(body)
    _bound(seconds, _SPEECH_BYTES if kind is Format.SOUND else MEMORY_BYTES)
    answer = packed(result(kind, body, folder, until_s))
    if len(answer) > MAX_ANSWER_BYTES:
        answer = packed(Unconverted("too_large", "its text is longer than what is read"))
    with os.fdopen(answer_to, "wb") as out:
        out.write(answer)
    return 0


def _watch(descriptor: int, folder: Path) -> None:
    """End everything when the broker is gone: nobody else would."""
    os.read(descriptor, 1)
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def _bound(seconds: float, memory: int) -> None:
    bounds = (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, int(seconds) + 2),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, _FILES),
        (resource.RLIMIT_CORE, 0),
    )
    for what, most in bounds:
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)  # noqa: PLW2901
        resource.setrlimit(what, (most, most))


def result(kind: Format, body: bytes, folder: Path, until_s: float) -> Converted | Unconverted:
    """The document in `body`, or why there is none; never raises.

    Args:
        kind: what it is.
        body: what stands in the file `input` of `folder`.
        folder: takes what is made on the way.
        until_s: on the monotonic clock; by then what takes long is broken off.
    """
    try:
        made = _converter(kind, folder, until_s)(body)
    except Unconverted as error:
        return error
    except MemoryError:
        return Unconverted("conversion_failed", "converting it takes more memory than it may")
    except RecursionError:
        return Unconverted("damaged", "it is nested too deeply")
    except BaseException as error:  # noqa: BLE001 - a library's panic, too, costs only this document
        return Unconverted(
            "conversion_failed", f"the converter broke down ({type(error).__name__})"
        )
    if not made.markdown.strip():
        return Unconverted("empty", "there is no text in it")
    return made


def _converter(kind: Format, folder: Path, until_s: float) -> Callable[[bytes], Converted]:
    """What converts that format. Each imports what it needs, which is most of the time it takes."""
    # ruff: noqa: PLC0415
    match kind:
        case Format.PDF:
            from broker.documents import papers

            return lambda body: papers.convert(body, folder, until_s)
        case Format.ZIP | Format.OLE:
            from broker.documents import office

            return office.convert_archive if kind is Format.ZIP else office.convert_old
        case Format.RTF:
            from broker.documents import rtf

            return rtf.convert
        case Format.MAIL:
            from broker.documents import mail

            return mail.convert
        case Format.IMAGE:
            return lambda body: _picture(body, folder, until_s)
        case Format.SOUND:
            from broker.documents import speech

            return lambda _: speech.convert(folder / "input")
        case _:
            raise Unconverted("unsupported", "it is of no format that is read")


def _picture(body: bytes, folder: Path, until_s: float) -> Converted:
    from broker.documents import ocr, pictures

    size = pictures.check(body)
    reader = ocr.Ocr(folder, until_s)
    path, turned = folder / "input", pictures.orientation(body)
    if turned != 1 and has_libraries():
        from broker.documents.pdf.raster import upright

        path = folder / "upright.pgm"
        path.write_bytes(upright(body, size, turned).pgm())
    text = reader.file(path)
    if text is None:
        raise Unconverted("timeout", "the time was up before OCR had read the picture")
    notes = [reader.note]
    if pictures.has_frames(body):
        notes.append("it is animated: only its first frame was read")
    return Converted(markdown=text, notes=notes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
