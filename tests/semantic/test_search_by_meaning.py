"""A search finds what is near in meaning, where the index has an embedder, and answers without it when it is late."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from recall_rank.corpus import Index
from recall_rank.index.segment.build import build
from recall_rank.semantic import vector_index
from recall_rank.weights import DEFAULT
from tests.support.search.samples import ENOUGH_MS, NOW, message, part, parts, session
from tests.support.semantic.word_embedder import WordEmbedder

FILLER = [f"filler{n} about pebbles{n} and gravel{n} near rivers{n}" for n in range(12)]
TEXTS = ["my physician says that I may travel again", "the green boat lies in the harbour today", *FILLER]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the background still: these tests make vectors by embed()."""
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 3600.0)


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def index(embedder: WordEmbedder) -> Iterator[Index]:
    with Index.build([session("s", *TEXTS)], embedder=embedder) as made:
        made.embed()
        yield made


def ask(index: Index, query: str, **options: Any) -> list[str]:
    return parts(index.search(query, budget_ms=ENOUGH_MS, **options))


def test_a_synonym_that_no_word_finds_is_found_by_its_meaning(index: Index) -> None:
    response = index.search("doctor", budget_ms=ENOUGH_MS, explain=True)
    first = response.results[0]
    assert first.part_id == "s.0.1"
    assert first.stage == "score"
    assert first.explain is not None
    assert first.explain["meaning"] > 0
    assert first.explain["evidence"] == 0
    assert first.why.confidence == "low"
    assert first.why.matched_fields == ("meaning",)
    assert any(line.startswith("prefilter: ") and "; near in meaning " in line for line in response.trace)
    assert any(line.startswith("boost: ") and "meaning " in line for line in response.trace)
    assert not response.warnings
    with Index.build([session("s", *TEXTS)]) as plain:
        assert "s.0.1" not in ask(plain, "doctor")


def test_meaning_decides_between_parts_with_equal_words(embedder: WordEmbedder) -> None:
    # far apart, since a message gains from the one after it; of equals the newer one is first
    texts = ["travel by vessel", *FILLER[:2], "travel by wagon", *FILLER[2:]]
    with Index.build([session("s", *texts)], embedder=embedder) as index:
        assert ask(index, "travel boat")[0] == "s.3.1"
        index.embed()
        assert ask(index, "travel boat")[0] == "s.0.1"


def test_words_come_first_where_they_are_found(index: Index) -> None:
    assert ask(index, "green boat harbour")[0] == "s.1.1"


def test_coverage_says_how_many_passages_have_vectors(embedder: WordEmbedder) -> None:
    with Index.build([session("s", *TEXTS, "yes, please")], embedder=embedder) as index:
        before = index.search("doctor").coverage.vectors
        assert before is not None
        assert (before.model, before.passages, before.with_vector) == ("words", 15, 0)
        assert embedder.queries == []  # nothing to compare with
        report = index.embed()
        assert (report.model, report.passages, report.with_vector, report.made) == ("words", 14, 14, 14)
        response = index.search("doctor")
        assert response.coverage.vectors is not None
        assert response.coverage.vectors.with_vector == 14
        assert response.to_dict()["coverage"]["vectors"] == {"model": "words", "passages": 14, "with_vector": 14}
    with Index.build([session("s", *TEXTS)]) as plain:
        assert plain.search("doctor").coverage.vectors is None
        assert "vectors" not in plain.search("doctor").to_dict()["coverage"]


@pytest.mark.parametrize("options", [{"match": "literal"}, {"match": "regex"}, {"order": "time"}])
def test_exact_searches_and_lists_by_time_ask_no_embedder(
    index: Index, embedder: WordEmbedder, options: dict[str, Any]
) -> None:
    assert "s.0.1" not in ask(index, "doctor", **options)
    assert embedder.queries == []


