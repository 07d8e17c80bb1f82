"""What is connected to: only what was resolved and checked, and the first of it that answers."""

from __future__ import annotations

import errno
from ipaddress import ip_address

import anyio
import pytest

from broker.egress.dial import ConnectFailed, NameUnknown, ProxyFailed, first_connected
from broker.egress.policy import EgressRefused
from tests.broker.egress.doubles import Names, Tripwire, egress_for, read_head, server

SIX, FOUR, OTHER_FOUR = "2a00::6", "93.184.216.4", "93.184.216.5"


class Net:
    """Addresses that answer after a while, or refuse, or say nothing."""

    def __init__(self, **answers_after_s: float | None) -> None:
        self.answers = answers_after_s
        self.tried: list[tuple[float, str]] = []
        self.closed: list[str] = []
        self.names = {"six": SIX, "four": FOUR, "other": OTHER_FOUR}

    async def connect(self, address: object) -> Line:
        name = next(name for name, text in self.names.items() if text == str(address))
        self.tried.append((anyio.current_time(), name))
        after_s = self.answers.get(name, 0.0)
        if after_s is None:
            raise OSError(errno.ECONNREFUSED, "Connection refused")
        await anyio.sleep(after_s)
        return Line(self, name)


class Line:
    def __init__(self, net: Net, name: str) -> None:
        self.net, self.name = net, name

    async def aclose(self) -> None:
        self.net.closed.append(self.name)


async def connected(net: Net, *texts: str) -> str:
    target = egress_for().policy.check_host("example.com", 443)
    line = await first_connected(target, list(map(ip_address, texts)), net.connect)
    return line.name


@pytest.mark.virtual_clock
async def test_the_families_take_turns_and_each_has_a_head_start() -> None:
    net = Net(six=9.0, four=9.0, other=1.0)
    start_s = anyio.current_time()
    assert await connected(net, SIX, FOUR, OTHER_FOUR) == "other"
    tried = [(round(at_s - start_s, 2), name) for at_s, name in net.tried]
    assert tried == [(0.0, "six"), (0.25, "four"), (0.5, "other")]


@pytest.mark.virtual_clock
async def test_the_next_address_is_tried_at_once_where_one_refuses() -> None:
    net = Net(six=None, four=None, other=0.0)
    start_s = anyio.current_time()
    assert await connected(net, FOUR, OTHER_FOUR, SIX) == "other"
    assert [name for _, name in net.tried] == ["four", "six", "other"]
    assert anyio.current_time() == start_s


@pytest.mark.virtual_clock
async def test_the_reason_is_told_when_nobody_answers() -> None:
    with pytest.raises(ConnectFailed, match=r"example\.com:443 cannot be connected to") as raised:
        await connected(Net(six=None, four=None), SIX, FOUR)
    assert (raised.value.code, raised.value.reason) == ("unreachable", "Connection refused")


@pytest.mark.virtual_clock
async def test_whoever_gives_up_leaves_no_connection_behind() -> None:
    net = Net(six=5.0, four=5.0)
    with anyio.move_on_after(1):
        await connected(net, SIX, FOUR)
    assert len(net.tried) == 2
    assert net.closed == []


@pytest.mark.virtual_clock
async def test_every_answer_is_checked() -> None:
    names = Names(two_example=[[FOUR, "10.0.0.1"]], six_example=[["::ffff:127.0.0.1"]])
    egress = egress_for(names=names)
    for name in ("two.example", "six.example"):
        with pytest.raises(EgressRefused):
            await egress.addresses(egress.policy.check_host(name, 80))


@pytest.mark.virtual_clock
async def test_nobody_is_asked_about_addresses_and_this_machine() -> None:
    names = Names(localhost=[["93.184.216.34"]])
    egress = egress_for(names=names, allow=("127.0.0.0/8",))
    for host, found in (("8.8.8.8", "8.8.8.8"), ("a.localhost", "127.0.0.1")):
        addresses = await egress.addresses(egress.policy.check_host(host, 80))
        assert [str(each) for each in addresses] == [found]
    assert names.asked == []


@pytest.mark.virtual_clock
async def test_an_unknown_name_has_a_code_of_its_own() -> None:
    egress = egress_for()
    with pytest.raises(NameUnknown, match=r"nowhere\.example cannot be resolved") as raised:
        await egress.addresses(egress.policy.check_host("nowhere.example", 80))
    assert raised.value.code == "dns"


async def test_a_name_that_changes_its_mind_is_checked_each_time() -> None:
    tripwire = Tripwire()
    names = Names(rebound_example=[["2a00::1"], ["127.0.0.1"]])
    egress = egress_for(names=names)
    target = egress.policy.check_host("rebound.example", tripwire.port)
    first = await egress.addresses(target)
    assert [str(each) for each in first] == ["2a00::1"]
    with pytest.raises(EgressRefused):
        await egress.connect(target)
    assert tripwire.reached() == 0
    tripwire.close()


async def test_a_tunnel_goes_through_the_operators_proxy_with_its_password() -> None:
    heads: list[bytes] = []

    async def proxy(stream: anyio.abc.SocketStream) -> None:
        heads.append(await read_head(stream))
        await stream.send(b"HTTP/1.1 200 Fine\r\nX: y\r\n\r\n")
        await stream.send(b"echo " + await stream.receive())

    names = Names()
    async with server(proxy) as port:
        egress = egress_for(proxy=f"http://me:p%40ss@127.0.0.1:{port}", names=names)
        tunnel = await egress.tunnel(egress.policy.check_host("Example.com", 443))
        async with tunnel:
            await tunnel.send(b"hello")
            assert await tunnel.receive() == b"echo hello"
    (head,) = heads
    assert head.startswith(b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n")
    assert b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in head
    assert names.asked == []


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        (b"HTTP/1.1 407 Auth\r\n\r\n", 407, "wants another user or password"),
        (b"HTTP/1.1 403 No\r\n\r\n", 403, "answered 403"),
        (b"SSH-2.0\r\n\r\n", 0, "answered 0"),
        (b"", 0, "broke off"),
    ],
)
async def test_a_proxy_that_lets_nothing_through_is_named(
    said: bytes, status: int, words: str
) -> None:
    async def proxy(stream: anyio.abc.SocketStream) -> None:
        await read_head(stream)
        await stream.send(said)

    async with server(proxy) as port:
        egress = egress_for(proxy=f"http://me:secret@127.0.0.1:{port}")
        with pytest.raises(ProxyFailed, match=words) as raised:
            await egress.tunnel(egress.policy.check_host("example.com", 443))
    assert (raised.value.code, raised.value.status) == ("proxy", status)
    assert "secret" not in raised.value.message


async def test_a_proxy_that_is_not_there_is_named() -> None:
    tripwire = Tripwire()
    tripwire.close()
    egress = egress_for(proxy=f"http://127.0.0.1:{tripwire.port}")
    with pytest.raises(ProxyFailed, match=r"the proxy http://127\.0\.0\.1:\d+ cannot be reached"):
        await egress.tunnel(egress.policy.check_host("example.com", 443))


async def test_a_proxy_says_nothing_of_what_is_forbidden_by_name() -> None:
    egress = egress_for(proxy="http://127.0.0.1:1")
    for host in ("10.0.0.1", "localhost", "metadata.google.internal", "[::1]"):
        with pytest.raises(EgressRefused):
            egress.policy.check_host(host, 443)
