"""Draws queries, filters and options from a corpus, by seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from bench.datasets.remarks import REMARKS
from bench.reporting.same_answers.corpora import DAY_MS, Line, Transcript

FIXED_QUERIES: Final = (
    *("the of and to", "?!", "C++", "404", "a", "x.y", "✓ → 🚀", "qqqqzzxxv", "why was it decided", "#12", "--", "~/."),
    *("what did we do yesterday", "what did you say last week", "when did we fix the error", "on 2023-11-15"),
    *("in November 2023", "the first thing I asked", "what was the last error", "please always use", "TypeError"),
    *("how do I run tests", "grep", "bash", "edit src", "No module named", '"', '""', '"the error', "İstanbul ß ſ"),
    'error "not found" file',
)
FIRST_REMARKS: Final = tuple(remarks[0] for remarks in REMARKS.values())


class Draws:
    """Draws what is asked of a corpus. Equal transcripts and an equal seed give equal draws."""

    def __init__(self, transcripts: Sequence[Transcript], seed: int) -> None:
        self.chance = random.Random(f"{seed}/draw")
        self.transcripts = transcripts
        self.places = [(t, m, p) for t in transcripts for m in t.messages for p in m["parts"] if len(_text(p)) > 2]
        self.now = max(message["time"] for _, message, _ in self.places) + DAY_MS

    def queries(self, count: int) -> list[str]:
        """Return `count` queries that no labelled set holds.

        They are misspelt, joined, split, quoted, cut, long, in other scripts, error lines, titles and questions.
        """
        kinds: list[Callable[[], str]] = [
            lambda: " ".join(self._misspelt(word) for word in self._adjacent(1, 4)),
            lambda: "".join(self._adjacent(2, 3)),
            lambda: "_".join(self._adjacent(2, 3)),
            lambda: " ".join(self._split(word) for word in self._adjacent(1, 3)),
            lambda: f'"{" ".join(self._adjacent(2, 5))}" {" ".join(self._adjacent(1, 3))}',
            lambda: " ".join(self._adjacent(40, 90)),
            self._foreign,
            self._error,
            lambda: self._adjacent(1, 1)[0][: self.chance.randint(3, 6)],
            lambda: " ".join((self.chance.choice(self.transcripts).head.get("title") or "untitled").split()[:4]),
            lambda: " ".join([*self._adjacent(1, 2), *self._adjacent(1, 2), *self._adjacent(1, 2)]),
            lambda: f"what did we decide about {' '.join(self._adjacent(1, 3))} last week?",
        ]
        fixed = [*FIXED_QUERIES, *(remark[at : at + 7] for remark in FIRST_REMARKS for at in (0, 5))]
        if count < len(fixed):
            return self.chance.sample(fixed, count)
        found = fixed
        while len(found) < count:
            query = kinds[len(found) % len(kinds)]()[:2000]
            if query.strip():
                found.append(query)
        return found

    def filtered(self, number: int) -> dict[str, Any]:
        """Return the filter of query `number`: consecutive numbers get different kinds of filter."""
        transcript, message, part = self.chance.choice(self.places)
        head, word = transcript.head, self._words(part)[0]
        here = {"session_id": head["id"], "project": head.get("project"), "directory": head.get("directory") or "/"}
        kinds: list[dict[str, Any]] = [
            {"role": self.chance.choice(("user", "assistant"))},
            {"type": self.chance.choice(("text", "tool", "reasoning"))},
            {"tool_name": part.get("tool") or "bash"},
            {"session_id": head["id"]},
            {"project": head.get("project") or "none"},
            {"title": (head.get("title") or "the").split()[0]},
            {"must": [word]},
            {"must_not": [word]},
            {"after": message["time"] - 1},
            {"before": message["time"] + 1},
            {"last": "30d"},
            {"sessions": self.chance.randint(1, len(self.transcripts))},
            {"exclude_session_ids": [head["id"]]},
            {"scope": "project", "context": here},
            {"scope": "session", "context": here},
            {"context": here, "group": "session"},
        ]
        return kinds[number % len(kinds)]

    def presented(self, number: int) -> dict[str, Any]:
        """Return options of presentation: redacted snippets for odd numbers, a preferred folder for even ones."""
        if number % 2:
            return {"redact": True, "match": self.chance.choice(("smart", "literal", "fuzzy"))}
        folder = self.chance.choice(self.transcripts).head.get("directory") or "/home"
        return {"directory": folder, "fallback": number % 4 == 0, "group": self.chance.choice(("part", "session"))}

    def mixed(self) -> dict[str, Any]:
        """Return several options together; three in ten draws have scores of the caller's own."""
        options: dict[str, Any] = {
            "match": self.chance.choice(("literal", "smart", "fuzzy")),
            "group": self.chance.choice(("part", "session")),
            "order": self.chance.choice(("relevance", "time")),
            "type": self.chance.choice(("all", "all", "text", "tool")),
            "role": self.chance.choice(("all", "all", "user")),
            "results": self.chance.choice((1, 3, 10, 40)),
            "offset": self.chance.choice((0, 0, 5, 90)),
            "width": self.chance.choice((20, 200, 2000)),
            "explain": self.chance.random() < 0.3,
        }
        if self.chance.random() < 0.3:
            some = self.chance.choices(self.places, k=30)
            options["extra_scores"] = {part["id"]: self.chance.uniform(-1, 2) for _, _, part in some if "id" in part}
        return options

    def _words(self, part: Line) -> list[str]:
        return [word for word in re.findall(r"[\w./:-]+", _text(part)) if len(word) <= 40] or ["nothing"]

    def _adjacent(self, fewest: int, most: int) -> list[str]:
        """Return adjacent words of one part."""
        words = self._words(self.chance.choice(self.places)[2])
        at = self.chance.randrange(len(words))
        return words[at : at + self.chance.randint(fewest, most)]

    def _misspelt(self, word: str) -> str:
        if len(word) < 4:
            return word
        at, letter = self.chance.randrange(1, len(word) - 1), self.chance.choice("etaoinshr")
        swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        return self.chance.choice((word[:at] + word[at + 1 :], word[:at] + letter + word[at:], swapped))

    def _split(self, word: str) -> str:
        at = self.chance.randint(2, max(2, len(word) - 2))
        return f"{word[:at]} {word[at:]}" if len(word) > 5 else word

    def _foreign(self) -> str:
        """Return words of another script than Latin, from one of 40 drawn parts or else from a remark."""
        for _ in range(40):
            words = re.findall(r"[^\x00-\u02ff\u2000-\u2bff]+", _text(self.chance.choice(self.places)[2]))
            if words:
                return " ".join(self.chance.choices(words, k=self.chance.randint(1, 2)))
        remark = self.chance.choice(FIRST_REMARKS)
        at = self.chance.randrange(len(remark) - 4)
        return remark[at : at + self.chance.randint(1, 9)]

    def _error(self) -> str:
        for _ in range(200):
            lines = [line for line in _text(self.chance.choice(self.places)[2]).splitlines() if "rror" in line]
            if lines:
                return self.chance.choice(lines).strip()[:300]
        return "error"


def _text(part: Line) -> str:
    return next((part[name] for name in ("text", "output", "error") if isinstance(part.get(name), str)), "")
