"""PraisonAI's own scores and order, by rule on invented sessions and by its recorded answers on its own store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.praisonai import RecallSessionStore
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.parameters import GENERATIONS
from recall_rank.frontends.tools.session_search import SessionTools
from recall_rank.frontends.tools.sessions.praisonai_scan import FileScan, may_contain, session_files, written
from recall_rank.frontends.tools.sessions.praisonai_scores import (
    Generation,
    anchor_of,
    best_first,
    head_snippet,
    hit,
    is_automated,
    scored,
    title,
)
from recall_rank.loaders import open_sources
from recall_rank.loaders.praisonai import PraisonAI
from recall_rank.loaders.praisonai_records import StoredChat, parse_chat, read_chat
from recall_rank.recall import Recall
from tests.fixtures.make_chat_stores import praison, praison_sessions, write_session
from tests.support.frontends.praison_folder import EVERYTHING, said, write_folder

OTHER_SYSTEMS = "conformance/other-systems"


def chat(*lines: str, **more: Any) -> StoredChat:
    return parse_chat(json.dumps(praison("x", said(*lines), **more)).encode())


def score(stored: StoredChat, query: str, generation: Generation = "g3") -> float:
    found = scored("x", stored, query, generation)
    return 0.0 if found is None else found.score


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("fog horn", 2 + 1 + 1),
        ("horn fog", 1 + 1),
        ("Fog", 2 + 1),
        ("og", 2 + 1),
        ("fog fog", 1 + 1),
        ("  fog   horn ", 1 + 1),
        ("pier", 0),
        ("", 0),
    ],
)
def test_two_for_the_phrase_and_one_for_each_word(query: str, expected: float) -> None:
    assert score(chat("The FOG HORN stutters"), query) == expected


def test_the_sum_over_messages_and_the_first_best_as_anchor() -> None:
    found = scored("x", chat("fog", "fog horn", "fog horn"), "fog horn", "g3")
    assert found is not None
    assert (found.score, found.anchor) == (1 + 4 + 4, 1)


@pytest.mark.parametrize(
    ("more", "share"),
    [
        ({}, 1),
        ({"source": "Cron"}, 0.25),
        ({"metadata": {"source": "batch"}}, 0.25),
        ({"metadata": {"automated": True}}, 0.25),
        ({"metadata": {"automated": "yes"}}, 1),
        ({"source": "person"}, 1),
    ],
)
def test_an_automated_session_counts_a_quarter(more: dict[str, Any], share: float) -> None:
    stored = chat("fog horn", **more)
    assert score(stored, "fog horn") == 4 * share
    assert score(stored, "fog horn", "g1") == 4


@pytest.mark.parametrize(("seconds", "automated"), [(60, False), (59, True), (0, False), (20, True)])
def test_a_fast_session_counts_as_automated(seconds: float, automated: bool) -> None:
    lines = [{**message, "timestamp": 1e9 + at * seconds} for at, message in enumerate(said(*"abcdefgh"))]
    stored = parse_chat(json.dumps(praison("x", lines)).encode())
    # 8 messages span 7 intervals: 60 s apart they come at 68 an hour
    assert is_automated(stored) is (automated or seconds == 60)


def test_archived_turns_count_from_the_third_generation_on() -> None:
    stored = chat("lamp", archived_messages=said("saffron kettle"))
    assert (score(stored, "saffron"), score(stored, "saffron", "g1")) == (3, 0)
    found = scored("x", stored, "lamp", "g3")
    assert found is not None
    assert found.anchor == 1


@pytest.mark.parametrize(
    ("generation", "limit", "expected"),
    [("g1", 2, 2), ("g1", 0, 0), ("g1", -1, 3), ("g3", 2, 2), ("g3", 0, 1), ("g3", -1, 1), ("g3", 9, 3), ("g1", 9, 4)],
)
def test_limits_and_lineages_by_generation(generation: Generation, limit: int, expected: int) -> None:
    chats = [
        chat("fog horn", updated_at=f"2026-01-0{day}", metadata={"thread_id": "t"} if day < 3 else {})
        for day in (1, 2, 3, 4)
    ]
    found = [each for number, one in enumerate(chats) if (each := scored(f"s{number}", one, "fog", generation))]
    best = best_first(found, limit, generation)
    assert [each.session_id for each in best] == ["s3", "s2", "s1", "s0"][:expected]


@pytest.mark.parametrize(
    ("content", "query", "expected"),
    [
        ("short text", "text", "short text"),
        ("x" * 200, "none", "x" * 120),
        (f"{'a ' * 100}fog", "FOG", f"…{'a ' * 30}fog"),
        (f"fog{' b' * 100}", "fog", f"fog{' b' * 58} …"),
        (None, "none", "None"),
        ("fog   horn", "fog  horn", "fog horn"),
    ],
)
def test_the_head_of_a_message_is_its_snippet(content: Any, query: str, expected: str) -> None:
    assert head_snippet(content, query) == expected


@pytest.mark.parametrize(
    ("more", "generation", "expected"),
    [
        ({}, "g3", "Fog " * 14 + "Fog "),
        ({"agent_name": "Keeper"}, "g3", "Keeper"),
        ({"agent_name": "Keeper", "metadata": {"title": "T"}}, "g3", "T"),
        ({"agent_name": "Keeper", "metadata": {"title": "T"}}, "g1", "Keeper"),
    ],
)
def test_titles_by_generation(more: dict[str, Any], generation: Generation, expected: str) -> None:
    assert title("x", chat("Fog  " * 40, **more), generation) == expected
    assert title("x", chat(), generation) == "x"


@pytest.mark.parametrize(("wanted", "number"), [("2", 2), (0, 0), ("-4", 0), ("99", 4), ("", 4), ("x", 4), (None, 4)])
def test_an_anchor_is_kept_within_the_session(wanted: object, number: int) -> None:
    assert anchor_of(wanted, 5) == number


QUERIES = ("fog", 'say "fog"', "C:\\fog", "ünï", "İ", "K", "Σίσυφος", "ΣΊΣΥΦΟΣ", "none", "'type':")


@pytest.mark.parametrize("query", QUERIES)
def test_the_look_at_the_bytes_loses_no_match(tmp_path: Path, query: str) -> None:
    texts: list[Any] = [
        *("the FOG", 'say "Fog" now', "C:\\FOG\\x", "ÜNÏ", "ünï", "i̇", "k", "\nΣίσυφος", "ὁ ΣΊΣΥΦΟΣ", None),
        [{"type": "text", "text": "fog"}],
    ]
    for number, text in enumerate(texts):
        session = praison(f"s{number}", [{"role": "user", "content": text}])
        if number % 2:
            write_session(tmp_path, session)
        else:  # another program may escape what PraisonAI does not
            (tmp_path / f"s{number}.json").write_text(json.dumps(session, indent=2))
    files = session_files(tmp_path)
    plain = {path.stem for path in map(Path, files) if scored(path.stem, read_chat(path), query, "g3")}
    assert {each.session_id for each in FileScan(files).matches(query, "g3")} == plain
    assert plain or query == "'type':" or not may_contain(b'{"content": "x"}', [written(query.lower())])


def test_every_message_of_the_loader_has_a_number(tmp_path: Path) -> None:
    for session in (*praison_sessions(), *EVERYTHING):
        path = write_session(tmp_path, session)
        source = PraisonAI(path)
        (unit,) = source.units()
        stored = read_chat(path)
        numbers = stored.numbers(session["session_id"])
        for loaded in source.read(unit).sessions:
            ids = [message.id for message in loaded.messages if not message.id.endswith(":compaction")]
            assert ids
            assert [numbers[key] for key in ids] == sorted(numbers[key] for key in ids)
            for message in loaded.messages:
                record = stored.records[numbers[message.id]] if message.id in numbers else None
                assert record is None or record["role"] == message.role


def test_sessions_of_others_are_scored_by_their_text(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "sessions")
    direct = RecallSessionStore(folder, cache=None, scoring="praisonai").search("fog horn", limit=9)
    through = RecallTools(Recall(open_sources(folder))).call(
        "session_search", {"query": "fog horn", "limit": 9, "scoring": "praisonai"}
    )
    assert [each.as_dict() for each in direct] == through["results"]


# --- recorded answers -------------------------------------------------------------------------------


def recorded(shared: Path, generation: str) -> tuple[dict[str, Any], Path]:
    path = shared / OTHER_SYSTEMS / f"praisonai-{generation}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found, shared / found["store"]


def summary(entry: dict[str, Any], like: dict[str, Any]) -> dict[str, Any]:
    """Reduce a hit to what was recorded of it."""
    found = {name: entry[name] for name in ("session_id", "title", "when", "snippet", "score", "anchor_index")}
    found["message_indices"] = [message["index"] for message in entry["messages"]]
    if "archived_indices" in like:
        found["archived_indices"] = [each["index"] for each in entry["messages"] if each["archived"]]
    if "bookends" in like:
        found["bookends"] = {name: [each["index"] for each in some] for name, some in entry["bookends"].items()}
    return found


@pytest.mark.shared
@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_recorded_search_is_answered_alike(shared: Path, generation: Generation) -> None:
    known, store = recorded(shared, generation)
    searching = RecallSessionStore(store, cache=None, scoring="praisonai", generation=generation)
    through = SessionTools(histories=Recall(open_sources(store)), scoring="praisonai", generation=generation)
    assert len(known["search"]) == 52
    for call in known["search"]:
        args = {name: call[name] for name in ("query", "limit", "window")}
        hits = [each.as_dict() for each in searching.search(args.pop("query"), **args)]
        assert [summary(one, like) for one, like in zip(hits, call["hits"], strict=True)] == call["hits"], call["query"]
        if call["query"]:
            assert json.loads(through.session_search(call["query"], **args))["results"] == hits


@pytest.mark.shared
@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_recorded_scroll_and_list_is_answered_alike(shared: Path, generation: Generation) -> None:
    known, store = recorded(shared, generation)
    tools = SessionTools(store=RecallSessionStore(store, cache=None, scoring="praisonai", generation=generation))
    for call in known["full_example"] if isinstance(known["full_example"], list) else [known["full_example"]]:
        assert json.loads(tools.session_search(**call["call"])) == call["result"]
    for call in known["scroll"]:
        answer = json.loads(tools.session_search(**call["args"]))
        answer.pop("warnings", None)
        for message in answer["messages"]:  # long texts were cut when they were recorded
            if isinstance(message["content"], str):
                message["content"] = message["content"][:60]
        assert answer == call["result"], call["args"]
    for call in known["browse"]:
        answer = json.loads(tools.session_search(**call["args"]))
        same_time = lambda entry: (entry["when"], entry["session_id"])  # noqa: E731 - theirs keeps the order of a folder
        assert sorted(answer["results"], key=same_time, reverse=True) == sorted(
            call["result"]["results"], key=same_time, reverse=True
        )
        assert answer["total_found"] == call["result"]["total_found"]


@pytest.mark.shared
def test_the_best_hit_of_a_recorded_answer_is_shown_by_hit(shared: Path) -> None:
    known, store = recorded(shared, "g3")
    example = known["full_example"]
    found = FileScan(session_files(store)).matches(example["call"]["query"], "g3")
    best = best_first(found, example["call"]["limit"], "g3")
    assert [hit(one, "deadlock", example["call"]["window"], "g3") for one in best] == example["result"]["results"]
