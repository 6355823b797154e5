"""The plugin in a project in which `recall-rank compact` is on: its hooks or the plugin's write, never both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from recall_rank.frontends.compaction import claude_hooks, condensing
from recall_rank.frontends.compaction.condensing import CondensedHistory
from recall_rank.frontends.compaction.context_file import EMPTY, owner_of
from recall_rank.frontends.compaction.edits import CONTEXT, SETTINGS
from recall_rank.frontends.compaction.records import remove_record
from recall_rank.frontends.compaction.switch import plan_on, turn_on
from recall_rank.frontends.hosts.events.host_hooks import HostAnswer
from recall_rank.frontends.transcripts.render import SessionTranscript
from recall_rank.model.recalled_text import NUDGE as REMINDER
from tests.frontends.hosts.conftest import HookedMachine, text_of
from tests.support.frontends.claude_machine import FIRST


def condensed(_: SessionTranscript, __: Sequence[str], /) -> CondensedHistory:
    return CondensedHistory("The ferry tariff is amber.")


def before(hooked: HookedMachine) -> HostAnswer:
    return hooked.given("claude-code", "PreCompact", hooked.claude.before(FIRST), condense=condensed)


@pytest.fixture
def project(hooked: HookedMachine) -> Path:
    """The project of the machine, with compaction on."""
    turn_on(plan_on(hooked.claude.project))
    return hooked.claude.project


def test_the_hooks_of_the_project_write_and_those_of_the_plugin_do_not(hooked: HookedMachine, project: Path) -> None:
    answer = before(hooked)
    assert answer.problems == []
    assert (project / CONTEXT).read_bytes() == EMPTY
    assert text_of(hooked.given("claude-code", "SessionStart", hooked.claude.start(FIRST, "compact"))) == REMINDER


@pytest.mark.parametrize("settings", [b"{}", b'{"disableAllHooks": true}', None])
def test_where_the_project_has_no_hooks_the_plugin_writes(
    hooked: HookedMachine, project: Path, settings: bytes | None
) -> None:
    if settings is None:
        (project / SETTINGS).unlink()
    else:
        (project / SETTINGS).write_bytes(settings)
    assert before(hooked).problems == []
    assert owner_of((project / CONTEXT).read_bytes()) == FIRST
    assert b"The ferry tariff is amber." in (project / CONTEXT).read_bytes()
    answer = hooked.given("claude-code", "SessionStart", hooked.claude.start(FIRST, "compact"))
    reminded = text_of(answer)
    assert reminded.startswith(REMINDER)
    assert f"This session, {FIRST}, was just compacted." in reminded
    assert text_of(hooked.given("claude-code", "SessionStart", hooked.claude.start(FIRST, "clear"))) == REMINDER
    assert (project / CONTEXT).read_bytes() == EMPTY


def test_where_compaction_is_off_nothing_is_written(hooked: HookedMachine) -> None:
    assert "amber" in before(hooked).stdout
    assert list(hooked.claude.project.iterdir()) == []


def test_the_condenser_is_that_of_the_projects_hook(
    hooked: HookedMachine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / SETTINGS).unlink()
    monkeypatch.setattr(condensing, "condensed_session", condensed)
    assert hooked.given("claude-code", "PreCompact", hooked.claude.before(FIRST)).problems == []
    assert b"The ferry tariff is amber." in (project / CONTEXT).read_bytes()


def test_settings_that_are_no_json_are_one_line(hooked: HookedMachine, project: Path) -> None:
    (project / SETTINGS).write_bytes(b"{")
    answer = before(hooked)
    assert len(answer.problems) == 1
    assert (project / CONTEXT).read_bytes() == EMPTY
    assert "amber" in answer.stdout


def test_a_condensation_that_takes_too_long_is_ended(
    hooked: HookedMachine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    def slow(_: SessionTranscript, __: Sequence[str], /) -> CondensedHistory:
        time.sleep(1.5)
        return CondensedHistory("late")

    (project / SETTINGS).unlink()
    monkeypatch.setitem(claude_hooks.SECONDS, "PreCompact", 0.1)
    answer = hooked.given("claude-code", "PreCompact", hooked.claude.before(FIRST), condense=slow)
    assert answer.problems == ["it took longer than 0.1 seconds, and was ended"]
    assert "amber" in answer.stdout


def test_the_files_of_a_repository_switch_nothing_on_or_off(hooked: HookedMachine, project: Path) -> None:
    """As another machine has committed them: without the record of this one the plugin does what it does elsewhere."""
    remove_record(project)
    (project / SETTINGS).unlink()
    files = {path: path.read_bytes() for path in sorted(project.rglob("*")) if path.is_file()}
    assert "amber" in before(hooked).stdout
    assert {path: path.read_bytes() for path in sorted(project.rglob("*")) if path.is_file()} == files
