"""Every way to write an address that must not be read, and every setting that opens one."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest

from broker.egress.locate import AddressInvalid
from broker.egress.policy import SETTING, EgressPolicy, EgressRefused, origin
from broker.egress.ranges import METADATA, METADATA_NAMES
from broker.settings import EgressSettings, ProviderSettings, Settings

STRICT = EgressPolicy()
OPEN = EgressPolicy(allow_ranges=(ip_network("0.0.0.0/0"), ip_network("::/0")))

# (the host as an address has it, what the refusal says that it is)
FORBIDDEN = [
    ("127.0.0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("127.255.255.254", "127.255.255.254", "loopback, 127.0.0.0/8"),
    ("127.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("127.0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("2130706433", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("017700000001", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("0177.0.0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("0x7f000001", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("0x7f.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("0X7F.0x0.0.01", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("127.0.0.1.", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("%31%32%37.0.0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("127%2e0%2E0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("\uff11\uff12\uff17.\uff10.\uff10.\uff11", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("127。0\uff0e0｡1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("①②⑦.0.0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("127.0.\u00ad0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("example.com@127.0.0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("example.com:80@127.0.0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("a@b@127.0.0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("127.0.0.1\\@example.com", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("127.0.0.1?@example.com", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("127.0.0.1#@example.com", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("1\t27.0.\n0.1", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("localhost", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("LocalHost.", "127.0.0.1", "loopback, 127.0.0.0/8"),
    ("a.b.localhost", "127.0.0.1", "loopback, 127.0.0.0/8"),
    (
        "\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54",
        "127.0.0.1",
        "loopback, 127.0.0.0/8",
    ),
    ("0", "0.0.0.0", "unspecified, 0.0.0.0/8"),
    ("0x", "0.0.0.0", "unspecified, 0.0.0.0/8"),
    ("0.0.0.0", "0.0.0.0", "unspecified, 0.0.0.0/8"),
    ("10.1", "10.0.0.1", "private, 10.0.0.0/8"),
    ("172.31.255.255", "172.31.255.255", "private, 172.16.0.0/12"),
    ("192.168.1.1", "192.168.1.1", "private, 192.168.0.0/16"),
    ("0300.0250.1", "192.168.0.1", "private, 192.168.0.0/16"),
    ("100.127.0.1", "100.127.0.1", "carrier-grade NAT, 100.64.0.0/10"),
    ("169.254.7.7", "169.254.7.7", "link-local, 169.254.0.0/16"),
    ("192.0.0.8", "192.0.0.8", "protocol assignments, 192.0.0.0/24"),
    ("192.0.2.7", "192.0.2.7", "documentation, 192.0.2.0/24"),
    ("192.88.99.1", "192.88.99.1", "6to4 relays, 192.88.99.0/24"),
    ("198.18.0.5", "198.18.0.5", "benchmarking, 198.18.0.0/15"),
    ("198.51.100.1", "198.51.100.1", "documentation, 198.51.100.0/24"),
    ("203.0.113.9", "203.0.113.9", "documentation, 203.0.113.0/24"),
    ("224.0.0.251", "224.0.0.251", "multicast, 224.0.0.0/4"),
    ("241.1.1.1", "241.1.1.1", "reserved, 240.0.0.0/4"),
    ("255.255.255.255", "255.255.255.255", "broadcast, 255.255.255.255/32"),
    ("4294967295", "255.255.255.255", "broadcast, 255.255.255.255/32"),
    ("[::1]", "::1", "loopback, ::1/128"),
    ("[0:0:0:0:0:0:0:1]", "::1", "loopback, ::1/128"),
    ("[::]", "::", "unspecified, ::/128"),
    ("[::ffff:127.0.0.1]", "::ffff:7f00:1", "loopback, 127.0.0.0/8"),
    ("[::FFFF:7F00:1]", "::ffff:7f00:1", "loopback, 127.0.0.0/8"),
    ("[::127.0.0.1]", "::7f00:1", "IPv4-compatible, ::/96"),
    ("[::8.8.8.8]", "::808:808", "IPv4-compatible, ::/96"),
    ("[::ffff:0:127.0.0.1]", "::ffff:0:7f00:1", "IPv4-translated, ::ffff:0:0:0/96"),
    ("[64:ff9b::127.0.0.1]", "64:ff9b::7f00:1", "loopback, 127.0.0.0/8"),
    ("[64:ff9b::a00:1]", "64:ff9b::a00:1", "private, 10.0.0.0/8"),
    ("[64:ff9b:1::127.0.0.1]", "64:ff9b:1::7f00:1", "local NAT64, 64:ff9b:1::/48"),
    ("[64:ff9b:1:fffe::808:808]", "64:ff9b:1:fffe::808:808", "local NAT64, 64:ff9b:1::/48"),
    ("[2002:7f00:1::1]", "2002:7f00:1::1", "loopback, 127.0.0.0/8"),
    ("[2002:c0a8:101::]", "2002:c0a8:101::", "private, 192.168.0.0/16"),
    ("[2001:0:7f00:1::1]", "2001:0:7f00:1::1", "Teredo, 2001::/32"),
    ("[2001:0:808:808::80ff:fffe]", "2001:0:808:808::80ff:fffe", "Teredo, 2001::/32"),
    ("[2001:0:808:808::f7f7:f7f7]", "2001:0:808:808::f7f7:f7f7", "Teredo, 2001::/32"),
    ("[2a00:1450::5efe:10.0.0.1]", "2a00:1450::5efe:a00:1", "private, 10.0.0.0/8"),
    ("[2a00:1450::200:5efe:7f00:1]", "2a00:1450::200:5efe:7f00:1", "loopback, 127.0.0.0/8"),
    ("[100::1]", "100::1", "discard, 100::/64"),
    ("[2001:db8::1]", "2001:db8::1", "documentation, 2001:db8::/32"),
    ("[3fff:fff::1]", "3fff:fff::1", "documentation, 3fff::/20"),
    ("[2001:2::1]", "2001:2::1", "protocol assignments, 2001::/23"),
    ("[5f00::1]", "5f00::1", "reserved, ::/0"),
    ("[4000::1]", "4000::1", "reserved, ::/0"),
    ("[fd12:3456::1]", "fd12:3456::1", "unique local, fc00::/7"),
    ("[fe80::1]", "fe80::1", "link-local, fe80::/10"),
    ("[fec0::1]", "fec0::1", "site-local, fec0::/10"),
    ("[ff02::1]", "ff02::1", "multicast, ff00::/8"),
]

NO_HOSTS = [
    "",
    "..",
    "a..b",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.1.1.256",
    "4294967296",
    "08.1.1.1",
    "[::1%25lo]",
    "[fe80::1%eth0]",
    "[::1",
    "::1",
    "a b.com",
    "a%00b.com",
    "a%2fb.com",
    "a%25b.com",
    "exa|mple.com",
    "exam\ud800ple.com",
    "x" * 64 + ".com",
    "127.0.0.1:70000",
    "127.0.0.1:" + "9" * 5000,
    "127.0.0.1:8o",
    "127.0.0.1:\uff18\uff10",
]

PUBLIC = [
    ("example.com", "example.com"),
    ("EXAMPLE.com.", "example.com"),
    ("bücher.example", "xn--bcher-kva.example"),
    ("faß.de", "xn--fa-hia.de"),
    ("i❤.ws", "xn--i-7iq.ws"),
    ("8.8.8.8", "8.8.8.8"),
    ("134744072", "8.8.8.8"),
    ("[2a00:1450:4001::200e]", "2a00:1450:4001::200e"),
    ("[::ffff:8.8.8.8]", "::ffff:808:808"),
    ("[64:ff9b::8.8.8.8]", "64:ff9b::808:808"),
    ("[2002:808:808::1]", "2002:808:808::1"),
    ("user:pw@example.com", "example.com"),
    ("127.0.0.1@example.com", "example.com"),
    ("127.0.0.1.example.com", "127.0.0.1.example.com"),
    ("notlocalhost", "notlocalhost"),
    ("localhost.example.com", "localhost.example.com"),
    ("_dmarc.example.com", "_dmarc.example.com"),
]


def refusal(policy: EgressPolicy, url: str) -> EgressRefused:
    with pytest.raises(EgressRefused) as raised:
        policy.check_url(url)
    return raised.value


@pytest.mark.parametrize(("host", "address", "block"), FORBIDDEN)
def test_a_forbidden_address_is_refused_in_every_notation(
    host: str, address: str, block: str
) -> None:
    refused = refusal(STRICT, f"http://{host}/x")
    assert (refused.code, refused.address, refused.range) == ("blocked_ssrf", address, block)
    assert address in refused.message
    assert block in refused.message


@pytest.mark.parametrize(("host", "_address", "_block"), FORBIDDEN)
def test_a_forbidden_host_is_refused_to_whoever_connects(
    host: str, _address: str, _block: str
) -> None:
    seen = host.replace("\t", "").replace("\n", "").rpartition("@")[2]
    if set("?#\\") & set(host):
        return
    with pytest.raises(EgressRefused):
        STRICT.check_host(seen, 443)


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_cannot_be_a_host_is_no_address(host: str) -> None:
    with pytest.raises((AddressInvalid, EgressRefused)):
        OPEN.check_url(f"http://{host}/")


@pytest.mark.parametrize(("host", "name"), PUBLIC)
def test_the_public_internet_is_open(host: str, name: str) -> None:
    target = STRICT.check_url(f"https://{host}/path?q#f")
    assert target.host.name == name
    assert (target.port, target.configured) == (443, False)


@pytest.mark.parametrize(
    ("url", "tidied"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        (" https:\\\\example.com\\a\\b?c\\d#e ", "https://example.com/a/b?c\\d"),
        ("http:example.com/", "http://example.com/"),
        ("http:////example.com:80/", "http://example.com/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://u:p@example.com:8080/x", "http://u:p@example.com:8080/x"),
        ("http://[2A00::1]:8080", "http://[2a00::1]:8080/"),
        ("ht\ntps://exa\tmple.com/", "https://example.com/"),
    ],
)
def test_an_address_is_returned_in_the_one_form_to_request(url: str, tidied: str) -> None:
    assert STRICT.check_url(url).url == tidied


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "data:text/html,x",
        "chrome://version",
        "view-source:http://example.com/",
        "ftp://example.com/",
        "gopher://example.com/",
        "ws://example.com/",
        "blob:http://example.com/1",
        "javascript:alert(1)",
        "about:blank",
    ],
)
def test_only_pages_addresses_are_read(url: str) -> None:
    assert "only http and https" in refusal(OPEN, url).message


@pytest.mark.parametrize("url", ["", "example.com", "/x", "//example.com", "127.0.0.1:80"])
def test_what_has_no_scheme_is_no_address(url: str) -> None:
    with pytest.raises(AddressInvalid):
        STRICT.check_url(url)


@pytest.mark.parametrize("port", [0, 1, 22, 25, 53, 110, 143, 587, 6000, 6667, 10080])
def test_ports_of_other_protocols_are_refused_even_where_the_address_is_open(port: int) -> None:
    assert f"port {port}" in refusal(OPEN, f"http://example.com:{port}/").message


@pytest.mark.parametrize("address", sorted(map(str, METADATA)))
def test_cloud_credentials_are_never_read(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    settings = Settings(
        providers=ProviderSettings(google_url=f"http://{host}"),
        egress=EgressSettings(allow_ranges=("0.0.0.0/0", "::/0")),
    )
    policy = EgressPolicy.from_settings(settings)
    refused = refusal(policy, f"http://{host}/latest/meta-data")
    assert refused.setting == ""
    assert "no setting" in refused.message
    if ":" not in address:
        for prefix in ("::ffff:", "64:ff9b::", "64:ff9b:1::", "2a00::5efe:"):
            refusal(policy, f"http://[{prefix}{address}]/")
    with pytest.raises(EgressRefused, match="cloud metadata"):
        policy.usable(policy.check_host("rebound.example", 80), [ip_address(address)])


@pytest.mark.parametrize("name", [*sorted(METADATA_NAMES), "METADATA.google.internal."])
def test_cloud_credentials_have_names_as_well(name: str) -> None:
    assert refusal(OPEN, f"http://{name}/").setting == ""


def test_a_refusal_names_the_setting() -> None:
    refused = refusal(STRICT, "http://10.0.0.1/")
    assert refused.setting == SETTING == "PI_WEBAIO_ALLOW_RANGES"
    assert SETTING in refused.message


def test_a_range_opens_its_addresses_and_no_others() -> None:
    policy = EgressPolicy(allow_ranges=(ip_network("10.0.0.0/8"), ip_network("fd00::/8")))
    for host in ("10.1.2.3", "[::ffff:10.1.2.3]", "[2002:a01:203::]", "[fd00::1]"):
        policy.check_url(f"http://{host}/")
    for host in ("192.168.0.1", "[fc00::1]", "[::1]", "[::ffff:192.168.0.1]", "localhost"):
        refusal(policy, f"http://{host}/")
    assert policy.usable(policy.check_host("wiki.corp", 80), [ip_address("10.0.0.9")])


@pytest.mark.parametrize(
    ("allowed", "usable"),
    [("127.0.0.0/8", ["127.0.0.1"]), ("::1/128", ["::1"])],
)
def test_localhost_is_what_of_it_is_open(allowed: str, usable: list[str]) -> None:
    policy = EgressPolicy(allow_ranges=(ip_network(allowed),))
    target = policy.check_url("http://localhost:8000/")
    found = policy.usable(target, [ip_address("127.0.0.1"), ip_address("::1")])
    assert [str(each) for each in found] == usable


def test_a_configured_origin_is_open_and_nothing_else_on_its_address() -> None:
    settings = Settings(providers=ProviderSettings(google_url="http://127.0.0.1:8080"))
    policy = EgressPolicy.from_settings(settings)
    assert policy.check_url("http://127.0.0.1:8080/search?q=x").configured
    assert policy.check_url("http://0x7f.1:8080/").configured
    assert policy.check_host("127.0.0.1", 8080).configured
    for url in (
        "https://127.0.0.1:8080/",
        "http://127.0.0.1/",
        "http://127.0.0.1:8081/",
        "http://127.0.0.2:8080/",
        "http://localhost:8080/",
        "http://[::ffff:127.0.0.1]:8080/",
    ):
        refusal(policy, url)
    rebound = policy.check_url("http://rebound.example:8080/")
    with pytest.raises(EgressRefused):
        policy.usable(rebound, [ip_address("127.0.0.1")])


def test_a_configured_name_may_stand_for_a_private_address() -> None:
    settings = Settings(providers=ProviderSettings(exa_url="https://exa.corp"))
    policy = EgressPolicy.from_settings(settings)
    assert policy.usable(policy.check_url("https://exa.corp/x"), [ip_address("10.0.0.1")])
    with pytest.raises(EgressRefused):
        policy.usable(policy.check_url("http://exa.corp/x"), [ip_address("10.0.0.1")])


def test_the_usual_endpoints_are_no_exceptions() -> None:
    policy = EgressPolicy.from_settings(Settings())
    assert policy.origins == frozenset()
    with pytest.raises(EgressRefused):
        policy.usable(policy.check_url("https://www.google.com/"), [ip_address("10.0.0.1")])


def test_one_forbidden_answer_spoils_the_others() -> None:
    target = STRICT.check_url("http://two.example/")
    public, private = ip_address("93.184.216.34"), ip_address("192.168.0.1")
    assert STRICT.usable(target, [public]) == (public,)
    for answers in ([public, private], [private, public]):
        with pytest.raises(EgressRefused, match=r"two\.example is 192\.168\.0\.1"):
            STRICT.usable(target, answers)


def test_an_interface_hides_nothing() -> None:
    target = STRICT.check_url("http://neighbour.example/")
    with pytest.raises(EgressRefused, match="link-local"):
        STRICT.usable(target, [ip_address("fe80::1%eth0")])
    with pytest.raises(EgressRefused, match="cloud metadata"):
        OPEN.usable(target, [ip_address("fe80::a9fe:a9fe%eth0")])


def test_a_fake_ip_proxy_is_told_from_an_attack() -> None:
    fake = ip_address("198.18.0.5")
    named = "http://example.com/"
    with pytest.raises(EgressRefused, match="looks like a fake-IP proxy") as raised:
        STRICT.usable(STRICT.check_url(named), [fake])
    assert "PI_WEBAIO_ALLOW_RANGES=198.18.0.0/15" in raised.value.message
    policy = EgressPolicy(allow_ranges=(ip_network("198.18.0.0/15"),))
    assert policy.usable(policy.check_url(named), [fake]) == (fake,)
    for literal in ("198.18.0.5", "[::ffff:198.18.0.5]", "0xc6.0x12.5"):
        refused = refusal(policy, f"http://{literal}/")
        assert (refused.setting, "no setting" in refused.message) == ("", True)


def test_origins_are_compared_in_one_form() -> None:
    assert origin("HTTP://ExAmple.com:80/x") == origin("http://example.com.")
