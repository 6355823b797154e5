"""Stage: the survivors are read again, and the best of them compared with the query by rapidfuzz."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain
from typing import cast

from rapidfuzz import fuzz

from recall_rank import weights
from recall_rank._core.scan import find, mark_ranges
from recall_rank._core.scorer import Scorer
from recall_rank.budget import Deadline
from recall_rank.candidate import END, PHRASE, START, WIDTH, Candidate
from recall_rank.expand import Expansion
from recall_rank.index.piece import Piece
from recall_rank.index.searched import Searched
from recall_rank.query import Query
from recall_rank.text import encode, fold, folded

REACH_BYTES = 65_536  # text of a part around its best passage in which the whole query is looked for
MOST_PLACES = 16  # places of the whole query that are looked at
# what goes on with a name or a path
NAME_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./\\")


def holding(segment: Searched, query: Query, docs: Sequence[int]) -> bytearray:
    """A mark for each of `docs`: whether the passage holds the query as it was written; its words may all be common."""
    marks = bytearray(len(docs))
    wanted = _as_written(query)
    for piece, places in segment.parted(docs) if wanted else ():
        first = piece.segment.doc_start
        own = [docs[place] - piece.first_doc for place in places]
        starts, ends = array("Q", [first[doc] for doc in own]), array("Q", [first[doc + 1] for doc in own])
        found = bytearray(len(own))
        text = piece.segment.text_for(zip(starts, ends, strict=True))
        mark_ranges(text, starts, ends, wanted, found)
        for place, mark in zip(places, found, strict=True):
            marks[place] = mark
    return marks


def _as_written(query: Query) -> bytes:
    """The query as one text to look for; nothing where it is a single word, which terms find."""
    wanted = encode(fold(query.text.strip()))
    return wanted if len(query.words) + len(query.compounds) > 1 and len(wanted) > 3 else b""


def read(segment: Searched, query: Query, expansion: Expansion, survivors: list[Candidate], deadline: Deadline) -> bool:
    """Fill features, quoted and whole of every survivor; False when the time to score was over before the last."""
    return all(
        _read(piece, query, expansion, [survivors[place] for place in places], deadline)
        for piece, places in segment.parted([c.doc for c in survivors])
    )


def _read(piece: Piece, query: Query, expansion: Expansion, survivors: list[Candidate], deadline: Deadline) -> bool:
    """The same for the survivors of one segment."""
    segment, count = piece.segment, len(survivors)
    starts = array("Q", [segment.doc_start[c.doc - piece.first_doc] for c in survivors])
    ends = array("Q", [segment.doc_start[c.doc - piece.first_doc + 1] for c in survivors])
    table = memoryview(bytearray(4 * WIDTH * max(1, count))).cast("f", (max(1, count), WIDTH))
    text = segment.text_for(zip(starts, ends, strict=True))
    done = expansion.matcher.measure(text, starts, ends, weights.WINDOW_WORDS, table, deadline.score_by_ns)
    if done < count:
        return False
    rows = cast("list[list[float]]", table.tolist())
    wanted = _as_written(query)
    phrases = [encode(fold(phrase.strip())) for phrase in query.phrases]
    reach = max(REACH_BYTES, *map(len, [wanted, *phrases]))
    for candidate, row, start, end in zip(survivors, rows, starts, ends, strict=True):
        candidate.features = row
        if not phrases and not (wanted and row[PHRASE] > weights.WHOLE_FROM):
            continue
        part = candidate.part - piece.first_part
        # the words may be densest in another passage than the one that holds all of them in order
        low, high = max(segment.part_start[part], start - reach), min(segment.part_start[part + 1], end + reach)
        near = memoryview(segment.text_for(((low, high),)))[low:high]
        if wanted and row[PHRASE] > weights.WHOLE_FROM:
            place, candidate.whole = _whole(near, wanted)
            if place >= 0:
                first, last = segment.part_first_doc[part], segment.part_first_doc[part + 1]
                candidate.doc = piece.first_doc + bisect_right(segment.doc_start, low + place, first, last) - 1
        if phrases:
            candidate.quoted = sum(find(near, phrase) >= 0 for phrase in phrases) / len(phrases)
    return True


def _whole(text: memoryview, wanted: bytes) -> tuple[int, float]:
    """Where the whole query stands in `text`, and how well: 1 by itself, EMBEDDED as the tail of something longer."""
    place = -1
    at = find(text, wanted)
    for _ in range(MOST_PLACES):
        if at < 0:
            break
        before = text[at - 1] if at else 0
        end = at + len(wanted)
        if before not in NAME_BYTES and (text[end] if end < len(text) else 0) not in NAME_BYTES:
            return at, 1.0
        place = at if place < 0 else place
        at = find(text, wanted, end)
    return place, weights.EMBEDDED if place >= 0 else 0.0


def score(segment: Searched, query: Query, survivors: list[Candidate], deadline: Deadline) -> bool:
    """Fill similarity of the best survivors; False, and none filled, when the time to score was over before the last.

    Names, paths and error lines, which have no stop words, are compared with the densest window, whatever the order of
    the words. Of a sentence the similarity is the weighted mean, over the fields that are there, of how rapidfuzz sees
    it in the densest window, the directory, the session's title and the tool's name.
    """
    best = survivors[: weights.SCORED]
    a_sentence = not all(word.counts for word in query.words)
    scorer = Scorer(fuzz.ratio if a_sentence else fuzz.token_sort_ratio, fold(query.text))
    compared = [
        (_window(segment, candidate), *(_names(segment, candidate) if a_sentence else ())) for candidate in best
    ]
    texts = list(dict.fromkeys(chain.from_iterable(compared)))  # titles and directories come again and again
    found = array("d", bytes(8 * len(texts)))
    if scorer.scores(texts, found, deadline.score_by_ns) < len(texts):
        return False
    ratio = dict(zip(texts, found, strict=True))
    fields = (weights.FIELD_TEXT, weights.FIELD_DIRECTORY, weights.FIELD_TITLE, weights.FIELD_TOOL_NAME)
    for candidate, names in zip(best, compared, strict=True):
        share = total = 0.0
        for name, weight in zip(names, fields, strict=False):
            if name:
                share += weight
                total += weight * ratio[name]
        candidate.similarity = total / share / 100 if share else 0.0  # an author alone leaves nothing to compare
    return True


def _window(searched: Searched, candidate: Candidate) -> str:
    """The densest window of a candidate's passage."""
    segment, _, doc = searched.local(candidate.part, candidate.doc)
    base, row = segment.doc_start[doc], candidate.features
    begin, end = base + int(row[START]), base + int(row[END])
    return fold(str(memoryview(segment.text_for(((begin, end),)))[begin:end], "utf-8", "replace"))


def _names(searched: Searched, candidate: Candidate) -> tuple[str, str, str]:
    """The names around a candidate: directory, title and tool; empty where there is none."""
    segment, part, _ = searched.local(candidate.part, candidate.doc)
    session, tool = segment.session_of_part(part), segment.names.values[segment.part_tool[part]]
    return folded(session.directory), folded(session.title), folded(tool or "")