def test_filters_hold_for_what_is_found_by_meaning(embedder: WordEmbedder) -> None:
    sessions = [session("a", *TEXTS, project="one"), session("b", "the physician came at noon", project="two")]
    with Index.build(sessions, embedder=embedder) as index:
        index.embed()
        assert ask(index, "doctor", project="two") == ["b.0.1"]
        assert "a.0.1" in ask(index, "doctor", project="one")
        assert "b.0.1" not in ask(index, "doctor", project="one")
        assert not {"a.0.1", "b.0.1"} & set(ask(index, "doctor", must_not=["physician"]))


def test_narrowing_makes_no_hit_by_meaning_less_sure(embedder: WordEmbedder) -> None:
    sessions = [session("a", *TEXTS, project="one"), session("b", "green pebbles in the rain", project="two")]
    with Index.build(sessions, embedder=embedder) as index:
        index.embed()
        for query, is_sure in (("doctor", False), ("doctor green boat", True)):
            wide = index.search(query, budget_ms=ENOUGH_MS)
            narrow = index.search(query, budget_ms=ENOUGH_MS, project="one")
            assert parts(wide)[0] == parts(narrow)[0]
            assert narrow.answerable >= wide.answerable
            assert (wide.answerable > 0.5) is is_sure


def test_sessions_are_found_by_meaning(index: Index) -> None:
    response = index.search("doctor", group="session", budget_ms=ENOUGH_MS)
    assert [result.session_id for result in response.results] == ["s"]
    assert response.results[0].part_id == "s.0.1"


def test_a_long_message_is_shown_by_its_nearest_passage(embedder: WordEmbedder) -> None:
    long = f"{'gravel and pebbles lie around here. ' * 60}\n\nthe physician smiles"
    with Index.build([session("s", long, *FILLER)], embedder=embedder) as index:
        index.embed()
        (first, *_) = index.search("doctor smiles at noon maybe", budget_ms=ENOUGH_MS).results
        assert first.part_id == "s.0.1"
        assert "physician" in first.snippet


def test_pages_hold_each_part_once(index: Index) -> None:
    pages = [ask(index, "doctor boat", results=3, offset=offset) for offset in range(0, 12, 3)]
    whole = [one for page in pages for one in page]
    assert len(set(whole)) == len(whole)
    assert whole == ask(index, "doctor boat", results=30)[: len(whole)]


def test_the_weight_0_ranks_by_words_alone(index: Index) -> None:
    from dataclasses import replace

    weights = replace(DEFAULT, meaning=0.0)
    with Index.build([session("s", *TEXTS)]) as plain:
        hits = ask(plain, "green boat physician", weights=weights)
        assert ask(index, "green boat physician", weights=weights)[: len(hits)] == hits


def test_deleted_sessions_are_not_found_by_meaning(embedder: WordEmbedder) -> None:
    with Index.build([session("a", *TEXTS), session("b", "the physician came at noon")], embedder=embedder) as index:
        index.embed()
        assert "b.0.1" in ask(index, "doctor")
        index.remove(["b"])
        found = index.search("doctor", budget_ms=ENOUGH_MS)
        assert "b.0.1" not in parts(found)
        assert found.coverage.vectors is not None
        assert found.coverage.vectors.with_vector == 14


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_answers_do_not_depend_on_the_segments(embedder: WordEmbedder, cut: int) -> None:
    sessions = [session(f"s{at}", *TEXTS[at::4], updated=NOW - at) for at in range(4)]
    whole = Index.build(sessions, embedder=WordEmbedder())
    split = Index.build(sessions[:cut], embedder=embedder)
    split.add(sessions[cut:])
    for index in (whole, split):
        index.embed()
    for query in ("doctor", "green vessel", "filler3 automobile"):
        one, other = (index.search(query, budget_ms=ENOUGH_MS, results=30, explain=True) for index in (whole, split))
        assert parts(one) == parts(other)
        assert [result.score for result in one.results] == [result.score for result in other.results]
        assert one.coverage.vectors == other.coverage.vectors


# --- late and failing embedders ---------------------------------------------------------------------------------


