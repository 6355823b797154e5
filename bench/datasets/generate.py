"""Generates histories of any size, session by session. Equal sizes and seeds give equal bytes on every machine."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bench.datasets.vocabulary import FOREIGN, NON_ASCII_SHARE, STYLES, words, write, zipf
from recall_rank.model import Flag, Message, Part, Role, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.datasets.history_files import Answer

PARTS_PER_SESSION = 120
PROJECTS = 24
CONCEPTS = 180_000  # compounds; each session uses some of those of its project
START = 1_700_000_000_000  # time of the first session, ms
SESSION_GAP = 5_400_000
TURN_GAP = 40_000

_ERRORS = (
    "TypeError: cannot read property '{a}' of undefined ({p}:{n})",
    "{p}({n},{m}): error TS{n}: Type '{a}' is not assignable to type '{b}'.",
    "ModuleNotFoundError: No module named '{a}.{b}'",
    'File "{p}", line {n}, in {a}: KeyError: {w} {v}',
    "error[E0{m}]: cannot find value `{a}` in this scope, {w} {v} at {p}:{n}",
    "panic: {a}: {w} {v} out of range [{n}] with length {m}",
    "AssertionError: expected {n} but got {m} in {a} ({w} {v})",
    "fatal: {w} {v}: {a} refused after {n} ms",
)
_TOOLS = ("bash", "read", "grep", "edit", "write", "glob", "webfetch")


@dataclass(frozen=True, slots=True)
class Mention:
    """Something that a person could search for later, and the part that holds it."""

    kind: str  # identifier, error, path, prose, request
    key: str  # equal for all styles of a compound
    text: str
    answer: Answer


def sessions(parts: int, seed: int = 1) -> Iterator[Session]:
    """Yield about `parts` parts in sessions, oldest first; each session is made when it is asked for."""
    for number in range(count(parts)):
        yield Writer(number, seed).session()[0]


def mentions(parts: int, seed: int = 1) -> Iterator[Mention]:
    """Yield the mentions of the history that `sessions` makes from equal arguments, in its order."""
    for number in range(count(parts)):
        yield from Writer(number, seed).session()[1]


def count(parts: int) -> int:
    """Return the number of sessions of a history of about `parts` parts."""
    return max(1, round(parts / PARTS_PER_SESSION))


class Writer:
    """Writes one session. It depends on the number of the session and the seed alone."""

    def __init__(self, number: int, seed: int) -> None:
        self.number = number
        self.chance = random.Random(f"{seed}/{number}")
        self.numbers = np.random.default_rng([seed, number])
        self.project = number % PROJECTS
        self.vocabulary = words()
        self.drawn: list[int] = []
        self.found: list[Mention] = []
        first = self.project * (CONCEPTS // PROJECTS)
        self.concepts = range(first, first + CONCEPTS // PROJECTS)
        self.favourites = self.chance.sample(self.concepts, 30)
        self.topic = [self.vocabulary[self.chance.randrange(200, len(self.vocabulary))] for _ in range(25)]
        self.answer: Answer = ("", None, None)
        self.paths = [self._new_path() for _ in range(8)]

    def session(self) -> tuple[Session, list[Mention]]:
        """Return the session and its mentions."""
        name = f"ses_{self.number:06d}"
        start = START + self.number * SESSION_GAP
        turns = []
        written = at = 0
        while written < PARTS_PER_SESSION:
            message = self._message(name, at, start + at * TURN_GAP)
            turns.append(message)
            written += len(message.parts)
            at += 1
        project = f"project-{self.vocabulary[500 + self.project]}"
        made = Session(
            id=name,
            messages=turns,
            title=" ".join(
                [self.word(), self.chance.choice(self.topic), self.word(), self._styled(STYLES)]
            ).capitalize(),
            directory=f"/home/dev/{project}",
            project=project,
            created=start,
            updated=start + at * TURN_GAP,
            source="generated",
            agent="generator",
        )
        return made, self.found

    def _message(self, session: str, at: int, time: int) -> Message:
        name = f"{session}.m{at}"
        user = at % 12 == 0
        kinds = (
            ["text"]
            if user
            else self.chance.choices(("tool", "text", "reasoning"), (66, 24, 10), k=self.chance.randint(1, 4))
        )
        parts = []
        for place, kind in enumerate(kinds):
            self.answer = (session, name, f"{name}.p{place}")
            parts.append(self._part(f"{name}.p{place}", "request" if user else kind))
        role: Role = "user" if user else "assistant"
        return Message(id=name, role=role, time=time, parts=parts, agent=None if user else "build")

    def _part(self, name: str, kind: str) -> Part:
        match kind:
            case "tool":
                return self._tool(name)
            case "reasoning":
                return Part(id=name, type="reasoning", text=self._prose(self.chance.randint(15, 60), "prose"))
            case "request":
                return Part(id=name, type="text", text=self._prose(self.chance.randint(8, 40), "request"))
        return Part(id=name, type="text", text=self._prose(self.chance.randint(10, 110), "prose"))

    def _tool(self, name: str) -> Part:
        tool = self.chance.choice(_TOOLS)
        path = self._path()
        error = self._error() if self.chance.random() < 0.08 else None
        given = {"command": f"{self.word()} --{self.word()} {path}"} if tool == "bash" else {"filePath": path}
        lines = [self._line() for _ in range(min(200, int(self.chance.lognormvariate(1.6, 1.0))))]
        flags = Flag.ERROR if error else Flag.NONE
        status = "error" if error else "completed"
        return Part(name, "tool", None, tool, given, "\n".join(lines), error, status=status, flags=flags, files=(path,))

    def _line(self) -> str:
        """Return one line of a tool's output: code, a log line or noise."""
        match self.chance.randrange(6):
            case 0:
                return f"{self._path()}:{self.chance.randint(1, 900)}: {self._identifier()}"
            case 1:
                called = f"{self._identifier()}({self.word()}, {self.chance.randint(0, 4096)})"
                return f"    const {self._identifier()} = {called};"
            case 2:
                return f"[{self.chance.randint(0, 23):02d}:{self.chance.randint(0, 59):02d}] INFO {self._plain(8)}"
            case 3:
                return f"{self._noise()} {self._plain(3)}"
            case 4:
                return f"def {self._identifier()}({self.word()}, {self.word()}): return {self.word()}.{self.word()}"
        return self._plain(12)

    def _noise(self) -> str:
        bits = self.chance.getrandbits(128)
        uuid = f"{bits:032x}"
        shapes = (uuid[:12], f"{uuid[:8]}-{uuid[8:12]}-{uuid[12:16]}-{uuid[16:20]}-{uuid[20:]}", f"{bits % 10**9}")
        return self.chance.choice((*shapes, f"0x{bits % 2**32:08x}"))

    def _error(self) -> str:
        line = self.chance.choice(_ERRORS).format(
            a=self._identifier(),
            b=self._identifier(),
            p=self._path(),
            w=self.chance.choice(self.topic),
            v=self.word(),
            n=self.chance.randint(10, 4000),
            m=self.chance.randint(10, 900),
        )
        return self._mention("error", line)

    def _prose(self, length: int, kind: str) -> str:
        """Return sentences of plain words, topic words and some identifiers."""
        said = []
        for _ in range(length):
            luck = self.chance.random()
            said.append(
                self._identifier() if luck < 0.05 else self.chance.choice(self.topic) if luck < 0.22 else self.word()
            )
        text = ""
        for place, word in enumerate(said):
            opens = place == 0 or text.endswith((". ", ".\n"))
            text += word.capitalize() if opens and word.isalpha() and word.islower() else word
            text += self.chance.choices((" ", ", ", ". ", ".\n"), (86, 6, 7, 1))[0] if place < length - 1 else "."
        return self._mention(kind, text)

    def _plain(self, length: int) -> str:
        return " ".join(self.word() for _ in range(length))

    def word(self) -> str:
        """Return a word drawn by Zipf's law, or rarely one of another script."""
        if self.chance.random() < NON_ASCII_SHARE:
            return self.chance.choice(FOREIGN)
        if not self.drawn:
            self.drawn = zipf(self.numbers, 2048)
        return self.vocabulary[self.drawn.pop()]

    def _identifier(self) -> str:
        return self._mention("identifier", self._styled(STYLES))

    def _styled(self, styles: Sequence[str]) -> str:
        """Return a compound in one of the styles: mostly one of the session's favourites, else any of its project."""
        number = self.chance.choice(self.favourites if self.chance.random() < 0.6 else self.concepts)
        return write(_concept(number), self.chance.choice(styles))

    def _path(self) -> str:
        """Return a path: mostly one of the session's files, else a new one. Its file name is mentioned as an
        identifier too.
        """
        path = self.chance.choice(self.paths) if self.chance.random() < 0.5 else self._new_path()
        self._mention("identifier", path.rpartition("/")[2].partition(".")[0])
        return self._mention("path", path)

    def _new_path(self) -> str:
        folder = "/".join(self.vocabulary[self.chance.randrange(60, 900)] for _ in range(self.chance.randint(1, 3)))
        root, ending = (
            self.chance.choice(("src", "lib", "tests", "packages")),
            self.chance.choice((".ts", ".py", ".rs", ".go")),
        )
        return f"{root}/{folder}/{self._styled(('camel', 'pascal', 'snake', 'kebab'))}{ending}"

    def _mention(self, kind: str, text: str) -> str:
        key = "".join(letter for letter in text.lower() if letter.isalnum()) if kind == "identifier" else text
        self.found.append(Mention(kind, key, text, self.answer))
        return text


def _concept(number: int) -> tuple[str, ...]:
    """Return the words of a compound; its number alone decides them."""
    chance = random.Random(number)
    vocabulary = words()
    return tuple(vocabulary[chance.randrange(60, len(vocabulary))] for _ in range(chance.choice((2, 2, 3))))
