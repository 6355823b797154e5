"""`recall-rank sources`: a table, JSON, and what could not be read."""

from __future__ import annotations

import json

import pytest

from recall_rank.frontends.cli.commands.sources import _size
from recall_rank.histories import memory_backend
from recall_rank.model import Malformed, SourceReport
from tests.frontends.conftest import Run


@pytest.fixture
def reports(machine: object, monkeypatch: pytest.MonkeyPatch) -> list[SourceReport]:
    torn = Malformed("/data/x\x1b", "line 2", "torn")
    found = [SourceReport("codex", "/data", 2048, 1200, 5, 7, (torn,), warnings=("1 link left out",), newest=1)]
    monkeypatch.setattr(memory_backend, "read_all", lambda *_, **__: ([], found))
    return found


def test_json(run: Run, reports: list[SourceReport]) -> None:
    result = run("sources", "--history", "good", "--json")
    (source,) = json.loads(result.stdout)["sources"]
    assert result.exit_code == 0
    assert source["agent"] == "codex"
    assert (source["bytes"], source["sessions"], source["messages"], source["parts"]) == (2048, 1200, 5, 7)
    assert source["malformed"] == 1
    assert "malformed_records" not in source
    (source,) = json.loads(run("sources", "--history", "good", "--json", "--verbose").stdout)["sources"]
    assert source["malformed_records"] == [{"location": "/data/x\x1b", "place": "line 2", "reason": "torn"}]


def test_a_table_for_people(run: Run, reports: list[SourceReport]) -> None:
    lines = run("sources", "--history", "good").output.splitlines()
    assert lines[0].split() == "agent sessions messages parts size malformed newest location".split()
    assert lines[1].split()[:6] == ["codex", "1,200", "5", "7", "2.0", "KiB"]
    assert lines[2:] == ["note: codex: 1 link left out", "note: codex: --verbose lists the malformed records"]
    lines = run("sources", "--history", "good", "--verbose").output.splitlines()
    assert lines[-1] == "malformed: /data/x\\x1b, line 2: torn"


@pytest.mark.parametrize(("torn", "left"), [(20, None), (21, "1 more malformed record"), (390, "372 more malformed")])
def test_the_first_records_of_a_source_are_listed(
    run: Run, machine: object, monkeypatch: pytest.MonkeyPatch, torn: int, left: str | None
) -> None:
    records = [Malformed("/data/x", f"line {number}", "torn", 3 if number == 300 else 1) for number in range(torn)]
    found = [SourceReport(agent, "/data", malformed=tuple(records)) for agent in ("codex", "pi")]
    monkeypatch.setattr(memory_backend, "read_all", lambda *_, **__: ([], found))
    lines = run("sources", "--history", "good", "--verbose").output.splitlines()
    assert sum(line.startswith("malformed: ") for line in lines) == 40
    assert "malformed: /data/x, line 19: torn" in lines
    notes = [line for line in lines if line.startswith("note: ")]
    assert len(notes) == (0 if left is None else 2)
    assert left is None or notes[0].startswith(f"note: codex: {left}")
    assert left is None or notes[0].endswith("; --json --verbose lists all")
    listed = json.loads(run("sources", "--history", "good", "--json", "--verbose").stdout)["sources"]
    assert [len(each["malformed_records"]) for each in listed] == [torn, torn]


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        (["--history", "good"], 0, "fake"),
        (["--history", "good", "--history", "bad"], 0, "not read: broken: database is locked"),
        (["--history", "empty"], 0, "bare"),
        ([], 3, "no agent history was found"),
        (["--history", "unknown"], 2, "no history is recognised at 'unknown'"),
        (["--history", "bad"], 3, "database is locked"),
        (["--history", "/not/there"], 3, "No such file or directory"),
    ],
)
def test_exit_codes(run: Run, words: list[str], code: int, shown: str) -> None:
    result = run("sources", *words)
    assert result.exit_code == code
    assert shown in result.output


@pytest.mark.parametrize(
    ("count", "size"), [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (3 << 20, "3.0 MiB"), (1 << 43, "8192.0 GiB")]
)
def test_sizes(count: int, size: str) -> None:
    assert _size(count) == size
