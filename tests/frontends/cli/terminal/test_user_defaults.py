"""Defaults in the settings file: results, mode, redaction, time zone and colours; and defaults in the help."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.cli.options.limit import MOST
from recall_rank.histories.settings import MOST_RESULTS, Settings, ShellDefaults, settings
from tests.frontends.conftest import Run
from tests.support.frontends.terminal import PersonAtTerminal, rows_of

DEMO = ("--history", "demo")


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    folder = tmp_path / "settings" / "recall_rank"
    folder.mkdir(parents=True)
    return folder / "config.toml"


def test_results_and_mode(configure: Path, run: Run) -> None:
    configure.write_text('[defaults]\nresults = 3\nmatch = "literal"\n')
    told = json.loads(run("search", "token", *DEMO, "--json").stdout)
    assert (len(told["results"]), told["match_mode"]) == (3, "literal")
    told = json.loads(run("search", "token", *DEMO, "--json", "-n", "2", "-m", "smart").stdout)
    assert (len(told["results"]), told["match_mode"]) == (2, "smart")
    call = json.dumps({"id": 1, "tool": "recall", "args": {"query": "token", "match": "smart"}})
    (answer,) = run("batch", *DEMO, "--calls", "-", "--out", "-", input=call + "\n").stdout.splitlines()
    assert len(json.loads(answer)["output"]["results"]) > 3  # no tool reads the defaults of the shell


def test_time_zone_and_colours(configure: Path, tmp_path: Path) -> None:
    words = ("demo", "rate limit", "-n", "1")
    with PersonAtTerminal(200, 50, tmp_path, TZ="Europe/Berlin") as person:
        assert "(2026-11-18 14:13)" in person.run(*words)[1]
        configure.write_text('[defaults]\ntime_zone = "America/New_York"\ncolor = "never"\n')
        written = person.run(*words)[1]
        assert "(2026-11-18 08:13)" in written
        assert "\x1b[1" not in written
        configure.write_text('[defaults]\ntime_zone = "UTC"\ncolor = "always"\n')
        written = person.run(*words, env={"NO_COLOR": "1"})[1]
        assert "(2026-11-18 13:13 UTC)" in rows_of(written)[0]
        assert "\x1b[1" in written
        assert "\x1b[1" not in person.run(*words, "--color", "never")[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("results = 0", "defaults.results must be from 1 to 1000, not 0"),
        ("results = true", "defaults.results must be a whole number, not True"),
        ('results = "3"', "defaults.results must be a whole number, not '3'"),
        ('match = "exact"', "defaults.match must be one of literal, smart, fuzzy, regex, not 'exact'"),
        ("match = []", "defaults.match must be one of"),
        ("redact = 1", "defaults.redact must be true or false, not 1"),
        ('time_zone = "Berlin"', "defaults.time_zone must be local, UTC or a name such as Europe/Berlin, not 'Berlin'"),
        ('time_zone = "/etc/passwd"', "defaults.time_zone must be"),
        ('time_zone = "Europe"', "defaults.time_zone must be"),
        ("time_zone = 3", "defaults.time_zone must be"),
        ('color = "green"', "defaults.color must be one of auto, always, never, not 'green'"),
        ("colour = true", "defaults has no 'colour': it has results, match, redact, time_zone, color"),
    ],
)
def test_wrong_defaults_are_named(configure: Path, run: Run, text: str, said: str) -> None:
    configure.write_text(f"[defaults]\n{text}\n")
    for words in (("search", "token", *DEMO), ("demo",), ("sessions", *DEMO)):
        result = run(*words)
        assert result.exit_code == 2
        assert said in " ".join(result.stderr.split())
        assert "--redact" not in result.stderr  # which was not given


def test_defaults_are_read(configure: Path) -> None:
    configure.write_text('[defaults]\nresults = 5\nredact = false\ntime_zone = "Europe/Berlin"\n')
    assert settings() == Settings(defaults=ShellDefaults(5, None, False, "Europe/Berlin"))
    assert MOST == MOST_RESULTS


# --- the help -----------------------------------------------------------------------------------------------------

# Options with a value that have no default: without them nothing is filtered, written or named.
NONE = {
    *("--session", "--session-prefix", "--title", "--sessions", "--after", "--before", "--last", "--since", "--from"),
    *(
        "--until",
        "--to",
        "--directory",
        "--project",
        "--agent",
        "search --host",
        "search --user",
        "demo --host",
        "demo --user",
        "--tool",
        "--file",
        "--exclude-session",
        "--must",
        "--must-not",
    ),
    *("--query", "--search", "--ignore", "--svg", "--around", "--for", "--date-from", "--date-to"),
    *("--calls", "--queries", "--against", "--against-weights", "--focus", "--prices", "--max-sessions"),
    *("compress --window", "condense --max-tokens", "search --index", "build --ray"),
}


def options() -> Iterator[tuple[str, click.Option]]:
    def of(name: str, command: click.Command) -> Iterator[tuple[str, click.Option]]:
        for option in command.params:
            if isinstance(option, click.Option) and not option.is_flag:
                yield name, option
        for inner, each in getattr(command, "commands", {}).items():
            yield from of(f"{name} {inner}", each)

    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield from of(name, command)


def test_every_option_that_has_a_default_tells_it() -> None:
    silent = [
        f"{name} {option.opts[0]}"
        for name, option in options()
        if "efault" not in (option.help or "")
        and not option.required
        and not option.show_default
        and not NONE & {*option.opts, f"{name} {option.opts[0]}"}
    ]
    assert silent == []


def test_what_the_settings_say_is_told_for_colours_and_redaction(run: Run) -> None:
    shown = " ".join(run("sessions", "--help").stdout.split())
    assert "Colours. Default: as the settings say, else auto" in shown
    assert "Default: as the settings say, else no." in " ".join(run("get", "--help").stdout.split())
