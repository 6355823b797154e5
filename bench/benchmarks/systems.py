"""Do the queries recorded from other systems find the session that they ask for, and how much CPU does that take?"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

from bench.datasets.praisonai_folder import queries, write_folder
from bench.datasets.scheduled_sessions import SoughtSession, write_sessions
from bench.datasets.system_labels import wanted
from bench.reporting.report import Report, Table
from recall_rank import Recall
from recall_rank.frontends.praisonai import RecallSessionStore
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.sessions import session_answers
from recall_rank.frontends.tools.sessions.folder_search import FolderSearch
from recall_rank.loaders import open_sources
from recall_rank.weights import DEFAULT

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

SHARED: Final = Path(__file__).resolve().parents[3] / "shared"
RECORDED: Final = "conformance/other-systems"
LEAST_FIRST: Final = 0.95
FOLDERS: Final = 3  # generated folders with schedules, of one seed each
SCHEDULED: Final = (1.0, 0.5, 0.25, 0.1)
WARM_SHARE, COLD_SHARE = 1 / 50, 1 / 3  # of the CPU of PraisonAI's own search


@dataclass(frozen=True, slots=True)
class System:
    """Recordings of a system: its files, and how its hits name their session."""

    name: str
    files: dict[str, str]  # generation -> file
    session: str  # the field of a hit
    names: str = ""  # a file that maps the names of sessions to their ids in the store


SYSTEMS: Final = (
    System("praisonai", {"g1": "praisonai-g1.json", "g3": "praisonai-g3.json"}, "session_id"),
    System("memo-agent", {"": "memo-agent.json"}, "session", "stores/memo-agent/manifest.json"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=SHARED, help="the folder with stores and recordings")
    parser.add_argument("--systems", default=",".join(each.name for each in SYSTEMS), help="default %(default)s")
    parser.add_argument("--sessions", type=int, default=10_000, help="of the folder that is timed; 0 times nothing")
    parser.add_argument("--each", type=int, default=5, help="timed queries of each kind (default %(default)s)")
    parser.add_argument("--schedules", type=int, default=200, help="queries of each kind and folder; 0 asks none")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Iterator[Report]:
    chosen = options.systems.split(",")
    if unknown := sorted(set(chosen) - {each.name for each in SYSTEMS}):
        raise FileNotFoundError(f"no recordings of {', '.join(unknown)}: there are {[each.name for each in SYSTEMS]}")
    if not (options.data / RECORDED).is_dir():
        raise FileNotFoundError(f"{options.data / RECORDED} is absent; name its folder by --data")
    yield _answers(options.data, [each for each in SYSTEMS if each.name in chosen])
    if options.schedules:
        yield _schedules(options.schedules, options.seed)
    if options.sessions:
        yield _speed(options.sessions, options.each, options.seed)


# --- answers ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """A labelled query: the sessions that answer it, and those that the system found, the best first."""

    query: str
    wanted: set[str]
    theirs: Sequence[str]


def _answers(data: Path, systems: Sequence[System]) -> Report:
    report = Report("systems", __doc__ or "", ",".join(each.name for each in systems))
    rows: list[list[str]] = []
    for system in systems:
        for generation, file in system.files.items():
            recorded = json.loads((data / RECORDED / file).read_text(encoding="utf-8"))
            names: dict[str, str] = {}
            if system.names:
                names = json.loads((data / system.names).read_text(encoding="utf-8"))
            with Recall(open_sources(data / recorded["store"])) as recall:
                asked = _labelled(system, recorded["search"], recall, names)
                name = " ".join(filter(None, (system.name, generation)))
                rows += _compare(report, name, asked, recall, {key: known for known, key in names.items()})
    columns = ["system", "queries", "hit@1", "hit@5", "nothing found", "errors", "ms p50", "ms max"]
    report.tables.append(Table("labelled queries, on the system's own store", columns, rows))
    return report


def _labelled(system: System, calls: Sequence[dict[str, Any]], recall: Recall, names: dict[str, str]) -> list[Asked]:
    """Return the recorded queries that have a label and asked for at least one session."""
    known = {*names, *(session.id for session in recall.sessions())}
    found = []
    for call in calls:
        sessions = wanted(system.name, call["query"], known)
        if sessions and call["limit"] > 0:
            theirs = list(dict.fromkeys(hit[system.session] for hit in call["hits"]))
            found.append(Asked(call["query"], sessions, theirs))
    return found


def _compare(
    report: Report, name: str, asked: Sequence[Asked], recall: Recall, names: dict[str, str]
) -> Iterator[list[str]]:
    tools = RecallTools(recall)
    ours, errors, spent = [], 0, []
    for one in asked:
        began = time.perf_counter()
        answer = tools.call("session_search", {"query": one.query})
        spent.append((time.perf_counter() - began) * 1e3)
        errors += not answer["ok"]
        hits = [hit["session_id"] for hit in answer.get("results", ())]
        ours.append([names.get(each, each) for each in hits])
    rates = {}
    for who, found in (("theirs", [one.theirs for one in asked]), ("ours", ours)):
        first, five = (_rate(asked, found, most) for most in (1, 5))
        rates[who] = first
        nothing = sum(not each for each in found)
        times = ["-", "-"]  # theirs were not recorded
        if who == "ours":
            times = [f"{statistics.median(spent):.2f}", f"{max(spent):.2f}"]
        failed = str(errors) if who == "ours" else "0"
        yield [f"{name}, {who}", str(len(asked)), f"{first:.3f}", f"{five:.3f}", str(nothing), failed, *times]
        report.add(f"{name}, {who}: hit@1", first, "", "higher", 0.01, len(asked))
        report.add(f"{name}, {who}: hit@5", five, "", "higher", 0.01, len(asked))
    report.add(f"{name}, ours: ms p50", statistics.median(spent), "ms", "lower", 0.5, len(asked))
    report.check(f"{name}: hit@1 at least theirs", rates["ours"] >= rates["theirs"], f"{rates}")
    report.check(f"{name}: hit@1 at least {LEAST_FIRST}", rates["ours"] >= LEAST_FIRST, f"{rates['ours']:.3f}")
    report.check(f"{name}: no errors", not errors, str(errors))


def _rate(asked: Sequence[Asked], found: Sequence[Sequence[str]], most: int) -> float:
    """Return the share of queries with a wanted session among their first `most` ones."""
    hits = [not one.wanted.isdisjoint(sessions[:most]) for one, sessions in zip(asked, found, strict=True)]
    return sum(hits) / len(hits)


# --- schedules --------------------------------------------------------------------------------------


def _schedules(count: int, seed: int) -> Report:
    """Ask generated folders for conversations and for runs of schedules, under several weights of the latter."""
    report = Report("systems", "sessions of schedules beside conversations", f"{count} queries a kind", {"seed": seed})
    found: dict[tuple[float, bool], list[int]] = {}  # weight, sought a run -> ranks, from 1; 0 for nothing found
    for number in range(FOLDERS):
        with tempfile.TemporaryDirectory() as place:
            sought = write_sessions(Path(place) / "sessions", seed + number, count)
            with Recall(open_sources(Path(place) / "sessions")) as recall:
                for weight in sorted({*SCHEDULED, DEFAULT.scheduled}, reverse=True):
                    with mock.patch.object(session_answers, "DEFAULT", replace(DEFAULT, scheduled=weight)):
                        for one in sought:
                            found.setdefault((weight, one.scheduled), []).append(_rank(RecallTools(recall), one))
    names = {False: "conversations", True: "runs"}
    rows = []
    for weight in sorted({weight for weight, _ in found}, reverse=True):
        cells = [f"{weight:g}" + (" (default)" if weight == DEFAULT.scheduled else "")]
        for ranks in (found[weight, False], found[weight, True], [*found[weight, False], *found[weight, True]]):
            cells += [f"{value:.3f}" for value in _figures(ranks)]
        rows.append(cells)
    columns = [f"{who} {what}" for who in (*names.values(), "all") for what in ("hit@1", "hit@5", "MRR")]
    report.tables.append(Table("weight of a session that a schedule began", ["scheduled", *columns], rows))
    for scheduled, name in names.items():
        first, five, reciprocal = _figures(found[DEFAULT.scheduled, scheduled])
        for what, value in (("hit@1", first), ("hit@5", five), ("MRR", reciprocal)):
            report.add(
                f"schedules, {name}: {what}", value, "", "higher", 0.01, len(found[DEFAULT.scheduled, scheduled])
            )
        without = _figures(found[1.0, scheduled])[1]
        report.check(f"schedules, {name}: hit@5 not below that without the weight", five >= without, f"{without:.3f}")
    return report


def _rank(tools: RecallTools, one: SoughtSession) -> int:
    """Return the place, from 1, of the first hit that answers a query; 0 where none of the hits does."""
    answer = tools.call("session_search", {"query": one.query})
    places = (place for place, hit in enumerate(answer["results"], 1) if hit["session_id"] in one.wanted)
    return next(places, 0)


def _figures(ranks: Sequence[int]) -> tuple[float, float, float]:
    """Return hit@1, hit@5 and MRR of ranks, of which 0 stands for nothing found."""
    total = len(ranks)
    first, five = (sum(0 < rank <= most for rank in ranks) / total for most in (1, 5))
    return first, five, sum(1 / rank for rank in ranks if rank) / total


# --- speed ------------------------------------------------------------------------------------------


def _speed(sessions: int, each: int, seed: int) -> Report:
    """Time searches of one generated folder: PraisonAI's own, and ours with and without an index, in turn."""
    report = Report("systems", "CPU of a search over PraisonAI's files", f"{sessions:,} sessions", {"seed": seed})
    asked = queries(seed, each)
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        folder, cache = Path(place) / "sessions", Path(place) / "cache"
        write_folder(folder, sessions, seed)
        warm = RecallSessionStore(folder, cache=cache)
        began = time.process_time()
        warm.search("first")
        warm.wait()
        built = time.process_time() - began
        stack.callback(warm.close)
        warm.search("first")
        searches: dict[str, Callable[[str], object]] = {
            "warm": warm.search,
            "new process": lambda query: RecallSessionStore(folder, cache=cache).search(query),
            "no index": lambda query: _without_index(folder, query),
        }
        theirs = _package_store(folder)
        if theirs is not None:
            searches["PraisonAI"] = theirs
        spent: dict[str, dict[str, list[float]]] = {name: {} for name in searches}
        for kind, some in asked.items():
            for query in some:
                for name, search in searches.items():  # in turn, so that other load affects all of them
                    before = time.thread_time()
                    search(query)
                    spent[name].setdefault(kind, []).append((time.thread_time() - before) * 1e3)
    _report_speed(report, spent, built)
    return report


