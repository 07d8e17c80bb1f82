"""Lines, requests and replies, without I/O."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.wire.codec import (
    ErrorNumber,
    LineSplitter,
    LineTooLong,
    Rejected,
    Request,
    RpcError,
    decode_request,
    encode_error,
    encode_json,
    encode_notification,
    encode_result,
)

LIMIT = 8

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def split(chunks: list[bytes], limit: int = LIMIT) -> list[bytes | LineTooLong]:
    splitter = LineSplitter(limit)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    return lines + splitter.finish()


def chunked(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(places)]


@given(st.binary(max_size=60), st.lists(st.integers(0, 1000)))
def test_chunk_boundaries_do_not_change_the_lines(data: bytes, cuts: list[int]) -> None:
    assert split(chunked(data, cuts)) == split([data])


@given(st.lists(st.binary(max_size=2 * LIMIT).map(lambda line: line.replace(b"\n", b""))))
def test_every_line_comes_out_once_or_is_reported_once(lines: list[bytes]) -> None:
    expected = [line if len(line) <= LIMIT else LineTooLong(LIMIT) for line in lines]

    assert split([b"".join(line + b"\n" for line in lines)]) == expected


@given(st.text(), json_values, st.lists(st.integers(0, 100_000)))
def test_a_request_survives_any_chunking(method: str, value: object, cuts: list[int]) -> None:
    message = {"jsonrpc": "2.0", "id": "ß", "method": method, "params": {"v": value}}
    data = json.dumps(message, ensure_ascii=False).encode() + b"\n"

    (line,) = split(chunked(data, cuts), limit=len(data))

    assert decode_request(line) == Request("ß", method, {"v": value})


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"a\nb", [b"a", b"b"], id="unterminated last line"),
        pytest.param(
            b"a\r\nb\x0b\x0c\xe2\x80\xa8c\n", [b"a\r", b"b\x0b\x0c\xe2\x80\xa8c"], id="0x0A only"
        ),
        pytest.param(b"\n\n", [b"", b""], id="empty lines"),
        pytest.param(b"12345678\n", [b"12345678"], id="at the limit"),
        pytest.param(b"123456789\na\n", [LineTooLong(LIMIT), b"a"], id="over the limit"),
        pytest.param(b"123456789", [LineTooLong(LIMIT)], id="over the limit, unterminated"),
    ],
)
def test_lines_end_at_line_feeds_and_are_limited(
    data: bytes, lines: list[bytes | LineTooLong]
) -> None:
    assert split([data], limit=max(LIMIT, 0) if b"\xe2" not in data else 20) == lines


def test_a_line_that_never_ends_is_reported_at_once_and_not_kept() -> None:
    splitter = LineSplitter(limit_bytes=1000)

    reports = [report for _ in range(5000) for report in splitter.feed(b"x" * 999)]

    assert reports == [LineTooLong(1000)]
    assert len(splitter._held) == 0


REJECTED = [
    pytest.param(b"{", None, ErrorNumber.PARSE, "parse_error", "", id="half an object"),
    pytest.param(b"nonsense", None, ErrorNumber.PARSE, "parse_error", "", id="no JSON"),
    pytest.param(b'{"a":NaN}', None, ErrorNumber.PARSE, "parse_error", "", id="NaN"),
    pytest.param(b'{"a":1e999}', None, ErrorNumber.PARSE, "parse_error", "", id="infinity"),
    pytest.param(b"[" * 100_000, None, ErrorNumber.PARSE, "parse_error", "", id="deep nesting"),
    pytest.param(b'{"a":"\\ud800"}', None, ErrorNumber.PARSE, "parse_error", "", id="surrogate"),
    pytest.param(b'{"a":"\xff"}', None, ErrorNumber.PARSE, "invalid_utf8", "", id="not UTF-8"),
    pytest.param(b'{"a":"\xed\xa0\x80"}', None, ErrorNumber.PARSE, "invalid_utf8", "", id="CESU-8"),
    pytest.param(LineTooLong(8), None, ErrorNumber.PARSE, "line_too_long", "", id="line too long"),
    pytest.param(
        b'[{"jsonrpc":"2.0","id":1,"method":"x"}]',
        None,
        ErrorNumber.INVALID_REQUEST,
        "batch",
        "",
        id="batch",
    ),
    pytest.param(
        b'"search"', None, ErrorNumber.INVALID_REQUEST, "not_an_object", "", id="a string"
    ),
    *(
        pytest.param(
            b'{"jsonrpc":"2.0","id":' + wrong + b',"method":"x"}',
            None,
            ErrorNumber.INVALID_REQUEST,
            "invalid_request",
            "id",
            id=f"id {wrong.decode()}",
        )
        for wrong in (b"null", b"true", b"{}", b"[1]")
    ),
    pytest.param(
        b'{"id":1,"method":"x"}',
        1,
        ErrorNumber.INVALID_REQUEST,
        "invalid_request",
        "jsonrpc",
        id="no version",
    ),
    pytest.param(
        b'{"jsonrpc":2.0,"id":1,"method":"x"}',
        1,
        ErrorNumber.INVALID_REQUEST,
        "invalid_request",
        "jsonrpc",
        id="version is a number",
    ),
    pytest.param(
        b'{"jsonrpc":"2.0","id":"a"}',
        "a",
        ErrorNumber.INVALID_REQUEST,
        "invalid_request",
        "method",
        id="no method",
    ),
    pytest.param(
        b'{"jsonrpc":"2.0","id":1,"method":7}',
        1,
        ErrorNumber.INVALID_REQUEST,
        "invalid_request",
        "method",
        id="method is a number",
    ),
    *(
        pytest.param(
            b'{"jsonrpc":"2.0","id":1,"method":"x","params":' + wrong + b"}",
            1,
            ErrorNumber.INVALID_PARAMS,
            "invalid_request",
            "params",
            id=f"params {wrong.decode()}",
        )
        for wrong in (b"[1]", b'"a"', b"3", b"false")
    ),
]


@pytest.mark.parametrize(("line", "request_id", "number", "code", "field"), REJECTED)
def test_a_bad_line_becomes_an_error_that_names_what_is_wrong(
    line: bytes | LineTooLong,
    request_id: object,
    number: ErrorNumber,
    code: str,
    field: str,
) -> None:
    rejected = decode_request(line)

    assert isinstance(rejected, Rejected)
    assert rejected.id == request_id
    assert (rejected.error.number, rejected.error.code, rejected.error.field) == (
        number,
        code,
        field,
    )
    assert len(rejected.error.message) < 200


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"x"}', Request(1, "x"), id="no params"),
        pytest.param(
            b'{"jsonrpc":"2.0","id":1,"method":"x","params":null}',
            Request(1, "x"),
            id="null params",
        ),
        pytest.param(b'{"jsonrpc":"2.0","method":"x"}', Request(None, "x"), id="notification"),
        pytest.param(
            b'{"jsonrpc":"2.0","id":1.5,"method":"x"}\r', Request(1.5, "x"), id="CR, float"
        ),
        pytest.param(
            b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"x"}',
            Request(1, "x"),
            id="byte order mark",
        ),
        pytest.param(
            b'{"jsonrpc":"2.0","id":99999999999999999999,"method":"x"}',
            Request(1e20, "x"),
            id="big id",
        ),
        pytest.param(b"", None, id="empty"),
        pytest.param(b" \r", None, id="blank"),
    ],
)
def test_a_good_line_becomes_a_request(line: bytes, request_: Request | None) -> None:
    assert decode_request(line) == request_


@given(st.binary(max_size=200))
def test_decoding_never_raises(line: bytes) -> None:
    assert isinstance(decode_request(line), Request | Rejected | None)


@given(json_values)
def test_a_result_is_one_line_of_json(value: object) -> None:
    line = encode_result(7, value)

    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 7, "result": value}


def test_an_error_carries_its_stable_code_and_its_field() -> None:
    error = RpcError(ErrorNumber.INVALID_PARAMS, "max must be 1 to 100", "invalid_request", "max")

    assert json.loads(encode_error(None, error)) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": -32602,
            "message": "max must be 1 to 100",
            "data": {"code": "invalid_request", "field": "max"},
        },
    }


def test_an_error_without_a_field_has_none() -> None:
    line = encode_error(1, RpcError(ErrorNumber.FAILED, "no", "browser"))

    assert json.loads(line)["error"]["data"] == {"code": "browser"}


def test_a_notification_has_no_id() -> None:
    assert json.loads(encode_notification("progress", {"hits": 3})) == {
        "jsonrpc": "2.0",
        "method": "progress",
        "params": {"hits": 3},
    }


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    value = {"half \ud83d": ["\udc00x", ("\ud83d\ude00", 1)]}

    assert json.loads(encode_json(value)) == {"half \ufffd": ["\ufffdx", ["\U0001f600", 1]]}


def test_what_has_no_json_form_is_refused() -> None:
    with pytest.raises(TypeError):
        encode_result(1, object())
