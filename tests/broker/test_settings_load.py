"""Layers, checks and messages of the settings."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from broker.errors import SettingsInvalid
from broker.settings import Settings, TraceMode
from broker.settings_checks import CHECKS, KEYS, ORIGINS, SITES, VARIABLES
from broker.settings_load import Assignment, build, from_toml, load

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment with a home folder of its own and nothing else."""
    return {"HOME": str(tmp_path)}


def write_config(environ: dict[str, str], text: str) -> Path:
    path = Path(environ["HOME"], ".config", "webaio", "config.toml")
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def from_file(text: str) -> Settings:
    return build(from_toml(text, where="config.toml"))


def leaves(record: object, prefix: str = "") -> Iterator[str]:
    assert dataclasses.is_dataclass(record)
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if dataclasses.is_dataclass(value):
            yield from leaves(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}"


def test_every_leaf_of_the_tree_has_a_check() -> None:
    assert set(CHECKS) == set(leaves(Settings())) - {"warnings"}


def test_the_defaults_pass_their_own_checks() -> None:
    tree = Settings()
    for key, check in CHECKS.items():
        value: object = tree
        for name in key.split("."):
            value = getattr(value, name)
        assert check(str(value) if isinstance(value, Path) else value) == value, key


def test_nothing_set_gives_the_defaults_with_the_state_folder(environ: dict[str, str]) -> None:
    home = Path(environ["HOME"], ".local", "state", "webaio")
    assert load(environ) == Settings(home=home)


def test_xdg_folders_are_honoured(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "conf" / "webaio").mkdir(parents=True)
    (tmp_path / "conf" / "webaio" / "config.toml").write_text("browser.tabs = 2")
    environ |= {"XDG_CONFIG_HOME": str(tmp_path / "conf"), "XDG_STATE_HOME": str(tmp_path / "st")}
    settings = load(environ)
    assert settings.browser.tabs == 2
    assert settings.home == tmp_path / "st" / "webaio"


def test_relative_xdg_folders_are_ignored(environ: dict[str, str]) -> None:
    expected = load(environ)
    assert load({**environ, "XDG_STATE_HOME": "here", "XDG_CONFIG_HOME": "there"}) == expected


def test_flags_win_over_environment_over_file(environ: dict[str, str]) -> None:
    write_config(
        environ,
        """
        [browser]
        cdp_url = "http://127.0.0.1:1"
        tabs = 2
        executable = "/from/file"
        """,
    )
    environ |= {"PI_WEBAIO_CDP_URL": "http://127.0.0.1:2", "PI_WEBAIO_CHROME": "/from/environ"}
    flag = Assignment("browser.cdp_url", "http://127.0.0.1:3", "--cdp-url")
    browser = load(environ, [flag]).browser
    assert browser.tabs == 2
    assert browser.executable == Path("/from/environ")
    assert browser.cdp_url == "http://127.0.0.1:3"


def test_a_named_file_replaces_the_default_one(environ: dict[str, str], tmp_path: Path) -> None:
    write_config(environ, "browser.tabs = 2")
    other = tmp_path / "other.toml"
    other.write_bytes(b"\xef\xbb\xbfbrowser.tabs = 3\r\n")  # as Windows' editor leaves it
    assert load({**environ, "PI_WEBAIO_CONFIG": str(other)}).browser.tabs == 3


def test_a_named_file_that_is_missing_is_an_error(environ: dict[str, str]) -> None:
    with pytest.raises(SettingsInvalid, match=r"there is no file .*gone\.toml") as raised:
        load({**environ, "PI_WEBAIO_CONFIG": "/gone.toml"})
    assert raised.value.where == "PI_WEBAIO_CONFIG"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"tabs = = 2", "not TOML.*line 1", id="not-toml"),
        pytest.param(b"tabs = '\xff'", "not UTF-8", id="not-utf-8"),
    ],
)
def test_an_unreadable_file_is_an_error_that_names_it(
    environ: dict[str, str], content: bytes, message: str
) -> None:
    path = write_config(environ, "")
    path.write_bytes(content)
    with pytest.raises(SettingsInvalid, match=message) as raised:
        load(environ)
    assert raised.value.where == str(path)


def test_a_folder_in_place_of_the_file_is_an_error(environ: dict[str, str]) -> None:
    Path(environ["HOME"], ".config", "webaio", "config.toml").mkdir(parents=True)
    with pytest.raises(SettingsInvalid, match=r"config\.toml: cannot be read: Is a directory"):
        load(environ)


