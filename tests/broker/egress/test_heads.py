"""Heads of requests and answers, as the guard reads and rewrites them."""

from __future__ import annotations

import pytest

from broker.egress.heads import (
    HeadInvalid,
    RequestHead,
    answer,
    parse_request,
    parse_response,
    split_head,
)
from broker.egress.policy import Target


def onward(request: RequestHead, *, absolute: bool = False, auth: str | None = None) -> list[str]:
    target = Target(host=request.host, port=request.port)
    text = request.onward(target, absolute=absolute, authorization=auth).decode("latin-1")
    assert text.endswith("\r\n\r\n")
    return text.split("\r\n")[:-2]


def request(*lines: str) -> RequestHead:
    return parse_request("\r\n".join(lines).encode("latin-1"))


def test_a_plain_request_is_sent_on_as_a_server_expects_it() -> None:
    found = request(
        "GET http://Example.com:80/a?b=c HTTP/1.1",
        "Host: elsewhere.example",
        "Proxy-Connection: keep-alive",
        "Proxy-Authorization: Basic eA==",
        "Connection: keep-alive, X-Mine",
        "Keep-Alive: 300",
        "X-Mine: 1",
        "TE: trailers",
        "Upgrade: h2c",
        "Accept: \xe9",
    )
    assert (found.tunnel, found.body_bytes, found.port) == (False, 0, 80)
    assert onward(found) == [
        "GET /a?b=c HTTP/1.1",
        "Host: example.com",
        "Accept: \xe9",
        "Connection: close",
    ]


def test_a_proxy_gets_the_whole_address_and_its_password() -> None:
    found = request("POST http://[::1]:8080?q HTTP/1.0", "Content-Length: 5")
    assert found.body_bytes == 5
    assert onward(found, absolute=True, auth="Basic eA==") == [
        "POST http://[::1]:8080/?q HTTP/1.1",
        "Host: [::1]:8080",
        "Content-Length: 5",
        "Proxy-Authorization: Basic eA==",
        "Connection: close",
    ]


def test_a_tunnel_is_asked_for_by_host_and_port() -> None:
    found = request("CONNECT EXAMPLE.com:443 HTTP/1.1", "Host: example.com:443")
    assert (found.tunnel, str(found.host), found.port) == (True, "example.com", 443)
    assert str(request("CONNECT [::1]:8443 HTTP/1.1").host) == "[::1]"


@pytest.mark.parametrize(
    ("status", "lines"),
    [
        (400, ["nonsense"]),
        (400, ["GET / HTTP/1.1", "Host: example.com"]),
        (400, ["GET http://example.com/ HTTP/2"]),
        (400, ["GET http://exa mple.com/ HTTP/1.1"]),
        (400, ["get http://example.com/ HTTP/1.1"]),
        (400, ["GET https://example.com/ HTTP/1.1"]),
        (400, ["GET ftp://example.com/ HTTP/1.1"]),
        (400, ["GET http://1.2.3.4.5/ HTTP/1.1"]),
        (400, ["CONNECT example.com HTTP/1.1"]),
        (400, ["CONNECT http://example.com/ HTTP/1.1"]),
        (400, ["CONNECT ::1:443 HTTP/1.1"]),
        (400, ["GET http://example.com/ HTTP/1.1", "A : b"]),
        (400, ["GET http://example.com/ HTTP/1.1", "A: b", " more"]),
        (400, ["GET http://example.com/ HTTP/1.1", "A"]),
        (400, ["GET http://example.com/ HTTP/1.1", "A: b\nB: c"]),
        (400, ["GET http://example.com/ HTTP/1.1", "A: b\0c"]),
        (400, ["POST http://example.com/ HTTP/1.1", "Content-Length: +5"]),
        (400, ["POST http://example.com/ HTTP/1.1", "Content-Length: 5", "content-length: 6"]),
        (411, ["POST http://example.com/ HTTP/1.1", "Transfer-Encoding: chunked"]),
    ],
)
def test_a_request_that_could_be_read_in_two_ways_is_not_sent_on(
    status: int, lines: list[str]
) -> None:
    with pytest.raises(HeadInvalid) as raised:
        request(*lines)
    assert raised.value.status == status


def test_an_answer_is_passed_on_less_what_concerns_its_connection() -> None:
    found = parse_response(
        b"HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
        b"Connection: keep-alive\r\nKeep-Alive: x\r\nProxy-Authenticate: Basic"
    )
    assert not found.interim
    assert found.onward() == (
        b"HTTP/1.1 200 Fine\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
        b"Connection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    "head", [b"hello", b"ICY 200 OK", b"HTTP/1.1 101 Switching", b"HTTP/1.1 200 OK\r\nbroken"]
)
def test_an_answer_that_is_none_is_the_servers_fault(head: bytes) -> None:
    with pytest.raises(HeadInvalid) as raised:
        parse_response(head)
    assert raised.value.status == 502


def test_interim_answers_are_told_from_the_answer() -> None:
    assert parse_response(b"HTTP/1.1 103 Early Hints\r\nLink: x").interim
    assert not parse_response(b"HTTP/1.0 204").interim


@pytest.mark.parametrize("end", [b"\r\n\r\n", b"\n\n", b"\r\n\n"])
def test_a_head_ends_at_its_empty_line(end: bytes) -> None:
    assert split_head(b"a\r\nb" + end + b"c\r\n\r\nd") == (b"a\r\nb", b"c\r\n\r\nd")
    assert split_head(b"a\r\nb\r\n") is None


def test_an_answer_of_the_guards_own_says_so() -> None:
    text = answer(403, "blocked_ssrf", "no").decode()
    assert text.startswith("HTTP/1.1 403 Forbidden\r\nX-Webaio-Refused: blocked_ssrf\r\n")
    assert text.endswith("Content-Length: 3\r\nConnection: close\r\n\r\nno\n")
