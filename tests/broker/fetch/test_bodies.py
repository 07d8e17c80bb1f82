"""Bodies as they come in: unpacked within bounds, and taken for what their bytes show."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.errors import BodyRefused
from broker.fetch.bodies import Body
from broker.fetch.media import TEXT_CAP_BYTES, media_type, sniff
from tests.emulators.web_faults import ARTICLE, PDF, bomb, packed

CODINGS = ("gzip", "deflate", "rawdeflate", "br", "zstd", "members", "gzip, br", "zstd, gzip")
SAID = {"rawdeflate": "deflate", "members": "gzip"}


def body_of(coding: str = "", declared: str = "text/html") -> Body:
    return Body(
        coding=SAID.get(coding, coding),
        declared=declared,
        shown_url="https://a.example/x",
    )


def fed(body: Body, data: bytes, step: int = 65536) -> bytes:
    for at in range(0, len(data), step):
        body.feed(data[at : at + step])
    return body.end(cut_off=False)


@pytest.mark.parametrize("coding", CODINGS)
@given(step=st.integers(2, 700))
def test_every_coding_is_taken_off_however_it_is_cut(coding: str, step: int) -> None:
    body = body_of(coding)
    assert fed(body, packed(coding, ARTICLE), step) == ARTICLE
    assert not body.truncated
    assert body.notes == []


@pytest.mark.parametrize("coding", ["x-gzip", "GZIP", "identity, gzip", " gzip ", "none"])
def test_odd_names_of_codings_are_known(coding: str) -> None:
    data = ARTICLE if coding == "none" else packed("gzip", ARTICLE)
    assert fed(body_of(coding), data) == ARTICLE


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "compress", "utf-8"])
def test_a_body_that_is_not_packed_is_taken_as_it_is(coding: str) -> None:
    body = body_of(coding)
    assert fed(body, ARTICLE) == ARTICLE
    assert body.notes == [f"the headers say {coding}, but the body is not compressed"]


def test_a_packed_body_that_nobody_announced_is_unpacked_where_text_was() -> None:
    packed_page = packed("gzip", ARTICLE)
    assert fed(body_of(), packed_page) == ARTICLE
    assert fed(body_of(declared="application/gzip"), packed_page) == packed_page


@pytest.mark.parametrize("coding", ["compress", "aws-chunked", "gzip, gzip, gzip, gzip"])
def test_a_coding_that_is_unknown_or_endless_is_refused(coding: str) -> None:
    with pytest.raises(BodyRefused) as raised:
        body_of(coding).feed(packed("gzip", ARTICLE))
    assert raised.value.code == "bad_encoding"
    assert raised.value.url == "https://a.example/x"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_found_before_it_takes_up_memory(coding: str) -> None:
    data = bomb(coding)
    tracemalloc.start()
    with pytest.raises(BodyRefused) as raised:
        fed(body_of(coding), data)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert raised.value.code == "compression_bomb"
    assert peak_bytes < 32_000_000


def test_repetitive_pages_are_no_bombs() -> None:
    rows = b"".join(b"<tr><td>%d</td><td>nothing new</td></tr>\n" % n for n in range(200_000))
    assert fed(body_of("gzip"), packed("gzip", rows)) == rows


@pytest.mark.parametrize("coding", ["", "gzip", "br", "zstd"])
def test_text_beyond_the_bound_is_cut(coding: str) -> None:
    text = b"".join(b"line %d of a long report\n" % n for n in range(500_000))
    body = body_of(coding)
    kept = fed(body, packed(coding, text) if coding else text)
    assert kept == text[:TEXT_CAP_BYTES]
    assert (body.truncated, body.broken_off) == (True, False)
    assert body.full


def test_documents_may_be_larger_but_are_never_cut() -> None:
    pdf = PDF + bytes(12_000_000)
    assert fed(body_of(declared="application/pdf"), pdf) == pdf
    assert fed(body_of(declared="text/html"), pdf) == pdf
    for declared in ("application/pdf", "text/html", ""):
        with pytest.raises(BodyRefused) as raised:
            fed(body_of(declared=declared), PDF + bytes(31_000_000))
        assert raised.value.code == "too_large"


def test_a_document_that_says_it_is_too_large_is_not_begun() -> None:
    with pytest.raises(BodyRefused):
        body_of(declared="application/pdf").expect(31_000_000)
    body_of(declared="text/html").expect(31_000_000)
    body_of(coding="gzip", declared="application/pdf").expect(31_000_000)


def test_what_was_cut_ends_with_a_whole_character() -> None:
    text = "<p>" + "Wörter 言葉 🙂 " * 100
    whole = text.encode()
    for cut in range(40, 80):
        body = body_of()
        body.feed(whole[:cut])
        assert text.startswith(body.end(cut_off=True).decode())


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_packed_body_that_ends_early_is_kept_as_far_as_it_goes(coding: str) -> None:
    noise = "".join(f"{n * 7919 % 100_003:x} " for n in range(60_000)).encode()
    whole = ARTICLE + noise
    data = packed(coding, whole)
    body = body_of(coding)
    kept = fed(body, data[: len(data) // 2])
    assert (body.truncated, body.broken_off) == (True, True)
    assert len(kept) > 10_000
    assert whole.startswith(kept)


def test_a_damaged_body_is_kept_as_far_as_it_goes() -> None:
    noise = "".join(f"{n * 7919 % 100_003:x} " for n in range(60_000)).encode()
    data = bytearray(packed("gzip", ARTICLE + noise))
    data[len(data) // 2 :] = b"\xff" * (len(data) // 2)
    body = body_of("gzip")
    assert fed(body, bytes(data)).startswith(ARTICLE)
    assert (body.truncated, body.broken_off) == (True, True)
    with pytest.raises(BodyRefused):
        fed(body_of("gzip"), b"\x1f\x8b" + b"\xff" * 100)


def test_only_text_that_is_there_can_be_read() -> None:
    body = body_of()
    assert not body.readable
    body.feed(b" \n\t" * 1000)
    assert not body.readable
    body.feed(b"word")
    assert body.readable
    pdf = body_of(declared="application/pdf")
    pdf.feed(PDF)
    assert not pdf.readable


@given(data=st.binary(max_size=400), coding=st.sampled_from(["", *CODINGS, "deflate, br"]))
def test_rubbish_is_kept_or_refused(data: bytes, coding: str) -> None:
    with suppress(BodyRefused):
        fed(body_of(coding), data, 37)


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"", ""),
        (PDF, "application/pdf"),
        (b"PK\x03\x04rest", "application/zip"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"RIFF....WEBPVP8 ", "image/webp"),
        (b"BM" + bytes(8) + b"\x36\0\0\0\x28\0\0\0", "image/bmp"),
        (b"BMW is a word, and BMP is another", "text/plain"),
        (b"II*\0\x08\0\0\0", "image/tiff"),
        (b"MM\0*\0\0\0\x08", "image/tiff"),
        (b"\0\0\0\x20ftypavif", "image/avif"),
        (b"\0\0\0\x20ftypheic", "image/heic"),
        (b"\0\0\1\0\1\0", "image/x-icon"),
        (b"8BPS\0\1", "image/vnd.adobe.photoshop"),
        (b"\xff\x0a\0", "image/jxl"),
        (b"\0\0\0\x0cjP  \r\n", "image/jp2"),
        (b"\x00\x00\x00\x20ftypisom", "video/mp4"),
        (b"\n <!DOCTYPE html>", "text/html"),
        (b"\xef\xbb\xbf<!-- a --> <html lang=en>", "text/html"),
        ("<!doctype html><title>x</title>".encode("utf-16"), "text/html"),
        (b"<?xml version='1.0'?><feed/>", "application/xml"),
        (b"Just words\n", "text/plain"),
        ("Nur Wörter".encode("latin-1"), "text/plain"),
        (b"\x00\x01\x02", "application/octet-stream"),
    ],
)
def test_bytes_show_what_they_are(head: bytes, kind: str) -> None:
    assert sniff(head) == kind


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("text/html", "text/html"),
        (" Text/HTML ; charset=utf-8", "text/html"),
        ("application/ld+json;x", "application/ld+json"),
        ("", ""),
        ("html", ""),
        ("text/html, text/html; charset=x", "text/html"),
    ],
)
def test_media_types_are_read(header: str, kind: str) -> None:
    assert media_type(header) == kind