def test_everything_a_variable_sets_the_file_can_set() -> None:
    texts = {
        "PI_WEBAIO_CDP_BROKER": "0",
        "PI_WEBAIO_CDP_URL": "ws://[::1]:9222/x",
        "PI_WEBAIO_DEBUG": "/var/trace/trace.json",
        **dict.fromkeys(
            (f"PI_WEBAIO_{name.upper()}_URL" for name in (*ORIGINS, *SITES)), "http://[::1]:8/"
        ),
        "PI_WEBAIO_GITHUB_TOKEN": "token-1",
        **dict.fromkeys((f"{name.upper()}_API_KEY" for name in KEYS), "sk-1"),
        "PI_WEBAIO_ALLOW_RANGES": "10.0.0.0/8, fd00::/8",
        **dict.fromkeys(("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"), "socks5://other:1080"),
        **dict.fromkeys(("all_proxy", "http_proxy", "https_proxy"), "proxy:3128"),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "localhost,.example.com 10.0.0.0/8"),
    }
    by_environ = build(
        Assignment(key, value, variable)
        for variable, read in VARIABLES.items()
        for key, value in read(texts.get(variable, "/some/path")).items()
    )
    by_file = from_file(
        """
        home = "/some/path"
        [browser]
        enabled = false
        executable = "/some/path"
        cdp_url = "ws://[::1]:9222/x"
        [trace]
        mode = "chrome"
        path = "/var/trace/trace.json"
        [egress]
        allow_ranges = ["10.0.0.0/8", "fd00::/8"]
        http_proxy = "http://proxy:3128"
        https_proxy = "http://proxy:3128"
        no_proxy = ["localhost", ".example.com", "10.0.0.0/8"]
        [providers]
        """
        + "".join(f'{name}_url = "http://[::1]:8"\n' for name in ORIGINS)
        + "".join(f'{name}_api_key = "sk-1"\n' for name in KEYS)
        + '[sites]\ngithub_token = "token-1"\n'
        + "".join(f'{name}_url = "http://[::1]:8"\n' for name in SITES)
    )
    assert by_environ == by_file
    assert by_environ.providers.google_url == "http://[::1]:8"
    assert by_environ.providers.zai_api_key == "sk-1"


@pytest.mark.parametrize(
    ("text", "mode", "path"),
    [
        ("", TraceMode.OFF, None),
        ("0", TraceMode.OFF, None),
        ("off", TraceMode.OFF, None),
        ("1", TraceMode.HUMAN, None),
        ("json", TraceMode.JSON, None),
        ("JSON", TraceMode.JSON, None),
        ("/var/trace/t.json", TraceMode.CHROME, Path("/var/trace/t.json")),
    ],
)
def test_the_forms_of_the_debug_variable(
    environ: dict[str, str], text: str, mode: TraceMode, path: Path | None
) -> None:
    write_config(environ, '[trace]\nmode = "chrome"\npath = "/from/file.json"')
    trace = load({**environ, "PI_WEBAIO_DEBUG": text}).trace
    assert (trace.mode, trace.path) == (mode, path)


@pytest.mark.parametrize("text", ["0", "off", "False", " 0 "])
def test_the_browser_lane_can_be_switched_off(environ: dict[str, str], text: str) -> None:
    assert not load({**environ, "PI_WEBAIO_CDP_BROKER": text}).browser.enabled


