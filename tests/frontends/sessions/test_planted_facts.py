"""session_recall finds every fact that was planted in the store of tallow's sessions: what was said, and codenames.

The facts are read out of the session files, without the loader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.curators.curator import CurationTask
from recall_rank.frontends.curators.prompt import curation_prompt
from recall_rank.frontends.tools.session_recall import SessionRecallTools
from recall_rank.frontends.tools.sessions.recalled_turns import recalled_turns
from recall_rank.loaders import discover
from recall_rank.recall import Recall

FIELDS = ("text", "thinking", "content", "output", "summary", "message")  # of an entry, where text may stand
WORDS = 5  # of the shortest sentence that counts as a fact
LONGEST = 500  # characters of a sentence

pytestmark = pytest.mark.shared


@dataclass(frozen=True, slots=True)
class Fact:
    """A phrase, or a whole sentence, that a session says."""

    session: str
    text: str


@pytest.fixture(scope="module")
def home(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the machine: two homes of tallow in today's layout, one of them known by tallow's list only."""
    original = shared / "stores" / "tallow" / "home"
    home = tmp_path_factory.mktemp("machine")
    for path in (path for path in original.rglob("*") if path.is_file()):
        place = home / path.relative_to(original)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes().replace(b"/REPLACE_ME", str(home).encode()))
    return home


@pytest.fixture(scope="module")
def histories(home: Path) -> Iterator[Recall]:
    with Recall(discover({}, home), cache=None) as recall:
        yield recall


@pytest.fixture(scope="module")
def tools(histories: Recall) -> SessionRecallTools:
    return SessionRecallTools(histories, curator="extractive")


def texts(value: Any) -> Iterator[str]:
    """Every text in an entry of a session file, whatever it is part of."""
    if isinstance(value, str):
        yield value
    for each in value if isinstance(value, list) else ():
        yield from texts(each)
    for name in FIELDS if isinstance(value, dict) else ():
        yield from texts(value.get(name))


def entries(home: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(session id, entry) for each line of the session files that is JSON."""
    for path in sorted(home.rglob("*.jsonl")):
        session = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # a torn line, which the store has on purpose
            session = entry["id"] if entry["type"] == "session" else session
            yield session, entry


def codenames(home: Path) -> list[Fact]:
    """The phrases that were planted once each, in places of every kind, also where nobody said them."""
    found = (
        (session, name) for session, entry in entries(home) for text in texts(entry) for name in _NAME.findall(text)
    )
    return [Fact(session, name) for session, name in found]


def sentences(home: Path) -> list[Fact]:
    """The sentences that a person or the model said, of at least WORDS words."""
    said = [(session, text) for session, entry in entries(home) if _is_said(entry) for text in texts(entry)]
    cut = ((session, sentence) for session, text in said for sentence in _SENTENCE.split(text))
    return [Fact(*each) for each in dict.fromkeys(cut) if len(each[1].split()) >= WORDS and len(each[1]) <= LONGEST]


_NAME = re.compile(r"codename (\w+ \w+)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def _is_said(entry: dict[str, Any]) -> bool:
    return entry["type"] == "message" and entry["message"]["role"] in ("user", "assistant")


def test_the_store_has_facts_of_every_kind(home: Path, histories: Recall) -> None:
    sessions = {session.id for session in histories.sessions()}
    assert len(sessions) == len(list(home.rglob("*.jsonl")))
    assert {fact.session for fact in sentences(home)} == sessions
    assert len(codenames(home)) == 4


def test_each_codename_is_found(home: Path, histories: Recall, tools: SessionRecallTools) -> None:
    for fact in codenames(home):
        assert_is_found(tools, histories, fact, looking_for="the codename")


@pytest.mark.slow
def test_each_sentence_is_found(home: Path, histories: Recall, tools: SessionRecallTools) -> None:
    for fact in sentences(home):
        assert_is_found(tools, histories, fact, looking_for="what was said")


def assert_is_found(tools: SessionRecallTools, histories: Recall, fact: Fact, looking_for: str) -> None:
    """The passages of an answer without a model have the words, and so has the first result of a model's prompt."""
    answer = json.loads(tools.session_recall(fact.text, looking_for))
    assert answer["status"] == "found", answer
    assert words(fact.text) in words(answer["text"])
    prompt = curation_prompt(CurationTask(fact.text, looking_for, recalled_turns(histories, fact.text)))
    assert words(fact.text) in words(prompt.sections[0])


def words(text: str) -> str:
    """The words of a text between single blanks, without the full stop, which a cut may leave out."""
    return " ".join(text.split()).rstrip(".")
