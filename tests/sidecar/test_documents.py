"""Documents through `webaio serve`: others are answered meanwhile, and paths of all kinds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from scripts.typesetting.__main__ import pdf
from tests.broker.documents.reading import DATA

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("pypdfium2", reason="the documents extra is not installed")

SERVE = [sys.executable, "-m", "broker", "serve"]
PINGS = 20


class Sidecar:
    """A sidecar that is asked a line at a time."""

    def __init__(self, home: Path) -> None:
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PI_WEBAIO_HOME": str(home / "webaio"),
            "PI_WEBAIO_CDP_BROKER": "0",
        }
        self.process = subprocess.Popen(  # noqa: S603
            SERVE, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, request_id: object, method: str, **params: object) -> None:
        assert self.process.stdin is not None
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The next answer; what is told of progress is passed over."""
        assert self.process.stdout is not None
        while True:
            message: dict[str, Any] = json.loads(self.process.stdout.readline())
            if "id" in message:
                return message

    def fetched(self, source: str) -> dict[str, Any]:
        self.ask(source, "fetch", source=source)
        page: dict[str, Any] = self.answer()["result"]["documents"][0]
        return page


@pytest.fixture
def sidecar(tmp_path: Path) -> Iterator[Sidecar]:
    made = Sidecar(tmp_path)
    yield made
    made.process.kill()
    made.process.communicate()


def long_pdf(pages: int) -> bytes:
    """A small PDF that takes seconds: every page shows the same dense text."""
    line = b"(Nobody knew how many people cross the harbour by ferry, so they counted) Tj T* "
    text = b"BT /F 6 Tf 7 TL 40 820 Td " + line * 110 + b"ET"
    kids = b" ".join(b"%d 0 R" % (number + 5) for number in range(pages))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R "
    page += b"/Resources << /Font << /F 4 0 R >> >> >>"
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, kids),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *[page] * pages,
        ]
    )


def test_others_are_answered_while_a_document_is_converted(
    sidecar: Sidecar, tmp_path: Path
) -> None:
    file = tmp_path / "long.pdf"
    file.write_bytes(long_pdf(40))
    sidecar.fetched(str(DATA / "report-libreoffice.pdf"))  # reading is open from here on
    sidecar.ask("long", "fetch", source=str(file))
    for number in range(PINGS):
        sidecar.ask(number, "ping")
        assert sidecar.answer()["id"] == number  # each before the document, which comes last
    assert sidecar.answer()["id"] == "long"


def test_a_document_of_this_machine_is_read_and_stored(sidecar: Sidecar) -> None:
    page = sidecar.fetched(str(DATA / "paper-latex.pdf"))
    assert page["error"] is None
    assert page["via"] == "local"
    assert page["title"].startswith("Counting Considerable Crossings")
    assert page["byline"] == "Ada Fährmann and Otto Lotse"
    assert len(page["outline"]) == 24


def test_a_broken_document_costs_itself_only(sidecar: Sidecar, tmp_path: Path) -> None:
    broken = tmp_path / "broken.docx"
    broken.write_bytes(b"PK\x03\x04 and no more")
    page = sidecar.fetched(str(broken))
    assert page["error"]["code"] == "damaged"
    assert page["error"]["message"].startswith(f"{broken}: ")
    assert sidecar.fetched(str(DATA / "seasons-libreoffice.xlsx"))["error"] is None
    assert list((tmp_path / "webaio" / "run").iterdir()) == []


def test_what_is_no_readable_file_is_told_as_such(sidecar: Sidecar, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.pdf")
    (tmp_path / "loop.pdf").symlink_to(tmp_path / "loop.pdf")
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "empty.pdf").touch()
    (tmp_path / "large.pdf").touch()
    os.truncate(tmp_path / "large.pdf", 30_000_001)
    expected = {
        "fifo.pdf": "not_a_file",
        "loop.pdf": "not_a_file",
        "folder.pdf": "not_a_file",
        "missing.pdf": "not_found",
        "empty.pdf": "empty",
        "large.pdf": "too_large",
    }
    found = {name: sidecar.fetched(str(tmp_path / name))["error"]["code"] for name in expected}
    assert found == expected
    assert sidecar.fetched("/dev/zero")["error"]["code"] == "not_a_file"
