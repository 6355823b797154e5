"""Queries with known answers, drawn by seed from histories of coding agents: as many of each kind and source as the
published figures count.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from bench.datasets.label import pieces
from bench.datasets.published.histories.parts import NAME_LENGTH, compounds, mentioned, paths, placed_parts
from bench.datasets.vocabulary import misspell, write
from recall_rank.analysis.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from bench.datasets.published.histories.parts import PlacedPart
    from bench.datasets.published.records import Row

SEED = 20261121
PI, CLI, MINSKY, BSC, SWE = "pi-fixtures", "specstory-cli", "specstory-minsky", "specstory-agente-bsc", "swe-agent"
# kind -> source -> queries
WANTED: Mapping[str, Mapping[str, int]] = {
    "identifier": {PI: 15, BSC: 14, CLI: 14, MINSKY: 14, SWE: 14},
    "identifier_ambiguous": {PI: 6, BSC: 6, CLI: 5, MINSKY: 5, SWE: 5},
    "identifier_typo": {PI: 8, BSC: 8, CLI: 8, MINSKY: 8, SWE: 7},
    "identifier_separator": {PI: 8, BSC: 8, CLI: 8, MINSKY: 8, SWE: 7},
    "identifier_typo_separator": {PI: 4, BSC: 4, CLI: 4, MINSKY: 4, SWE: 5},
    "file_path": {PI: 8, BSC: 8, CLI: 8, MINSKY: 8, SWE: 4},
    "error_string": {PI: 16, CLI: 16, SWE: 4},
    "error_noisy": {PI: 8, CLI: 8, SWE: 4},
    "title_session": {BSC: 2, CLI: 25, MINSKY: 25, SWE: 3},
    "first_message_dropped": {PI: 1, BSC: 2, CLI: 31, MINSKY: 31, SWE: 11},
    "followup_backref": {PI: 10, BSC: 1, CLI: 47, MINSKY: 1},
    "question_answer": {PI: 20, BSC: 11, CLI: 20, MINSKY: 20},
}
MOST_PARTS = 8  # parts that mention a thing of one session
AMBIGUOUS = 10  # parts that mention a thing of several sessions
MOST_SESSIONS = 5
MOST_OF_TITLE = 3  # sessions of one title
MOST_CANDIDATES = 30  # earlier parts that a reference can mean
FOLLOW_UP_LENGTH, QUESTION_LENGTH, TITLE_LENGTH = range(30, 645), range(30, 285), range(16, 60)
KEPT, FEWEST_WORDS, MOST_WORDS = 0.6, 4, 12  # of a first message
SEPARATED = ("kebab", "dotted", "space", "snake", "camel")


def queries(history: Sequence[Row], seed: int = SEED) -> list[Row]:
    """Return the queries of every kind, as WANTED says; fewer where a source does not hold enough of a kind."""
    parts = placed_parts(history)
    found = mentioned(parts)
    drawn: list[Row] = []
    chance = random.Random(seed)
    names = _of_one_session(found["compound"], MOST_PARTS)
    shared = {
        name: where
        for name, where in found["compound"].items()
        if len(where) <= AMBIGUOUS and 1 < len({part.session for part in where}) <= MOST_SESSIONS
    }
    lines = _of_one_session(found["error"], 2)
    drawn += _draw("identifier", names, _as_written, chance)
    drawn += _draw("identifier_ambiguous", shared, _as_written, chance)
    drawn += _draw("identifier_typo", names, _typo, chance)
    drawn += _draw("identifier_separator", names, _separator, chance)
    drawn += _draw("identifier_typo_separator", names, _typo_separator, chance)
    drawn += _draw("file_path", _of_one_session(found["path"], MOST_PARTS), _as_written, chance)
    drawn += _draw("error_string", lines, _as_written, chance)
    drawn += _draw("error_noisy", lines, _noisy, chance)
    drawn += _sample("title_session", _titles(history), chance)
    drawn += _sample("first_message_dropped", _first_messages(parts, chance), chance)
    turns = _Turns(parts)
    drawn += _sample("followup_backref", turns.follow_ups(), chance)
    drawn += _sample("question_answer", turns.questions(), chance)
    return drawn


def _of_one_session(found: Mapping[str, list[PlacedPart]], most: int) -> dict[str, list[PlacedPart]]:
    return {
        thing: where
        for thing, where in found.items()
        if len(where) <= most and len({part.session for part in where}) == 1
    }


def _draw(
    kind: str,
    found: Mapping[str, list[PlacedPart]],
    ask: Callable[[str, random.Random], str],
    chance: random.Random,
) -> list[Row]:
    """Return queries for things drawn from each source; every part that mentions the thing is an answer."""
    plain = {_plain(thing) for thing in found}
    candidates = []
    for thing in sorted(found):
        asked = ask(thing, chance)
        if not asked or (asked != thing and _plain(asked) in plain and _plain(asked) != _plain(thing)):
            continue  # impossible in this way, or the name of another thing
        first, *others = found[thing]
        labels = {"relevant": [first.answer], "also": [part.answer for part in others]}
        candidates.append((first.source, {"query": asked, "original": thing, **labels}))
    return _sample(kind, candidates, chance)


def _sample(kind: str, candidates: Iterable[tuple[str, Row]], chance: random.Random) -> list[Row]:
    """Return as many of the candidates (source, query) as are wanted of each source."""
    by_source: dict[str, list[Row]] = defaultdict(list)
    for source, query in candidates:
        by_source[source].append(query)
    taken: list[Row] = []
    for source, count in WANTED[kind].items():
        some = by_source[source]
        for query in chance.sample(some, min(count, len(some))):
            taken.append({"id": f"{kind}-{len(taken):04d}", "kind": kind, "source": source, **query})
    return taken


def _plain(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


# --- ways of asking ----------------------------------------------------------------------------------


def _as_written(thing: str, chance: random.Random) -> str:  # noqa: ARG001 - every way of asking has one shape
    return thing


def _typo(thing: str, chance: random.Random) -> str:
    return misspell(thing, chance)


def _separator(thing: str, chance: random.Random) -> str:
    said = pieces(thing)
    styles = [style for style in SEPARATED if write(said, style) != thing]
    return write(said, chance.choice(styles)) if len(said) > 1 else ""


def _typo_separator(thing: str, chance: random.Random) -> str:
    said = pieces(thing)
    at = max(range(len(said)), key=lambda place: len(said[place]))
    if len(said) < 2 or len(said[at]) < 4 or not said[at].isalpha():
        return ""
    said[at] = misspell(said[at], chance)
    return " ".join(said)


def _noisy(line: str, chance: random.Random) -> str:
    """Return an error line without about a quarter of its words, with one other word misspelt."""
    kept = [word for word in line.split() if chance.random() > 0.25]
    long = [at for at, word in enumerate(kept) if re.search(r"[^\W\d_]{5}", word)]
    if len(kept) < 3 or not long:
        return ""
    at = chance.choice(long)
    run = max(re.finditer(r"[^\W\d_]+", kept[at]), key=lambda found: len(found[0]))
    kept[at] = kept[at][: run.start()] + misspell(run[0], chance) + kept[at][run.end() :]
    return " ".join(kept)


# --- sessions ------------------------------------------------------------------------------------------


def _titles(history: Iterable[Row]) -> Iterator[tuple[str, Row]]:
    """Yield a query for each title that few sessions have; each of these answers it."""
    titled: dict[str, list[Row]] = defaultdict(list)
    for row in history:
        if row["t"] == "session" and row["title"] and len(row["title"]) in TITLE_LENGTH:
            titled[row["title"]].append(row)
    for title, rows in titled.items():
        if len(rows) > MOST_OF_TITLE:
            continue
        answers = [{"session": row["id"], "message": None, "part": None} for row in rows]
        yield rows[0]["source"], {"query": title, "relevant": answers}


def _first_messages(parts: Iterable[PlacedPart], chance: random.Random) -> Iterator[tuple[str, Row]]:
    """Yield a query for the first thing that a person wrote in each session, where no other part repeats it."""
    parts = list(parts)
    times = Counter(part.text for part in parts)
    begun = set()
    for part in parts:
        if part.session in begun or not _typed(part):
            continue
        begun.add(part.session)
        telling = [word for word in re.findall(r"[^\s,;:!?()]+", part.text) if word.lower() not in STOP_WORDS]
        kept = [word for word in telling[:40] if chance.random() < KEPT][:MOST_WORDS]
        if len(kept) >= FEWEST_WORDS and times[part.text] == 1:
            yield part.source, {"query": " ".join(kept), "relevant": [part.answer]}


def _typed(part: PlacedPart) -> bool:
    """Return whether a person wrote a part, and no program in its place."""
    return part.role == "user" and part.type == "text" and not part.text.startswith(("<", "[Request interrupted"))


class _Turns:
    """What people said, and what came before and after it. Equal texts are copies of one another, as sessions that
    were resumed or forked hold them.
    """

    def __init__(self, parts: Iterable[PlacedPart]) -> None:
        self.sessions: dict[str, list[PlacedPart]] = defaultdict(list)
        self.copies: dict[str, list[PlacedPart]] = defaultdict(list)
        for part in parts:
            self.sessions[part.session].append(part)
            self.copies[part.text].append(part)

    def follow_ups(self) -> Iterator[tuple[str, Row]]:
        """Yield a query for each remark that names a compound or path which its session held before. Of several
        names the one with the fewest earlier parts counts. The first and the last of these parts are the answers; the
        parts between them, and copies of all, are acceptable.
        """
        asked = set()
        for session in self.sessions.values():
            for at, part in enumerate(session):
                if not (_typed(part) and len(part.text) in FOLLOW_UP_LENGTH) or part.text in asked:
                    continue
                earlier = self._earlier(session[:at], part)
                if earlier:
                    asked.add(part.text)
                    relevant = list(dict.fromkeys((earlier[0], earlier[-1])))
                    others = [one for one in self._with_copies(earlier, part.time) if one not in relevant]
                    yield (
                        part.source,
                        {
                            "query": part.text,
                            "relevant": [one.answer for one in relevant],
                            "also": [one.answer for one in others],
                            "exclude": self._messages(part),
                            "before": part.time,
                        },
                    )

    def _earlier(self, before: Sequence[PlacedPart], part: PlacedPart) -> list[PlacedPart]:
        """Return the agent's earlier parts with the rarest name of a remark; none where all names are new or common."""
        older = [one for one in before if one.time < part.time and one.role == "assistant"]
        names = sorted(compounds(part.text, NAME_LENGTH) | paths(part.text))
        named = [[one for one in older if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", one.text)] for name in names]
        few = [found for found in named if 0 < len(found) <= MOST_CANDIDATES]
        return min(few, key=len, default=[])

    def questions(self) -> Iterator[tuple[str, Row]]:
        """Yield a query for each question. The last text that the agent said before the next remark answers it."""
        asked = set()
        for session in self.sessions.values():
            for at, part in enumerate(session):
                if not (_typed(part) and len(part.text) in QUESTION_LENGTH and "?" in part.text) or part.text in asked:
                    continue
                answer: PlacedPart | None = None
                for one in session[at + 1 :]:
                    if one.role == "user" and one.message != part.message:
                        break
                    answer = one if one.role == "assistant" and one.type == "text" else answer
                if answer is not None:
                    asked.add(part.text)
                    others = [one.answer for one in self.copies[answer.text] if one != answer]
                    labels = {"relevant": [answer.answer], "also": others, "exclude": self._messages(part)}
                    yield part.source, {"query": part.text, **labels}

    def _with_copies(self, parts: Iterable[PlacedPart], before: int) -> Iterator[PlacedPart]:
        for part in parts:
            yield from (one for one in self.copies[part.text] if one.time < before)

    def _messages(self, part: PlacedPart) -> list[dict[str, Any]]:
        """Return the messages that say what a part says."""
        return [{"session": one.session, "message": one.message} for one in self.copies[part.text]]
