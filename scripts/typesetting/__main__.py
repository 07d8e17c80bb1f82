"""`scripts/typeset`: make the documents in tests/data/documents anew, each by a real program.

Takes `soffice`, `chromium-headless-shell`, `pandoc`, `pdflatex` and `pdftoppm`, which on Debian are
libreoffice-{writer,calc,impress}-nogui, chromium-headless-shell, pandoc, texlive-latex-recommended
with lmodern, and poppler-utils.
"""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.typesetting import markup, texts

SCAN = (1240, 620)
"""Width and height of the scanned picture: the upper third of a page."""
TO = Path(__file__).resolve().parent.parent.parent / "tests" / "data" / "documents"
PASSWORD = "biscuit tin"  # noqa: S105 - of a file that says nothing
_LOCK = {
    "EncryptFile": {"type": "boolean", "value": "true"},
    "DocumentOpenPassword": {"type": "string", "value": PASSWORD},
}


def main() -> int:
    """Make all of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _latex(folder)
        _chromium(folder)
        _pandoc(folder)
        _libreoffice(folder)
        _pictures(folder)
    for path in sorted(TO.iterdir()):
        print(f"{path.stat().st_size:9,}  {path.name}", file=sys.stderr)
    return 0


def _latex(folder: Path) -> None:
    (folder / "paper-latex.tex").write_text(markup.latex(texts.paper()), encoding="utf-8")
    for _ in range(2):  # bookmarks are there in the second run
        _run(folder, "pdflatex", "-interaction=batchmode", "paper-latex.tex")
    _keep(folder / "paper-latex.pdf")


def _chromium(folder: Path) -> None:
    page = folder / "report-chromium.html"
    page.write_text(markup.html(texts.REPORT, columns=True), encoding="utf-8")
    pdf = page.with_suffix(".pdf")
    _run(
        folder,
        "chromium-headless-shell",
        "--no-sandbox",
        "--no-pdf-header-footer",
        f"--print-to-pdf={pdf}",
        page.as_uri(),
    )
    _keep(pdf)


def _pandoc(folder: Path) -> None:
    (folder / "report.md").write_text(markup.markdown(texts.REPORT), encoding="utf-8")
    (folder / "slides.md").write_text(markup.markdown(texts.SLIDES), encoding="utf-8")
    for ending in ("docx", "odt", "rtf", "epub", "pdf"):
        _run(folder, "pandoc", "-s", "report.md", "-o", f"report-pandoc.{ending}")
        _keep(folder / f"report-pandoc.{ending}")
    _run(folder, "pandoc", "-s", "slides.md", "-o", "slides-pandoc.pptx")
    _keep(folder / "slides-pandoc.pptx")


def _libreoffice(folder: Path) -> None:
    page = folder / "report-libreoffice.html"
    page.write_text(markup.html(texts.REPORT), encoding="utf-8")
    _office(folder, page, "odt:writer8", "--infilter=HTML (StarWriter)")
    text = page.with_suffix(".odt")
    for ending in ("docx", "rtf", "pdf", "doc"):
        _office(folder, text, ending)
        _keep(text.with_suffix(f".{ending}"))
    _keep(text)
    locked = Path(shutil.copy(text, folder / "locked.odt"))
    _office(folder, locked, f"pdf:writer_pdf_Export:{json.dumps(_LOCK)}")
    _keep(locked.with_suffix(".pdf"))
    slides = Path(shutil.copy(folder / "slides-pandoc.pptx", folder / "slides-libreoffice.pptx"))
    for ending in ("odp", "pptx"):
        _office(folder, slides if ending == "odp" else slides.with_suffix(".odp"), ending)
        _keep(slides.with_suffix(f".{ending}"))
    notes = Path(shutil.copy(TO / "notes.rtf", folder / "notes-libreoffice.rtf"))
    _office(folder, notes, "doc")
    _keep(notes.with_suffix(".doc"))
    table = folder / "seasons-libreoffice.csv"
    with table.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(texts.SHEETS["Seasons"].rows)
    for ending in ("xlsx", "ods", "xls"):
        _office(folder, table, ending)
        _keep(table.with_suffix(f".{ending}"))


def _pictures(folder: Path) -> None:
    """A page of the report as a scanner gives it."""
    source = TO / "report-libreoffice.pdf"
    part = ("-x", "0", "-y", "0", "-W", str(SCAN[0]), "-H", str(SCAN[1]))
    how = ("-gray", "-r", "150", "-jpeg", "-singlefile")
    _run(folder, "pdftoppm", *how, *part, str(source), "scan")
    _keep(folder / "scan.jpg")


def scanned(jpeg: bytes) -> bytes:
    """A PDF that is a picture, 150 pixels to the inch."""
    image = b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB " % (
        *SCAN,
    )
    image += b"/BitsPerComponent 8 /Filter /DCTDecode /Length %d >>\nstream\n" % len(jpeg)
    draw = b"q %d 0 0 %d 0 0 cm /P Do Q" % (SCAN[0] * 0.48, SCAN[1] * 0.48)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 298] /Contents 5 0 R "
    page += b"/Resources << /XObject << /P 4 0 R >> >> >>"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        image + jpeg + b"\nendstream",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(draw), draw),
    ]
    return pdf(parts)


def pdf(parts: list[bytes]) -> bytes:
    """A PDF of these objects, the catalogue first."""
    out = b"%PDF-1.4\n"
    places = []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
    return out + head + table + trailer % (len(parts) + 1, len(out))


def _office(folder: Path, source: Path, to: str, *options: str) -> None:
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = (profile, "--headless", *options, "--convert-to", to, "--outdir", str(folder))
    _run(folder, "soffice", *command, str(source))


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        print(done.stdout, done.stderr, file=sys.stderr)
        done.check_returncode()


def _keep(path: Path) -> None:
    shutil.copy(path, TO / path.name)


if __name__ == "__main__":
    sys.exit(main())
