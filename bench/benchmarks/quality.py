"""How well does a search rank messages and sessions for labelled questions, spelt right and misspelt?"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from bench import engines
from bench.datasets.history_files import QUALITY
from bench.reporting import ablation
from bench.reporting.paired_difference import compare_pairs, interval_cells
from bench.reporting.relevance_sets import (
    NAMES,
    PERTURBATIONS,
    SETS,
    PerQuery,
    RelevanceSet,
    ids_by_kind,
    means,
    measure,
    read_run,
)
from bench.reporting.report import Plot, Report, Table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from bench.reporting.paired_difference import PerMeasure
    from recall_rank.weights import Weights

CONVERSATIONS = ("locomo", "realtalk", "beam100k", "beam500k")  # the sets whose pooled difference counts


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="folder of sets, each with history.jsonl[.gz|.xz] and queries.jsonl")
    parser.add_argument("--sets", default="", help="only these sets, comma separated")
    parser.add_argument("--engines", default="ours", help="names or module:Class, comma separated")
    parser.add_argument("--perturb", default=",".join(PERTURBATIONS), help="misspelt copies to ask too, or none")
    parser.add_argument("--pooled", action="store_true", help="one history a set instead of one a project")
    parser.add_argument("--runs", type=Path, help="folder of stored runs to compare with (default: DATA/runs)")
    parser.add_argument("--ablate", nargs="*", metavar="CHANGE", help=ablation.HELP)


def run(options: argparse.Namespace) -> Report:
    folder: Path = options.data or QUALITY
    report = Report("quality", __doc__ or "", folder.name, {"pooled": options.pooled})
    names = [one for one in options.sets.split(",") if one] or [one for one in SETS if (folder / one).is_dir()]
    perturbations = [one for one in options.perturb.split(",") if one and one != "none"]
    lines: dict[str, list[float]] = {}
    ranked: dict[str, PerMeasure] = {}
    for engine in options.engines.split(","):
        build = functools.partial(engines.create, engine)
        sets = [RelevanceSet(folder / name, build, pooled=options.pooled) for name in names]
        label = sets[0].engine_name
        clean = _clean(report, label, sets)
        lines[label] = [means(clean[name])["nDCG@10"] for name in names]
        ranked[label] = _per_set(clean)
        _robustness(report, label, sets, clean, perturbations)
        _against(report, label, sets, clean, options.runs or folder / "runs")
        if label == "ours" and options.ablate is not None:
            runs = list(ablation.ablate(options.ablate, functools.partial(ablation_values, sets)))
            report.tables.append(Table("ablation, nDCG@10", *ablation.table(runs)))
    compare_pairs(report, "paired difference of message nDCG@10", ranked)
    report.plots.append(Plot("bars", "message nDCG@10", lines, names))
    return report


def _per_set(clean: Mapping[str, PerQuery]) -> PerMeasure:
    """Return nDCG@10 for each query by set, and of the conversations together."""
    columns = {name: dict(values["nDCG@10"]) for name, values in clean.items()}
    together = {key: value for name in CONVERSATIONS for key, value in columns.get(name, {}).items()}
    return columns | ({"= conversations": together} if together else {})


def ablation_values(sets: Iterable[RelevanceSet], weights: Weights) -> dict[str, dict[str, float]]:
    """Return nDCG@10 for each query under `weights`: messages and sessions of every set, and the conversations
    together.
    """
    columns: dict[str, dict[str, float]] = {}
    together: dict[str, float] = {}
    for one in sets:
        messages, sessions = measure(one.reweighed(weights).rank(one.queries()))
        columns[one.name] = messages["nDCG@10"]
        columns[f"{one.name} session"] = sessions["nDCG@10"]
        together |= messages["nDCG@10"] if one.name in CONVERSATIONS else {}
    return columns | ({"= conversations": together} if together else {})


def _clean(report: Report, engine: str, sets: Sequence[RelevanceSet]) -> dict[str, PerQuery]:
    kept: dict[str, PerQuery] = {}
    rows: list[list[str]] = []
    kinds: list[list[str]] = []
    for one in sets:
        queries = one.queries()
        messages, sessions = measure(one.rank(queries))
        kept[one.name] = messages
        for level, values in (("message", messages), ("session", sessions)):
            found = means(values)
            rows.append([one.name, level, str(len(queries)), *_cells(found)])
            for name, value in found.items():
                report.add(f"{engine}/{one.name}/{level} {name}", value, "share", "higher", 0.01, len(queries))
        for kind, ids in ids_by_kind(queries).items():
            message, session = means(messages, ids), means(sessions, ids)
            kinds.append([one.name, kind, str(len(ids)), *_cells(message), f"{session['nDCG@10']:.3f}"])
            report.add(
                f"{engine}/{one.name}/{kind}/message nDCG@10", message["nDCG@10"], "share", "higher", 0.05, len(ids)
            )
    report.tables.append(Table(f"relevance sets, {engine}", ["set", "level", "n", *NAMES.values()], rows))
    report.tables.append(Table(f"by kind, {engine}", ["set", "kind", "n", *NAMES.values(), "session nDCG"], kinds))
    return kept


def _cells(found: Mapping[str, float]) -> list[str]:
    return [f"{found[name]:.3f}" for name in NAMES.values()]


def _robustness(
    report: Report,
    engine: str,
    sets: Sequence[RelevanceSet],
    clean: Mapping[str, PerQuery],
    perturbations: Sequence[str],
) -> None:
    rows = []
    for one in sets:
        base = means(clean[one.name])["nDCG@10"]
        cells = [one.name, f"{base:.3f}"]
        for perturbation in perturbations:
            messages, _ = measure(one.rank(one.queries(perturbation)))
            value = means(messages)["nDCG@10"]
            share = value / base if base else 0.0
            cells.append(f"{value:.3f} ({share:.1%})")
            report.add(f"{engine}/{one.name}/{perturbation} share of clean", share, "share", "higher", 0.01)
        rows.append(cells)
    if perturbations:
        report.tables.append(
            Table(f"message nDCG@10, misspelt queries, {engine}", ["set", "clean", *perturbations], rows)
        )


def _against(
    report: Report, engine: str, sets: Sequence[RelevanceSet], clean: Mapping[str, PerQuery], runs: Path
) -> None:
    rows = []
    stored = sorted({path.name.split(".")[0] for path in runs.glob("*.jsonl")}) if runs.is_dir() else []
    for run_name in stored:
        ours_pooled: dict[str, float] = {}
        theirs_pooled: dict[str, float] = {}
        for one in sets:
            path = runs / f"{run_name}.{one.name}.jsonl"
            if not path.is_file():
                continue
            ours, theirs = clean[one.name]["nDCG@10"], read_run(path, one.queries())["nDCG@10"]
            rows.append(
                [run_name, one.name, *interval_cells(report, f"{engine} - {run_name}/{one.name}", ours, theirs)]
            )
            if one.name in CONVERSATIONS:
                ours_pooled |= ours
                theirs_pooled |= theirs
        if ours_pooled:
            interval = interval_cells(report, f"{engine} - {run_name}/conversations", ours_pooled, theirs_pooled)
            rows.append([run_name, "= conversations", *interval])
    if rows:
        columns = [f"{engine} minus", "set", "theirs", "mean", "low", "high", "n"]
        report.tables.append(Table("paired difference of message nDCG@10, 95 % interval", columns, rows))
