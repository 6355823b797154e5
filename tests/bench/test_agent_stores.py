"""The stores that are read in benchmarks are those of the agents: each loader gives back all that was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.datasets import agent_lines, agent_rows, agent_stores
from recall_rank.loaders import open_sources, read_all

FORMATS = {**agent_lines.FORMATS, **agent_rows.FORMATS}


@pytest.mark.parametrize("name", FORMATS)
def test_all_of_a_store_is_read(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_stores, "POOL", 2)
    form = FORMATS[name]
    made = agent_stores.write(form, tmp_path / "store", 500_000)
    sessions, reports = read_all(open_sources(made.where))
    assert not [problem for report in reports for problem in (*report.errors, *report.malformed)]
    assert {report.agent for report in reports} == {
        name.removesuffix(" (older)").replace("opencode-export", "opencode")
    }
    assert len(sessions) == made.sessions > 1
    if form.kind != "markdown":  # whose pages run parts of one speaker together
        assert sum(len(message.parts) for session in sessions for message in session.messages) == made.parts
    assert made.size >= 500_000


def test_the_same_seed_gives_the_same_store() -> None:
    one, two = agent_stores.conversations(3), agent_stores.conversations(3)
    assert [agent_lines.claude(session) for session in one] == [agent_lines.claude(session) for session in two]
