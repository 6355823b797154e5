"""Evidence of a query, computed document by document in double precision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tests.reference.index.doc_columns import PEOPLE, PROSE, TITLE, WORK, DocColumns, in_ranges
from tests.reference.index.postings import Postings

LONGEST = 1024


class Evidence:
    """BM25 document by document in double precision."""

    def __init__(self, doc_columns: DocColumns, postings: Postings, eligible: Sequence[int] | None = None) -> None:
        self.doc_columns = doc_columns
        self.frequencies = [dict(pairs) for pairs in postings.lists]
        self.allowed = [eligible is None or eligible[doc] != 0 for doc in range(len(doc_columns.doc_part))]
        self.scores = [0.0] * len(doc_columns.doc_part)
        self.base: dict[int, float] = {}  # part -> its best document's score
        self.best: dict[int, int] = {}  # part -> the first such document
        self.fused: dict[int, float] = {}
        self.tier: dict[int, int] = {}  # part -> 0, unless an extension brought it
        self.tiers = 0
        self.sums: dict[int, float] = {}  # session -> sum of cubes

    def accumulate(
        self,
        starts: Sequence[int],
        firsts: Sequence[int],
        lasts: Sequence[int],
        weights: Sequence[float],
        factors: Sequence[float],
        joint: Sequence[int],
        k1: float,
        norms: Any,
        class_weights: Sequence[float],
        deadline_ns: int = 0,
    ) -> bool:
        for doc, kind in enumerate(self.doc_columns.scored_classes()):
            if not self.allowed[doc]:
                continue
            heard = [
                sum(
                    weights[member] * self.frequencies[term].get(doc, 0)
                    for member in range(low, high)
                    for term in range(firsts[member], lasts[member])
                )
                for low, high in pairwise(starts)
            ]
            norm = norms[kind, min(self.doc_columns.doc_words[doc], LONGEST - 1)]
            for group, factor in enumerate(factors):
                if group + 1 < len(factors) and joint[group + 1]:
                    continue  # the first half only counts with the second
                tf = min(heard[group - 1], heard[group]) if joint[group] else heard[group]
                self.scores[doc] += factor * (k1 + 1) * tf / (tf + norm) if tf else 0.0
            self.scores[doc] *= class_weights[kind]
        return True

    def add_times(self, starts: Sequence[int], ends: Sequence[int], value: float) -> None:
        for doc, score in enumerate(self.scores):
            if score and in_ranges(self.doc_columns.message_time[self.doc_columns.message_of(doc)], starts, ends):
                self.scores[doc] += value

    def is_title(self, part: int) -> bool:
        return self.doc_columns.doc_class[self.best[part]] == TITLE

    def fuse(
        self,
        neighbours: Sequence[float],
        session: Sequence[float],
        only: Sequence[int] | None = None,
        echo: float = 0,
        echo_floor: float = 0,
        echo_work: float = 0,
    ) -> int:
        doc_columns = self.doc_columns
        for doc, score in enumerate(self.scores):
            part = doc_columns.doc_part[doc]
            if score and score > self.base.get(part, 0.0):
                self.base[part], self.best[part] = score, doc
        messages: dict[int, float] = {}
        titles: dict[int, float] = {}
        best_messages: dict[int, float] = {}
        for part, score in self.base.items():
            if self.is_title(part):
                titles[doc_columns.session_of(part)] = score
            else:
                message = doc_columns.part_message[part]
                messages[message] = max(score, messages.get(message, 0.0))
        for message, score in messages.items():
            place = doc_columns.message_session[message]
            self.sums[place] = self.sums.get(place, 0.0) + score**3
            best_messages[place] = max(score, best_messages.get(place, 0.0))
        for part, score in self.base.items():
            if only is not None and not only[part]:
                continue
            message, place = doc_columns.part_message[part], doc_columns.session_of(part)
            talk = doc_columns.session_talk[place]
            people = talk == PEOPLE
            for weight, step in zip(neighbours[4 * talk : 4 * talk + 4], (-1, 1, -2, 2), strict=True):
                other = message + step
                if 0 <= other < len(doc_columns.message_session) and doc_columns.message_session[other] == place:
                    score += weight * messages.get(other, 0.0)
            norm, title, best = session[people], session[2 + people], session[4 + people]
            score += norm * self.session_evidence(place) + best * best_messages.get(place, 0.0)
            if not self.is_title(part):
                score += title * titles.get(place, 0.0)
            asked = doc_columns.message_asked[message] if doc_columns.message_asked is not None else message
            if asked != message and not self.is_title(part):
                share = echo if doc_columns.doc_class[self.best[part]] == PROSE else echo_work
                floor = 0.0 if talk == WORK else echo_floor
                score += share * max(0.0, messages.get(asked, 0.0) - floor)
            self.fused[part] = score
        self.tiers = 1
        return len(self.fused)

    def session_evidence(self, session: int) -> float:
        return math.cbrt(self.sums.get(session, 0.0))

    def extend(self, other: Evidence, share: float) -> None:
        for part in other.fused:
            if part not in self.fused:
                self._add(part, other.best[part], share * other.fused[part], share * other.base[part])
        self.tiers += 1

    def extend_marked(self, parts: Sequence[int]) -> None:
        for part, mark in enumerate(parts):
            if mark and part not in self.fused:
                self._add(part, list(self.doc_columns.doc_part).index(part), 0.0, 0.0)
        self.tiers += 1

    def _add(self, part: int, doc: int, score: float, base: float) -> None:
        self.fused[part], self.base[part], self.best[part], self.tier[part] = score, base, doc, self.tiers

    def sessions(self) -> list[tuple[int, int, int, float, int, bool, int]]:
        """Content stands for a session before its title does; score and tier are those of the best of both."""

        def rank(part: int) -> tuple[int, float, int]:
            return self.tier.get(part, 0), -self.fused[part], part

        found = []
        for session in {self.doc_columns.session_of(part) for part in self.fused}:
            parts = [part for part in self.fused if self.doc_columns.session_of(part) == session]
            content = [part for part in parts if not self.is_title(part)]
            shown, best = min(content or parts, key=rank), min(parts, key=rank)
            title = len(content) < len(parts)
            found.append((session, shown, self.best[shown], self.fused[best], len(parts), title, rank(best)[0]))
        return sorted(found, key=lambda row: (row[6], -row[3], row[0]))
