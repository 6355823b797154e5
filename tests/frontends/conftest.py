"""Fixtures of the front ends: a machine with fake histories, so that engine and loaders are not tested here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from recall_rank import corpus, loaders
from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.histories import memory_backend, open_backend
from recall_rank.histories.backend import IndexFactory
from recall_rank.histories.memory_backend import MemoryBackend
from recall_rank.histories.open_backend import OpenedSources
from recall_rank.model import Source
from tests.support.frontends.harbor import tools
from tests.support.frontends.samples import FakeIndex, FakeSource, fake_read_all, session

Run = Callable[..., Result]


class Machine:
    """The histories that --history names, and those that discovery finds."""

    def __init__(self) -> None:
        self.discovered: list[Any] = []
        self.folders: dict[str, list[FakeSource]] = {}
        self.histories: dict[str, FakeSource] = {
            "good": FakeSource(session("s1", "the rate limit is sixty", "nothing here"), session("s2", "flaky test")),
            "bad": FakeSource(name="broken", error="database is locked"),
            "empty": FakeSource(name="bare"),
        }

    def open_source(self, name: str) -> FakeSource:
        if name in ("unknown", *self.folders):
            raise ValueError(f"no history is recognised at {name!r}")
        if name not in self.histories:
            raise FileNotFoundError(2, "No such file or directory", name)
        return self.histories[name]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    there = Machine()
    monkeypatch.setattr(corpus, "Index", FakeIndex)
    monkeypatch.setattr(loaders, "open_source", there.open_source, raising=False)
    monkeypatch.setattr(loaders, "open_sources", lambda path: there.folders.get(path, []), raising=False)
    monkeypatch.setattr(loaders, "discover", lambda: there.discovered, raising=False)
    monkeypatch.setattr(memory_backend, "read_all", fake_read_all)

    def in_memory(sources: tuple[Source, ...], factory: IndexFactory, *_: Any, **__: Any) -> OpenedSources:
        return OpenedSources(sources, MemoryBackend(sources, factory))

    monkeypatch.setattr(open_backend, "open_cached", in_memory)
    return there


@pytest.fixture
def run() -> Run:
    """Run a command line and return its result: exit code, stdout and stderr."""
    runner = CliRunner()
    return lambda *words, **more: runner.invoke(cli, [str(word) for word in words], prog_name="recall-rank", **more)


@pytest.fixture(scope="module")
def desk() -> RecallTools:
    """The tools over the invented history."""
    return tools()
