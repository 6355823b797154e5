"""The page about the benchmarks names every question, and a command for each that the command line takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bench import command as bench

PAGE = (Path(bench.__file__).with_name("README.md")).read_text(encoding="utf-8")
COMMANDS = re.findall(r"python -m bench run [^`#\n;]+", PAGE)


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a line."""
    table = re.search(r"(?:^\|.*\n)+", PAGE[PAGE.index(heading) :], re.MULTILINE)
    assert table is not None
    return [re.split(r"\s*\|\s*", line)[1:-1] for line in table[0].splitlines()[2:]]


def test_every_question_is_listed_as_the_benchmark_asks_it() -> None:
    assert rows("# Benchmarks") == [[name, bench.question(name)] for name in bench.BENCHMARKS]


def test_every_question_has_its_command_time_and_memory() -> None:
    steps = rows("## Every figure, step by step")
    assert [row[0] for row in steps] == list(bench.BENCHMARKS)
    for name, command, time, memory in steps:
        assert f"python -m bench run {name}" in command
        assert re.fullmatch(r"\d+ (s|min)", time)
        assert re.fullmatch(r"\d+ MB", memory)


def test_what_each_prints_is_explained() -> None:
    explained = PAGE[PAGE.index("What each prints") :]
    assert all(f"- **{name}**: " in explained for name in bench.BENCHMARKS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_one_that_is_taken(command: str) -> None:
    words = shlex.split(command)[4:]
    cut = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    assert words[:cut]
    assert set(words[:cut]) <= set(bench.BENCHMARKS)
    left = [bench._options(name, words[cut:])[1] for name in words[:cut]]
    assert not [word for word in words[cut:] if word.startswith("--") and all(word in over for over in left)]
