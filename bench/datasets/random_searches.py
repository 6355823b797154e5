"""Draws random searches of a history: all modes, groups, orders and filters, and words written in many ways."""

from __future__ import annotations

import importlib.util
import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.datasets.documents import part_text
from bench.datasets.vocabulary import FOREIGN, STYLES, misspell, write
from recall_rank.analysis.user_vocabulary import UserVocabulary
from recall_rank.model import Context

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_rank.model import Message, Part, Session

MODES = ("literal", "smart", "fuzzy", "regex") if importlib.util.find_spec("re2") else ("literal", "smart", "fuzzy")
ENOUGH_MS = 600_000.0  # no search ends at its deadline, which would not be repeatable
SAMPLE = 400  # parts that queries are drawn from
LONGEST = 40  # characters of the longest drawn word
_STOP = "the of and to in is it that was how what why we".split()
_WORD = re.compile(r"[\w./:-]+")


@dataclass(frozen=True, slots=True)
class RandomSearch:
    """One search. Its number and the seed make it again."""

    number: int
    query: str
    options: dict[str, Any]

    def __str__(self) -> str:
        given = " ".join(f"{name}={value!r}" for name, value in self.options.items() if name not in _LONG)
        return f"#{self.number} {self.query!r} {given}"


_LONG = ("extra_scores", "budget_ms", "now")


class CancelAfterLooks:
    """A cancellation signal that is set from the `left`-th look on, so that a search is cancelled at one place in
    every run.
    """

    def __init__(self, left: int) -> None:
        self.left = left

    def __repr__(self) -> str:
        return f"CancelAfterLooks({self.left})"

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