def test_empty_variables_count_as_unset(environ: dict[str, str]) -> None:
    empty = dict.fromkeys([*VARIABLES, "PI_WEBAIO_CONFIG", "XDG_STATE_HOME"], "")
    assert load({**environ, **empty}) == load(environ)


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("PI_WEBAIO_DEBUG", "yes", "'yes' is not 0 .off., 1 .*, json .* or a path ending"),
        ("PI_WEBAIO_CDP_BROKER", "maybe", "'maybe' is not 0 or 1"),
        ("PI_WEBAIO_CDP_URL", "9222", "browser.cdp_url = '9222' is not an address like http://"),
        ("PI_WEBAIO_CDP_URL", "127.0.0.1:9222", "is not an address like"),
        ("PI_WEBAIO_GOOGLE_URL", "ftp://host", "is not an address like"),
        ("PI_WEBAIO_GOOGLE_URL", "http://host:99999", "is not an address like"),
        ("PI_WEBAIO_GOOGLE_URL", "http://", "is not an address like"),
        ("PI_WEBAIO_GOOGLE_URL", "http://ho st", "is not an address like"),
        ("PI_WEBAIO_GOOGLE_URL", "http://[::1", "is not an address like"),
        ("PI_WEBAIO_GOOGLE_URL", "http://host/search", "an origin alone"),
        ("PI_WEBAIO_GOOGLE_URL", "http://host?q=x", "an origin alone"),
        ("PI_WEBAIO_GOOGLE_URL", "http://me:geheim@host", "without user and password"),
        ("PI_WEBAIO_CHROME", "a\x00b", "is not a path"),
        ("PI_WEBAIO_HOME", "/dev/null", "is not a folder but something else"),
    ],
)
def test_a_wrong_variable_is_named_with_what_is_allowed(
    environ: dict[str, str], variable: str, text: str, message: str
) -> None:
    with pytest.raises(SettingsInvalid, match=message) as raised:
        load({**environ, variable: text})
    assert raised.value.where == variable
    assert "geheim" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "lanes.google_lane = 2",
            "google_lane is not a known key; did you mean lanes.google_lane_s",
        ),
        ("colour = 'red'", "colour is not a known key"),
        ("lanes = 3", "lanes is not a known key"),
        ("home.x = 1", "home.x is not a known key"),
        ("warnings = []", "warnings is not a known key"),
        ("lanes.google_lane_s = '3'", "= '3' is not a number of seconds from 0.5 to 600"),
        ("lanes.google_lane_s = true", "is not a number of seconds"),
        ("lanes.google_lane_s = nan", "is not a number of seconds"),
        ("lanes.google_lane_s = inf", "is not a number of seconds"),
        ("lanes.google_lane_s = -1", "is not a number of seconds"),
        ("browser.tabs = 2.5", "is not a whole number from 1 to 32"),
        ("browser.tabs = true", "is not a whole number"),
        ("browser.tabs = 0", "is not a whole number"),
        ("browser.enabled = 0", "is not true or false"),
        ("providers.paid_hedges = 'no'", "is not true or false"),
        ("providers.exa_free_per_day = -1", "is not a whole number from 0"),
        ("providers.zai_url = 'https://api.z.ai/api'", "an origin alone"),
        ("providers.exa_api_key = 7", "exa_api_key = the value is not a key"),
        ("browser.cdp_url = ['x']", "is not an address"),
        ("home = ''", "is not a path"),
        ("trace.mode = 'loud'", "is not one of off, human, json, chrome"),
        ("trace.mode = ['human']", "is not one of"),
        ("trace.mode = 'chrome'", "needs trace.path"),
        ("trace.path = '/var/trace/t.json'", "only with trace.mode"),
        ("lanes.reserve_s = 4", "leaves nothing of lanes.google_lane_s = 3"),
        ("lanes.cooldown_max_s = 10", "cooldown_first_s = 300 is longer than"),
    ],
)
def test_a_wrong_file_is_named_with_the_key_and_what_is_allowed(text: str, message: str) -> None:
    with pytest.raises(SettingsInvalid, match=message) as raised:
        from_file(text)
    assert raised.value.where == "config.toml"


@pytest.mark.parametrize("key", ["ge heim", "geheim\n2", "geheim-ü", "geheim\x00"])
def test_a_key_that_cannot_be_one_is_refused_and_never_repeated(
    environ: dict[str, str], key: str
) -> None:
    for name in KEYS:
        with pytest.raises(SettingsInvalid, match="is not a key: letters, digits") as raised:
            load({**environ, f"{name.upper()}_API_KEY": key})
        assert "geheim" not in str(raised.value)


def test_a_key_stands_in_no_repr(environ: dict[str, str]) -> None:
    settings = load({**environ, "EXA_API_KEY": " geheim "})
    assert settings.providers.exa_api_key == "geheim"
    assert "geheim" not in repr(settings)
    assert "geheim" not in repr(Assignment("providers.exa_api_key", "geheim", "EXA_API_KEY"))


def write_agent_file(environ: dict[str, str], content: bytes) -> Path:
    path = Path(environ["HOME"], ".pi", "agent", "auth.json")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


def test_the_key_of_zai_is_taken_from_the_agents_file_when_nothing_else_names_one(
    environ: dict[str, str],
) -> None:
    write_agent_file(environ, b'{"zai": {"type": "api_key", "key": "from-agent"}}')
    assert load(environ).providers.zai_api_key == "from-agent"
    assert load({**environ, "ZAI_API_KEY": "mine"}).providers.zai_api_key == "mine"
    write_config(environ, "providers.zai_api_key = 'of-file'")
    assert load(environ).providers.zai_api_key == "of-file"


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        pytest.param(b"{", "is not JSON", id="not-json"),
        pytest.param(b'{"zai": "\xff"}', "is not JSON", id="not-utf-8"),
        pytest.param(b"[" * 100_000, "is not JSON", id="too-deep"),
        pytest.param(b'{"zai": {"key": "ge heim"}}', "holds a zai.key that is no key", id="text"),
        pytest.param(b'{"zai": {"key": 7}}', "holds a zai.key that is no key", id="number"),
        pytest.param(b'{"zai": {"key": ""}}', "holds a zai.key that is no key", id="empty"),
    ],
)
def test_an_agents_file_that_cannot_be_used_is_a_warning(
    environ: dict[str, str], content: bytes, warning: str
) -> None:
    path = write_agent_file(environ, content)
    settings = load(environ)
    assert settings.providers.zai_api_key is None
    assert settings.warnings == (f"the file {path} {warning}, so z.ai's key is not taken from it",)