def _report_speed(report: Report, spent: dict[str, dict[str, list[float]]], built: float) -> None:
    columns = ["search", *next(iter(spent.values())), "p50 of all"]
    medians = {name: statistics.median(chain.from_iterable(kinds.values())) for name, kinds in spent.items()}
    rows = [
        [name, *(f"{statistics.median(some):,.1f}" for some in kinds.values()), f"{medians[name]:,.1f}"]
        for name, kinds in spent.items()
    ]
    report.tables.append(Table(f"CPU ms of one search, median; the index took {built:.1f} s of CPU", columns, rows))
    for name, median in medians.items():
        report.add(f"{name}: CPU p50", median, "ms", "lower", 0.5)
    if "PraisonAI" not in medians:
        report.tables.append(Table("praisonaiagents is not installed: nothing to compare with", [], []))
        return
    for name, share in (("warm", WARM_SHARE), ("no index", COLD_SHARE), ("new process", COLD_SHARE)):
        ratio = medians[name] / medians["PraisonAI"]
        report.check(f"{name}: at most 1/{1 / share:.0f} of PraisonAI's CPU", ratio <= share, f"1/{1 / ratio:,.1f}")


def _package_store(folder: Path) -> Callable[[str], object] | None:
    try:
        from praisonaiagents.session.store import DefaultSessionStore
    except ModuleNotFoundError:
        return None
    store = DefaultSessionStore(str(folder))
    search: Callable[[str], object] = store.search
    return search


def _without_index(folder: Path, query: str) -> object:
    """Search as the first call of a process does that finds no index; the index is not built either."""
    with mock.patch.object(FolderSearch, "_index"), tempfile.TemporaryDirectory() as cache:
        return RecallSessionStore(folder, cache=Path(cache) / "none").search(query)