class RandomSearches:
    """Draws searches, most of which find something in `sessions`."""

    def __init__(self, sessions: Sequence[Session], seed: int) -> None:
        self.seed = seed
        self.sessions = sessions
        held = [(m, p) for s in sessions for m in s.messages for p in m.parts if part_text(p).strip()]
        # every draw begins with one of these, so that filters and words can match one part
        self.parts: list[tuple[Message, Part]] = random.Random(seed).sample(held, min(SAMPLE, len(held)))
        self.session_of = {m.id: s for s in sessions for m in s.messages}
        self.now = max((m.time for s in sessions for m in s.messages), default=0) + 86_400_000

    def draw(self, number: int) -> RandomSearch:
        """Return search `number`; equal sessions and seeds give equal searches."""
        chance = random.Random(f"{self.seed}/{number}")
        message, part = chance.choice(self.parts)
        options = self._options(chance, message, part)
        if random.Random(f"{self.seed}/{number}/fold").random() < 0.2:
            options["fold"] = False
        if options["match"] == "regex":
            return RandomSearch(number, self._pattern(chance, part), options)
        return RandomSearch(number, self._query(chance, part), options)

    # --- words -----------------------------------------------------------------------------------

    def _words(self, part: Part) -> list[str]:
        return [word for word in _WORD.findall(part_text(part)) if len(word) <= LONGEST] or ["nothing"]

    def _query(self, chance: random.Random, part: Part) -> str:
        words = self._words(part)
        at = chance.randrange(len(words))
        word = words[at]
        run = " ".join(words[at : at + chance.randint(2, 7)])
        some = chance.sample(words, min(len(words), chance.randint(1, 6)))
        elsewhere = self._words(chance.choice(self.parts)[1])
        ways = (
            word,
            run,
            f'"{run}" {" ".join(some)}',
            " ".join(_typo(one, chance) for one in some),
            " ".join(_other_style(one, chance) for one in some),
            " ".join(_typo(_other_style(one, chance), chance) for one in some),
            " ".join([*some, *elsewhere[:3]]),
            word[: max(2, len(word) * 2 // 3)],
            word[len(word) // 3 :],
            " ".join([*chance.sample(_STOP, 4), *some[:2]]),
            " ".join(words[:40]),
            " ".join([chance.choice(FOREIGN), chance.choice(("?!", "C++", "404", "#12", "qqqqzz")), some[0]]),
        )
        return chance.choice(ways)

    def _pattern(self, chance: random.Random, part: Part) -> str:
        words = [re.escape(word) for word in self._words(part)]
        word, other = chance.choice(words), chance.choice(words)
        shapes = (word, f"{word}.*{other}", rf"\b{word[:3]}\w+", f"({word}|{other})", rf"^\w+\s+{word}", r"\d{3,}")
        shape = chance.choice(shapes)
        return shape if _compiles(shape) else word

    # --- options ---------------------------------------------------------------------------------

    def _options(self, chance: random.Random, message: Message, part: Part) -> dict[str, Any]:
        options: dict[str, Any] = {
            "match": chance.choices(MODES, (2, 4, 3, 1)[: len(MODES)])[0],
            "group": chance.choice(("part", "part", "session")),
            "order": chance.choice(("relevance", "relevance", "relevance", "time")),
            "results": chance.choice((1, 3, 10, 10, 10, 50)),
            "offset": chance.choice((0, 0, 0, 0, 3, 10, 90, 400)),
            "width": chance.choice((20, 200)),
            "budget_ms": ENOUGH_MS,
            "now": self.now,
        }
        for _ in range(chance.choice((0, 0, 1, 1, 2, 3))):
            options |= self._filter(chance, message, part)
        if "tool_name" in options:  # the engine requires it
            options["type"] = "tool"
        if chance.random() < 0.1:  # cancelled while it runs
            options["cancel"] = CancelAfterLooks(chance.randrange(12))
        if chance.random() < 0.15:
            some = chance.sample(self.parts, min(40, len(self.parts)))
            options["extra_scores"] = {one.id: chance.uniform(-1, 2) for _, one in some}
        return options

    def _filter(self, chance: random.Random, message: Message, part: Part) -> dict[str, Any]:
        """Return one filter, which the drawn part often passes; {} where the part has nothing to filter by."""
        session = self.session_of[message.id]
        other = chance.choice(self.parts)[1]
        here = Context(session_id=session.id, project=session.project, directory=session.directory or "/")
        one: dict[str, Any] = chance.choice(
            (
                {"type": part.type if part.type in ("text", "tool", "reasoning") else "text"},
                {"role": chance.choice(("user", "assistant"))},
                {"session_id": session.id},
                {"session_prefix": session.id[: chance.randint(1, len(session.id))]},
                {"title": (session.title or "").split(" ")[0]},
                {"sessions": chance.randint(1, len(self.sessions))},
                {"directory": session.directory, "fallback": chance.random() < 0.6},
                {"tool_name": part.tool},
                {"project": session.project},
                {"exclude_session_ids": [chance.choice(self.sessions).id]},
                {"must": [chance.choice(self._words(part))]},
                {"must_not": [chance.choice(self._words(other))]},
                {"exact": [" ".join(self._words(part)[:2])]},
                {"agent": session.agent},
                {"host": session.host or "quay"},
                {"user": session.user or "ana"},
                {"files": [chance.choice(self._words(part))]},
                {"syntax": True},
                {"vocabulary": self._vocabulary(chance, part, other)},
                {"after": message.time - 1},
                {"before": message.time + 1},
                {"scope": chance.choice(("session", "project")), "context": here},
            )
        )
        return one if all(value not in (None, "", -1) for value in one.values()) else {}

    def _vocabulary(self, chance: random.Random, part: Part, other: Part) -> UserVocabulary | None:
        """Return a vocabulary in which a word of one part stands for one of another; None where it has no letter."""
        one, two = (chance.choice(self._words(each)) for each in (part, other))
        try:
            return UserVocabulary(both_ways=[[one, two]])
        except ValueError:
            return None


def _typo(word: str, chance: random.Random) -> str:
    """Return the word with one edit, or unchanged without four adjacent letters."""
    return misspell(word, chance) if re.search(r"[^\W\d_]{4}", word) else word


def _other_style(word: str, chance: random.Random) -> str:
    pieces = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+", word)
    return write([piece.lower() for piece in pieces], chance.choice((*STYLES, "space", "glued"))) if pieces else word


def _compiles(pattern: str) -> bool:
    """Return whether a pattern compiles: part of a word of another script may end inside an escape."""
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
