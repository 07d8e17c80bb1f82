"""Sound, written down by whisper.cpp with a model of this machine."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from broker.documents.failures import Unconverted
from broker.documents.records import Converted
from broker.documents.tools import SPEECH, whisper

if TYPE_CHECKING:
    from pathlib import Path


def convert(path: Path) -> Converted:
    """The words in a recording.

    Raises:
        Unconverted: nothing here writes speech down, or it cannot read this.
    """
    found = whisper()
    if found is None:
        raise SPEECH.missing()
    program, model = found
    command = [program, "-m", str(model), "-f", str(_wave(path)), "-l", "auto", "-nt", "-np"]
    done = _run(command)
    text = " ".join(done.stdout.decode("utf-8", "replace").split())
    if done.returncode:
        raise Unconverted(
            "damaged", "the recording is damaged, or of a kind whisper.cpp cannot read"
        )
    return Converted(
        markdown=text,
        notes=[f"written down by whisper.cpp ({model.stem.removeprefix('ggml-')}): may be wrong"],
    )


def _wave(path: Path) -> Path:
    """The recording in the form that is surely read, where FFmpeg is there to make it."""
    program = shutil.which("ffmpeg")
    if program is None:
        return path
    wave = path.with_name("sound.wav")
    command = [program, "-nostdin", "-v", "error", "-protocol_whitelist", "file", "-i", str(path)]
    done = _run([*command, "-vn", "-ar", "16000", "-ac", "1", str(wave)])
    if done.returncode:
        raise Unconverted("damaged", "the recording is damaged or holds no sound")
    return wave


def _run(command: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - our own words
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
