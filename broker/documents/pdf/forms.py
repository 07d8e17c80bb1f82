"""What was filled into a PDF's form, and what was written onto its pages later."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.documents.pdf.leaf import Leaf

_MOST = 2000
"""Of a page."""
_MOST_BYTES = 1 << 16
_HIDDEN = 2
_PASSWORD = 1 << 13


def add_written(raw: Any, form: Any, page: Any, leaf: Leaf) -> None:  # noqa: ANN401 - no types
    """Add the filled fields and the remarks of a page to `leaf`.

    Args:
        raw: PDFium's functions.
        form: PDFium's form of the whole file; None where it has none.
        page: PDFium's page.
        leaf: takes them.
    """
    for place in range(min(_MOST, raw.FPDFPage_GetAnnotCount(page))):
        note = raw.FPDFPage_GetAnnot(page, place)
        if not note:
            continue
        kind = raw.FPDFAnnot_GetSubtype(note)
        if raw.FPDFAnnot_GetFlags(note) & _HIDDEN:
            pass
        elif kind == raw.FPDF_ANNOT_FREETEXT:
            said = _text(partial(raw.FPDFAnnot_GetStringValue, note, b"Contents"))
            leaf.remarks.extend(filter(None, [said]))
        elif kind == raw.FPDF_ANNOT_WIDGET and form is not None:
            name, value = _field(raw, form, note)
            if value and (name, value) not in leaf.fields:
                leaf.fields.append((name, value))
        raw.FPDFPage_CloseAnnot(note)


def _field(raw: Any, form: Any, note: Any) -> tuple[str, str]:  # noqa: ANN401
    """The name and the value of a field; no value where it is not filled or shows nothing."""
    kind = raw.FPDFAnnot_GetFormFieldType(form, note)
    secret = raw.FPDFAnnot_GetFormFieldFlags(form, note) & _PASSWORD
    name = _text(partial(raw.FPDFAnnot_GetFormFieldAlternateName, form, note))
    name = name or _text(partial(raw.FPDFAnnot_GetFormFieldName, form, note))
    value = ""
    if kind == raw.FPDF_FORMFIELD_CHECKBOX:
        value = "yes" if raw.FPDFAnnot_IsChecked(form, note) else "no"
    elif kind == raw.FPDF_FORMFIELD_RADIOBUTTON and raw.FPDFAnnot_IsChecked(form, note):
        value = _text(partial(raw.FPDFAnnot_GetFormFieldExportValue, form, note)) or "yes"
    elif kind in {raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX} or (
        kind == raw.FPDF_FORMFIELD_TEXTFIELD and not secret
    ):
        value = _text(partial(raw.FPDFAnnot_GetFormFieldValue, form, note))
    return name, value


def _text(call: Callable[[Any, int], int]) -> str:
    """What a function of PDFium's says that fills a buffer of UTF-16."""
    size = min(call(None, 0), _MOST_BYTES)
    if size <= 2:  # noqa: PLR2004 - the zero at its end
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    call(buffer, size)
    return " ".join(bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").split())
