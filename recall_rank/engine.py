"""search(): the stages in order and what is left out when time runs short, nothing else."""

from __future__ import annotations

from itertools import compress, groupby
from time import monotonic_ns, thread_time_ns

from recall_rank import weights
from recall_rank._core.eligible import count_marks, keep_marks
from recall_rank._core.evidence import Evidence
from recall_rank.boost import boost
from recall_rank.budget import Clock, Deadline, DegradeKind
from recall_rank.calibrate import calibrate
from recall_rank.candidate import Candidate
from recall_rank.eligible import eligible
from recall_rank.expand import expand
from recall_rank.group import Grouped, by_bucket, by_part, by_session, in_turns
from recall_rank.index.segment import Segment
from recall_rank.literal import text_hits
from recall_rank.model import SearchResponse
from recall_rank.near import near_misses
from recall_rank.prefilter import prefilter
from recall_rank.query import Query
from recall_rank.respond import respond
from recall_rank.score import read, score
from recall_rank.state import Search


def search(segment: Segment, query: Query, clock: Clock = monotonic_ns) -> SearchResponse:
    """Answer `query` from `segment` within the query's budget."""
    cpu = thread_time_ns()
    deadline = Deadline(query.options.budget_ms, clock, query.options.cancel)
    allowed = eligible(segment, query)
    expansion = expand(query, segment.vocabulary, segment.postings, allowed.documents, allowed.docs, deadline)
    search = Search(segment, query, deadline, allowed, expansion)
    search.reached(expansion.words_done, len(query.words))
    if query.options.match in ("literal", "regex"):
        scan(search)
    evidence = prefilter(
        segment, query, expansion, allowed.documents, allowed.words, allowed.docs, search.text_marks, deadline.at_ns
    )
    search.stages.append("prefilter")
    search.reached(evidence.docs_done, segment.docs)
    search.total = evidence.hit_count
    survivors, rest = rank(search, evidence)
    search.page = page(search, evidence, survivors, rest)
    calibrate(entry.candidate for entry in search.page)
    search.near_misses = near_misses(search)
    return respond(search, cpu_ms=(thread_time_ns() - cpu) / 1e6)


def scan(search: Search) -> None:
    """Mark the parts whose text holds the query."""
    search.text_marks, looked = text_hits(search.segment, search.query, search.allowed.parts, search.deadline)
    search.stages.append("scan")
    search.reached(looked, search.segment.parts)


def rank(search: Search, evidence: Evidence) -> tuple[list[Candidate], list[Candidate]]:
    """The survivors in their final order, and behind them, for deep pages, hits in the prefilter's order.

    Either all survivors are ranked by the scorer or, out of time, all by the prefilter.
    """
    segment, query, deadline = search.segment, search.query, search.deadline
    found = candidates(search, evidence, max(weights.SURVIVORS, _needed(search, evidence)))
    survivors, rest = found[: weights.SURVIVORS], found[weights.SURVIVORS :]
    if not survivors:
        return survivors, rest
    if not deadline.too_late_to_score() and read(segment, query, search.expansion, survivors, deadline):
        boost(segment, query, survivors)
        best = ordered(search, survivors)
        if score(segment, query, best, deadline):
            boost(segment, query, best[: weights.SCORED])
            for candidate in best:
                candidate.stage = "score"
            search.stages += ("score", "boost")
            return ordered(search, best), rest
    search.degraded.add(DegradeKind.TIME)
    for candidate in survivors:
        candidate.features = ()
        candidate.score = candidate.evidence
        candidate.explain = {"evidence": candidate.evidence}
    return survivors, rest


def _needed(search: Search, evidence: Evidence) -> int:
    """How many hits the page is made of: all of them where something else than their score decides first."""
    options = search.query.options
    if options.order == "time" or (options.directory and options.fallback):
        return int(evidence.hit_count)
    return 0 if options.group == "session" else options.offset + options.results


def candidates(search: Search, evidence: Evidence, count: int) -> list[Candidate]:
    """The `count` parts with the most evidence, best first."""
    ceiling = search.expansion.ceiling or 1.0
    return [
        Candidate(part, doc, value / ceiling, score=value / ceiling, explain={"evidence": value / ceiling})
        for part, doc, value, _ in evidence.top(count)
    ]


def ordered(search: Search, found: list[Candidate]) -> list[Candidate]:
    """By score, then newer, then source, session, message and part: a total order, whatever order things came in."""
    segment = search.segment

    def place(candidate: Candidate) -> tuple[float, int]:
        return -candidate.score, -segment.message_time[segment.part_message[candidate.part]]

    def names(candidate: Candidate) -> tuple[str, str, str, str]:
        row, message = segment.session_of_part(candidate.part), segment.part_message[candidate.part]
        return row.source, row.id, segment.message_ids[message], segment.part_ids[candidate.part]

    in_order: list[Candidate] = []
    for _, tied in groupby(sorted(found, key=place), key=place):
        same = list(tied)
        in_order += sorted(same, key=names) if len(same) > 1 else same
    return in_order


