"""Compaction is turned on by four edits, and off by taking them out: the project is as it was, to the byte."""

from __future__ import annotations

import json
import os
import shutil
import stat
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_rank.frontends.compaction.context_file import EMPTY
from recall_rank.frontends.compaction.records import recorded_projects, remove_record
from recall_rank.frontends.compaction.switch import plan_off, plan_on, project_state, turn_off, turn_on
from recall_rank.frontends.file_edits import project_files, record_files
from recall_rank.frontends.file_edits.project_files import (
    Change,
    EditError,
    apply_changes,
    diff_lines,
    project_folder,
    read_project_file,
)
from tests.support.frontends.claude_machine import ClaudeMachine, tree

OURS = (".claude/recall-context.md", ".claude/settings.json", ".gitignore", "CLAUDE.md")
OTHER_HOOKS: dict[str, Any] = {
    "hooks": {
        "PreCompact": [{"matcher": "", "hooks": [{"type": "command", "command": "other-tool save"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "beep"}]}],
    },
    "permissions": {"deny": []},
}


def write(project: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_bytes(data)


def on(project: Path) -> None:
    turn_on(plan_on(project))


def off(project: Path) -> bool:
    return turn_off(plan_off(project))


TEXTS = [
    {},
    {"CLAUDE.md": b""},
    {"CLAUDE.md": b"# Quay\r\n\r\nUse tabs.\r\n", ".gitignore": b"*.log\r\n"},
    {"CLAUDE.md": b"# Quay\nno line end", ".gitignore": b"*.log"},
    {"CLAUDE.md": b"\xef\xbb\xbf# Quay\n", ".gitignore": b"\xef\xbb\xbf"},
    {"CLAUDE.md": b"caf\xe9\n", ".gitignore": b"a\rb"},
    {"AGENTS.md": b"Be brief.\n"},
    {".claude/settings.json": b"{}"},
    {".claude/settings.json": b"{\n}\n"},
    {".claude/settings.json": b'\xef\xbb\xbf{"hooks": {}}'},
    {".claude/settings.json": b'{"hooks": {"PreCompact": [ ], "SessionStart": [\n\n]}}\n'},
    {".claude/settings.json": json.dumps(OTHER_HOOKS, indent=3).replace("\n", "\r\n").encode()},
    {".claude/settings.json": json.dumps(OTHER_HOOKS, indent="\t").encode() + b"\n\n"},
    {".claude/settings.json": b'  {"z":1 ,"hooks" :{"Stop":[]},"a":{"b":[1,2]}}'},
    {".claude/settings.local.json": b"{}"},
]


@pytest.mark.parametrize("files", TEXTS)
def test_off_leaves_the_project_as_it_was(claude: ClaudeMachine, files: dict[str, bytes]) -> None:
    write(claude.project, files)
    before = tree(claude.project)
    on(claude.project)
    there = tree(claude.project)
    assert set(OURS) <= set(there)
    assert project_state(claude.project).word == "on"
    assert json.loads((claude.project / ".claude/settings.json").read_bytes().decode("utf-8-sig"))["hooks"]
    assert plan_on(claude.project).changes == ()
    on(claude.project)
    assert tree(claude.project) == there
    assert off(claude.project)
    assert tree(claude.project) == before
    assert project_state(claude.project).word == "off"
    assert list(recorded_projects()) == []
    assert not off(claude.project)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
GROUPS = st.lists(st.fixed_dictionaries({"hooks": st.lists(st.fixed_dictionaries({"command": st.text(max_size=4)}))}))
SETTINGS = st.builds(
    lambda rest, hooks, indent, line_end, mark, last: (
        mark
        + json.dumps({**rest, **hooks}, indent=indent, ensure_ascii=False).replace("\n", line_end).encode("utf-8")
        + last
    ),
    st.dictionaries(st.text(max_size=4), JSON, max_size=3),
    st.one_of(
        st.just({}),
        st.builds(
            lambda events: {"hooks": events},
            st.dictionaries(st.sampled_from(["PreCompact", "SessionStart", "Stop"]), GROUPS, max_size=3),
        ),
    ),
    st.sampled_from([None, 0, 2, 4, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.sampled_from([b"", b"\n", b"\r\n", b" \n\n"]),
)
PIECES = st.sampled_from(
    [b"# Quay", b"\n", b"\r\n", b"\r", b"\xef\xbb\xbf", b"@.claude/recall-context.md", b".claude/recall-context.md*"]
)
BYTES = st.binary(max_size=4).map(lambda data: data.replace(b"\0", b"x").replace(b"\xff", b"y"))  # no UTF-16
TEXT = st.lists(PIECES | BYTES, max_size=8).map(b"".join)


@settings(max_examples=16)
@given(
    files=st.fixed_dictionaries(
        {},
        optional={
            "CLAUDE.md": TEXT,
            ".gitignore": TEXT,
            "AGENTS.md": TEXT,
            ".claude/settings.json": SETTINGS,
            ".claude/recall-context.md": st.just(EMPTY),
        },
    ),
    folder=st.booleans(),
)
def test_any_project_is_as_it_was(
    files: dict[str, bytes], folder: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("any")
    project, state = root / "quay", root / "state"
    project.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(state))
        if folder:
            (project / ".claude").mkdir()
        write(project, files)
        before = tree(project)
        on(project)
        assert project_state(project).word == "on"
        off(project)
        assert tree(project) == before
    shutil.rmtree(root)


# --- what others changed after `on` ------------------------------------------------------------------


def test_what_others_changed_since_stays(claude: ClaudeMachine) -> None:
    write(claude.project, {"CLAUDE.md": b"# Quay\n", ".gitignore": b"*.log"})
    on(claude.project)
    for name, more in (("CLAUDE.md", b"More.\n"), (".gitignore", b"\n*.tmp\n")):
        with (claude.project / name).open("ab") as file:
            file.write(more)
    settings = claude.project / ".claude/settings.json"
    text = settings.read_text().replace('{\n  "hooks"', '{\n  "model": "opus",\n  "hooks"')
    settings.write_text(text.replace('"SessionStart"', '"Stop": [ {} ],\n    "SessionStart"'))
    plan = plan_off(claude.project)
    assert len(plan.remarks) == 3
    turn_off(plan)
    assert (claude.project / "CLAUDE.md").read_bytes() == b"# Quay\nMore.\n"
    assert (claude.project / ".gitignore").read_bytes() == b"*.log\n*.tmp\n"
    assert settings.read_text() == '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [ {} ]\n  }\n}\n'


def test_our_hook_is_taken_out_of_a_group_of_others(claude: ClaudeMachine) -> None:
    on(claude.project)
    settings = claude.project / ".claude/settings.json"
    found = json.loads(settings.read_text())
    other = {"type": "command", "command": "other-tool"}
    for event in ("PreCompact", "SessionStart"):
        found["hooks"][event][0]["hooks"].insert(0, other)
    settings.write_text(json.dumps(found))
    off(claude.project)
    assert json.loads(settings.read_text()) == {
        "hooks": {event: [{"hooks": [other]}] for event in ("PreCompact", "SessionStart")}
    }


def test_a_changed_timeout_is_ours_still(claude: ClaudeMachine) -> None:
    on(claude.project)
    settings = claude.project / ".claude/settings.json"
    settings.write_text(settings.read_text().replace("300", "900"))
    assert plan_on(claude.project).changes == ()
    state = project_state(claude.project)
    assert state.word == "on"
    assert [each.remark for each in state.edits if each.remark] == ["the file was changed since `compact on`"]
    off(claude.project)
    assert tree(claude.project) == {}


def test_what_was_there_before_on_stays(claude: ClaudeMachine) -> None:
    write(claude.project, {"CLAUDE.md": b"a\n@.claude/recall-context.md\n"})
    before = tree(claude.project)
    on(claude.project)
    plan = plan_off(claude.project)
    assert "was there before" in plan.remarks[0]
    turn_off(plan)
    assert tree(claude.project) == before
    off(claude.project)  # without a record what has our form goes
    assert (claude.project / "CLAUDE.md").read_bytes() == b"a\n"


def test_without_a_record_what_has_our_form_goes(claude: ClaudeMachine) -> None:
    write(claude.project, {"CLAUDE.md": b"# Quay\n", ".claude/settings.json": b'{"model": "opus"}\n'})
    before = tree(claude.project)
    on(claude.project)
    remove_record(claude.project)
    assert plan_on(claude.project).changes == ()
    state = project_state(claude.project)
    assert (state.word, state.recorded) == ("on", False)
    off(claude.project)
    assert tree(claude.project) == before


def test_what_is_lost_is_missing_and_comes_back(claude: ClaudeMachine) -> None:
    before = tree(claude.project)
    on(claude.project)
    (claude.project / ".gitignore").unlink()
    state = project_state(claude.project)
    assert state.word == "partly on"
    assert [(each.file, each.remark) for each in state.edits if not each.there] == [
        (".gitignore", "it was there after `compact on`")
    ]
    on(claude.project)
    assert project_state(claude.project).word == "on"
    off(claude.project)
    assert tree(claude.project) == before


def test_disabled_hooks_are_told(claude: ClaudeMachine) -> None:
    write(claude.project, {".claude/settings.json": b'{"disableAllHooks": true}'})
    on(claude.project)
    told = '"disableAllHooks" in {} turns every hook off'
    assert project_state(claude.project).remarks == (told.format(".claude/settings.json"),)
    write(claude.project, {".claude/settings.local.json": b'{"disableAllHooks": true}'})
    assert project_state(claude.project).remarks[1:] == (told.format(".claude/settings.local.json"),)


def test_agents_md_is_still_read(claude: ClaudeMachine) -> None:
    write(claude.project, {"AGENTS.md": b"Be brief.\n"})
    on(claude.project)
    assert (claude.project / "CLAUDE.md").read_text() == "@.claude/recall-context.md\n@AGENTS.md\n"


# --- what is refused, with nothing changed -----------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({".claude/settings.json": b'{"a": 1,}'}, "no valid JSON"),
        ({".claude/settings.json": b""}, "no valid JSON"),
        ({".claude/settings.json": b"[]"}, "no JSON object"),
        ({".claude/settings.json": b'{"a": "\xff"}'}, "no text in UTF-8"),
        ({".claude/settings.json": b'{"hooks": null}'}, '"hooks" is no object'),
        ({".claude/settings.json": b'{"hooks": {"PreCompact": {}}}'}, 'of "PreCompact" are no list'),
        ({".claude/settings.json": b" " * (1 << 20) + b"{}"}, "more than 1,048,576 bytes"),
        ({"CLAUDE.md": "Quay\n".encode("utf-16")}, "no text in UTF-8"),
        ({".gitignore": b"a\0b"}, "no text in UTF-8"),
        ({".claude/recall-context.md": b"my own notes\n"}, "recall-rank did not write it"),
        ({".claude": b"a file"}, "a file stands where"),
    ],
)
def test_what_cannot_be_edited_is_refused(claude: ClaudeMachine, files: dict[str, bytes], said: str) -> None:
    write(claude.project, files)
    before = tree(claude.project)
    with pytest.raises(EditError, match=said):
        plan_on(claude.project)
    assert tree(claude.project) == before
    assert list(recorded_projects()) == []


@pytest.mark.parametrize("name", OURS)
def test_no_link_leads_out_of_the_project(claude: ClaudeMachine, name: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"{}")
    (claude.project / name).parent.mkdir(exist_ok=True)
    (claude.project / name).symlink_to(outside)
    with pytest.raises(EditError, match="leads out of the project"):
        plan_on(claude.project)
    assert outside.read_bytes() == b"{}"


def test_no_folder_leads_out_of_the_project(claude: ClaudeMachine, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (claude.project / ".claude").symlink_to(tmp_path / "outside")
    with pytest.raises(EditError, match="leads out of the project"):
        plan_on(claude.project)
    (claude.project / ".claude").unlink()
    (claude.project / ".claude").symlink_to(tmp_path / "nothing")
    with pytest.raises(EditError, match="leads out of the project"):
        plan_on(claude.project)
    (claude.project / ".claude").unlink()
    (claude.project / "CLAUDE.md").symlink_to("gone.md")
    with pytest.raises(EditError, match="leads to nothing"):
        plan_on(claude.project)
    (claude.project / "CLAUDE.md").unlink()
    (claude.project / "CLAUDE.md").mkdir()
    with pytest.raises(EditError, match="no regular file"):
        plan_on(claude.project)


def test_a_link_inside_the_project_stays_a_link(claude: ClaudeMachine) -> None:
    write(claude.project, {"AGENTS.md": b"Be brief.\n"})
    (claude.project / "CLAUDE.md").symlink_to("AGENTS.md")
    on(claude.project)
    assert (claude.project / "CLAUDE.md").is_symlink()
    assert (claude.project / "AGENTS.md").read_bytes() == b"@.claude/recall-context.md\nBe brief.\n"
    off(claude.project)
    assert (claude.project / "CLAUDE.md").is_symlink()
    assert (claude.project / "AGENTS.md").read_bytes() == b"Be brief.\n"


def test_the_home_folder_is_no_project(claude: ClaudeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EditError, match="every project"):
        project_folder(claude.home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(claude.project / ".claude"))
    with pytest.raises(EditError, match="every project"):
        project_folder(claude.project)
    with pytest.raises(EditError, match="no folder"):
        project_folder(claude.project / "absent")


def test_modes_are_kept(claude: ClaudeMachine) -> None:
    write(claude.project, {"CLAUDE.md": b"# Quay\n", ".claude/settings.json": b"{}"})
    (claude.project / "CLAUDE.md").chmod(0o640)
    (claude.project / ".claude/settings.json").chmod(0o600)
    on(claude.project)
    modes = {name: stat.S_IMODE((claude.project / name).stat().st_mode) for name in OURS}
    assert modes["CLAUDE.md"] == 0o640
    assert modes[".claude/settings.json"] == 0o600
    assert modes[".claude/recall-context.md"] == 0o600


# --- errors while the files are written --------------------------------------------------------------


@pytest.mark.parametrize("method", ["replace", "fsync"])
@pytest.mark.parametrize("number", range(7))
def test_an_error_leaves_the_project_as_it_was(
    claude: ClaudeMachine, monkeypatch: pytest.MonkeyPatch, method: str, number: int
) -> None:
    write(claude.project, {"CLAUDE.md": b"# Quay\n", ".gitignore": b"*.log\n"})
    before = tree(claude.project)
    plan = plan_on(claude.project)
    calls = 0

    def full(real: Any) -> Any:
        def called(*words: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == number + 1:
                raise OSError(28, "No space left on device")
            return real(*words)

        return called

    class System:
        """The module `os` as the writer of files sees it, with a disk that is full at one call."""

        def __getattr__(self, name: str) -> Any:
            return full(os.fsync) if name == method == "fsync" else getattr(os, name)

    with monkeypatch.context() as patch:
        patch.setattr(project_files, "os", System())
        if method == "replace":
            patch.setattr(Path, "replace", full(Path.replace))
        expected = number < (6 if method == "fsync" else 4)  # two of the four files were there before
        with pytest.raises(OSError, match="No space left") if expected else nullcontext():
            turn_on(plan)
    if expected:
        assert tree(claude.project) == before
        assert list(recorded_projects()) == []


def test_files_that_cannot_be_put_back_are_named(claude: ClaudeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    write(claude.project, {"CLAUDE.md": b"# Quay\n", ".gitignore": b"*.log\n"})
    plan = plan_on(claude.project)
    real, calls = Path.replace, 0

    def broken(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += claude.project in self.parents
        if calls > 1:
            raise OSError(5, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(EditError, match=r"could not be put back: CLAUDE.md \(Input/output error\)"):
        turn_on(plan)


def test_a_file_that_changed_meanwhile_is_left(claude: ClaudeMachine) -> None:
    write(claude.project, {"CLAUDE.md": b"# Quay\n"})
    plan = plan_on(claude.project)
    (claude.project / "CLAUDE.md").write_bytes(b"# Quay, longer\n")
    with pytest.raises(EditError, match="changed by another program"):
        turn_on(plan)
    assert tree(claude.project).keys() == {"CLAUDE.md"}


def test_without_a_home_folder_nothing_is_edited(claude: ClaudeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_files, "user_folder", lambda *_: None)
    with pytest.raises(EditError, match="no home folder"):
        on(claude.project)
    assert tree(claude.project) == {}
    assert list(recorded_projects()) == []
    assert not off(claude.project)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"version": 2}', b'{"version": 1, "edits": {"a": 1}}'])
def test_a_damaged_record_is_told(claude: ClaudeMachine, data: bytes) -> None:
    on(claude.project)
    (record,) = (claude.home / ".local/state/recall_rank/compaction").iterdir()
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert b"recall-context.md*" not in record.read_bytes()
    record.write_bytes(data)
    told = f"the record of the project, {record}, is damaged and not used"
    assert plan_on(claude.project).remarks == (told,)
    assert told in project_state(claude.project).remarks
    assert list(recorded_projects()) == []
    assert off(claude.project)  # what has our form goes
    assert tree(claude.project) == {}


def test_a_record_that_others_can_read_is_told(claude: ClaudeMachine) -> None:
    on(claude.project)
    (record,) = (claude.home / ".local/state/recall_rank/compaction").iterdir()
    record.chmod(0o644)
    assert (
        f"the record of the project, {record}, is not private to you and not used" in plan_off(claude.project).remarks
    )
    assert off(claude.project)
    assert tree(claude.project) == {}


def test_settings_without_our_hooks_are_not_read(claude: ClaudeMachine) -> None:
    write(claude.project, {".claude/settings.json": b""})
    assert plan_off(claude.project).changes == ()
    assert not off(claude.project)


def test_hooks_without_their_program_are_told(claude: ClaudeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    on(claude.project)
    assert project_state(claude.project).remarks == ()
    monkeypatch.setenv("PATH", str(claude.home))
    (told,) = project_state(claude.project).remarks
    assert told.startswith("recall-rank is not on the PATH of this shell")
    off(claude.project)
    assert project_state(claude.project).remarks == ()


def test_the_diff_tells_what_changes(claude: ClaudeMachine) -> None:
    write(claude.project, {"a": b"one\r\ntwo"})
    file = read_project_file(claude.project, "a")
    assert list(diff_lines([Change(file, b"one\r\nthree\n")])) == [
        *("--- a/a", "+++ b/a", "@@ -1,2 +1,2 @@", " one", "-two", "\\ No newline at end of file", "+three")
    ]
    empty = read_project_file(claude.project, "b")
    assert list(diff_lines([Change(empty, b"")])) == ["--- /dev/null", "+++ b/b"]
    assert apply_changes([Change(file, None), Change(empty, b"x")]) == ()
    assert tree(claude.project).keys() == {"b"}
    assert project_files.LARGEST == 1 << 20
