"""Generated histories: the same every time, made lazily, and with labels that hold."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from pathlib import Path

import pytest

from bench.datasets import generate, spooled_history
from bench.datasets.documents import documents
from bench.datasets.label import ALL_OF, KINDS, label, pieces, plain
from bench.datasets.spooled_history import SpooledHistory
from bench.datasets.vocabulary import STYLES, misspell, words, write

PARTS = 2_000


def test_the_same_seed_gives_the_same_history() -> None:
    assert list(generate.sessions(300, 7)) == list(generate.sessions(300, 7))
    assert list(generate.sessions(300, 7)) != list(generate.sessions(300, 8))


def test_a_longer_history_begins_with_the_shorter_one() -> None:
    short = list(generate.sessions(300, 7))
    assert list(itertools.islice(generate.sessions(30_000, 7), len(short))) == short


def test_sessions_are_made_when_asked_for() -> None:
    assert next(generate.sessions(10**9)).id == "ses_000000"


def test_ids_are_unique_and_time_ascends() -> None:
    sessions = list(generate.sessions(PARTS))
    parts = [part.id for session in sessions for message in session.messages for part in message.parts]
    times = [message.time for session in sessions for message in session.messages]
    assert len(set(parts)) == len(parts)
    assert abs(len(parts) - PARTS) < PARTS * 0.1
    assert times == sorted(times)


def test_the_text_is_like_that_of_agents() -> None:
    found = [part for session in generate.sessions(PARTS) for message in session.messages for part in message.parts]
    kinds = Counter(part.type for part in found)
    assert 0.55 < kinds["tool"] / len(found) < 0.75
    said = " ".join(document.text for document in documents(generate.sessions(PARTS))).split()
    assert 0.002 < sum(not word.isascii() for word in said) / len(said) < 0.008
    assert len(words()) == len(set(words())) == 20_000


def test_labels_are_complete_and_true() -> None:
    texts = {document.hit: document.text for document in documents(generate.sessions(PARTS))}
    queries = label(generate.mentions(PARTS), per_kind=40)
    assert set(Counter(query.kind for query in queries).values()) == {40}
    assert {query.kind for query in queries} == set(KINDS)
    assert len({query.id for query in queries}) == len(queries)
    for query in queries:
        if query.kind in {"identifier", "error_string", "file_path", "phrase"}:
            assert query.query in texts[query.relevant[0]]  # type: ignore[index]
        if query.kind in {"error_string", "file_path"}:
            holders = {hit for hit, text in texts.items() if query.query in text}
            assert holders <= query.good, "a part holds it, but is not among the answers"


def test_labels_are_the_same_every_time() -> None:
    assert label(generate.mentions(600), 3, 5) == label(generate.mentions(600), 3, 5)


def test_of_a_large_history_a_share_may_be_asked_for() -> None:
    def texts(parts: int) -> dict[tuple[str, str], tuple[object, ...]]:
        asked = label(generate.mentions(PARTS), per_kind=10_000, parts=parts)
        return {(query.kind, query.query): tuple(query.relevant) for query in asked}

    every, some = texts(ALL_OF), texts(4 * ALL_OF)
    paths = {key: answers for key, answers in some.items() if key[0] == "file_path"}
    assert paths.items() <= every.items(), "what is asked for has all of its answers"
    assert 0 < len(paths) < sum(kind == "file_path" for kind, _ in every) / 2
    assert {key for key in some if key[0] == "identifier"} == {key for key in every if key[0] == "identifier"}


def test_a_history_in_a_file_is_the_same_as_often_as_it_is_read() -> None:
    spool, sessions = SpooledHistory(600, 3), list(generate.sessions(600, 3))
    assert len(spool) == len(sessions)
    assert next(iter(spool)) == sessions[0]
    assert list(spool) == list(spool) == sessions
    assert sessions[1] in spool
    assert spool.queries == label(generate.mentions(600, 3), 3)


def test_a_kept_history_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = SpooledHistory(600, 3, tmp_path / "kept")
    with monkeypatch.context() as patched:
        patched.setattr(spooled_history, "Writer", None)
        again = SpooledHistory(600, 3, tmp_path / "kept")
        assert list(again) == list(first)
        assert again.queries == first.queries
    other = SpooledHistory(600, 4, tmp_path / "kept")
    assert list(other) == list(generate.sessions(600, 4))
    assert SpooledHistory(600, 3, tmp_path / "kept").queries == first.queries, "it is written anew"


def test_several_processes_write_the_history_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    one = SpooledHistory(600, 3)
    monkeypatch.setattr(spooled_history, "SEVERAL", 0)
    several = SpooledHistory(600, 3)
    assert several.path.read_bytes() == one.path.read_bytes()
    assert several.queries == one.queries


@pytest.mark.parametrize("style", STYLES)
def test_every_style_is_taken_apart_again(style: str) -> None:
    assert pieces(write(("rate", "limit", "window"), style)) == ["rate", "limit", "window"]
    assert plain(write(("rate", "limit"), style)) == "ratelimit"


def test_unknown_styles_are_refused() -> None:
    with pytest.raises(ValueError, match="style must be one of"):
        write(("rate", "limit"), "zigzag")


def test_misspelling_is_one_edit_and_always_one() -> None:
    from rapidfuzz.distance import OSA

    chance = random.Random(1)
    for word in chance.sample(words()[1000:], 200):
        assert OSA.distance(word, misspell(word, chance)) == 1
    with pytest.raises(ValueError, match="nothing to misspell"):
        misspell("1.2", chance)
