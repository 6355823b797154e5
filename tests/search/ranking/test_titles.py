"""A title that a host made from the first message of the user is no second hit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank import Index, Message, Part, Session
from recall_rank.model import Flag, Result, SearchResponse
from recall_rank.search.ranking import best_hits
from recall_rank.search.ranking.titles import begins_with
from tests.support.search.samples import ENOUGH_MS, NOW

ASKED = "Please let the fog horn sound twice at dusk.\nThe relay of the lens motor stalls."


def told(title: str, *said: tuple[str, str], key: str = "s", flags: Flag = Flag.NONE) -> Session:
    messages = tuple(
        Message(f"{key}-m{at}", "user" if role == "user" else "assistant", NOW - 1000 + at, (part(key, at, text),))
        for at, (role, text) in enumerate(said)
    )
    if flags:
        messages = (
            Message("injected", "user", NOW - 2000, (Part("injected-p", "text", "horn", flags=flags),)),
            *messages,
        )
    return Session(key, messages, title, updated=NOW, source="quill", agent="quill")


def part(key: str, at: int, text: str) -> Part:
    return Part(f"{key}-p{at}", "text", text)


def found(sessions: Sequence[Session], query: str = "fog horn") -> SearchResponse:
    return Index.build(sessions).search(query, now=NOW, budget_ms=ENOUGH_MS, results=50)


@pytest.mark.parametrize(
    "title",
    [
        ASKED,
        "Please let the fog horn sound twice at dusk.",
        "Please let the fog horn sound twice",
        "please  let the FOG horn\nsound tw\u2026",
        "Please let the fog horn sound...",
        "Please let the fog horn sound twice at dusk. The relay",
    ],
)
def test_a_title_that_begins_the_first_message_is_folded_into_it(title: str) -> None:
    response = found([told(title, ("user", ASKED), ("assistant", "The fog horn is mended."))])
    assert sorted(hit.part_id for hit in response.results) == ["s-p0", "s-p1"]
    assert {hit.part_id: hit.title_match for hit in response.results} == {"s-p0": title, "s-p1": None}
    assert (response.total, response.truncated) == (2, False)


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Fog horn", [("user", ASKED)]),
        ("Please let the fog horn sou", [("user", ASKED)]),
        ("Please let the fog horn sound", [("user", "Mend the fog horn"), ("user", ASKED)]),
        ("Please let the fog horn sound", [("assistant", ASKED)]),
        ("Please let the fog horn sound", [("user", "Please let the lamp turn"), ("assistant", "The fog horn?")]),
    ],
    ids=["other words", "half a word", "a later message", "of the agent", "other message"],
)
def test_any_other_title_is_a_hit_of_its_own(title: str, said: list[tuple[str, str]]) -> None:
    assert "title" in {hit.source for hit in found([told(title, *said)]).results}


def test_the_first_message_is_the_first_that_the_user_wrote() -> None:
    injected = told("Please let the fog horn sound", ("user", ASKED), flags=Flag.SYNTHETIC)
    assert "title" not in {hit.source for hit in found([injected]).results}


def test_the_message_stands_at_the_better_place() -> None:
    sessions = [told("fog horn", ("user", "fog horn" + " of the lamp and the quay" * 40)), *others()]
    titles = [hit.session_id for hit in found(sessions).results]
    assert titles[0] == "s"


def others() -> Iterator[Session]:
    for at in range(5):
        yield told(f"Lamp {at}", ("user", "the fog of the sea, and then the horn of the ship"), key=f"o{at}")


_WORDS = st.lists(st.sampled_from(["fog", "horn", "Fog", "lamp", "quay.", "\n", "at"]), min_size=1, max_size=6)
_TITLES = st.one_of(_WORDS.map(" ".join), st.integers(1, 40))  # words of its own, or characters of the first message
_TALKS = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), _WORDS.map(" ".join)), min_size=1, max_size=3)


@given(st.lists(st.tuples(_TITLES, _TALKS, st.sampled_from(["", "...", "\u2026"])), min_size=1, max_size=4))
def test_titles_are_folded_as_by_the_slow_version(given_: list[tuple[str | int, list[tuple[str, str]], str]]) -> None:
    sessions = []
    for at, (title, said, dots) in enumerate(given_):
        told_title = said[0][1][:title] + dots if isinstance(title, int) else title
        sessions.append(told(told_title, *said, key=f"s{at}"))
    response = found(sessions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_hits, "fold_titles", lambda _, ranked: (list(ranked), set()))
        unfolded = found(sessions)
    expected = slowly_folded(unfolded.results, sessions)
    assert [hit.part_id for hit in response.results] == expected
    assert response.total == len(expected)


def slowly_folded(results: Sequence[Result], sessions: Sequence[Session]) -> list[str]:
    shown = [hit.part_id for hit in results]
    for session in sessions:
        asked = next((each for each in session.messages if each.role == "user"), None)
        title = next((hit.part_id for hit in results if hit.session_id == session.id and hit.source == "title"), None)
        if asked is None or title is None or asked.parts[0].id not in shown:
            continue
        if begins_with(asked.parts[0].text or "", session.title or ""):
            first = min(shown.index(title), shown.index(asked.parts[0].id))
            shown = [each for each in shown if each not in (title, asked.parts[0].id)]
            shown.insert(first, asked.parts[0].id)
    return shown


@given(_WORDS.map(" ".join), st.integers(0, 30))
def test_a_text_begins_with_its_own_words(text: str, count: int) -> None:
    words = text.split()[:count]
    assert begins_with(text, " ".join(words)) == bool(words)
    assert begins_with(text, " ".join(words).upper() + "\u2026") == bool(words)