class Slow(WordEmbedder):
    """Answers queries when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def __call__(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        if query:
            self.go.wait(30)
        return super().__call__(texts, query=query)


def test_an_answer_does_not_wait_for_a_late_embedder_and_says_so() -> None:
    slow = Slow()
    with Index.build([session("s", *TEXTS)], embedder=slow) as index, Index.build([session("s", *TEXTS)]) as plain:
        index.embed()
        started = time.perf_counter()
        response = index.search("green boat", budget_ms=1000)
        assert time.perf_counter() - started < 20
        assert parts(response) == parts(plain.search("green boat"))
        assert response.warnings == (
            "the embedder 'words' did not answer in time; this answer is ranked by words alone",
        )
        assert "near in meaning" not in " ".join(index.search("green boat", budget_ms=1000, explain=True).trace)
        slow.go.set()
        deadline = time.monotonic() + 10
        while index.search("green boat").warnings:
            assert time.monotonic() < deadline
        assert slow.queries == ["green boat"]  # the late vector was kept


def test_calls_that_never_end_do_not_pile_up() -> None:
    slow = Slow()
    with Index.build([session("s", *TEXTS)], embedder=slow) as index:
        index.embed()
        warnings = [index.search(f"boat {number}", budget_ms=20).warnings for number in range(6)]
        assert "did not answer in time" in warnings[3][0]
        assert "4 earlier calls have not ended" in warnings[4][0]
        assert sum(thread.name == "recall_rank query vector" for thread in threading.enumerate()) <= 4
        slow.go.set()


@pytest.mark.parametrize("wrong", ["raises", "shape", "nan", "zeros"])
def test_an_answer_stands_without_an_embedder_that_fails(wrong: str) -> None:
    class Failing(WordEmbedder):
        def __call__(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
            made = super().__call__(texts, query=query)
            if not query:
                return made
            if wrong == "raises":
                raise OSError("no such model")
            return {"shape": made[:, :3], "nan": made * np.float32("nan"), "zeros": made * 0}[wrong]

    words = {"raises": "no such model", "shape": "an array of", "nan": "not finite", "zeros": "all zeros"}[wrong]
    with Index.build([session("s", *TEXTS)], embedder=Failing()) as index:
        index.embed()
        response = index.search("green boat", budget_ms=ENOUGH_MS)
        assert parts(response)[0] == "s.1.1"
        assert len(response.warnings) == 1
        assert "ranked by words alone" in response.warnings[0]
        assert words in response.warnings[0]


def test_a_cancelled_search_does_not_wait() -> None:
    slow, cancel = Slow(), threading.Event()
    with Index.build([session("s", *TEXTS)], embedder=slow) as index:
        index.embed()
        threading.Timer(0.1, cancel.set).start()
        started = time.perf_counter()
        index.search("green boat", budget_ms=20_000, cancel=cancel)
        assert time.perf_counter() - started < 5
        slow.go.set()


def test_an_embedder_is_checked() -> None:
    for wrong in (len, "words", 7, object()):
        with pytest.raises(TypeError, match="FunctionEmbedder"):
            Index.build([], embedder=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no embedder"):
        Index.build([]).embed()


def test_tool_output_is_ranked_as_without_an_embedder(embedder: WordEmbedder) -> None:
    call = message("m", part("p", tool="bash", output="the green boat is compiled"), role="assistant")
    with (
        Index.build([session("s", call, *FILLER)], embedder=embedder) as index,
        Index.build([session("s", call, *FILLER)]) as plain,
    ):
        index.embed()
        one, other = index.search("green boat", explain=True), plain.search("green boat", explain=True)
        assert one.results[0].explain == other.results[0].explain
        assert "the green boat is compiled" not in embedder.texts


def test_the_text_of_a_passage_is_what_the_embedder_gets(embedder: WordEmbedder) -> None:
    with Index.build([session("s", *TEXTS)], embedder=embedder) as index:
        index.embed()
    assert sorted(embedder.texts) == sorted(TEXTS)
    assert build([session("s", *TEXTS)]).docs == len(TEXTS)
