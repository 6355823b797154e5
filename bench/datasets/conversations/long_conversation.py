"""A made-up conversation of many rounds with an agent, in which facts of several kinds are planted.

Equal seeds give equal conversations. Every name in it is made up. The wordings of decisions were written down before
the patterns of `compaction_notes` were run over them. Those patterns were then widened by rules for the first list of
decisions. The second list was written after that and changed no pattern, so its figure tells how well they do on
wordings that they do not know.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from recall_rank.frontends.compression.conversation import tokens_of
from recall_rank.frontends.transcripts.statistics import estimated_tokens

ChatMessage = dict[str, Any]

DECISION: Final = "decision, marked as one"
UNSEEN: Final = "decision, in other wordings"
IMPLIED: Final = "decision, not marked"
CONSTRAINT: Final = "constraint"
PENDING: Final = "pending work"
PATH: Final = "path"
INCIDENTAL: Final = "incidental fact"

# Kind: how many are planted in 100 rounds, and wordings; {s} and {v} are the names by which a fact is known.
PLANTED: Final[dict[str, tuple[int, tuple[str, ...]]]] = {
    DECISION: (
        36,
        (
            "Decision: {s} keeps its state in {v}.",
            "We decided to put {s} behind {v}.",
            "Let's go with {v} for {s}.",
            "OK, we're going with {v} for {s}, the alternative costs too much.",
            "I've settled on {v} as the backend of {s}.",
            "We agreed that {s} only talks to {v}.",
            "After comparing both, I'm choosing {v} over the default for {s}.",
            "We opted for {v} in {s}.",
            "Final call: {s} ships with {v}.",
            "We'll stick with {v} for {s}.",
            "For now {s} will use {v} instead of the old queue.",
            "Agreed, {v} it is for {s}.",
            "The plan of record is that {s} moves to {v}.",
            "We ruled out {v} for {s} because of its licence.",
            "Verdict: {v} stays the store of {s}.",
            "The proposal was accepted: {s} is built on {v}.",
            "We're standardising on {v} across {s}.",
            "Resolved: {s} writes through {v}.",
            "We picked {v} rather than a second cache for {s}.",
            "Conclusion of the review: {s} gets {v}.",
            "We chose to drop {v} from {s}.",
            "The team has committed to {v} for {s}.",
            "I don't want to revisit this: {s} uses {v}, that is decided.",
            "The call is made: {v} owns the retries of {s}.",
        ),
    ),
    UNSEEN: (
        24,
        (
            "Let's do {v} for {s}.",
            "We went for {v} in {s}.",
            "I'm sold on {v} for {s}.",
            "We are moving {s} to {v}.",
            "{v} won over the others for {s}.",
            "That settles it, {s} needs {v}.",
            "We concluded that {s} should use {v}.",
            "After the meeting everybody wants {v} for {s}.",
            "The design note says {s} talks to {v}.",
            "I vote for {v} in {s} and nobody objects.",
            "Going ahead with {v} for {s}.",
            "{s} gets {v}, end of story.",
        ),
    ),
    IMPLIED: (
        12,
        (
            "Fine, {v} works for {s}.",
            "Use {v} for {s}, please.",
            "Yes, do {s} the {v} way.",
            "{s} on {v} then.",
        ),
    ),
    CONSTRAINT: (
        20,
        (
            "You must not change {s} without asking {v}.",
            "Never touch {s} from {v}.",
            "Don't deploy {s} on {v}.",
            "Always run {s} through {v} first.",
            "{s} has to stay compatible with {v}.",
            "Make sure that {s} works without {v}.",
            "{s} may only be reached through {v}.",
            "No new dependency in {s} besides {v}.",
        ),
    ),
    PENDING: (
        16,
        (
            "TODO: wire {s} to {v}.",
            "Next step: move {s} over to {v}.",
            "Still open: {s} has no test for {v}.",
            "Remaining: the docs of {s} for {v}.",
            "I have not done {v} for {s} yet.",
            "Left for tomorrow is {s} on {v}.",
            "Follow-up: benchmark {s} against {v}.",
        ),
    ),
    PATH: (24, ("I edited src/{s}/{v}.py and it imports again.", "The handler lies in services/{s}/{v}.ts now.")),
    INCIDENTAL: (
        30,
        (
            "By the way, the {s} machine sits in rack {v}.",
            "The {s} dashboard was built by {v}.",
            "Somebody called {v} asked about {s} in the morning.",
            "The run of {s} took as long as {v} did.",
        ),
    ),
}
_OF_USER: Final = {
    CONSTRAINT: 1.0,
    IMPLIED: 1.0,
    DECISION: 0.4,
    UNSEEN: 0.4,
    INCIDENTAL: 0.5,
}  # the chance that the user says it

_REQUESTS: Final = (
    "Can you look at the {a} module, the {b} job fails there?",
    "Please add a command that lists the {a} of every {b}.",
    "The {a} page is slow, where does the time go in {b}?",
    "Rename {a} and update everything in {b} that uses it.",
    "Write the tests for {a} that were missing in {b}.",
)
_NOISE: Final = (
    "The trace points at {a}, so I look at the loop in {b} first.",
    "The second run of {a} printed nothing new.",
    "I don't see the cause in {a} yet, let me print what {b} returns.",
    "That printed the value of {a} three times, as expected.",
    "The test of {a} hangs in {b} when the socket is closed.",
    "Here is what the function {a} looks like after the edit.",
    "Now {a} passes and {b} fails with the old message.",
    "Let me run {a} once more with the verbose flag.",
)
_SYSTEM: Final = "You are a coding agent in the repository {a}. Run commands with bash, keep answers short."


@dataclass(frozen=True, slots=True)
class PlantedFact:
    """A fact that one message of a conversation states, and the two names, nowhere else used, that tell it."""

    kind: str
    sentence: str
    names: tuple[str, str]
    round: int  # from 0

    def stands_in(self, texts: Sequence[str]) -> bool:
        """Return whether a line of a text has both names."""
        first, second = self.names
        return any(first in line and second in line for text in texts if first in text for line in text.split("\n"))


@dataclass(frozen=True, slots=True)
class LongConversation:
    """A system message, the rounds, each a list of messages of OpenAI's API, and the planted facts."""

    system: ChatMessage
    rounds: tuple[tuple[ChatMessage, ...], ...]
    facts: tuple[PlantedFact, ...]