def test_an_agents_file_that_cannot_be_opened_is_a_warning(environ: dict[str, str]) -> None:
    Path(environ["HOME"], ".pi", "agent", "auth.json").mkdir(parents=True)
    (warning,) = load(environ).warnings
    assert "auth.json cannot be read (Is a directory)" in warning


@pytest.mark.parametrize("content", [b"[]", b"{}", b'{"zai": {"type": "oauth"}}', b'{"zai": 1}'])
def test_an_agents_file_without_such_a_key_says_nothing(
    environ: dict[str, str], content: bytes
) -> None:
    write_agent_file(environ, content)
    assert load(environ).warnings == ()


def test_whole_numbers_do_for_seconds() -> None:
    assert from_file("lanes.google_lane_s = 2").lanes.google_lane_s == 2.0


def test_a_tilde_leads_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert from_file('home = "~/state"').home == Path("/home/somebody/state")


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(SettingsInvalid) as raised:
        from_file(f"trace.mode = '{'x' * 10_000}'")
    assert len(str(raised.value)) < 200


def test_unknown_variables_are_warnings_with_a_suggestion(environ: dict[str, str]) -> None:
    settings = load({**environ, "PI_WEBAIO_CHROM": "/x", "PI_WEBAIO_MOON": "1", "OTHER": "1"})
    assert settings.warnings == (
        "the variable PI_WEBAIO_CHROM is unknown and ignored; did you mean PI_WEBAIO_CHROME?",
        "the variable PI_WEBAIO_MOON is unknown and ignored",
    )


def test_an_unknown_flag_is_an_error() -> None:
    with pytest.raises(SettingsInvalid, match=r"--fast: lanes\.fast is not a known key"):
        build([Assignment("lanes.fast", 1, "--fast")])


def test_an_address_alone_is_a_range_of_one(environ: dict[str, str]) -> None:
    environ["PI_WEBAIO_ALLOW_RANGES"] = "10.1.2.3,fd00::7  192.168.0.0/16"
    ranges = load(environ).egress.allow_ranges
    assert ranges == ("10.1.2.3/32", "fd00::7/128", "192.168.0.0/16")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("10.0.0.0/8,lan", r"list of address ranges like .*: 'lan' is none"),
        ("10.0.0.0/33", r"'10\.0\.0\.0/33' is none"),
        ("10.1.0.0/8", r"'10\.1\.0\.0/8' has bits behind its prefix, 10\.0\.0\.0/8 has not"),
    ],
)
def test_a_range_that_is_none_is_an_error_that_shows_it(
    environ: dict[str, str], text: str, message: str
) -> None:
    with pytest.raises(SettingsInvalid, match=message) as raised:
        load({**environ, "PI_WEBAIO_ALLOW_RANGES": text})
    assert raised.value.where == "PI_WEBAIO_ALLOW_RANGES"


@pytest.mark.parametrize("value", ['"10.0.0.0/8"', "[8]", "true", '[["10.0.0.0/8"]]'])
def test_ranges_in_the_file_are_a_list_of_texts(value: str) -> None:
    with pytest.raises(SettingsInvalid, match="list of address ranges"):
        from_file(f"egress.allow_ranges = {value}")


def test_a_proxy_for_one_scheme_wins_over_that_for_all(environ: dict[str, str]) -> None:
    environ |= {"ALL_PROXY": "socks5h://all:1", "https_proxy": "https://me:pw@one:2/"}
    egress = load(environ).egress
    assert egress.http_proxy == "socks5h://all:1"
    assert egress.https_proxy == "https://me:pw@one:2/"
    assert "pw" not in repr(egress)


@pytest.mark.parametrize("text", ["ftp://me:secret@proxy:1", "me:secret@:3128", "http://secret@/"])
def test_a_proxy_that_is_none_is_an_error_that_keeps_its_password(
    environ: dict[str, str], text: str
) -> None:
    with pytest.raises(SettingsInvalid, match="not a proxy's address") as raised:
        load({**environ, "HTTP_PROXY": text})
    assert "secret" not in raised.value.message
