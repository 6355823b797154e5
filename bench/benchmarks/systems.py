"""Do the queries recorded from other systems find the session that they ask for, and how much CPU does that take?"""

from __future__ import annotations

import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest import mock

from bench.datasets.praisonai_folder import queries, write_folder
from bench.datasets.recorded_systems import RECORDED, SYSTEMS, RecordedCall, Recording, System, recordings
from bench.datasets.scheduled_sessions import SoughtSession, write_sessions
from bench.reporting.report import Report, Table
from recall_rank import Recall
from recall_rank.frontends.praisonai import RecallSessionStore
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.folder_search import FolderSearch
from recall_rank.frontends.tools.sessions import session_answers
from recall_rank.frontends.tools.sessions.recalled_turns import recalled_turns
from recall_rank.loaders import open_sources
from recall_rank.weights import DEFAULT

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

SHARED: Final = Path(__file__).resolve().parents[3] / "shared"
LEAST_FIRST: Final = 0.95
FOLDERS: Final = 3  # generated folders with schedules, of one seed each
SCHEDULED: Final = (1.0, 0.5, 0.25, 0.1)
WARM_SHARE, COLD_SHARE = 1 / 50, 1 / 3  # of the CPU of PraisonAI's own search


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


def _answers(data: Path, systems: Sequence[System]) -> Report:
    report = Report("systems", __doc__ or "", ",".join(each.name for each in systems))
    rows: list[list[str]] = []
    for system in systems:
        for recording in recordings(data, system):
            with Recall(open_sources(data / recording.store)) as recall:
                rows += _compare(report, recording, recall)
    columns = [
        "system",
        "calls",
        "labelled",
        "hit@1",
        "hit@5",
        "nothing found",
        "refused",
        "errors",
        "ms p50",
        "ms max",
    ]
    report.tables.append(Table("recorded calls, on the system's own store", columns, rows))
    return report


@dataclass(slots=True)
class _Answers:
    """What was answered to the recorded calls: their sessions, the best first, and how many calls had no answer."""

    found: list[Sequence[str]] = field(default_factory=list)
    refused: int = 0  # with a message that tells what to change
    errors: list[str] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)  # milliseconds of each call

    @property
    def times(self) -> list[str]:
        """The median and the longest time of a call; dashes where no times were recorded."""
        if not self.spent:
            return ["-", "-"]
        return [f"{statistics.median(self.spent):.2f}", f"{max(self.spent):.2f}"]


def _compare(report: Report, recording: Recording, recall: Recall) -> Iterator[list[str]]:
    name = recording.name
    calls = recording.calls({session.id for session in recall.sessions()})
    theirs = _Answers([call.theirs for call in calls], errors=[call.query for call in calls if call.failed])
    ours = _ask(recording, calls, recall)
    rates = {}
    for who, answers in (("theirs", theirs), ("ours", ours)):
        labelled = [(call.wanted, found) for call, found in zip(calls, answers.found, strict=True) if call.wanted]
        first, five = (_rate(labelled, most) for most in (1, 5))
        rates[who] = first
        nothing = sum(not found for _, found in labelled)
        counts = [len(calls), len(labelled), f"{first:.3f}", f"{five:.3f}", nothing, answers.refused]
        yield [f"{name}, {who}", *map(str, counts), str(len(answers.errors)), *answers.times]
        report.add(f"{name}, {who}: hit@1", first, "", "higher", 0.01, len(labelled))
        report.add(f"{name}, {who}: hit@5", five, "", "higher", 0.01, len(labelled))
    report.add(f"{name}, ours: ms p50", statistics.median(ours.spent), "ms", "lower", 0.5, len(calls))
    report.check(f"{name}: hit@1 at least theirs", rates["ours"] >= rates["theirs"], f"{rates}")
    report.check(f"{name}: hit@1 at least {LEAST_FIRST}", rates["ours"] >= LEAST_FIRST, f"{rates['ours']:.3f}")
    report.check(f"{name}: no errors", not ours.errors, "; ".join(ours.errors[:3]) or "0")


def _ask(recording: Recording, calls: Iterable[RecordedCall], recall: Recall) -> _Answers:
    """Make the recorded calls to our search; a call that fails found nothing."""
    search = _turns if recording.system.turns else _sessions
    answers = _Answers()
    for call in calls:
        found: Sequence[str] = ()
        began = time.perf_counter()
        try:
            found = search(recall, call)
        except ValueError:  # what the tool would tell the caller to change
            answers.refused += 1
        except Exception as error:  # noqa: BLE001 - every error counts, and the next call is made all the same
            answers.errors.append(f"{type(error).__name__}: {error}")
        answers.spent.append((time.perf_counter() - began) * 1e3)
        answers.found.append([recording.names.get(each, each) for each in dict.fromkeys(found)])
    return answers


def _sessions(recall: Recall, call: RecordedCall) -> list[str]:
    answer = RecallTools(recall).call("session_search", {"query": call.query})
    if not answer["ok"]:
        raise RuntimeError(answer["error"])
    return [hit["session_id"] for hit in answer["results"]]


def _turns(recall: Recall, call: RecordedCall) -> list[str]:
    project, since, until = (call.filters.get(name) for name in ("project", "dateFrom", "dateTo"))
    turns = recalled_turns(recall, call.query, project=project, date_from=since, date_to=until)
    return [turn.session_id for turn in turns]


def _rate(labelled: Sequence[tuple[Collection[str], Sequence[str]]], most: int) -> float:
    """Return the share of the calls with a wanted session among the first `most` that were found."""
    return sum(any(session in wanted for session in found[:most]) for wanted, found in labelled) / len(labelled)


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
