"""Which proxy leads where, by the variables' many forms."""

from __future__ import annotations

import pytest

from broker.egress.policy import EgressPolicy
from broker.egress.proxies import ProxyRules, ProxyUnusable, Upstream
from broker.settings import EgressSettings, Settings

POLICY = EgressPolicy.from_settings(
    Settings(egress=EgressSettings(allow_ranges=("0.0.0.0/0", "::/0")))
)


def rules(*no_proxy: str) -> ProxyRules:
    return ProxyRules.from_settings(
        EgressSettings(http_proxy="http://plain:3128", https_proxy="http://tls", no_proxy=no_proxy)
    )


def route(chosen: ProxyRules, url: str) -> Upstream | None:
    return chosen.route(POLICY.check_url(url), tls=url.startswith("https"))


def test_each_scheme_has_its_proxy() -> None:
    assert route(rules(), "http://example.com/") == Upstream(scheme="http", host="plain", port=3128)
    assert route(rules(), "https://example.com/") == Upstream(scheme="http", host="tls", port=80)


def test_without_a_proxy_the_way_is_direct() -> None:
    assert route(ProxyRules(), "https://example.com/") is None


@pytest.mark.parametrize(
    "url", ["http://localhost:8000/", "http://127.1/", "http://[::1]/", "http://x.localhost/"]
)
def test_this_machine_is_reached_directly(url: str) -> None:
    assert route(rules(), url) is None


@pytest.mark.parametrize(
    ("word", "url", "direct"),
    [
        ("*", "http://anything.example/", True),
        ("example.com", "http://example.com/", True),
        ("example.com", "http://www.example.com/", True),
        ("Example.COM.", "http://www.example.com/", True),
        (".example.com", "http://www.example.com/", True),
        (".example.com", "http://example.com/", True),
        ("*.example.com", "http://www.example.com/", True),
        ("example.com", "http://notexample.com/", False),
        ("example.com", "http://example.com.evil.net/", False),
        ("example.com:8080", "http://example.com:8080/", True),
        ("example.com:8080", "http://example.com/", False),
        ("bücher.example", "http://xn--bcher-kva.example/", True),
        ("10.1.2.3", "http://10.1.2.3/", True),
        ("10.1.2.3", "http://0x0a.1.2.3/", True),
        ("10.1.2.3:81", "http://10.1.2.3/", False),
        ("10.0.0.0/8", "http://10.9.9.9/", True),
        ("10.0.0.0/8", "http://[::ffff:10.9.9.9]/", True),
        ("10.0.0.0/8", "http://11.0.0.1/", False),
        ("10.0.0.0/8", "http://ten.example/", False),
        ("[fd00::1]", "http://[fd00::1]/", True),
        ("[fd00::1]:81", "http://[fd00::1]:81/", True),
        ("fd00::/8", "http://[fdaa::1]/", True),
        ("not/a range", "http://example.com/", False),
        ("a b|c", "http://example.com/", False),
        ("", "http://example.com/", False),
    ],
)
def test_the_forms_of_no_proxy(word: str, url: str, *, direct: bool) -> None:
    assert (route(rules(word), url) is None) is direct


def test_a_password_is_decoded_sent_and_not_shown() -> None:
    upstream = Upstream.parse("https://me%40corp:p%3Ass@[fd00::1]:8443/")
    assert (upstream.user, upstream.password) == ("me@corp", "p:ss")
    assert upstream.authorization == "Basic bWVAY29ycDpwOnNz"
    assert upstream.url == "https://[fd00::1]:8443"
    assert "ss" not in repr(upstream).replace("password", "")
    assert Upstream.parse("http://proxy").authorization is None


def test_a_socks_proxy_is_an_error_only_where_it_would_be_used() -> None:
    settings = EgressSettings(https_proxy="socks5h://proxy:1080", no_proxy=("example.org",))
    chosen = ProxyRules.from_settings(settings)
    assert route(chosen, "https://example.org/") is None
    assert route(chosen, "http://example.com/") is None
    with pytest.raises(ProxyUnusable, match="cannot be read through a socks5h proxy"):
        route(chosen, "https://example.com/")
