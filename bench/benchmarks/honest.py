"""How well does a search rank graded answers to questions, and does it know which questions have no answer?"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from bench import engines
from bench.datasets.documents import part_text
from bench.datasets.history_files import HISTORIES, read_history
from bench.datasets.published.honest import questions
from bench.engines import HasConfidence, HasModes, HasWeights
from bench.reporting import ablation
from bench.reporting.paired_difference import paired
from bench.reporting.rank_metrics import first_rank, mean, reciprocal
from bench.reporting.report import Report, Table
from recall_rank import Place
from recall_rank.evaluation.evaluate import match_of
from recall_rank.evaluation.labelled_queries import Graded, answerable
from recall_rank.evaluation.report import certainty
from recall_rank.frontends.cli.query_file import read_queries

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bench.reporting.paired_difference import PerMeasure
    from recall_rank.evaluation.labelled_queries import Holds, LabelledQuery
    from recall_rank.evaluation.report import UnknownPlaces
    from recall_rank.frontends.cli.query_file import QueryFile
    from recall_rank.model import Session
    from recall_rank.weights import Weights

MEASURES = ("nDCG@10", "MRR@10", "R@10", "session MRR", "session@1")
DEPTH = 30  # results asked for, from which messages and sessions are read
NAMED = 10  # lines of the file of questions that are named for one reason
LEAST_COPIED = 60  # characters; shorter messages, such as "go on", are no copies of each other
FIRST_HITS = 3  # of a lost question
ALL = "= all"
SURE = ("high", "medium", "low")

Keys = dict[tuple[str, str], Hashable]
"""(session id, message id) -> the key of the message, which its copies share."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The answer to one question: places of the messages, by key and best first, sessions, and confidence."""

    messages: Mapping[Hashable, Place]
    sessions: Sequence[str]
    confidence: str


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions that are measured, by line of their file, and those that the history cannot answer."""

    measured: Mapping[str, LabelledQuery]
    graded: Mapping[str, Graded]
    unanswerable: Sequence[LabelledQuery]
    keys: Keys

    def kinds(self) -> dict[str, list[str]]:
        """Return the lines of each kind, sorted by kind, and those of all."""
        lines: dict[str, list[str]] = defaultdict(list)
        for line, query in self.measured.items():
            lines[query.kind].append(line)
        return {**dict(sorted(lines.items())), ALL: list(self.measured)}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="folder with history.jsonl[.gz|.xz] and queries.jsonl")
    parser.add_argument("--queries", type=Path, help="other labelled questions about this history")
    parser.add_argument("--engines", default="ours", help="names or module:Class, comma separated")
    parser.add_argument("--ablate", nargs="*", metavar="CHANGE", help=ablation.HELP)
    parser.add_argument(
        "--losses", type=int, default=0, metavar="N", help="show the N questions whose nDCG is the furthest below 1"
    )


def run(options: argparse.Namespace) -> Report:
    folder: Path = options.data or HISTORIES
    sessions = read_history(folder)
    report = Report("honest", __doc__ or "", folder.name)
    asked = _questions(report, options.queries or (options.data and folder / "queries.jsonl"), sessions)
    report.check("questions are measured", bool(asked.measured), f"{len(asked.measured):,}")
    if not asked.measured:
        return report
    found: dict[str, PerMeasure] = {}
    for name in options.engines.split(","):
        engine = engines.create(name)
        # A title is no answer: engines to which it would be one more document rank parts only.
        engine.build(sessions if isinstance(engine, HasModes) else [replace(one, title=None) for one in sessions])
        ranked = {line: _ranked(engine, query, asked.keys) for line, query in asked.measured.items()}
        found[engine.name] = values = _values(asked, ranked)
        report.check(f"{engine.name} finds something", any(one.messages for one in ranked.values()))
        if isinstance(engine, HasConfidence):
            _certainty(report, engine, asked, ranked, values)
        if options.losses:
            report.tables.append(_losses(engine.name, asked, ranked, values, options.losses))
        if isinstance(engine, HasWeights) and options.ablate is not None:
            runs = list(ablation.ablate(options.ablate, functools.partial(_reweighed, engine, asked)))
            report.tables.append(Table(f"ablation, {engine.name}", *ablation.table(runs)))
    report.tables[:0] = [*_figures(report, asked, found), *_differences(report, asked, found)]
    return report


def _questions(report: Report, path: Path | None, sessions: Sequence[Session]) -> Questions:
    """Return the questions of a file that these sessions answer, and report the lines that are left out."""
    lines = map(orjson.dumps, questions.rows()) if path is None else path.read_bytes().splitlines()
    file = read_queries(lines)
    limited = {
        number for number, one in enumerate(file.queries) if one.project or one.before is not None or one.exclude
    }
    kept, unknown = answerable(file.queries, _holds(sessions))
    lost = {one.query for one in unknown if not one.measured}
    numbers = [number for number, one in enumerate(file.queries) if one.answerable and number not in lost]
    keys = copy_keys(sessions)
    measured = {
        str(file.lines[number]): query for number, query in zip(numbers, kept, strict=True) if number not in limited
    }
    report.tables += _left_out(file, unknown, limited)
    return Questions(
        measured,
        {line: Graded(query, functools.partial(_key, keys)) for line, query in measured.items()},
        [query for query in file.queries if not query.answerable],
        keys,
    )


def _holds(sessions: Iterable[Session]) -> Holds:
    """Return a function that returns those of the given places that the sessions hold."""
    held: set[Place] = set()
    for session in sessions:
        held.add(Place(session.id))
        for message in session.messages:
            held.add(Place(session.id, message.id))
            held.update(Place(session.id, message.id, part.id) for part in message.parts)

    def holds(places: Iterable[Place], *, project: str | None = None) -> set[Place]:  # noqa: ARG001 - see `limited`
        return held.intersection(places)

    return holds


def copy_keys(sessions: Iterable[Session]) -> Keys:
    """Return the key of every message: its text, blanks aside, where that is longer than LEAST_COPIED characters, else
    its place.
    """
    keys: Keys = {}
    for session in sessions:
        for message in session.messages:
            text = " ".join(" ".join(map(part_text, message.parts)).split())
            keys[session.id, message.id] = text if len(text) > LEAST_COPIED else (session.id, message.id)
    return keys


def _key(keys: Keys, place: Place) -> Hashable:
    return keys[place.session, place.message or ""]


def _left_out(file: QueryFile, unknown: Sequence[UnknownPlaces], limited: Iterable[int]) -> Iterator[Table]:
    """Yield a table of the lines that are not measured, or not with all of their answers; none if all are."""
    reasons = {
        "not measured: none of its answers is in the history": [one for one in unknown if not one.measured],
        "answers that are not in the history": [one for one in unknown if one.measured],
    }
    rows: list[list[str]] = []
    for reason, some in reasons.items():
        named = [f"{file.lines[one.query]} ({one.places})" for one in some]
        if named:
            rows.append([reason, f"{sum(one.places for one in some):,} in {len(some):,}", _some(named)])
    if numbers := [str(file.lines[number]) for number in sorted(limited)]:
        rows.append(
            ["not measured: project, before and exclude have no effect here", str(len(numbers)), _some(numbers)]
        )
    rows += [[f"broken: {one.reason}", "1", str(one.line)] for one in file.broken[:NAMED]]
    if len(file.broken) > NAMED:
        rows.append(["broken, further ones", str(len(file.broken) - NAMED), ""])
    if rows:
        yield Table("lines of the questions", ["reason", "n", "lines"], rows)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")


def _ranked(engine: engines.Engine, query: LabelledQuery, keys: Keys) -> Ranked:
    match = match_of(query.kind)
    if isinstance(engine, HasModes):
        hits = engine.search_mode(query.query, DEPTH, match)
        sessions = list(dict.fromkeys(engine.search_sessions(query.query, DEPTH, match)))
    else:  # other engines rank a session by its best part
        hits = engine.search(query.query, DEPTH)
        sessions = list(dict.fromkeys(hit.session for hit in hits))
    messages: dict[Hashable, Place] = {}
    for hit in hits:
        if hit.message:
            messages.setdefault(keys[hit.session, hit.message], Place(hit.session, hit.message))
    level = engine.confidence(query.query, DEPTH, match) if isinstance(engine, HasConfidence) else "none"
    return Ranked(messages, sessions, level)


def _values(asked: Questions, ranked: Mapping[str, Ranked]) -> PerMeasure:
    """Return every measure by line of the question."""
    values: PerMeasure = {measure: {} for measure in MEASURES}
    for line, query in asked.measured.items():
        graded, messages = asked.graded[line], list(ranked[line].messages)
        session = first_rank(ranked[line].sessions, set(query.relevant_sessions))
        figures = (
            graded.ndcg(messages),
            reciprocal(first_rank(messages, graded.best)),
            graded.recall(messages),
            reciprocal(session),
            float(session == 1),
        )
        for measure, value in zip(MEASURES, figures, strict=True):
            values[measure][line] = value
    return values


def _reweighed(engine: HasWeights, asked: Questions, weights: Weights) -> PerMeasure:
    other = engine.reweighed(weights)
    return _values(asked, {line: _ranked(other, query, asked.keys) for line, query in asked.measured.items()})


def _figures(report: Report, asked: Questions, found: Mapping[str, PerMeasure]) -> Iterator[Table]:
    """Yield a table of all questions and one of each kind, with a row for each engine."""
    rows: dict[str, list[list[str]]] = {}
    for kind, lines in asked.kinds().items():
        rows[kind] = []
        for engine, values in found.items():
            means = {measure: mean([values[measure][line] for line in lines]) for measure in MEASURES}
            rows[kind].append([engine, *(f"{value:.3f}" for value in means.values())])
            for measure, value in means.items():
                report.add(f"{engine}/{kind}/{measure}", value, "share", "higher", 0.02, len(lines))
    yield Table(f"graded answers, {len(asked.measured)} questions", ["engine", *MEASURES], rows.pop(ALL))
    counts = asked.kinds()
    cells = [[kind, str(len(counts[kind])), *row] for kind, some in rows.items() for row in some]
    yield Table("by kind", ["kind", "n", "engine", *MEASURES], cells)


def _differences(report: Report, asked: Questions, found: Mapping[str, PerMeasure]) -> Iterator[Table]:
    """Yield a table for each engine but the first: the first minus it, for all questions and each kind."""
    first, *others = found
    for other in others:
        rows = []
        for kind, lines in asked.kinds().items():
            cells = []
            for measure in MEASURES:
                ours, theirs = ({line: found[name][measure][line] for line in lines} for name in (first, other))
                gap = paired(ours, theirs)
                star = "*" if gap.low > 0 or gap.high < 0 else " "
                cells.append(f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]{star}")
                report.add(f"{first} - {other}/{kind}/{measure}/low", gap.low, "share", "higher", 0.1, gap.n)
            rows.append([kind, str(len(lines)), *cells])
        yield Table(f"{first} minus {other}, paired, 95 % interval", ["kind", "n", *MEASURES], rows)


def _certainty(
    report: Report, engine: engines.Engine, asked: Questions, ranked: Mapping[str, Ranked], values: PerMeasure
) -> None:
    """Add a table of what the confidence of the first result says about the first session."""
    assert isinstance(engine, HasConfidence)
    first = [(ranked[line].confidence, values["session@1"][line] == 1) for line in ranked]
    unanswerable = [engine.confidence(one.query, DEPTH, match_of(one.kind)) for one in asked.unanswerable]
    levels = certainty(first, unanswerable)
    rows = []
    for name, some in (("high", SURE[:1]), ("high or medium", SURE[:2]), ("low", SURE[2:]), ("no result", ("none",))):
        queries = sum(levels[level].queries for level in some)
        right = mean([right for level, right in first if level in some])
        covered, false = queries / len(first), sum(levels[level].unanswerable for level in some)
        rows.append([name, f"{covered:.1%}", f"{right:.1%}" if queries else "-", f"{false} of {len(unanswerable)}"])
        report.add(f"{engine.name}/{name}/covered", covered, "share", "neither", 0.0, len(first))
        report.add(f"{engine.name}/{name}/session right", right, "share", "higher", 0.02, queries)
        report.add(f"{engine.name}/{name}/unanswerable", false, "questions", "neither", 0.0, len(unanswerable))
    columns = ["first result", "of the answerable", "session right", "unanswerable"]
    report.tables.append(Table(f"confidence, {engine.name}", columns, rows))


def _losses(engine: str, asked: Questions, ranked: Mapping[str, Ranked], values: PerMeasure, count: int) -> Table:
    """Return the questions with the lowest nDCG, with the rank of the first best answer and the first hits."""
    rows = []
    for line in sorted(asked.measured, key=values["nDCG@10"].__getitem__)[:count]:
        query, graded, hits = asked.measured[line], asked.graded[line], ranked[line].messages
        rank = first_rank(hits, graded.best)
        places = [
            f"{place.message if str(place.message).startswith(place.session) else '/'.join(map(str, place[:2]))}"
            f" ({graded.grades.get(key, 0):g})"
            for key, place in list(hits.items())[:FIRST_HITS]
        ]
        shown = [query.id or line, query.kind, f"{values['nDCG@10'][line]:.3f}", "-" if rank is None else str(rank)]
        rows.append([*shown, query.query, *places])
    hits_of = [f"hit {number} (grade)" for number in range(1, FIRST_HITS + 1)]
    return Table(
        f"furthest below the best order, {engine}", ["id", "kind", "nDCG", "first best", "query", *hits_of], rows
    )
