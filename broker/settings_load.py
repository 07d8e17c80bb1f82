"""From the configuration file, the environment and the flags to one checked `Settings`.

Every layer is a list of `Assignment`s to dotted keys of the tree; a later layer wins, and every
value passes the one check of its key in `CHECKS`. A variable only says which keys it sets and how
its text reads as the type the file would hold, so whatever the environment can set, the file can.
An unknown key in the file is an error, since it is the operator's own text; an unknown
`PI_WEBAIO_…` variable is a warning, since it may belong to another version. This module reads the
file, and another agent's for one key, and nothing else: the environment is handed in.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from broker.errors import SettingsInvalid
from broker.redact import redact
from broker.settings import Settings, TraceMode
from broker.settings_checks import CHECKS, VARIABLES, UnfitError, UnfitSecretError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

PREFIX = "PI_WEBAIO_"
CONFIG_VARIABLE = "PI_WEBAIO_CONFIG"
AGENT_KEY = "providers.zai_api_key"
"""What another agent's file may hold when nothing here does."""
MAX_SHOWN_CHARS = 80
"""Longest value that a message repeats."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """One value for one key, and who says so."""

    key: str
    """Dotted path in the tree: `lanes.google_lane_s`."""
    value: object = dataclasses.field(repr=False)
    """Of the type that the configuration file would hold; it may be a secret."""
    where: str
    """The file, variable or flag, as an error names it."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file that was read."""

    path: Path
    text: str


def load(environ: Mapping[str, str], flags: Iterable[Assignment] = ()) -> Settings:
    """The settings that hold for this process.

    Args:
        environ: the environment; only the variables in `VARIABLES`, `PI_WEBAIO_CONFIG`, the XDG
            folders and `HOME` are looked at.
        flags: what the command line sets, which wins.

    Raises:
        SettingsInvalid: something is unknown, of the wrong type or out of range; names where.
    """
    config = read_config(environ)
    assignments = [
        *_default_home(environ),
        *(from_toml(config.text, where=str(config.path)) if config is not None else ()),
        *from_environ(environ),
        *flags,
    ]
    warnings = unknown_variables(environ)
    if all(assignment.key != AGENT_KEY for assignment in assignments):
        shared, problems = from_agent(environ)
        assignments, warnings = [*shared, *assignments], warnings + problems
    return build(assignments, warnings=warnings)


def config_path(environ: Mapping[str, str]) -> Path | None:
    """Where the configuration file is expected; None for a user without a home folder."""
    if named := environ.get(CONFIG_VARIABLE, "").strip():
        return Path(named).absolute()
    folder = _user_folder(environ, "XDG_CONFIG_HOME", ".config")
    return None if folder is None else folder / "webaio" / "config.toml"


