"""The commands search and demo read operators in a query and the user's vocabulary, and say how they read it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from recall_rank.frontends.cli.main import cli
from recall_rank.histories import vocabulary_file

DEMO = ("--history", "demo", "--no-cache")


def run(*words: str, **more: Any) -> Result:
    return CliRunner().invoke(cli, ["search", *words, *DEMO], **more)


def answer(*words: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*words, "--json", **more).stdout)
    return found


def test_operators_are_read_and_the_reading_is_shown() -> None:
    shown = run("bucket", 'role:assistant -"burst" OR', "agent:opencode", '+"smooths"').stdout
    assert 'read as: bucket OR · role assistant · agent opencode · with "smooths" · without "burst"\n' in shown
    told = answer('bucket role:assistant -"burst"')
    assert told["syntax"] == {"text": "bucket", "must_not": ["burst"], "filters": {"role": ["assistant"]}}
    assert told["query"] == 'bucket role:assistant -"burst"'
    assert {result["role"] for result in told["results"]} == {"assistant"}


@pytest.mark.parametrize(
    "words", [("bucket role:user", "--no-syntax"), ("bucket role:user", "-m", "literal"), ("error: bucket",)]
)
def test_a_query_may_be_taken_as_it_stands(words: tuple[str, ...]) -> None:
    assert "syntax" not in answer(*words)
    assert "read as" not in run(*words).stdout


def test_operators_can_be_read_in_a_literal_search() -> None:
    found = answer("token bucket role:assistant", "-m", "literal", "--syntax")
    assert found["syntax"]["text"] == "token bucket"
    assert found["total"]
    assert {result["role"] for result in found["results"]} == {"assistant"}


def test_a_text_from_stdin_with_several_lines_is_text() -> None:
    told = CliRunner().invoke(cli, ["search", "-", *DEMO, "--json"], input="bucket role:user\nagent:codex\n")
    assert "syntax" not in json.loads(told.stdout)


def test_a_value_that_is_not_accepted_is_told() -> None:
    assert "'role:admin' is searched as text: role takes user or assistant" in run("bucket role:admin").stdout


def test_sessions_and_searches_of_one_agent() -> None:
    assert {result["agent"] for result in answer("the bucket or the kite", "--agent", "Codex")["results"]} == {"codex"}
    listed = CliRunner().invoke(cli, ["sessions", "--agent", "codex", *DEMO, "--json"])
    told = json.loads(listed.stdout)
    assert {entry["agent"] for entry in told["sessions"]} == {"codex"}
    assert told["total"] == told["returned"] == 3
    none = CliRunner().invoke(cli, ["sessions", "--agent", "codx", *DEMO])
    assert none.exit_code == 1
    assert "try: No session is of an agent 'codx': did you mean 'codex'?\n" in none.stdout
    none = CliRunner().invoke(cli, ["sessions", "--agent", "zebra", *DEMO])
    assert re.search(r"try: No session is of an agent 'zebra': there are '[a-z-]+', '", none.stdout)


def test_the_vocabulary_of_the_settings_is_used_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary_file, "default_settings", lambda: tmp_path)
    path = tmp_path / vocabulary_file.FILE
    plain = run("throttling partners").stdout
    path.write_text('both_ways = [["throttling", "rate limit"]]\n', encoding="utf-8")
    shown = run("throttling partners").stdout
    assert "also searched: throttling = rate limit\n" in shown
    assert "also searched" not in plain
    assert answer("throttling partners")["synonyms"] == {"throttling": ["rate limit"]}
    assert answer("throttling partners")["results"][0]["session_id"] == "demo-10"
    path.write_text("both_ways = 3\n", encoding="utf-8")
    broken = run("throttling partners")
    assert broken.exit_code == 0
    assert broken.stdout.count(f"{path} is not used: ") == 1
