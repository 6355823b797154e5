"""`recall-rank stats`: counts per period, project and agent as bars, as an SVG and as JSON."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.activity.activity import MAX_PERIODS, PERIODS, activity
from recall_rank.frontends.activity.activity_svg import activity_svg
from recall_rank.frontends.demo.generate import history
from recall_rank.model import Message, Part, Session
from tests.frontends.conftest import Run
from tests.support.histories.every_store import STORES

DAY = 86_400_000
MAY_28 = 1_780_000_000_000  # 2026-05-28, a Thursday


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    path.write_text(history(), encoding="utf-8")
    return path


def session(key: str, *times: int, directory: str | None = None, agent: str | None = None) -> Session:
    said = tuple(
        Message(f"{key}-{at}", "user", time, (Part(f"{key}-{at}p", "text", "x"),)) for at, time in enumerate(times)
    )
    return Session(key, said, directory=directory, agent=agent)


def test_empty_periods_are_included() -> None:
    found = activity([session("a", MAY_28, MAY_28 + 3 * DAY), session("b", MAY_28)])
    unit, days = found.periods()
    assert unit == "day"
    assert [(share.name, share.messages, share.sessions) for share in days] == [
        ("2026-05-28", 2, 2),
        ("2026-05-29", 0, 0),
        ("2026-05-30", 0, 0),
        ("2026-05-31", 1, 1),
    ]
    assert [share.name for share in found.periods("week")[1]] == ["2026-05-25"]
    assert [share.name for share in found.periods("month")[1]] == ["2026-05-01"]
    assert [share.name for share in found.periods("year")[1]] == ["2026-01-01"]
    for unit, name in (("day", "2026-05-28"), ("week", "2026-05-25"), ("month", "2026-05"), ("year", "2026")):
        assert (found.named_periods(unit)[0], found.named_periods(unit)[1][0].name) == (unit, name)
        assert f">{name}</text>" in activity_svg(found, unit)


def test_a_session_counts_once_a_period() -> None:
    (week,) = activity([session("a", MAY_28, MAY_28 + DAY)]).periods("week")[1]
    assert (week.sessions, week.messages) == (1, 2)


@given(st.lists(st.integers(0, 4_000_000_000_000), max_size=8), st.sampled_from([None, *PERIODS]))
def test_every_message_is_in_one_period(times: list[int], unit: str | None) -> None:
    found = activity([session("a", *times)])
    unit, periods = found.periods(unit if unit != "day" else None)
    assert sum(share.messages for share in periods) + found.undated == len(times)
    starts = [date.fromisoformat(share.name) for share in periods]
    assert starts == sorted(set(starts))


def test_the_default_unit_gives_few_periods() -> None:
    for years in (1, 3, 20):
        _, periods = activity([session("a", MAY_28 - years * 365 * DAY, MAY_28)]).periods()
        assert len(periods) <= MAX_PERIODS + 1


def test_projects_have_short_names_where_these_differ() -> None:
    found = activity(
        [
            session("a", MAY_28, directory="/home/sam/tides", agent="codex"),
            session("b", MAY_28, MAY_28, directory="/srv/quay/"),
            session("c", MAY_28, directory="/opt/tides"),
            session("d", 0),
        ]
    )
    assert [share.name for share in found.projects()] == ["quay", "/home/sam/tides", "/opt/tides", "unknown"]
    assert [(share.name, share.sessions) for share in found.agents()] == [("unknown", 3), ("codex", 1)]
    assert found.undated == 1


def test_the_svg_loads_nothing() -> None:
    hostile = session("a", MAY_28, directory="/x/<script>alert(1)</script>&", agent='"><image href="//evil.example">')
    picture = activity_svg(activity([hostile, session("b", MAY_28 + 40 * DAY)]))
    root = ET.fromstring(picture)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "style", "rect", "text", "line", "title"}
    assert not [name for element in root.iter() for name in element.attrib if "href" in name]
    assert "2 messages in 2 sessions" in picture


def test_the_svg_of_an_empty_history() -> None:
    assert ET.fromstring(activity_svg(activity([]))).tag.endswith("svg")


def test_the_command(run: Run, file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "activity.svg"
    result = run("stats", "--history", file, "--svg", picture)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("36 messages in 12 sessions · ")
    assert "messages by project" in result.stdout
    assert "harborline" in result.stdout
    assert "█" in result.stdout
    assert ET.fromstring(picture.read_text(encoding="utf-8")).tag.endswith("svg")


def test_as_json(run: Run, file: Path) -> None:
    answer = json.loads(run("stats", "--history", file, "--by", "month", "--json").stdout)
    assert answer["schema_version"] == 1
    assert answer["unit"] == "month"
    assert sum(row["messages"] for row in answer["activity"]) == answer["messages"] == 36
    assert sum(row["sessions"] for row in answer["projects"]) == 12
    assert answer["agents"]


def test_nothing_to_count(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    result = run("stats", "--history", tmp_path / "empty.jsonl")
    assert (result.exit_code, result.stdout) == (0, "0 messages in 0 sessions\n")
    assert run("stats", "--history", tmp_path / "missing.jsonl", "--json").exit_code == 3


@pytest.mark.parametrize("store", ["claude-code", "codex", "pi"])
def test_what_a_fork_copied_is_counted_once(run: Run, tmp_path: Path, store: str) -> None:
    STORES[store](tmp_path)
    counted = json.loads(run("stats", "--history", tmp_path, "--json").stdout)
    sources = json.loads(run("sources", "--history", tmp_path, "--json").stdout)["sources"]
    assert any("forks had copied" in text for source in sources for text in source["warnings"])
    for name in ("sessions", "messages", "parts"):
        assert counted[name] == sum(source[name] for source in sources)