def page(search: Search, evidence: Evidence, survivors: list[Candidate], rest: list[Candidate]) -> list[Grouped]:
    """The entries asked for, in the order asked for."""
    options = search.query.options
    first, last = options.offset, options.offset + options.results
    in_buckets = bool(options.directory and options.fallback)
    if options.order == "time":
        entries = _by_time(search, evidence, [*survivors, *rest])
    else:
        if options.group == "session":
            entries = by_session(search.segment, survivors, evidence.sessions(), search.expansion.ceiling or 1.0)
            search.hits_of_session = {row[0]: row[4] for row in evidence.sessions()}
        else:
            entries = by_part(search.segment, survivors, rest, options.results)
        # not only when the page is not full: what follows a full page decides whether the answer is truncated
        if last >= len(entries) or in_buckets or search.text_marks is not None:
            entries += _tail_entries(search, evidence, {entry.session for entry in entries})
        if options.group == "session":
            search.total = len(entries)
    if in_buckets:
        entries = by_bucket(entries, search.allowed.buckets)
    return entries[first:last]


def _tail_entries(search: Search, evidence: Evidence, sessions: set[int]) -> list[Grouped]:
    """The hits behind the ranked ones as entries; by session, those of sessions that are no entry yet."""
    found = _tail(search, evidence)
    if search.query.options.group == "part":
        return by_part(search.segment, (), found, 0)
    return [entry for entry in by_session(search.segment, found, (), 1.0) if entry.session not in sessions]


def _tail(search: Search, evidence: Evidence) -> list[Candidate]:
    """The hits that come after the ranked ones: what only longer words give away, then what only the text does."""
    segment = search.segment
    known = bytearray(segment.parts)
    evidence.mark_hits(known)
    longer = _by_longer_words(search, known)
    if search.text_marks is None:
        scan(search)
    left = bytearray(search.text_marks or bytes(segment.parts))
    keep_marks(left, known, False)
    first_doc = segment.part_first_doc
    by_text = [Candidate(part, first_doc[part], 0.0, stage="scan") for part in compress(range(len(left)), left)]
    if by_text and not evidence.hit_count and not longer and search.query.options.match in ("smart", "fuzzy"):
        search.degraded.add(DegradeKind.FALLBACK)
    found = longer + ordered(search, by_text)
    for candidate in found:
        session = segment.message_session[segment.part_message[candidate.part]]
        search.hits_of_session[session] = search.hits_of_session.get(session, 0) + 1
    search.total += len(found)
    search.total_exact = True
    return found


def _by_longer_words(search: Search, known: bytearray) -> list[Candidate]:
    """The parts that hold a word which a word of the query begins, and are not in `known`, which they join."""
    if not search.expansion.tail or search.query.options.match not in ("smart", "fuzzy"):
        return []
    allowed, ceiling = search.allowed, search.expansion.ceiling or 1.0
    evidence = prefilter(
        search.segment,
        search.query,
        search.expansion,
        allowed.documents,
        allowed.words,
        allowed.docs,
        None,
        search.deadline.at_ns,
        search.expansion.tail,
    )
    search.reached(evidence.docs_done, search.segment.docs)
    found = []
    for part, doc, value, _ in evidence.top(evidence.hit_count):
        if not known[part]:
            known[part] = 1
            share = weights.LONGER * value / ceiling
            found.append(Candidate(part, doc, share, score=share, explain={"evidence": share}))
    return found


def _by_time(search: Search, evidence: Evidence, survivors: list[Candidate]) -> list[Grouped]:
    """All hits, sessions newest first, messages oldest first: the order of the segment."""
    if search.text_marks is None:
        scan(search)
    marks = bytearray(search.text_marks or b"")
    evidence.mark_hits(marks)
    _by_longer_words(search, marks)
    search.total = count_marks(marks)
    search.total_exact = True
    known = {candidate.part: candidate for candidate in survivors}
    segment = search.segment
    found = (
        known.get(part) or Candidate(part, segment.part_first_doc[part], 0.0, stage="scan")
        for part in compress(range(len(marks)), marks)
    )
    if search.query.options.group == "part":
        options = search.query.options
        return in_turns(segment, found, options.results)
    entries = by_session(segment, list(found), (), 1.0)
    for part in compress(range(len(marks)), marks):
        session = segment.message_session[segment.part_message[part]]
        search.hits_of_session[session] = search.hits_of_session.get(session, 0) + 1
    search.total = len(entries)
    return entries