def read_config(environ: Mapping[str, str]) -> ConfigFile | None:
    """The configuration file; None when there is none and none was named.

    Raises:
        SettingsInvalid: it cannot be read, or the one that was named is not there.
    """
    path = config_path(environ)
    if path is None:
        return None
    try:
        return ConfigFile(path, path.read_text(encoding="utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError) as error:
        if not environ.get(CONFIG_VARIABLE, "").strip():
            return None
        raise SettingsInvalid(f"there is no file {path}", where=CONFIG_VARIABLE) from error
    except UnicodeDecodeError as error:
        raise SettingsInvalid("the file is not UTF-8 text", where=str(path)) from error
    except OSError as error:
        raise SettingsInvalid(f"cannot be read: {error.strerror}", where=str(path)) from error


def from_toml(text: str, *, where: str) -> Iterator[Assignment]:
    """What the text of a configuration file sets.

    Raises:
        SettingsInvalid: it is not TOML.
    """
    import tomllib  # noqa: PLC0415 - most starts have no file to read

    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsInvalid(f"this is not TOML: {error}", where=where) from error
    for key, value in _flat(tables):
        yield Assignment(key, value, where)


def from_environ(environ: Mapping[str, str]) -> Iterator[Assignment]:
    """What the known variables set.

    Raises:
        SettingsInvalid: a variable's text cannot be read.
    """
    for variable, read in VARIABLES.items():
        if (text := environ.get(variable)) is None:
            continue
        try:
            values = read(text)
        except UnfitError as error:
            raise SettingsInvalid(f"{_quoted(text)} is not {error}", where=variable) from error
        for key, value in values.items():
            yield Assignment(key, value, variable)


def from_agent(environ: Mapping[str, str]) -> tuple[list[Assignment], tuple[str, ...]]:
    """z.ai's key as the coding agent Pi keeps it, or a warning that it is there and of no use."""
    from broker import settings_agent  # noqa: PLC0415 - not needed by those who name a key

    home = _home(environ)
    found = None if home is None else settings_agent.find(home)
    if found is None or (found.key is None and found.problem is None):
        return [], ()
    problem = found.problem
    if problem is None:
        try:
            return [Assignment(AGENT_KEY, CHECKS[AGENT_KEY](found.key), str(found.path))], ()
        except UnfitError:
            problem = "holds a zai.key that is no key"
    return [], (f"the file {found.path} {problem}, so z.ai's key is not taken from it",)


def unknown_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """One sentence for each `PI_WEBAIO_…` variable that means nothing here."""
    known = (*VARIABLES, CONFIG_VARIABLE)
    return tuple(
        f"the variable {name} is unknown and ignored{_suggestion(name, known)}"
        for name in sorted(environ)
        if name.startswith(PREFIX) and name not in known
    )


def build(assignments: Iterable[Assignment], *, warnings: tuple[str, ...] = ()) -> Settings:
    """Check every assignment and put the last one for each key into the tree.

    Raises:
        SettingsInvalid: a key is unknown, a value not allowed, or two values contradict.
    """
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    for assignment in assignments:
        values[assignment.key] = _checked(assignment)
        sources[assignment.key] = assignment.where
    settings = _tree(values, warnings)
    for keys, sentence in _contradictions(settings):
        where = next((sources[key] for key in keys if key in sources), keys[0])
        raise SettingsInvalid(sentence, where=where)
    return settings


def _checked(assignment: Assignment) -> object:
    key, value = assignment.key, assignment.value
    check = CHECKS.get(key)
    if check is None:
        message = f"{key} is not a known key{_suggestion(key, tuple(CHECKS))}"
        raise SettingsInvalid(message, where=assignment.where)
    try:
        return check(value)
    except UnfitError as error:
        shown = "the value" if isinstance(error, UnfitSecretError) else _quoted(value)
        message = f"{key} = {shown} is not {error}"
        raise SettingsInvalid(message, where=assignment.where) from error


def _tree(values: Mapping[str, object], warnings: tuple[str, ...]) -> Settings:
    branches: dict[str, dict[str, object]] = {"": {"warnings": warnings}}
    for key, value in values.items():
        branch, _, name = key.rpartition(".")
        branches.setdefault(branch, {})[name] = value
    trunk = branches.pop("")
    for field in dataclasses.fields(Settings):
        if field.name in branches:
            trunk[field.name] = dataclasses.replace(field.default, **branches[field.name])  # type: ignore[type-var]
    try:
        return Settings(**trunk)  # type: ignore[arg-type]
    except RuntimeError as error:  # pathlib's word for a user without a home folder
        message = "there is no home folder; set a folder for the state here or by PI_WEBAIO_HOME"
        raise SettingsInvalid(message, where="home") from error


def _contradictions(settings: Settings) -> Iterator[tuple[tuple[str, ...], str]]:
    """Values that are each allowed but not together: the keys, and the sentence."""
    lanes, trace = settings.lanes, settings.trace
    for key, budget_s in (
        ("lanes.google_lane_s", lanes.google_lane_s),
        ("lanes.search_deadline_s", lanes.search_deadline_s),
    ):
        if lanes.reserve_s >= budget_s:
            sentence = (
                f"lanes.reserve_s = {lanes.reserve_s:g} leaves nothing of {key} = {budget_s:g}"
            )
            yield (("lanes.reserve_s", key), sentence)
    if lanes.cooldown_first_s > lanes.cooldown_max_s:
        sentence = (
            f"lanes.cooldown_first_s = {lanes.cooldown_first_s:g} is longer than "
            f"lanes.cooldown_max_s = {lanes.cooldown_max_s:g}"
        )
        yield ("lanes.cooldown_first_s", "lanes.cooldown_max_s"), sentence
    if trace.mode is TraceMode.CHROME and trace.path is None:
        yield ("trace.mode",), 'trace.mode = "chrome" needs trace.path, the file to write'
    if trace.mode is not TraceMode.CHROME and trace.path is not None:
        yield ("trace.path",), 'trace.path is written only with trace.mode = "chrome"'


def _default_home(environ: Mapping[str, str]) -> Iterator[Assignment]:
    folder = _user_folder(environ, "XDG_STATE_HOME", ".local/state")
    if folder is not None:
        yield Assignment("home", str(folder / "webaio"), "the default")


def _user_folder(environ: Mapping[str, str], variable: str, default: str) -> Path | None:
    """A base folder of the XDG specification, which says to ignore a relative one."""
    named = Path(environ.get(variable, ""))
    if named.is_absolute():
        return named
    home = _home(environ)
    return None if home is None else home / default


def _home(environ: Mapping[str, str]) -> Path | None:
    try:
        # Clients often strip the environment: then the user database knows the home folder.
        return Path(environ.get("HOME") or Path.home())
    except RuntimeError:
        return None


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _quoted(value: object) -> str:
    """The value as a message shows it: short, and without a password in an address."""
    text = redact(repr(str(value))) if isinstance(value, str) else str(value)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


def _suggestion(name: str, known: tuple[str, ...]) -> str:
    import difflib  # noqa: PLC0415 - for a mistake only

    close = difflib.get_close_matches(name, known, n=1, cutoff=0.85)
    return f"; did you mean {close[0]}?" if close else ""
