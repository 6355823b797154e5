"""The comparisons of two checkouts find no difference between equal packages, and find a planted one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from bench.reporting.same_answers import __main__ as same_answers
from bench.reporting.same_answers.comparison import AnswerComparison, differences, rounded
from bench.reporting.same_answers.searches import CorpusSearch, Sizes
from bench.reporting.same_cli.__main__ import compare
from bench.reporting.same_cli.command_lines import CommandLine, demo_command_lines, store_command_lines
from bench.reporting.same_cli.outcomes import Outcome, difference, furnish

ROOT = Path(__file__).resolve().parents[2]
SEARCH = CorpusSearch("generated", "memory", "smart", 3, "rate limit")


@pytest.fixture
def altered(tmp_path: Path) -> Path:
    """Return a checkout whose package differs from this one in a weight."""
    package = tmp_path / "altered" / "recall_rank"
    shutil.copytree(
        ROOT / "recall_rank", package, copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("__init__.py", "weights.py"):  # files of its own: where __init__.py lies tells the checkout
        (package / name).unlink()
        shutil.copy(ROOT / "recall_rank" / name, package / name)
    with (package / "weights.py").open("a", encoding="utf-8") as file:
        file.write("\nDEFAULT = Weights(phrase=0.9)\n")
    return package.parent


@pytest.mark.slow
def test_answers_of_equal_packages_are_equal_and_a_changed_weight_is_seen(
    altered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(same_answers, "QUICK", Sizes(parts=240, generated=6, real=0))
    words = ["--quick", "--data", str(tmp_path / "absent"), "--keep", str(tmp_path / "kept")]
    assert same_answers.main([str(ROOT), str(ROOT), *words]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "there is no data folder with histories: only the generated history is searched"
    total = next(line.split() for line in printed if line.startswith("all "))
    assert int(total[1]) > 100
    assert total[-1] == "0"
    assert same_answers.main([str(ROOT), str(altered), *words]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert any(".score" in line for line in printed)
    assert printed[-1].startswith("base: kept from an earlier run; ")


def test_a_folder_without_the_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as status:
        same_answers.main([str(tmp_path), str(ROOT)])
    assert status.value.code == 2


def test_a_child_that_fails_is_told(tmp_path: Path) -> None:
    package = tmp_path / "broken" / "recall_rank"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit(3)\n")
    answers = same_answers.ask(package.parent, tmp_path, tmp_path / "working")
    assert answers.failed
    assert answers.ended == "exit status 3"


@pytest.mark.parametrize(("one", "other", "paths"), [
    ({"a": 1}, {"a": 1}, []),
    ({"a": 1}, {"a": 1.0}, [".a"]),
    ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, [".a[1].b"]),
    ({"a": [1, 2]}, {"a": [1]}, [".a (length)"]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, [" (order of keys)"]),
    ({"a": 1}, {"b": 1}, [".a", ".b"]),
])  # fmt: skip
def test_differences_are_found_by_path(one: Any, other: Any, paths: list[str]) -> None:
    assert [path for path, _, _ in differences(one, other)] == paths


def test_floats_are_equal_after_rounding_when_asked_for() -> None:
    assert rounded({"a": [0.12349, 7]}, 3) == {"a": [0.123, 7]}
    exact, coarse = AnswerComparison(), AnswerComparison(digits=3)
    for comparison in (exact, coarse):
        comparison.add(SEARCH, '{"score": 0.50001}', '{"score": 0.50002}')
    assert exact.different.total() == 1
    assert coarse.different.total() == 0


def test_a_missing_answer_is_a_difference() -> None:
    comparison = AnswerComparison()
    comparison.add(SEARCH, '{"results": [], "total": 0}', None)
    assert comparison.different == {"generated/memory/smart": 1}
    assert comparison.empty.total() == 1
    assert any(line.startswith("no answer from here on") and "#3" in line for line in comparison.lines())


def test_command_lines_of_equal_packages_are_equal_and_a_changed_weight_is_seen(altered: Path, tmp_path: Path) -> None:
    lines = [CommandLine(tuple(text.split())) for text in (
        "search", "search 'rate limit' --json --history history.jsonl", "absent", "sources --history broken.jsonl",
    )]  # fmt: skip
    lines.append(CommandLine(("search", '"token bucket" burst', "--json", "--history", "history.jsonl")))
    folders = [tmp_path / name for name in ("one", "two", "six")]
    for folder in folders:
        assert furnish(folder, None) == []
    equal = compare(ROOT, ROOT, lines, folders[:2], 1_790_000_000.0, 2)
    assert [list(difference(one, other)) for _, one, other in equal] == [[]] * len(lines)
    assert {one.status for _, one, _ in equal} >= {0, 2}
    changed = compare(ROOT, altered, lines[-1:], folders[1:], 1_790_000_000.0, 2)
    (shown,) = (list(difference(one, other)) for _, one, other in changed)
    assert any("score" in line for line in shown)


def test_a_difference_of_outcomes_is_shown() -> None:
    shown = list(difference(Outcome(0, "a\nb\n", ""), Outcome(1, "a\nc\n", "")))
    assert shown == [
        "    exit status: base 0, checkout 1", "    stdout:", "      @@ -2 +2 @@", "      -b", "      +c",
    ]  # fmt: skip


def test_every_store_is_read_and_exported() -> None:
    lines = [str(line) for line in store_command_lines(["codex", "pi"], lambda _: ["a", "b", "c"])]
    assert "recall-rank sources --json --verbose --history stores/pi" in lines
    exported = [line.split()[2] for line in lines if line.startswith("recall-rank export")]
    assert exported == ["a", "c", "a", "c"]
    assert len(set(map(str, demo_command_lines()))) > 100
