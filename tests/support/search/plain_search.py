"""The obvious search: the sessions, messages and parts that may answer, and those of them that hold a word of the
query.

It shares no code with the engine. Its histories are made of words that no misspelling, stem or join turns into each
other, so that a part is a hit in smart mode exactly when it holds a word of the query.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from recall_rank.model import Message, Part, Session
from tests.support.search.samples import DAY_MS, NOW

WORDS = ("harbor", "lantern", "quartz", "velvet", "thistle", "biscuit", "umbrella")
NEEDLE = "zephyrine"
text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
query = st.lists(st.sampled_from((*WORDS, NEEDLE)), min_size=1, max_size=3, unique=True).map(" ".join)
times = st.sampled_from((0, NOW - 9 * DAY_MS, NOW - 2 * DAY_MS, NOW - 1))
FOLDERS = (None, "/aa", "/aa/bb", "/aaa")


@st.composite
def session(draw: st.DrawFn, key: str, said: st.SearchStrategy[str] = text, most: int = 4) -> Session:
    """Return a session of messages with parts of every kind that holds text."""
    messages = []
    for number in range(draw(st.integers(1, most))):
        parts = []
        for place in range(draw(st.integers(1, 3))):
            name, kind = f"{key}.{number}.{place}", draw(st.sampled_from(("text", "tool", "reasoning")))
            words = draw(said)
            tool = Part(name, "tool", tool="bash", input={"command": words}, output=draw(said))
            parts.append(tool if kind == "tool" else Part(name, kind, text=words))
        role = draw(st.sampled_from(("user", "assistant")))
        messages.append(Message(f"{key}.{number}", role, draw(times), tuple(parts)))
    return Session(key, tuple(messages), title=draw(st.none() | text), directory=draw(st.sampled_from(FOLDERS)),
                   updated=draw(times), project=draw(st.sampled_from((None, "docs"))))  # fmt: skip


@st.composite
def histories(draw: st.DrawFn, said: st.SearchStrategy[str] = text, most: int = 5) -> list[Session]:
    """Draw sessions s0, s1, ..."""
    return [draw(session(f"s{number}", said)) for number in range(draw(st.integers(1, most)))]


limits = st.fixed_dictionaries(
    {},
    optional={
        "sessions": st.integers(1, 6),
        "session_id": st.sampled_from(("s0", "s1", "nobody")),
        "directory": st.sampled_from(("/aa", "/aa/bb", "/nowhere")),
        "fallback": st.booleans(),
        "title": st.sampled_from(("LANTERN", "quartz")),
        "project": st.just("docs"),
        "exclude_session_ids": st.lists(st.sampled_from(("s0", "s1", "s2")), min_size=1, unique=True),
        "role": st.sampled_from(("user", "assistant", "all")),
        "type": st.sampled_from(("text", "tool", "reasoning", "all")),
        "after": st.just(NOW - 3 * DAY_MS),
        "before": st.just(NOW - DAY_MS),
        "must": st.just(["velvet"]),
        "must_not": st.just(["thistle"]),
    },
)
# most searches have two limits at most: with all of them nothing is left
few_limits = limits.flatmap(
    lambda all_of_them: st.lists(st.sampled_from(sorted(all_of_them) or ["none"]), max_size=2).map(
        lambda names: {name: all_of_them[name] for name in names if name in all_of_them}
    )
)


@dataclass(frozen=True, slots=True)
class Allowed:
    """The sessions, messages and parts that may answer, newest session first."""

    sessions: Sequence[Session]
    messages: Sequence[Message]
    parts: dict[str, tuple[str, str]]  # part id -> the session's id and the part's text, titles not counted
    titles: dict[str, tuple[str, str]]

    def holding(self, wanted: str, match: str) -> dict[str, str]:
        """Return the session id of every part that answers, by part id."""
        every = self.parts | self.titles
        return {key: where for key, (where, said) in every.items() if holds(said, wanted, match)}


def made_from(session: Session, parts: Container[str]) -> bool:
    """Return whether the title of a session is the first words of one of `parts` of its user's first message."""
    asked = next((each for each in sorted(session.messages, key=lambda m: m.time) if each.role == "user"), None)
    first = (session.title or "").split()
    said = [_said(part).split("\n", maxsplit=1)[0].split() for part in asked.parts if part.id in parts] if asked else []
    return bool(first) and any(words[: len(first)] == first for words in said)


def holds(said: str, wanted: str, match: str) -> bool:
    """Return whether one of the lines of `said` answers; each line is a field of its own."""
    lines = said.lower().split("\n")
    if match == "regex":
        return any(re.search(wanted.lower(), line) for line in lines)
    whole = any(wanted.lower() in line for line in lines)
    return whole or (match != "literal" and any(word in wanted.lower().split() for word in said.lower().split()))


def allowed(history: Sequence[Session], options: dict[str, Any]) -> Allowed:
    """Return everything that passes the filters of `options`."""
    kept = _sessions(history, options)
    role, kind = options.get("role", "all"), options.get("type", "all")
    messages, parts, titles = [], {}, {}
    for each in kept:
        passing = [m for m in each.messages if role in ("all", m.role) and _in_time(m, options)]
        messages += passing
        for part in (part for message in passing for part in message.parts):
            if kind in ("all", part.type) and _has_words(_said(part), options):
                parts[part.id] = (each.id, _said(part))
        if passing and kind == "all" and _has_words(each.title or "", options):
            titles[f"{each.id}:title"] = (each.id, each.title or "")
    return Allowed(kept, messages, parts, titles)


def _said(part: Part) -> str:
    return part.text if part.text is not None else f"{part.input['command']}\n{part.output}"


def _in_time(message: Message, options: dict[str, Any]) -> bool:
    return options.get("after", -1) < message.time < options.get("before", NOW * 2)


def _has_words(said: str, options: dict[str, Any]) -> bool:
    return all(w in said for w in options.get("must", ())) and not any(w in said for w in options.get("must_not", ()))


def _sessions(history: Sequence[Session], options: dict[str, Any]) -> list[Session]:
    """Return the sessions that pass, newest first; sessions in the preferred directory come before others."""
    newest = sorted(history, key=lambda s: (-(s.updated or max(m.time for m in s.messages)), s.id))
    kept = [
        each
        for each in newest
        if options.get("session_id") in (None, each.id)
        and options.get("project") in (None, each.project)
        and options.get("title", "").lower() in (each.title or "")
        and each.id not in options.get("exclude_session_ids", ())
    ]
    if folder := options.get("directory"):
        here = [each for each in kept if f"{each.directory}/".startswith(f"{folder}/")]
        kept = here + [each for each in kept if each not in here] if options.get("fallback") else here
    return kept[: options.get("sessions")]
