"""The command `build`, and `search --index`, which answers from what it wrote."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.shards.building import task_workers, unit_batches
from recall_rank.shards.building.task_workers import WorkersLostError
from tests.frontends.conftest import Run
from tests.support.shards.inline_workers import InlineWorkers


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_workers, "ProcessWorkers", lambda _: InlineWorkers())


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "shards"


def answered(answer: dict[str, Any]) -> list[Any]:
    return [(hit["session_id"], hit["part_id"], round(hit["score"], 6)) for hit in answer["results"]]


@pytest.mark.usefixtures("inline")
def test_shards_of_a_history_answer_as_the_history_does(run: Run, out: Path) -> None:
    told = json.loads(run("build", "demo", "--out", out, "--shards", "3", "--json").stdout)
    assert (told["ok"], told["sessions"], told["read"], told["errors"]) == (True, 12, 1, [])
    assert [shard["name"] for shard in told["shards"]] == ["shard 1 of 3", "shard 2 of 3", "shard 3 of 3"]
    for words in (("rate limit",), ("umlats bank", "--group", "session"), ("tool:bash test",), ("limit", "--redact")):
        got = run("search", "--index", out, "--json", "--budget-ms", "60000", *words)
        want = run("search", "--history", "demo", "--json", "--budget-ms", "60000", *words)
        assert got.exit_code == want.exit_code == 0
        assert answered(json.loads(got.stdout)) == answered(json.loads(want.stdout))
    assert run("search", "--index", out, "zyzzyvaq", "-m", "literal").exit_code == 1


@pytest.mark.usefixtures("inline")
def test_what_was_built_is_told(run: Run, out: Path) -> None:
    shown = run("build", "demo", "--out", out).stdout
    assert shown.startswith(f"12 sessions in 1 shard below {out}\n1 unit read, 0 as before, in ")
    assert "\n0 units read, 1 as before, in " in run("build", "demo", "--out", out).stdout


@pytest.mark.usefixtures("inline")
def test_a_unit_that_cannot_be_read_is_told(run: Run, out: Path, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "history.jsonl").write_text('{"t": "session", "id": "a", "title": "b"}\n{"t": "torn', encoding="utf-8")
    shown = run("build", folder, "--out", out)
    assert shown.exit_code == 0
    assert "note: 1 record could not be read" in shown.stdout


def test_what_cannot_be_built_ends_the_command(
    run: Run, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("build", "demo").exit_code == 2
    assert run("build", "--out", out).exit_code == 2
    result = run("build", "demo", "--out", out, "--ray", "local", "--workers", "2")
    assert result.exit_code == 2
    assert "exclude each other" in result.stderr
    missing = run("build", tmp_path / "nowhere", "--out", out, "--workers", "1")
    assert missing.exit_code == 3
    assert missing.stderr == f"recall-rank: {tmp_path / 'nowhere'}: no such file or folder\n"
    monkeypatch.setitem(sys.modules, "ray", None)
    without = run("build", "demo", "--out", out, "--ray", "local")
    assert without.exit_code == 2
    assert "pip install 'recall-rank[ray]'" in without.stderr

    class Lost(InlineWorkers):
        def run(self, tasks: Any) -> Any:
            raise WorkersLostError("4 processes ended")

    monkeypatch.setattr(task_workers, "ProcessWorkers", lambda _: Lost())
    lost = run("build", "demo", "--out", out, "--json")
    assert lost.exit_code == 4
    assert json.loads(lost.stdout)["error"] == "4 processes ended"


@pytest.mark.usefixtures("inline")
def test_what_cannot_be_opened_or_written_ends_the_command(
    run: Run, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("here", encoding="utf-8")
    for out_of_reach, why in ((tmp_path / "file", "Not a directory"), (tmp_path / "file" / "below", "Not a directory")):
        result = run("build", "demo", "--out", out_of_reach)
        assert result.exit_code == 4
        assert result.stderr == f"recall-rank: {out_of_reach}: {why}\n"
    if Path("/proc/self").exists():  # below it nobody can make a folder
        result = run("build", "demo", "--out", "/proc/nowhere")
        assert result.exit_code == 4
        assert result.stderr == "recall-rank: /proc/nowhere: No such file or directory\n"
    mine = run("build", "demo", "--out", tmp_path)
    assert mine.exit_code == 2
    assert f"{tmp_path} is not empty, and no build made it" in mine.stderr

    def refused(where: str, ignore: object) -> Any:
        raise PermissionError(13, "Permission denied", where)

    monkeypatch.setattr(unit_batches, "sources_at", refused)
    result = run("build", "demo", "--out", out)
    assert result.exit_code == 3
    assert "Permission denied" in result.stdout


def test_an_index_that_was_saved_is_searched(run: Run, tmp_path: Path) -> None:
    Index.from_texts(["the lantern of the harbor", "deploy on friday"], folder=tmp_path / "index").close()
    answer = json.loads(run("search", "--index", tmp_path / "index", "lantern", "--json").stdout)
    assert [hit["session_id"] for hit in answer["results"]] == ["0"]
    only = run("search", "--index", tmp_path / "index", "lantern", "--scope", "session", "--session", "1", "--json")
    assert only.exit_code == 1


def test_a_search_of_an_index_that_is_not_there_ends_the_command(run: Run, tmp_path: Path) -> None:
    result = run("search", "--index", tmp_path / "nowhere", "lantern")
    assert result.exit_code == 3
    assert "nowhere" in result.stderr
    both = run("search", "--index", tmp_path, "--history", "demo", "lantern")
    assert both.exit_code == 2
