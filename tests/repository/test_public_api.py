"""The names a program may rely on: changing one means changing this list on purpose."""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import recall_rank
from recall_rank.search.options import OPTION_NAMES

ROOT = Path(__file__).resolve().parents[2]
NOT_TO_START = {"numpy", "orjson", "re2", "sqlite3", "dataclasses", "inspect"}  # what no first search imports
HEAVY = {
    "numpy",
    "rapidfuzz",
    "orjson",
    "Stemmer",
    "re2",
    "xxhash",
    "click",
    "rich",
    "platformdirs",
    "sqlite3",
    "asyncio",
}

PUBLIC = [
    *("Context", "Coverage", "EmbedReport", "Embedder", "Evaluation", "Flag", "FunctionEmbedder", "Index"),
    *("LabelledQuery", "Malformed", "Message", "Options", "Part", "Place", "Reading", "Recall", "RefreshReport"),
    *("Reranked", "Result", "SearchResponse", "Session", "Shards", "Source", "SourceReport", "Tokens"),
    *("Unit", "UserVocabulary"),
    *("discover", "evaluate", "open_embedder", "open_source", "open_sources", "rank", "rerank"),
]
METHODS = {
    "Evaluation": {"to_dict"},
    "Index": {
        *("add", "append", "asearch", "build", "close", "columns", "from_texts", "holds", "remove", "save", "scores"),
        "search",
    },
    "Recall": {"asearch", "close", "discover", "found", "holds", "prepare", "refresh", "search", "sources"},
    "SearchResponse": {"to_dict", "to_json"},
}
RESULT = {
    *(
        "session_id",
        "session_title",
        "directory",
        "project",
        "message_id",
        "role",
        "time",
        "part_id",
        "part_type",
        "pruned",
    ),
    *(
        "snippet",
        "spans",
        "field",
        "source",
        "history",
        "agent",
        "host",
        "user",
        "score",
        "stage",
        "match_mode",
        "matched_terms",
        "why",
    ),
    *("directory_relevance", "flags", "tool_name", "author", "title_match", "hit_count", "hit_count_exact", "explain"),
    *("match_reasons", "also_in"),
}
RESPONSE = {
    *("results", "query", "match_mode", "group", "total", "total_exact", "truncated", "coverage", "degrade_kind"),
    *(
        "degrade_kinds",
        "stages_run",
        "answerable",
        "warnings",
        "suggestions",
        "near_misses",
        "load_errors",
        "elapsed_ms",
    ),
    *("cpu_ms", "syntax", "synonyms", "trace"),
}
OPTIONS = {
    *(
        "match",
        "scope",
        "group",
        "type",
        "role",
        "session_id",
        "session_prefix",
        "title",
        "sessions",
        "results",
        "width",
        "before",
        "after",
    ),
    *("last", "from_", "to", "since", "until", "directory", "fallback", "tool_name", "explain", "budget_ms", "now"),
    *(
        "cancel",
        "context",
        "project",
        "exclude_session_ids",
        "must",
        "must_not",
        "order",
        "offset",
        "extra_scores",
        "redact",
        "weights",
    ),
    *("agent", "host", "user", "files", "exact", "syntax", "vocabulary", "fold"),
}


def test_the_public_names() -> None:
    assert recall_rank.__all__ == PUBLIC == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_bound_on_first_use_and_described(name: str) -> None:
    value = getattr(recall_rank, name)
    assert getattr(recall_rank, name) is value
    assert name in dir(recall_rank)
    assert value.__module__.startswith("recall_rank.")
    assert (inspect.getdoc(value) or "").strip()


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Engine'"):
        _ = recall_rank.Engine
    assert not hasattr(recall_rank, "SearchContext")


@pytest.mark.parametrize("name", METHODS)
def test_the_methods(name: str) -> None:
    cls = getattr(recall_rank, name)
    assert METHODS[name] <= {member for member in dir(cls) if not member.startswith("_")}


def test_the_fields_of_an_answer_and_its_options() -> None:
    assert set(recall_rank.Result.__slots__) == RESULT
    assert set(recall_rank.SearchResponse.__slots__) == RESPONSE
    assert OPTION_NAMES == OPTIONS


def test_records_are_frozen() -> None:
    records = ("Session", "Message", "Part", "Result", "Options", "Evaluation", "LabelledQuery")
    for cls in (getattr(recall_rank, name) for name in records):
        assert cls.__dataclass_params__.frozen, cls  # type: ignore[attr-defined]


def loaded_by(code: str) -> set[str]:
    """Top-level modules a fresh interpreter loads to run `code`, beside what it starts with."""
    script = f"import sys; old = {{*sys.modules}}\n{code}\nprint(*({{*sys.modules}} - old))"
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    return {name.partition(".")[0] for name in answer.stdout.split()}


@pytest.mark.parametrize(
    ("code", "without"),
    [
        pytest.param("import recall_rank", HEAVY, id="import"),
        pytest.param("from recall_rank import Session, Message, Part, Context, Result, Flag", HEAVY, id="records"),
        pytest.param("import recall_rank; dir(recall_rank); recall_rank.__version__", HEAVY, id="looking around"),
        pytest.param("from recall_rank import Index, rank, Options", NOT_TO_START, id="Index"),
        pytest.param(
            "import recall_rank as rr\n"
            "said = {'id': 'p', 'type': 'text', 'text': 'the lantern'}\n"
            "history = [{'id': 's', 'messages': [{'id': 'm', 'role': 'user', 'parts': [said]}]}]\n"
            "assert rr.rank('lantern', history).results[0].part_id == 'p'",
            {*NOT_TO_START, "click", "rich"},
            id="a whole search",
        ),
        pytest.param(
            "import recall_rank as rr\n"
            "assert rr.rerank('amber lantern', ['a tidal gate', 'the lantern is amber'])[0].index == 1",
            {*HEAVY - {"Stemmer"}, "dataclasses", "inspect", "json"},
            id="reranking for words without a name",
        ),
        pytest.param(
            "import recall_rank as rr\n"
            "said = {'id': 'p', 'type': 'text', 'text': 'the lantern'}\n"
            "index = rr.Index.build([{'id': 's', 'messages': [{'id': 'm', 'role': 'user', 'parts': [said]}]}])\n"
            "assert rr.evaluate(index, [{'query': 'lantern', 'relevant': [{'session': 's'}]}]).measured == 1",
            {"numpy", "orjson", "re2", "sqlite3", "click", "rich"},
            id="an evaluation",
        ),
    ],
)
def test_what_is_not_needed_is_not_imported(code: str, without: set[str]) -> None:
    assert not loaded_by(code) & without


def test_every_module_can_be_imported_first() -> None:
    paths = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "recall_rank").rglob("*.py")]
    modules = sorted(".".join(path.parts) for path in paths if path.name not in ("__init__", "__main__"))
    for module in modules:
        importlib.import_module(module)
    assert "recall_rank.search.engine" in modules
    assert "recall_rank" in loaded_by(f"import {modules[0]}")
