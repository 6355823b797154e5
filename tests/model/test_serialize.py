"""The names and the shape of an answer on the wire."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.model import Flag, Malformed, ReadFailure, SourceReport
from recall_rank.model.serialize import error_to_dict, flag_names, source_to_dict
from tests.support.frontends.samples import full_response, hit, response

ALWAYS = {
    *("ok", "query", "match_mode", "group", "results", "total", "total_exact", "truncated", "scanned", "degrade_kind"),
    *("degrade_kinds", "stages_run", "answerable", "coverage", "elapsed_ms", "cpu_ms"),
}
SOMETIMES = {"warnings", "suggestions", "near_misses", "load_errors", "load_error_count", "trace"}
RESULT_ALWAYS = {
    *("session_id", "session_title", "directory", "project", "message_id", "role", "time", "part_id", "part_type"),
    *("pruned", "snippet", "spans", "field", "source", "history", "score", "stage", "match_mode", "matched_terms"),
    *("directory_relevance", "why"),
}
RESULT_SOMETIMES = {
    *("agent", "tool_name", "author", "title_match", "hit_count", "hit_count_exact", "flags", "explain"),
    *("match_reasons", "also_in"),
}
COVERAGE_ALWAYS = {
    *("sessions", "messages", "parts", "sessions_discovered", "sessions_eligible", "sessions_searched"),
    *("sessions_skipped", "messages_searched", "parts_searched", "stale_ms"),
}
COVERAGE_SOMETIMES = {
    *("skipped_by_reason", "limited_by", "directory_buckets_searched", "directory_bucket_counts", "per_source"),
}


def test_what_is_absent_is_left_out() -> None:
    bare = response([hit()])
    answer = replace(bare, coverage=replace(bare.coverage, sessions=bare.coverage.parts)).to_dict()
    assert set(answer) == ALWAYS
    assert set(answer["results"][0]) == RESULT_ALWAYS
    assert set(answer["coverage"]) == COVERAGE_ALWAYS


def test_what_is_there_is_told() -> None:
    answer = full_response().to_dict()
    assert set(answer) == ALWAYS | SOMETIMES
    assert set(answer["results"][0]) == RESULT_ALWAYS | RESULT_SOMETIMES
    assert set(answer["coverage"]) == COVERAGE_ALWAYS | COVERAGE_SOMETIMES
    assert answer["ok"] is True
    assert answer["load_error_count"] == 1
    assert answer["results"][0]["flags"] == ["subagent", "error"]
    assert answer["results"][0]["spans"][0] == {"start": 4, "end": 8, "text_start": 104, "text_end": 108}
    assert answer["near_misses"][0] == {"kind": "term", "text": "rat", "reason": "one edit away"}
    assert answer["near_misses"][1]["session_id"] == "s9"


def test_the_flat_names_repeat_the_ledgers() -> None:
    answer = full_response().to_dict()
    coverage = answer["coverage"]
    assert coverage["sessions"] == {
        "known": 3,
        "eligible": 2,
        "searched": 2,
        "not_reached": 0,
        "skipped": {"directory": 1},
    }
    assert coverage["sessions_discovered"] == coverage["sessions_eligible"] + coverage["sessions_skipped"]
    assert coverage["skipped_by_reason"] == {"directory": 1}
    assert coverage["directory_bucket_counts"] == {"exact": 1}
    assert coverage["directory_buckets_searched"] == ["exact"]
    assert answer["scanned"] == coverage["sessions_searched"] == 2


def test_false_and_zero_are_not_absent() -> None:
    answer = response([hit(hit_count=0, hit_count_exact=False, score=0.0)]).to_dict()
    assert answer["results"][0]["hit_count"] == 0
    assert answer["results"][0]["hit_count_exact"] is False
    assert answer["results"][0]["score"] == 0.0


@pytest.mark.parametrize(("flags", "names"), [(Flag.NONE, []), (Flag.SYNTHETIC | Flag.PRUNED, ["synthetic", "pruned"])])
def test_flags_are_words(flags: Flag, names: list[str]) -> None:
    assert flag_names(flags) == names


def test_a_source_lists_its_malformed_records_only_when_asked() -> None:
    report = SourceReport(
        "codex", "/data", malformed=(Malformed("/data/a", "line 1", "torn"),), failures=(ReadFailure("", "no"),)
    )
    brief = source_to_dict(report)
    assert brief["malformed"] == 1
    assert brief["failed"] is True
    assert "malformed_records" not in brief
    assert "newest" not in brief
    assert source_to_dict(report, verbose=True)["malformed_records"] == [
        {"location": "/data/a", "place": "line 1", "reason": "torn"}
    ]


def test_an_error_is_an_answer() -> None:
    assert error_to_dict("bad \ud800") == {"ok": False, "error": "bad \ufffd"}


@given(st.text(st.characters(categories=("Cs", "L", "Cc", "So")), max_size=20))
def test_any_text_can_be_written_and_keeps_its_offsets(words: str) -> None:
    answer = response([hit(snippet=words, session_title=words)], query=words, warnings=(words,))
    read = orjson.loads(answer.to_json())
    assert len(read["results"][0]["snippet"]) == len(words)
    clean = all(not "\ud800" <= letter <= "\udfff" for letter in words)
    assert (read["query"] == words) == clean
