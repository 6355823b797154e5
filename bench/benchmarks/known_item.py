"""Does a search find the part that its query was made from, and at which rank?"""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

from bench import engines
from bench.datasets import dataset
from bench.datasets.published.histories import names, solved
from bench.reporting import ablation
from bench.reporting.earlier_hits import message_times
from bench.reporting.known_items import (
    GROUPS,
    SESSION_ONLY,
    SOLVED,
    Outcome,
    Row,
    cpu_ms,
    evaluate,
    figures,
    read_run,
    reciprocals,
    select,
)
from bench.reporting.paired_difference import compare_pairs, interval_cells
from bench.reporting.rank_metrics import quantile
from bench.reporting.report import Plot, Report, Table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bench.datasets.history_files import LabelledQuery
    from bench.reporting.paired_difference import PerMeasure
    from recall_rank.weights import Weights

COLUMNS = ["kind", "n", "part@1", "part@10", "part MRR", "session@1", "session@10", "session MRR"]

NOISY = "= noisy"


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument("--names", type=int, help="ask for this many names of each kind, drawn from the history")
    parser.add_argument("--kinds", default="", help="only these kinds, comma separated")
    parser.add_argument("--engines", default="ours", help="names or module:Class, comma separated")
    parser.add_argument("--runs", type=Path, help="folder of other engines' ranks to compare with (default: DATA/runs)")
    parser.add_argument("--misses", action="store_true", help="show every query whose answer is not first")
    parser.add_argument("--ablate", nargs="*", metavar="CHANGE", help=ablation.HELP)
    parser.add_argument("--with-generated", action="store_true", help="ablate noisy queries of a generated history too")
    parser.add_argument(
        "--solved", type=Path, default=solved.FILE, help="questions for where a matter was solved, asked where answered"
    )
    parser.add_argument("--no-time", action="store_true", help="leave the timed pass out")


def run(options: argparse.Namespace) -> Report:
    data = dataset.load(options)
    if options.names:
        asked = names.queries(data.sessions, options.seed, options.names)
        data = dataset.Dataset(f"{data.name}, names", data.sessions, asked)
    report = Report("known_item", __doc__ or "", data.name)
    labelled = [] if data.generated or options.names else solved.solved_questions(data.sessions, options.solved)
    queries = select([*data.queries, *labelled], [one for one in options.kinds.split(",") if one])
    times = message_times(data.sessions)
    kinds = sorted({query.kind for query in queries})
    lines = {}
    ranked: dict[str, PerMeasure] = {}
    for name in options.engines.split(","):
        engine = engines.create(name)
        engine.build(data.sessions)
        outcomes = evaluate(engine, queries, times)
        rows = _record(report, engine.name, outcomes)
        lines[engine.name] = [rows[kind].session_mrr if kind == SESSION_ONLY else rows[kind].part_mrr for kind in kinds]
        ranked[engine.name] = _per_group(outcomes)
        if not options.no_time:
            _record_times(report, engine, queries)
        if engine.name == "ours":
            _against(report, outcomes, queries, options.runs or data.runs)
            if options.misses:
                report.tables.append(misses(outcomes))
            if options.ablate is not None:
                report.tables.append(_ablate(options, engine, queries))
    compare_pairs(report, "paired difference of MRR@10", ranked)
    report.plots.append(Plot("bars", "MRR@10 of known items", lines, kinds))
    return report


def _record(report: Report, engine: str, outcomes: Sequence[Outcome]) -> dict[str, Row]:
    rows = figures(outcomes)
    for kind, row in rows.items():
        for column, value in zip(COLUMNS[2:], astuple(row)[1:], strict=True):
            report.add(
                f"{engine}/{kind}/{column}", value, "share" if "MRR" in column else "queries", "higher", 0.01, row.n
            )
    report.tables.append(Table(f"known items, {engine}", COLUMNS, [_cells(kind, row) for kind, row in rows.items()]))
    return rows


def _cells(kind: str, row: Row) -> list[str]:
    return [kind, *(f"{value:.3f}" if isinstance(value, float) else str(value) for value in astuple(row))]


def _per_group(outcomes: Sequence[Outcome]) -> PerMeasure:
    """Return the reciprocal ranks of all parts and of all sessions, but for SOLVED, and of the parts of each group."""
    parts, _ = reciprocals(outcomes)
    drawn = reciprocals([one for one in outcomes if one.query.kind not in SOLVED])
    columns = dict(zip(("part", "session"), drawn, strict=True))
    for group, kinds in GROUPS.items():
        inside = {one.query.id for one in outcomes if one.query.kind in kinds} & parts.keys()
        if inside:
            columns[group] = {key: parts[key] for key in inside}
    return columns


