"""Files on their way through reading: what the document says of itself, and errors that name it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broker.context import RequestContext
from broker.deadline import Deadline
from broker.documents.failures import Unconverted
from broker.documents.records import Converted
from broker.errors import Layer
from broker.reading.conversion import Conversion
from broker.reading.failures import Unread
from broker.reading.judging import Material
from broker.reading.plain import PlainKind, draft_of, kind_of
from broker.trace import OFF
from extract.model import Kind

if TYPE_CHECKING:
    from broker.documents.converter import Converter

URL = "https://ferry.example/files/wet%20sheets.pdf?token=secret"


class Told:
    """A converter that gives what it was told to."""

    def __init__(self, result: Converted | Unconverted) -> None:
        self.result = result

    async def convert(self, _body: bytes, _deadline: Deadline) -> Converted:
        if isinstance(self.result, Unconverted):
            raise self.result
        return self.result


def conversion(result: Converted | Unconverted) -> Conversion:
    told: Converter = Told(result)  # type: ignore[assignment]
    return Conversion(told)


def context() -> RequestContext:
    return RequestContext(request_id="1", deadline=Deadline.after(10), trace=OFF)


def material(url: str = URL) -> Material:
    return Material(body=b"%PDF-", url=url)


async def test_what_a_file_says_of_itself_stands_in_the_draft() -> None:
    made = Converted(
        markdown="# Sheets\n\nThree are wet.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
        title="Wet\n sheets",
        byline="Ada  Fährmann",
        published="2026-05-17",
        lang="en",
        notes=["it has macros, which were not run"],
    )
    draft = await conversion(made)(context(), material())
    assert (draft.title, draft.byline, draft.published, draft.lang) == (
        "Wet sheets",
        "Ada Fährmann",
        "2026-05-17",
        "en",
    )
    assert draft.notes == ("it has macros, which were not run",)
    assert [block.kind for block in draft.body.blocks] == [
        Kind.HEADING,
        Kind.PARAGRAPH,
        Kind.TABLE,
    ]


async def test_what_makes_no_sense_is_left_out() -> None:
    made = Converted(markdown="Words.", published="sometime", lang="??", byline=" ")
    draft = await conversion(made)(context(), material())
    assert (draft.title, draft.byline, draft.published, draft.lang) == (
        "wet sheets.pdf",
        None,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("url", "where", "layer"),
    [
        (URL, "wet sheets.pdf of ferry.example: ", Layer.SITE),
        ("/home/ada/wet.pdf", "/home/ada/wet.pdf: ", Layer.BROKER),
    ],
)
async def test_an_error_names_the_file_and_no_secret(url: str, where: str, layer: Layer) -> None:
    failing = conversion(Unconverted("encrypted", "the PDF asks for a password"))
    with pytest.raises(Unread) as caught:
        await failing(context(), material(url))
    error = caught.value
    assert (error.code, error.layer) == ("encrypted", layer)
    assert str(error) == f"{where}the PDF asks for a password"
    assert "secret" not in error.url


async def test_a_part_that_is_missing_is_nobody_elses_doing() -> None:
    failing = conversion(Unconverted("missing_part", "Tesseract is not here"))
    with pytest.raises(Unread) as caught:
        await failing(context(), material())
    assert caught.value.layer is Layer.BROKER


@pytest.mark.parametrize(
    ("media_type", "name"),
    [("text/csv", "https://ferry.example/data"), ("", "/home/ada/costs.csv")],
)
def test_values_come_as_a_table(media_type: str, name: str) -> None:
    body = b"item,euro\nDiesel,46\n"
    assert kind_of(body, media_type, name).kind is PlainKind.TEXT
    draft = draft_of(body, PlainKind.TEXT, media_type=media_type, name=name)
    assert draft.body.markdown == "| item | euro |\n| --- | --- |\n| Diesel | 46 |"


def test_a_table_as_text_has_no_pipes() -> None:
    draft = draft_of(b'item,said\n"a | b",\\x\n', PlainKind.TEXT, name="costs.csv")
    assert draft.body.text_view().text == "item\tsaid\na | b\t\\x"


def test_lines_that_only_begin_with_a_pipe_stay_as_they_are() -> None:
    draft = draft_of(b"| one\n| two", PlainKind.TEXT, name="a.txt")
    assert draft.body.text_view().text == "| one\n| two"


@pytest.mark.parametrize("body", [b"\0\1\2\xff", b"\0\1\2\xff" * 300])
def test_noise_of_any_length_is_no_text(body: bytes) -> None:
    assert kind_of(body, "", "/home/ada/bin.dat").kind is PlainKind.NOISE


def test_text_of_two_bytes_a_letter_is_text() -> None:
    assert kind_of("Wet sheets\n".encode("utf-16-le")).kind is PlainKind.TEXT


def test_a_csv_that_is_none_stays_as_it_is() -> None:
    draft = draft_of(b"just words", PlainKind.TEXT, media_type="text/csv", name="a.csv")
    assert draft.body.markdown == "```csv\njust words\n```"


@pytest.mark.parametrize("media_type", ["message/rfc822", "text/plain", ""])
def test_a_message_is_a_file_to_convert(media_type: str) -> None:
    body = b"From: ada@ferry.example\nTo: otto@ferry.example\nSubject: Tin\n\nWet.\n"
    assert kind_of(body, media_type, "/home/ada/tin.eml").kind is PlainKind.FILE
