"""How many messages a second can an index take in, and how soon after each does a search find it?"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.datasets.generate import PARTS_PER_SESSION, sessions
from bench.reporting.report import Report, Table
from recall_rank import Index

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from recall_rank.model import Message, Part, Session

APPENDS_A_SECOND, SEARCH_MS = 1000.0, 2.0
TYPICAL = "append to 6 sessions in turns"  # as when some agents are at work
ASKED = ("error", "build the parser", "why does the test fail", "cannot find value")


@dataclass(slots=True)
class Timing:
    """Milliseconds of each change, and of the search after it."""

    changes: list[float] = field(default_factory=list)
    searches: list[float] = field(default_factory=list)
    lost: int = 0  # changes that the search after them did not find

    @property
    def per_second(self) -> float:
        """Changes in a second, all that they cost counted."""
        return 1e3 * len(self.changes) / sum(self.changes)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--messages", type=int, default=13_000, help="messages of the index (default %(default)s)")
    parser.add_argument("--appends", type=int, default=1_000, help="changes of each sort (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Report:
    data = f"generated, {options.messages:,} messages, seed {options.seed}"
    report = Report("live", __doc__ or "", data)
    history = _history(options.messages, options.seed)
    new = _messages(options.appends, options.seed + 1)
    chance = random.Random(options.seed)
    ids = [session.id for session in history]
    few = chance.sample(ids, min(6, len(ids)))
    targets = {
        "append to one session": ["live"] * len(new),
        TYPICAL: [few[at % len(few)] for at in range(len(new))],
        "append to any session": [chance.choice(ids) for _ in new],
    }
    timings = {name: _appended(report, name, history, ids, new) for name, ids in targets.items()}
    timings["add a session"] = _added(report, history, new)
    rows = [
        [
            name,
            f"{timing.per_second:,.0f}",
            *(f"{_share(timing.changes, share):.2f}" for share in (0.5, 0.95, 1.0)),
            *(f"{_share(timing.searches, share):.2f}" for share in (0.5, 0.95)),
        ]
        for name, timing in timings.items()
    ]
    columns = ["change", "a second", "p50", "p95", "max", "search p50", "p95"]
    report.tables.append(Table(f"{len(new):,} changes, CPU ms of each and of the search after it", columns, rows))
    for name, timing in timings.items():
        report.add(f"{name}, a second", timing.per_second, "", "higher", 0.3, len(new))
        report.add(f"{name}, search after", _share(timing.searches, 0.5), "ms", "lower", 0.3, len(new))
        report.check(f"{name}: each is found by the search after it", not timing.lost, f"{timing.lost} lost")
    typical = timings[TYPICAL]
    rate, middle = typical.per_second, _share(typical.searches, 0.5)
    report.check(f"{TYPICAL}: {APPENDS_A_SECOND:g} a second", rate >= APPENDS_A_SECOND, f"{rate:,.0f}")
    report.check(f"half of the searches after them within {SEARCH_MS:g} ms", middle <= SEARCH_MS, f"{middle:.2f} ms")
    _beside(report, history, new)
    return report


def _history(messages: int, seed: int) -> list[Session]:
    """Return generated sessions with about as many messages, each of which has one part, as in `scale`."""
    return [replace(session, messages=tuple(_singly(session))) for session in sessions(messages, seed)]


def _singly(session: Session) -> Iterator[Message]:
    """Yield a message for each part of a session."""
    for message in session.messages:
        for part in message.parts:
            yield replace(message, id=part.id, parts=(part,))


def _messages(wanted: int, seed: int) -> list[Message]:
    """Return generated messages of one part, whose text or output begins with a word that no other has."""
    made = (message for session in sessions(2 * wanted + PARTS_PER_SESSION, seed) for message in _singly(session))
    spoken = (message for message in made if _said(message.parts[0]))
    return [_named(message, number) for number, message in enumerate(islice(spoken, wanted))]


def _said(part: Part) -> str:
    return part.text or part.output or ""


def _named(message: Message, number: int) -> Message:
    """Return the message with an id and a first word of its own."""
    part = replace(message.parts[0], id=f"live-{number}.0")
    said = f"{_word(number)} {_said(part)}"
    part = replace(part, text=said) if part.text else replace(part, output=said)
    return replace(message, id=f"live-{number}", parts=(part,))


def _word(number: int) -> str:
    """Return a word that differs from that of any other number in more than the two letters that a repair allows."""
    letters = "bcdfghjklmnprstv"
    return "zq" + "".join(letter * 3 for letter in (letters[number >> shift & 15] for shift in (0, 4, 8, 12)))


def _query(message: Message) -> str:
    """Return the first words of a message, each once."""
    return " ".join(list(dict.fromkeys(_said(message.parts[0]).casefold().split()))[:3])


def _appended(
    report: Report, name: str, history: Sequence[Session], ids: Sequence[str], new: Sequence[Message]
) -> Timing:
    index = Index.build(history)
    whole = {session.id: session for session in history}
    if ids[0] not in whole:
        whole[ids[0]] = replace(history[0], id=ids[0], messages=())
        index.add([whole[ids[0]]])
    timing = Timing()
    for session_id, message in zip(ids, new, strict=True):
        started = time.thread_time()
        index.append(session_id, (message,))
        _search(index, message, started, timing)
    said: dict[str, list[Message]] = {}
    for session_id, message in zip(ids, new, strict=True):
        said.setdefault(session_id, []).append(message)
    for session_id, messages in said.items():
        old = whole[session_id]
        updated = max(old.updated, *(each.time for each in (*old.messages, *messages)))
        whole[session_id] = replace(old, messages=(*old.messages, *messages), updated=updated)
    report.check(f"{name}: answers are those of a rebuild", _alike(index, Index.build(whole.values())))
    return timing


def _added(report: Report, history: Sequence[Session], new: Sequence[Message]) -> Timing:
    index = Index.build(history)
    timing = Timing()
    made = [replace(history[0], id=f"added-{at}", messages=(message,)) for at, message in enumerate(new)]
    for session, message in zip(made, new, strict=True):
        started = time.thread_time()
        index.add((session,))
        _search(index, message, started, timing)
    report.check("add a session: answers are those of a rebuild", _alike(index, Index.build([*history, *made])))
    return timing


def _search(index: Index, message: Message, started: float, timing: Timing) -> None:
    """Search for a message that a change just added, and note the times of the change and of the search."""
    changed = time.thread_time()
    found = index.search(_query(message), now=0)
    timing.searches.append((time.thread_time() - changed) * 1e3)
    timing.changes.append((changed - started) * 1e3)
    timing.lost += message.id not in [hit.message_id for hit in found.results]


def _alike(one: Index, other: Index) -> bool:
    return [_answer(one, text) for text in ASKED] == [_answer(other, text) for text in ASKED]


def _answer(index: Index, text: str) -> list[tuple[Any, ...]]:
    found = index.search(text, now=0, results=50, budget_ms=60_000)
    return [(found.total,), *((hit.part_id, round(hit.score, 6), hit.snippet) for hit in found.results)]


def _beside(report: Report, history: Sequence[Session], new: Sequence[Message]) -> None:
    """Time what the changes replace, a rebuild, and what makes them last, save()."""
    started = time.thread_time()
    index = Index.build(history)
    rebuild = (time.thread_time() - started) * 1e3
    asked = [_query(message) for message in new]
    unchanged = []
    for query in asked:
        started = time.thread_time()
        index.search(query, now=0)
        unchanged.append((time.thread_time() - started) * 1e3)
    with tempfile.TemporaryDirectory() as folder:
        stored = Index.build(history, folder=Path(folder) / "index")
        saved = []
        for at, message in enumerate(new[:10]):
            stored.append(history[at % len(history)].id, (message,))
            started = time.thread_time()
            stored.save()
            saved.append((time.thread_time() - started) * 1e3)
        stored.close()
    rows = [
        ["rebuild in memory", f"{rebuild:.1f}"],
        ["save() after an append to an index on disk", f"{statistics.median(saved):.1f}"],
        ["a search over the unchanged index", f"{_share(unchanged, 0.5):.2f}"],
    ]
    report.tables.append(Table("beside", ["what", "CPU ms"], rows))
    report.add("save", statistics.median(saved), "ms", "lower", 0.3, len(saved))


def _share(values: Sequence[float], share: float) -> float:
    """Return the value below or at which a share of `values` lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
