"""Whatever a page or a server may say: it is read, or refused by the one error for that."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_network

from hypothesis import example, given, settings
from hypothesis import strategies as st

from broker.egress.heads import HeadInvalid, parse_request, parse_response, split_head
from broker.egress.locate import AddressInvalid
from broker.egress.policy import EgressPolicy, EgressRefused

STRICT = EgressPolicy()
OPEN = EgressPolicy(allow_ranges=(ip_network("0.0.0.0/0"), ip_network("::/0")))

hosts = st.one_of(
    st.text(),
    st.ip_addresses().map(str),
    st.ip_addresses(v=6).map(lambda address: f"[{address}]"),
    st.text("0123456789abcdefx.[]:%@\\/\uff11\u3002", max_size=30),
)


@settings(deadline=None)  # a busy machine is none of its business
@given(hosts, st.text("0123456789", max_size=6), st.text(max_size=10))
@example("x", "9" * 5000, "")
def test_an_address_is_read_or_refused_and_then_stays_what_it_is(
    host: str, port: str, path: str
) -> None:
    with suppress(AddressInvalid, EgressRefused):
        target = OPEN.check_url(f"http://{host}:{port}/{path}")
        again = OPEN.check_url(target.url)
        assert (again.host, again.port, again.url) == (target.host, target.port, target.url)
        assert OPEN.check_host(str(target.host), target.port).host == target.host


@settings(deadline=None)  # a busy machine is none of its business
@given(st.ip_addresses())
def test_what_is_open_is_public(address: object) -> None:
    host = f"[{address}]" if ":" in str(address) else str(address)
    with suppress(EgressRefused):
        found = STRICT.check_url(f"http://{host}/").host.address
        assert found is not None
        mapped = getattr(found, "ipv4_mapped", None) or found
        assert mapped.is_global
        assert not mapped.is_multicast


@settings(deadline=None)  # a busy machine is none of its business
@given(st.one_of(st.binary(), st.text("GETCONECT htp:/1.\r\n0", max_size=60).map(str.encode)))
@example(b"POST http://x/ HTTP/1.1\r\nContent-Length: " + b"9" * 5000)
@example(b"CONNECT x:" + b"9" * 5000 + b" HTTP/1.1")
def test_a_head_is_read_or_refused(data: bytes) -> None:
    for parse in (parse_request, parse_response):
        with suppress(HeadInvalid):
            parse(data)
    found = split_head(data)
    if found is not None:
        assert len(found[0]) + len(found[1]) < len(data)