def _record_times(report: Report, engine: engines.Engine, queries: Sequence[LabelledQuery]) -> None:
    spent = cpu_ms(engine, queries)
    kinds: dict[str, list[float]] = {"*": list(spent.values())}
    for query in queries:
        kinds.setdefault(query.kind, []).append(spent[query.id])
    rows = []
    for kind, values in kinds.items():
        p50, p95 = quantile(values, 0.5), quantile(values, 0.95)
        rows.append([kind, str(len(values)), f"{p50:.2f}", f"{p95:.2f}", f"{max(values):.2f}"])
    report.add(f"{engine.name}/cpu p50", quantile(spent.values(), 0.5), "ms", "lower", 0.3, len(spent))
    report.add(f"{engine.name}/cpu p95", quantile(spent.values(), 0.95), "ms", "lower", 0.3, len(spent))
    report.tables.append(
        Table(f"CPU ms of one search, ten results, {engine.name}", ["kind", "n", "p50", "p95", "max"], rows)
    )


def _against(report: Report, outcomes: Sequence[Outcome], queries: Sequence[LabelledQuery], runs: Path | None) -> None:
    parts, sessions = reciprocals(outcomes)
    rows = []
    for path in _stored(runs):
        their_parts, their_sessions = read_run(path, queries)
        for what, ours, theirs in (("part", parts, their_parts), ("session", sessions, their_sessions)):
            if ours.keys() & theirs.keys():
                cells = interval_cells(report, f"ours - {path.stem}/{what} MRR", ours, theirs)
                rows.append([path.stem, f"{what} MRR@10", *cells])
    if rows:
        columns = ["ours minus", "measure", "theirs", "mean", "low", "high", "n"]
        report.tables.append(Table("paired difference from stored runs, 95 % interval", columns, rows))


def _stored(runs: Path | None) -> list[Path]:
    """Return the files of a folder of runs, or the given file."""
    if runs is None or not runs.exists():
        return []
    return sorted(runs.glob("*.jsonl")) if runs.is_dir() else [runs]


def misses(outcomes: Sequence[Outcome]) -> Table:
    """Return the queries whose answer is not first, worst first, with the results above it."""
    rows = []
    for one in sorted(outcomes, key=lambda one: (one.query.kind, -(one.part or 10**6))):
        rank = one.session if one.query.kind == "title_session" else one.part
        if rank == 1:
            continue
        top = " > ".join(f"{hit.session[:12]}/{hit.message[-12:]}/{hit.part[-6:]}" for hit in one.hits[:3])
        wanted = " or ".join(f"{s[:12]}/{(m or '')[-12:]}/{(p or '')[-6:]}" for s, m, p in one.query.relevant[:2])
        rows.append(
            [one.query.kind, one.query.id, str(one.part), str(one.session), repr(one.query.query[:100]), wanted, top]
        )
    return Table("not first", ["kind", "query", "part", "session", "text", "wanted", "found"], rows)


def _ablate(options: argparse.Namespace, engine: engines.Engine, queries: Sequence[LabelledQuery]) -> Table:
    """Return the table of MRR under each change: of all parts, of all sessions, and of the parts of each group."""
    invented, invented_queries = _noisy_generated(options) if options.with_generated else (engine, [])

    def values(weights: Weights) -> PerMeasure:
        columns = _per_group(evaluate(_reweighed(engine, weights), queries))
        if invented_queries:
            theirs, _ = reciprocals(evaluate(_reweighed(invented, weights), invented_queries))
            both = columns.get(NOISY, {}) | {f"generated/{key}": value for key, value in theirs.items()}
            columns[f"{NOISY}, with generated"] = both
        return columns

    return Table("ablation, MRR of known items", *ablation.table(list(ablation.ablate(options.ablate, values))))


def _reweighed(engine: engines.Engine, weights: Weights) -> engines.Engine:
    return engine.reweighed(weights) if isinstance(engine, engines.HasWeights) else engine


def _noisy_generated(options: argparse.Namespace) -> tuple[engines.Engine, list[LabelledQuery]]:
    """Return an engine over a generated history, and the queries of the noisy kinds."""
    data = dataset.generated(options.parts, options.seed)
    engine = engines.create("ours")
    engine.build(data.sessions)
    return engine, [query for query in data.queries if query.kind in GROUPS[NOISY]]
