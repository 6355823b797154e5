"""Format an evaluation as tables: a row for each kind of query, and one for all queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.cli.output.console import Line, note_line
from recall_rank.frontends.cli.output.tables import table_lines
from recall_rank.frontends.display_text import counted, one_line

if TYPE_CHECKING:
    from recall_rank.evaluation.report import Certainty, Compared, Comparison, Difference, Evaluation, Figures, Ranks
    from recall_rank.frontends.cli.query_file import QueryFile
    from recall_rank.model import SourceReport

MAX_NAMED_LINES: Final = 10  # of one kind; --json lists all
_ALL: Final = "all"
_FIGURES: Final = (
    *("kind", "n", "part@1", "part@10", "part MRR", "session@1", "session@10", "session MRR", "nDCG@10"),
    "recall@10",
    *("empty", "degraded", "ms p50", "ms p95"),
)
_CERTAINTY: Final = ("first result", "n", "session right", "unanswerable")
_DIFFERENCES: Final = ("kind", "measure", "n", "wins", "losses", "ties", "mean", "low", "high", "")


def evaluation_lines(
    evaluation: Evaluation,
    names: Sequence[str],
    reports: Sequence[SourceReport],
    file: QueryFile,
    columns: int | None = None,
) -> Iterator[Line]:
    """Yield the tables of an evaluation as lines, with notes on failed sources and on lines of the file of queries.

    `names` are the names of its one or two configurations; `columns` is the width of the terminal, None for a pipe.
    """
    yield from _figures(names[0], evaluation.overall, evaluation.kinds, columns)
    yield from _certainty(evaluation, evaluation.certainty, columns)
    against = evaluation.against
    if against is not None:
        yield []
        kinds = {kind: one.figures for kind, one in against.kinds.items()}
        yield from _figures(names[1], against.overall.figures, kinds, columns)
        yield from _certainty(evaluation, against.certainty, columns)
        yield []
        yield from _differences(names, against, columns)
    yield []
    yield from _counts(evaluation, reports, file)


def _figures(name: str, overall: Figures, kinds: Mapping[str, Figures], columns: int | None) -> Iterator[Line]:
    yield [(f"asked: {name}", "bold")]
    rows = [_figure_row(one_line(kind), figures) for kind, figures in kinds.items()]
    yield from table_lines([_FIGURES, *rows, _figure_row(_ALL, overall)], range(1, len(_FIGURES)), "dim", columns)


def _figure_row(kind: str, figures: Figures) -> Sequence[str]:
    return (
        kind,
        str(figures.queries),
        *_ranks(figures.parts),
        *_ranks(figures.sessions),
        _number(figures.ndcg_10),
        _number(figures.recall_10),
        f"{figures.empty:.1%}",
        f"{figures.degraded:.1%}",
        _number(figures.cpu_ms_p50, 1),
        _number(figures.cpu_ms_p95, 1),
    )


def _certainty(evaluation: Evaluation, levels: Mapping[str, Certainty], columns: int | None) -> Iterator[Line]:
    """Yield what the confidence of the first result says, where queries were asked that the history cannot answer."""
    if evaluation.unanswerable:
        rows = [
            (level, str(one.queries), "-" if one.right is None else f"{one.right:.1%}", str(one.unanswerable))
            for level, one in levels.items()
        ]
        yield []
        yield from table_lines([_CERTAINTY, *rows], range(1, len(_CERTAINTY)), "dim", columns)


def _ranks(ranks: Ranks | None) -> Sequence[str]:
    return ("-",) * 3 if ranks is None else tuple(map(_number, (ranks.hit_1, ranks.hit_10, ranks.mrr_10)))


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _differences(names: Sequence[str], against: Comparison, columns: int | None) -> Iterator[Line]:
    yield [(f"{names[0]} against {names[1]}, query by query", "bold")]
    rows = [row for kind, one in against.kinds.items() for row in _difference_rows(one_line(kind), one)]
    rows += _difference_rows(_ALL, against.overall)
    yield from table_lines([_DIFFERENCES, *rows], range(2, len(_DIFFERENCES)), "dim", columns)
    yield [
        (
            "mean: of the first minus the second; low, high: its 95 % interval; *: more than luck",
            "dim",
        )
    ]


def _difference_rows(kind: str, compared: Compared) -> Iterator[Sequence[str]]:
    measures: tuple[tuple[str, Difference | None], ...] = (
        ("part MRR@10", compared.part_mrr_10),
        ("session MRR@10", compared.session_mrr_10),
        ("nDCG@10", compared.ndcg_10),
        ("recall@10", compared.recall_10),
    )
    for name, one in measures:
        if one is not None:
            counts = map(str, (one.queries, one.wins, one.losses, one.ties))
            bounds = ("-", "-") if one.queries == 1 else (f"{one.low:+.4f}", f"{one.high:+.4f}")
            yield kind, name, *counts, f"{one.mean:+.4f}", *bounds, "*" if one.significant else ""


def _counts(evaluation: Evaluation, reports: Sequence[SourceReport], file: QueryFile) -> Iterator[Line]:
    sessions, parts = sum(report.sessions for report in reports), sum(report.parts for report in reports)
    yield [
        (f"{evaluation.measured:,} of {counted(evaluation.queries, 'query', 'queries')} measured", "bold"),
        (f" over {counted(sessions, 'session', 'sessions')}, {counted(parts, 'part', 'parts')}", ""),
    ]
    unknown = {
        measured: [
            (file.lines[one.query], counted(one.places, "answer", "answers"))
            for one in evaluation.unknown
            if one.measured is measured
        ]
        for measured in (False, True)
    }
    named: tuple[tuple[str, int, Sequence[tuple[int, str]]], ...] = (
        ("queries that the history cannot answer, in no other figure", evaluation.unanswerable, ()),
        ("queries left out, their answers not being in the history", evaluation.missing, unknown[False]),
        ("queries left out, since a search would not take them", evaluation.refused, ()),
        (
            "answers left out, not being in the history as others of their queries are",
            evaluation.missing_places,
            unknown[True],
        ),
        ("sources that could not be read", sum(report.failed for report in reports), ()),
        ("malformed records skipped (recall-rank sources says more)", sum(one.malformed_count for one in reports), ()),
        ("broken lines in the file of queries", len(file.broken), [(one.line, one.reason) for one in file.broken]),
    )
    for reason, count, lines in named:
        if count:
            yield note_line(f"{reason}: {count:,}")
            yield from _named_lines(lines)


def _named_lines(lines: Sequence[tuple[int, str]]) -> Iterator[Line]:
    """Yield the first MAX_NAMED_LINES of (number of a line, what is wrong with it)."""
    for number, what in lines[:MAX_NAMED_LINES]:
        yield [(f"  line {number}: {one_line(what)}", "dim")]
    if len(lines) > MAX_NAMED_LINES:
        yield [(f"  {len(lines) - MAX_NAMED_LINES} more (--json lists them)", "dim")]
