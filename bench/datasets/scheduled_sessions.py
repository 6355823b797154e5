"""A generated folder of PraisonAI's session files, some of them begun by a schedule, and queries for either kind.

Every subject has conversations, and half of the subjects have a schedule, whose runs say words of the subject night
after night, and its name, two words, unbroken. A query is such a name, or words that one message says about its
subject. As many queries are made from runs as from conversations, about the same subjects, so that a weight that
favours one kind gains on one half of the queries and loses on the other. The answer of a query are the sessions of
that kind with a message that says all its words. Equal seeds give equal files and queries.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from bench.datasets.vocabulary import words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
SUBJECTS, CONVERSATIONS, RUNS = 40, 3, 14  # conversations of a subject, runs of a schedule
QUERY_WORDS: Final = (1, 2, 3)
NAMED_TALK, NAMED_RUN = 0.3, 0.8  # share of the sentences that say the name of the subject, two words, unbroken
NAMES: Final = 1 / 3  # share of the queries that are the name of a subject
SHARE: Final = 1 / 3  # of the words of a sentence, words of its subject
INCIDENTS: Final = 0.2  # share of the runs that report something that the others do not say


@dataclass(frozen=True, slots=True)
class SoughtSession:
    """A query, the sessions that answer it, and whether these are runs of a schedule."""

    query: str
    wanted: frozenset[str]
    scheduled: bool


@dataclass(slots=True)
class _Subject:
    name: str
    own: Sequence[str]  # words of the subject, commonest first
    scheduled: bool
    conversations: dict[str, list[str]] = field(default_factory=dict)  # session -> messages
    runs: dict[str, list[str]] = field(default_factory=dict)


def write_sessions(folder: Path, seed: int, queries: int) -> list[SoughtSession]:
    """Write the session files into `folder`, which is made; return `queries` queries for conversations, and as many
    for runs of schedules.
    """
    folder.mkdir(parents=True)
    chance = random.Random(seed)
    known = words()
    common, pool = known[:300], list(known[300:6000])
    chance.shuffle(pool)
    subjects = []
    for number in range(SUBJECTS):
        own = [pool.pop() for _ in range(24)]
        subject = _Subject(f"subject-{number:02}", own, scheduled=number % 2 == 0)
        for each in range(CONVERSATIONS):
            subject.conversations[f"{subject.name}-talk-{each}"] = _conversation(chance, common, own, pool)
        if subject.scheduled:
            subject.runs = _runs(chance, common, subject, pool)
        subjects.append(subject)
    for subject in subjects:
        _write(folder, chance, subject)
    busy = [subject for subject in subjects if subject.scheduled]
    return [
        _sought(chance, chance.choice(busy), scheduled=scheduled) for scheduled in (False, True) for _ in range(queries)
    ]


def _sentence(chance: random.Random, common: Sequence[str], own: Sequence[str], length: int, named: float) -> str:
    """Return a sentence of common words and, one in three, words of the subject; `named` is the chance of its name."""
    weights = [1 / (rank + 1) for rank in range(len(own))]
    said = [
        chance.choices(own, weights)[0] if chance.random() < SHARE else chance.choice(common) for _ in range(length)
    ]
    if chance.random() < named:
        at = chance.randrange(length)
        said[at:at] = own[:2]
    return " ".join(said)


def _conversation(chance: random.Random, common: Sequence[str], own: Sequence[str], pool: Sequence[str]) -> list[str]:
    """Return messages of a person and an agent in turn, of common words, words of the subject and some of this
    conversation alone.
    """
    special = [*own, *chance.sample(pool, 12)]
    return [
        _sentence(chance, common, special, chance.randint(*((6, 30), (20, 80))[turn % 2]), NAMED_TALK)
        for turn in range(chance.randrange(6, 17, 2))
    ]


def _runs(chance: random.Random, common: Sequence[str], subject: _Subject, pool: Sequence[str]) -> dict[str, list[str]]:
    """Return the runs of a schedule: one order for all, and a report that differs in its numbers, and in incidents."""
    order = _sentence(chance, common, subject.own, 25, NAMED_RUN)
    report = [_sentence(chance, common, subject.own, 12, NAMED_RUN) for _ in range(4)]
    runs = {}
    for night in range(RUNS):
        said = [f"{line} {chance.randrange(1000)}" for line in report]
        if chance.random() < INCIDENTS:
            said.append(_sentence(chance, common, [*subject.own, *chance.sample(pool, 12)], 20, NAMED_RUN))
        runs[f"{subject.name}-run-{night:02}"] = [order, ". ".join(said)]
    return runs


def _words(message: str) -> list[str]:
    return message.replace(".", "").split()


def _query(chance: random.Random, message: str, own: Sequence[str]) -> str:
    """Return the name of the subject where the message says it, else words of the subject in their order there, else
    any words of it.
    """
    if chance.random() < NAMES and " ".join(own[:2]) in message:
        return " ".join(own[:2])
    said = list(dict.fromkeys(_words(message)))
    rare = [word for word in said if word in own] or said
    count = chance.choice(QUERY_WORDS)
    chosen = set(chance.sample(rare, min(len(rare), count)))
    return " ".join(word for word in said if word in chosen)


def _sought(chance: random.Random, subject: _Subject, *, scheduled: bool) -> SoughtSession:
    sessions = subject.runs if scheduled else subject.conversations
    query = _query(chance, chance.choice(sessions[chance.choice(sorted(sessions))]), subject.own)
    asked = set(query.split())
    wanted = (session for session, said in sessions.items() if any(asked <= set(_words(each)) for each in said))
    return SoughtSession(query, frozenset(wanted), scheduled)


def _write(folder: Path, chance: random.Random, subject: _Subject) -> None:
    for session, said in [*subject.conversations.items(), *subject.runs.items()]:
        when = BEGIN + timedelta(minutes=chance.randrange(200 * 24 * 60))
        scheduled = session in subject.runs
        messages: list[dict[str, Any]] = [
            {
                "role": ("user", "assistant")[turn % 2],
                "content": text,
                "timestamp": (when + timedelta(minutes=2 * turn)).timestamp(),
                "metadata": {},
            }
            for turn, text in enumerate(said)
        ]
        document = {
            "session_id": session,
            "messages": messages,
            "created_at": when.isoformat(),
            "updated_at": (when + timedelta(minutes=2 * len(said))).isoformat(),
            "agent_name": None,
            "user_id": None,
            "metadata": {"source": "cron"} if scheduled else {},
        }
        (folder / f"{session}.json").write_text(json.dumps(document, indent=2), encoding="utf-8")
