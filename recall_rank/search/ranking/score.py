"""Stage: the survivors are read again, and the best of them compared with the query by rapidfuzz."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import compress

from rapidfuzz import fuzz

from recall_rank._core.rank.candidate import around, docs_of, in_a_run, take_features, windows
from recall_rank._core.rank.rapidfuzz_scorer import Scorer
from recall_rank._core.text.passages import folded as folded_texts
from recall_rank._core.text.passages import passages
from recall_rank._core.text.substring_scan import find, mark_ranges, stands
from recall_rank.analysis.normalize import encode, fold, fold_cached
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.segment_view import SegmentView
from recall_rank.search.deadline import Deadline
from recall_rank.search.expansion.expand import Expansion
from recall_rank.search.query import Query
from recall_rank.search.ranking.candidate import WIDTH, Candidate

REACH_BYTES = 65_536  # text of a part around its best passage in which the whole query is looked for
MOST_PLACES = 16  # places of the whole query that are looked at


def holding(segment: IndexReader, query: Query, docs: list[int]) -> bytearray:
    """A mark for each of `docs`: whether the passage holds the query as it was written; its words may all be common."""
    marks = bytearray(len(docs))
    wanted = _as_written(query)
    for piece, places in segment.parted(docs) if wanted else ():
        own = docs if len(places) == len(docs) else [docs[place] for place in places]
        starts, ends = passages(own, piece.segment.doc_start, piece.first_doc)
        found = bytearray(len(starts))
        mark_ranges(piece.segment.text_between(starts, ends), starts, ends, wanted, found)
        for place in compress(places, found):
            marks[place] = 1
    return marks


def _as_written(query: Query) -> bytes:
    """The query as one text to look for; nothing where it is a single word, which terms find."""
    wanted = encode(query.folded.strip())
    return wanted if len(query.words) + len(query.compounds) > 1 and len(wanted) > 3 else b""


def read(
    segment: IndexReader, query: Query, expansion: Expansion, survivors: list[Candidate], deadline: Deadline
) -> bool:
    """Fill features, quoted and whole of every survivor; False when the time to score was over before the last."""
    return all(
        _read(piece, query, expansion, _of(survivors, places), deadline)
        for piece, places in segment.parted(docs_of(survivors))
    )


def _of(found: list[Candidate], places: Sequence[int]) -> list[Candidate]:
    """Those at `places`, which are as many as there are where one segment has them all."""
    return found if len(places) == len(found) else [found[place] for place in places]


def _read(
    piece: SegmentView, query: Query, expansion: Expansion, survivors: list[Candidate], deadline: Deadline
) -> bool:
    """The same for the survivors of one segment."""
    segment, count = piece.segment, len(survivors)
    starts, ends = passages(docs_of(survivors), segment.doc_start, piece.first_doc)
    table = memoryview(bytearray(4 * WIDTH * max(1, count))).cast("f", (max(1, count), WIDTH))
    text = segment.text_between(starts, ends)
    done = expansion.matcher.measure(text, starts, ends, query.weights.window_words, table, deadline.score_by_ns)
    if done < count:
        return False
    take_features(survivors, table)
    wanted = _as_written(query)
    phrases = [encode(fold(phrase.strip())) for phrase in query.phrases]
    reach = max(REACH_BYTES, *map(len, [wanted, *phrases]))
    if wanted and (likely := in_a_run(survivors, query.weights.whole_from)):
        _find_whole(piece, likely, wanted, reach, query.weights.embedded)
    if phrases:
        _find_quoted(piece, survivors, phrases, reach)
    return True


def _around(piece: SegmentView, candidates: list[Candidate], reach: int) -> tuple[array[int], array[int]]:
    """Of each candidate's part the text around its passage: what is looked for may stand in another one."""
    segment = piece.segment
    return around(candidates, segment.doc_start, piece.first_doc, segment.part_start, piece.first_part, reach)


def _find_whole(piece: SegmentView, candidates: list[Candidate], wanted: bytes, reach: int, embedded: float) -> None:
    """Fill whole, and let the passage be the one that holds all words in order; they may be densest in another."""
    segment = piece.segment
    starts, ends = _around(piece, candidates, reach)
    places = stands(segment.text_between(starts, ends), starts, ends, wanted, MOST_PLACES)
    for candidate, (at, by_itself) in zip(candidates, places, strict=True):
        if at >= 0:
            candidate.whole = 1.0 if by_itself else embedded
            part = candidate.part - piece.first_part
            first, last = segment.part_first_doc[part], segment.part_first_doc[part + 1]
            candidate.doc = piece.first_doc + bisect_right(segment.doc_start, at, first, last) - 1


def _find_quoted(piece: SegmentView, candidates: list[Candidate], phrases: list[bytes], reach: int) -> None:
    """Fill quoted."""
    starts, ends = _around(piece, candidates, reach)
    text = memoryview(piece.segment.text_between(starts, ends))
    for candidate, start, end in zip(candidates, starts, ends, strict=True):
        candidate.quoted = sum(find(text[start:end], phrase) >= 0 for phrase in phrases) / len(phrases)


def score(segment: IndexReader, query: Query, survivors: list[Candidate], deadline: Deadline) -> bool:
    """Fill similarity of the best survivors; False, and none filled, when the time to score was over before the last.

    Names, paths and error lines, which have no stop words, are compared with the densest window, whatever the order of
    the words. Of a sentence the similarity is the weighted mean, over the fields that are there, of how rapidfuzz sees
    it in the densest window, the directory, the session's title and the tool's name.
    """
    weights = query.weights
    best = survivors[: weights.scored]
    a_sentence = query.counting < len(query.words)
    scorer = Scorer(fuzz.ratio if a_sentence else fuzz.token_sort_ratio, query.folded)
    compared: list[tuple[str, ...]] = [()] * len(best)
    for piece, places in segment.parted(docs_of(best)):
        own = _of(best, places)
        texts = _windows(piece, own)
        rows = zip(texts, *_names(piece, own), strict=True) if a_sentence else zip(texts, strict=True)
        for place, row in zip(places, rows, strict=True):
            compared[place] = row
    fields = (weights.field_text, weights.field_directory, weights.field_title, weights.field_tool_name)
    found = array("d", bytes(8 * len(best)))
    if not scorer.means(compared, array("d", fields), found, deadline.score_by_ns):
        return False
    for candidate, ratio in zip(best, found, strict=True):
        candidate.similarity = ratio / 100
    return True


def _windows(piece: SegmentView, candidates: list[Candidate]) -> list[str]:
    """The densest window of each candidate's passage."""
    starts, ends = windows(candidates, piece.segment.doc_start, piece.first_doc)
    return folded_texts(piece.segment.text_between(starts, ends), starts, ends, fold)


def _names(piece: SegmentView, candidates: list[Candidate]) -> tuple[list[str], list[str], list[str]]:
    """The names around each candidate: directories, titles and tools; empty where there is none."""
    segment = piece.segment
    parts = [each.part - piece.first_part for each in candidates]
    sessions = [segment.sessions[number] for number in segment.sessions_of(parts)]
    tools = [segment.names.values[segment.part_tool[part]] for part in parts]
    return (
        [fold_cached(session.directory) for session in sessions],
        [fold_cached(session.title) for session in sessions],
        [fold_cached(tool or "") for tool in tools],
    )
