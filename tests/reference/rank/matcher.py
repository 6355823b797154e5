"""The matches and features of a passage, every window and run one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tests.reference.rank.features import FormMatch, extent
from tests.reference.rank.passage_matches import PassageMatches
from tests.reference.rank.snippet_window import best_span
from tests.reference.text.token_buffer import MAX_TERM, WORD
from tests.reference.text.tokens import tokens

SLOTS, MAX_FORMS, MAX_PREFIXES, MAX_NAMES, REACH = 64, 2048, 64, 16, 6


class Matcher:
    """Every window and every run of a passage, one after the other."""

    def __init__(self, weights: Sequence[float], counted: Sequence[bool]) -> None:
        self.weights = list(weights)[:SLOTS]
        self.counted = [slot for slot, counts in enumerate(counted) if counts and slot < SLOTS]
        self.forms: dict[bytes, tuple[int, int, float] | None] = {}  # None is a cue
        self.prefixes: list[tuple[bytes, int, float]] = []
        self.names: list[range] = []

    def _has_room(self, form: bytes) -> bool:
        return 0 < len(form) <= MAX_TERM and form not in self.forms and len(self.forms) < MAX_FORMS

    def add(self, form: bytes, slot: int, span: int, similarity: float) -> bool:
        if slot < 0 or span < 1 or slot + span > len(self.weights) or not self._has_room(form):
            return False
        self.forms[form] = (slot, span, similarity)
        return True

    def add_name(self, slot: int, span: int) -> bool:
        if slot < 0 or span < 1 or slot + span > len(self.weights) or len(self.names) == MAX_NAMES:
            return False
        self.names.append(range(slot, slot + span))
        return True

    def add_cue(self, form: bytes) -> bool:
        if not self._has_room(form):
            return False
        self.forms[form] = None
        return True

    def add_prefix(self, form: bytes, slot: int, similarity: float) -> bool:
        if not 0 < len(form) <= MAX_TERM or not 0 <= slot < len(self.weights) or len(self.prefixes) == MAX_PREFIXES:
            return False
        self.prefixes.append((form, slot, similarity))
        return True

    def add_all(self, forms: list[tuple[bytes, int, int, float]], prefixes: list[tuple[bytes, int, float]]) -> None:
        for form in forms:
            self.add(*form)
        for prefix in prefixes:
            self.add_prefix(*prefix)

    def read(self, text: bytes) -> tuple[list[FormMatch], int, int]:
        """The events in order of position, the number of cues, the number of words."""
        events, cues, words = [], 0, 0
        for token, what, start, end, position, span, _ in tokens(text):
            words += what == WORD
            form = token.encode()
            begun = [row for row in self.prefixes if form.startswith(row[0]) and form != row[0]]
            if form in self.forms:
                known = self.forms[form]
                cues += known is None
                if known is not None:
                    events.append(FormMatch(start, end, *known, position, span))
            elif begun:
                _, slot, similarity = begun[0]
                events.append(FormMatch(start, end, slot, 1, similarity, position, span))
        return sorted(events, key=lambda event: event.position), cues, words

    def form_matches(self, text: bytes, start: int, end: int) -> list[tuple[int, int, int, int, float, int]]:
        found, _, _ = self.read(text[start:end])
        return [(e.start, e.end, e.slot, e.span, e.similarity, e.position) for e in found]

    def gain(self, events: Sequence[FormMatch]) -> float:
        """Weight of the words that count, each by its best event."""
        best = {slot: max((e.similarity for e in events if slot in e.slots), default=0.0) for slot in self.counted}
        return sum(self.weights[slot] * similarity for slot, similarity in best.items())

    def densest(self, events: Sequence[FormMatch], width: int) -> tuple[float, list[FormMatch]]:
        """The stretch of at most `width` words that gains most; the shortest of equals, then the first."""
        stretches = [
            [e for e in events[: k + 1] if e.position > last.position - width] for k, last in enumerate(events)
        ]
        ranked = sorted(stretches, key=lambda found: (-self.gain(found), extent(found)))
        return self.gain(ranked[0]), ranked[0]

    def longest_run(self, events: Sequence[FormMatch]) -> float:
        """Events that follow each other without a gap, in the text and in the query."""
        runs: list[float] = []
        for event in events:
            before = [
                run
                for other, run in zip(events, runs, strict=False)
                if other.position + other.words == event.position and other.slot + other.span == event.slot
            ]
            own = sum(self.weights[slot] for slot in event.slots) * event.similarity
            runs.append(max(before, default=0.0) + own)
        return max(runs)

    def nearness(self, events: Sequence[FormMatch], slot: int) -> float:
        """1 over the words from the last mention of the word before, 1 where one word of the text is both."""
        found = [1.0 for e in events if slot in e.slots and slot - 1 in e.slots]
        for k, event in enumerate(events):
            before = [other.position for other in events[:k] if slot - 1 in other.slots]
            if event.slot == slot and before and 1 <= event.position - before[-1] <= REACH:
                found.append(1 / (event.position - before[-1]))
        return max(found, default=0.0)

    def measure(
        self, text: bytes, starts: Sequence[int], ends: Sequence[int], width: int, out: Any, deadline_ns: int = 0
    ) -> int:
        """Every passage by itself; there is no deadline here."""
        for k, (low, high) in enumerate(zip(starts, ends, strict=True)):
            for place, value in enumerate(self.features(bytes(text[low:high]), width)):
                out[k, place] = value
        return len(starts)

    def features(self, text: bytes, width: int) -> tuple[float, ...]:
        """The values of FEATURE_NAMES, in their order."""
        events, cues, words = self.read(text)
        if not events:
            return (0, 0, 0, 0, 0, 0, 0, 0, words, cues, 0, 1)
        total = sum(self.weights[slot] for slot in self.counted) or math.inf
        pairs = [(self.weights[slot - 1] + self.weights[slot]) / 2 for slot in range(1, len(self.weights))]
        near = sum(pair * self.nearness(events, slot) for slot, pair in enumerate(pairs, start=1))
        gain, stretch = self.densest(events, width)
        best = [max((e.similarity for e in events if slot in e.slots), default=0.0) for slot in self.counted]
        return (
            self.gain(events) / total,
            gain / total,
            self.longest_run(events) / (sum(self.weights) or math.inf),
            near / (sum(pairs) or math.inf),
            sum(similarity > 0 for similarity in best),
            sum(similarity >= 1 for similarity in best),
            stretch[0].start,
            stretch[-1].end,
            words,
            cues,
            extent(stretch) + 1,
            self.held(events),
        )

    def held(self, events: Sequence[FormMatch]) -> float:
        """The share of the matched weight without the pieces of names that do not stand together."""
        apart = {slot for name in self.names if any(self.nearness(events, s) < 1 for s in name[1:]) for slot in name}
        matched = self.gain(events)
        best = {slot: max((e.similarity for e in events if slot in e.slots), default=0.0) for slot in self.counted}
        kept = sum(self.weights[slot] * similarity for slot, similarity in best.items() if slot not in apart)
        return kept / matched if matched else 1

    def matches(self, text: bytes, start: int, end: int, label: int, width: int) -> PassageMatches:
        """The slots and fields of all events, the heaviest stretch of them, and the events that are near it."""
        events, _, _ = self.read(bytes(text[start:end]))
        if not events:
            return PassageMatches(start)
        margin = width if text[start + 1 : end].isascii() else 4 * width
        fields = set()
        for event in events:
            if set(event.slots) & set(self.counted):
                fields.add([label, *(byte for byte in text[start : start + event.start] if byte >= 0xF8)][-1] - 0xF8)
        weights = [sum(self.weights[slot] for slot in event.slots) * event.similarity for event in events]
        places = [(start + event.start, start + event.end) for event in events]
        first, last = best_span(places, weights, width, [event.slot for event in events])
        low, high = places[first][0], places[last][1]
        near = [
            (place[0], place[1], event.slot, event.span, event.similarity)
            for place, event in zip(places, events, strict=True)
            if place[1] >= low - margin and place[0] <= high + margin
        ]
        slots = {slot for event in events for slot in event.slots}
        return PassageMatches(low, high, sum(1 << slot for slot in slots), sum(1 << field for field in fields), near)