def long_conversation(seed: int, rounds: int = 100, least: int = 1_500, most: int = 5_000) -> LongConversation:
    """Return a conversation of `rounds` rounds of `least` to `most` tokens each, by bytes / 3, tool outputs included.

    Facts of every kind are spread over the rounds at random, as many for each round as PLANTED says for 100.
    """
    made = _Writer(random.Random(f"long conversation {seed}"))
    facts = [
        made.fact(kind, wordings[at % len(wordings)], made.draw.randrange(rounds))
        for kind, (number, wordings) in PLANTED.items()
        for at in range(max(1, number * rounds // 100))
    ]
    written = tuple(
        made.round([fact for fact in facts if fact.round == number], made.draw.randint(least, most))
        for number in range(rounds)
    )
    return LongConversation({"role": "system", "content": made.filled(_SYSTEM)}, written, tuple(facts))


@dataclass(slots=True)
class _Writer:
    """Writes rounds from one random generator; no name of a fact is given twice."""

    draw: random.Random
    given: set[str] = field(default_factory=set)
    calls: int = 0

    def name(self) -> str:
        """Return a made-up word."""
        pieces = self.draw.choices(_SYLLABLES, k=self.draw.randint(2, 3))
        return "".join(pieces)

    def fresh(self) -> str:
        """Return a made-up name that no other text has."""
        while True:
            name = f"{self.name()}-{self.name()}"
            if name not in self.given:
                self.given.add(name)
                return name

    def fact(self, kind: str, wording: str, number: int) -> PlantedFact:
        """Return a fact in this wording."""
        names = (self.fresh(), self.fresh())
        return PlantedFact(kind, wording.format(s=names[0], v=names[1]), names, number)

    def filled(self, wording: str) -> str:
        """Return a sentence with made-up words in it."""
        return wording.format(a=self.name(), b=self.name())

    def round(self, facts: Sequence[PlantedFact], tokens: int) -> tuple[ChatMessage, ...]:
        """Return the messages of one round: a request, tool calls with outputs, and the answer."""
        by_user = [fact for fact in facts if self.draw.random() < _OF_USER.get(fact.kind, 0.0)]
        by_agent = [fact for fact in facts if fact not in by_user]
        request = {"role": "user", "content": self.prose(self.draw.choice(_REQUESTS), by_user)}
        answer = {"role": "assistant", "content": self.prose(self.draw.choice(_NOISE), by_agent)}
        left = tokens - _size(request) - _size(answer)
        middle: list[ChatMessage] = []
        while left > 200:
            called = self.called(min(left, self.draw.randint(300, 2_500)))
            middle += called
            left -= sum(map(_size, called))
        return (request, *middle, answer)

    def prose(self, first: str, facts: Sequence[PlantedFact]) -> str:
        """Return sentences in a row, those of the facts between others."""
        sentences = [self.filled(self.draw.choice(_NOISE)) for _ in range(self.draw.randint(0, 3))]
        for fact in facts:
            sentences.insert(self.draw.randint(0, len(sentences)), fact.sentence)
        return " ".join([self.filled(first), *sentences])

    def called(self, tokens: int) -> list[ChatMessage]:
        """Return a tool call and its output of about so many tokens."""
        self.calls += 1
        key = f"call_{self.calls}"
        command = f"{self.draw.choice(('pytest', 'rg', 'cat', 'make'))} {self.name()}/{self.name()}.py"
        call = {"name": "bash", "arguments": json.dumps({"command": command})}
        said = self.filled(self.draw.choice(_NOISE)) if self.draw.random() < 0.5 else None
        asked = {
            "role": "assistant",
            "content": said,
            "tool_calls": [{"id": key, "type": "function", "function": call}],
        }
        lines: list[str] = []
        left = 3 * (tokens - _size(asked))
        for line in self.output():
            left -= len(line) + 1
            if left < 0:
                break
            lines.append(line)
        return [asked, {"role": "tool", "tool_call_id": key, "content": "\n".join(lines)}]

    def output(self) -> Iterator[str]:
        """Yield lines of code, logs and traces without end."""
        kind = self.draw.choice(("code", "log", "trace"))
        number = 0
        while True:
            number += 1
            a, b = self.name(), self.name()
            if kind == "code":
                yield self.draw.choice((f"def {a}({b}):", f"    {a} = {b}[{number}]", f"    return {a}", ""))
            elif kind == "log":
                yield f"2026-03-{1 + number % 28:02} 10:{number % 60:02} INFO {a}: {b} took {number * 7 % 900} ms"
            else:
                yield f'  File "{a}/{b}.py", line {number}, in {a}'


def _size(message: ChatMessage) -> int:
    return tokens_of(message, estimated_tokens)


_SYLLABLES: Final = (
    "ba be bo da di dor fa fel ga gri ha hul ka kel la lim ma mor na nev pa pol ra rus sa sim ta tor va wen".split()
)
