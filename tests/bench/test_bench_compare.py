"""Result files are read, written and compared; a regression decides the exit status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bench.command import BENCHMARKS, main
from bench.reporting import plot, report
from bench.reporting.report import Plot, Report, Table

if TYPE_CHECKING:
    from pathlib import Path


def result(path: Path, *, mrr: float = 0.8, ms: float = 2.0, held: bool = True, data: str = "d") -> str:
    one = Report("known_item", "Is it found?", data)
    one.add("MRR", mrr, "share", "higher", 0.01)
    one.add("cpu p50", ms, "ms", "lower", 0.3)
    one.add("queries", mrr * 100)
    one.add("nothing", float("nan"))
    one.check("answers are sound", held)
    one.tables.append(Table("t", ["kind", "n"], [["a|b", "1"]]))
    report.write(path, [one])
    return str(path)


def test_the_same_file_twice_is_no_regression(tmp_path: Path) -> None:
    one = result(tmp_path / "a.json")
    assert main(["compare", one, one]) == 0


def test_noise_within_the_tolerance_is_no_regression(tmp_path: Path) -> None:
    before = result(tmp_path / "a.json")
    assert main(["compare", before, result(tmp_path / "b.json", mrr=0.793, ms=2.5)]) == 0


@pytest.mark.parametrize(
    "planted",
    [{"mrr": 0.7}, {"ms": 2.7}, {"held": False}],
    ids=["a figure fell", "a time rose", "a check no longer holds"],
)
def test_a_planted_regression_fails(tmp_path: Path, planted: dict[str, float]) -> None:
    before = result(tmp_path / "a.json")
    assert main(["compare", before, result(tmp_path / "b.json", **planted)]) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(("better", "now", "status"), [
    ("higher", 0.91, 0), ("higher", 0.89, 1), ("higher", 2.0, 0),
    ("lower", 1.09, 0), ("lower", 1.11, 1), ("lower", 0.1, 0),
    ("neither", 0.1, 0), ("neither", 9.0, 0),
])  # fmt: skip
def test_the_tolerance_is_a_share_of_the_older_value(tmp_path: Path, better: Any, now: float, status: int) -> None:
    for name, value in (("a.json", 1.0), ("b.json", now)):
        one = Report("speed", "How fast?", "d")
        one.add("figure", value, better=better, tol=0.1)
        report.write(tmp_path / name, [one])
    assert main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == status


def test_what_was_nothing_and_now_is_something_is_a_regression(tmp_path: Path) -> None:
    for name, value in (("a.json", 0.0), ("b.json", 0.5)):
        one = Report("deadline", "How late?", "d")
        one.add("past max", value, "ms", "lower", 0.5)
        report.write(tmp_path / name, [one])
    assert main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 1
    assert main(["compare", str(tmp_path / "b.json"), str(tmp_path / "a.json")]) == 0


def test_one_regression_among_several_benchmarks_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def write(name: str, ms: float) -> str:
        made = [Report("startup", "?", "none"), Report("speed", "?", "d")]
        made[0].add("import", 10.0, "ms", "lower", 0.5)
        made[1].add("cpu p50", ms, "ms", "lower", 0.3)
        report.write(tmp_path / name, made)
        return str(tmp_path / name)

    assert main(["compare", write("a.json", 2.0), write("b.json", 3.0)]) == 1
    worse = [line for line in capsys.readouterr().out.splitlines() if line.startswith("WORSE")]
    assert worse == ["WORSE speed d cpu p50: 2 -> 3"]


@pytest.mark.parametrize(("before", "after", "status"), [(True, False, 1), (True, True, 0), (False, False, 0)])
def test_files_of_checks_alone_are_compared(tmp_path: Path, before: bool, after: bool, status: int) -> None:
    for name, ok in (("a.json", before), ("b.json", after)):
        one = Report("needle", "Still there?", "d")
        one.check("found first", ok)
        report.write(tmp_path / name, [one])
    assert main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == status


def test_a_figure_that_is_gone_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = result(tmp_path / "a.json")
    assert main(["compare", before, result(tmp_path / "b.json", ms=float("nan"))]) == 0
    assert "cpu p50: only in" in capsys.readouterr().out


def test_getting_better_is_no_regression(tmp_path: Path) -> None:
    before = result(tmp_path / "a.json", held=False)
    assert main(["compare", before, result(tmp_path / "b.json", mrr=0.9, ms=1.0)]) == 0


def test_files_that_cannot_be_compared(tmp_path: Path) -> None:
    before = result(tmp_path / "a.json")
    (tmp_path / "other.json").write_text('{"schema": 99}', encoding="utf-8")
    assert main(["compare", before, str(tmp_path / "other.json")]) == 2
    assert main(["compare", before, str(tmp_path / "absent.json")]) == 2
    assert main(["compare", before, result(tmp_path / "b.json", data="elsewhere")]) == 2
    broken = ("", "[]", "no JSON", '{"schema": 1}', '{"schema": 1, "reports": [{}]}', '{"schema": 1, "reports": 3}')
    for text in broken:
        (tmp_path / "other.json").write_text(text, encoding="utf-8")
        assert main(["compare", before, str(tmp_path / "other.json")]) == 2
        assert main(["compare", str(tmp_path / "other.json"), before]) == 2


def test_the_schema_is_the_documented_one(tmp_path: Path) -> None:
    (one,) = report.read(tmp_path / result(tmp_path / "a.json"))
    assert set(one) == {
        *("schema", "made", "machine", "benchmark", "question", "data", "options"),
        *("figures", "checks", "tables", "plots"),
    }
    assert [figure["name"] for figure in one["figures"]] == ["MRR", "cpu p50", "queries"]
    assert set(one["figures"][0]) == {"name", "value", "unit", "better", "tolerance", "n"}


def test_list_names_every_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(BENCHMARKS)
    assert all(line.endswith("?") for line in lines)


def test_unknown_benchmarks_are_refused() -> None:
    with pytest.raises(SystemExit) as status:
        main(["run", "nonsense"])
    assert status.value.code == 2


def test_tables_as_markdown_and_text() -> None:
    one = Table("title", ["kind", "n"], [["a", "10"], ["long name", "1"]])
    assert one.markdown().splitlines() == ["| kind | n |", "| --- | ---: |", "| a | 10 |", "| long name | 1 |"]
    assert one.text().splitlines() == ["title", "kind        n", "a          10", "long name   1"]


def test_plots_are_the_same_file_every_time(tmp_path: Path) -> None:
    one = Report("speed", "How fast?", "d")
    one.plots += [
        Plot("cumulative", "ms", {"ours": [3.0, 1.0], "theirs": [0.0, 2.0]}),
        Plot("bars", "MRR", {"ours": [0.5, 0.6], "theirs": [0.4, 0.7]}, ["a", "b"]),
        Plot("line", "relevant", {"seen": [0.1, 0.9]}, [0.2, 0.8], "score"),
    ]
    first, again = plot.write([one], tmp_path / "a"), plot.write([one], tmp_path / "b")
    assert [path.name for path in first] == ["speed.md", "speed-1.svg", "speed-2.svg", "speed-3.svg"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


def test_reports_on_several_histories_get_files_of_their_own(tmp_path: Path) -> None:
    made = [Report("speed", "How fast?", data) for data in ("small", "large")]
    made[1].plots.append(Plot("cumulative", "ms", {"ours": [3.0, 1.0]}))
    assert [path.name for path in plot.write(made, tmp_path)] == ["speed.md", "speed-of-2.md", "speed-of-2-1.svg"]
