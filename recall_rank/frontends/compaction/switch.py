"""Turn compaction on and off in a project, and tell what of it is there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from recall_rank.frontends.compaction.context_file import EMPTY, PRIVATE, is_ours, owner_of
from recall_rank.frontends.compaction.edits import (
    CONTEXT,
    HOOKS,
    IGNORE_LINE,
    IGNORED,
    INSTRUCTIONS,
    OTHER_INSTRUCTIONS,
    PROGRAM,
    REFERENCE,
    SETTINGS,
    has_line,
    hooks_there,
    names_hooks,
    with_first_line,
    with_last_line,
    with_missing_hooks,
    without_line,
    without_our_hooks,
)
from recall_rank.frontends.compaction.git_files import why_tracked
from recall_rank.frontends.compaction.records import (
    EditRecord,
    ProjectRecord,
    digest_of,
    read_record,
    remove_record,
    write_record,
)
from recall_rank.frontends.file_edits.hook_entries import hooks_disabled, parsed_settings
from recall_rank.frontends.file_edits.project_files import (
    Change,
    EditError,
    ProjectFile,
    apply_changes,
    read_project_file,
)
from recall_rank.model.option_errors import error_text

WHAT: Final = {  # file -> the edit in it
    INSTRUCTIONS: "the reference line",
    CONTEXT: "the file that it names",
    IGNORED: "the line that keeps that file out of git",
    SETTINGS: "the hooks",
}
_OTHER_REFERENCE: Final = f"@{OTHER_INSTRUCTIONS}\n".encode()
_LOCAL_SETTINGS: Final = ".claude/settings.local.json"  # a person's own, which Claude Code reads besides
_OTHER_INSTRUCTION_FILES: Final = (".claude/CLAUDE.md", "CLAUDE.local.md")


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes of a project that are not made yet, the record afterwards (None: it is removed), and remarks."""

    project: Path
    changes: tuple[Change, ...]
    record: ProjectRecord | None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EditState:
    """One edit as it is: whether it is there, and what a person should know of it ("" for nothing)."""

    file: str
    there: bool
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ProjectState:
    """The edits of a project. It is on when all are there, and partly on when some are."""

    project: Path
    edits: tuple[EditState, ...]
    recorded: bool
    session_id: str | None = None  # whose history the shared file holds
    remarks: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """Return "on", "partly on" or "off"."""
        count = sum(each.there for each in self.edits)
        return "on" if count == len(self.edits) else "partly on" if count else "off"


# --- on ----------------------------------------------------------------------------------------------


def plan_on(project: Path) -> Plan:
    """Return the changes that turn compaction on; none where it is on. `project` is a real path.

    Raises EditError when an edit cannot be made or, with certainty, undone.
    """
    known_record, problem = read_record(project)
    record = known_record or ProjectRecord(str(project))
    changes, edits = [], dict(record.edits)
    for name, add in _ADD.items():
        file = read_project_file(project, name)
        after, made = add(file, project)
        known = edits.get(name)
        if after == file.data:
            if known is None:
                edits[name] = EditRecord(True, False, digest_of(file.data), digest_of(file.data))
            continue
        new = EditRecord(file.data is not None, True, digest_of(file.data), digest_of(after), made)
        if known is not None and known.added:  # the edit was lost meanwhile
            new = replace(new, existed=known.existed, made=tuple(dict.fromkeys((*known.made, *made))))
        _check_undone(file, after, made)
        edits[name] = new
        changes.append(Change(file, after, PRIVATE if name == CONTEXT else None))
    remarks = (problem,) if problem else ()
    if not changes:
        return Plan(project, (), replace(record, edits=edits), remarks)
    folder_made = record.folder_made or not (project / SETTINGS).parent.exists()
    return Plan(project, tuple(changes), ProjectRecord(str(project), folder_made, edits), remarks)


def turn_on(plan: Plan) -> None:
    """Make the changes of plan_on(): all, or none when one cannot be made. Where the edits are there already, such as
    those that a colleague committed, the record makes them count on this machine.

    Raises EditError and OSError, with the project and its record as they were.
    """
    before, _ = read_record(plan.project)
    if plan.record is None or (not plan.changes and plan.record == before):
        return
    write_record(plan.record)
    try:
        apply_changes(plan.changes)
    except BaseException:
        with suppress(OSError):
            remove_record(plan.project) if before is None else write_record(before)
        raise


def _add_reference(file: ProjectFile, project: Path) -> tuple[bytes, tuple[str, ...]]:
    if has_line(file.data, REFERENCE):
        return file.data or b"", ()
    after = with_first_line(file.data or b"", REFERENCE, file.name)
    hidden = (project / OTHER_INSTRUCTIONS).is_file()  # Claude Code reads it only where there is no CLAUDE.md
    if file.data is None and hidden and not any((project / other).exists() for other in _OTHER_INSTRUCTION_FILES):
        after += _OTHER_REFERENCE
    return after, ()


def _add_context(file: ProjectFile, project: Path) -> tuple[bytes, tuple[str, ...]]:
    if file.path != project / CONTEXT:
        raise EditError(f"{CONTEXT} is a link, or lies behind one: recall-rank writes no file through a link")
    if file.data is not None and not is_ours(file.data):
        raise EditError(f"{CONTEXT} is there already, and recall-rank did not write it")
    if tracked := why_tracked(project, CONTEXT):
        raise EditError(tracked)
    return (EMPTY if file.data is None else file.data), ()


def _add_ignored(file: ProjectFile, _: Path) -> tuple[bytes, tuple[str, ...]]:
    if has_line(file.data, IGNORE_LINE):
        return file.data or b"", ()
    return with_last_line(file.data or b"", IGNORE_LINE, file.name), ()


def _add_hooks(file: ProjectFile, _: Path) -> tuple[bytes, tuple[str, ...]]:
    if file.data is not None and len(hooks_there(file.data)) == len(HOOKS):
        return file.data, ()
    return with_missing_hooks(file.data)


_ADD: Final[Mapping[str, Callable[[ProjectFile, Path], tuple[bytes, tuple[str, ...]]]]] = {
    INSTRUCTIONS: _add_reference,
    CONTEXT: _add_context,
    IGNORED: _add_ignored,
    SETTINGS: _add_hooks,
}


def _check_undone(file: ProjectFile, after: bytes, made: tuple[str, ...]) -> None:
    """Raise EditError unless taking the edit out of its result gives the content before."""
    if _undone(file.name, after, EditRecord(file.data is not None, True, "", "", made)) != file.data:
        raise EditError(f"{file.name} cannot be edited so that `compact off` would undo it exactly")


# --- off ---------------------------------------------------------------------------------------------


def plan_off(project: Path) -> Plan:
    """Return the changes that take our edits out of a project; `project` is a real path.

    With a record, edits that were there before `compact on` stay. Without one, every edit goes that has our form.
    Raises EditError when a file cannot be read or its edit not be found.
    """
    record, problem = read_record(project)
    changes, remarks = [], [problem] if problem else []
    for name in _ADD:
        file = read_project_file(project, name)
        edit = record.edits.get(name) if record is not None else None
        if file.data is None or (name == SETTINGS and not names_hooks(file.data)):
            continue
        if edit is not None and not edit.added:
            if _is_there(name, file.data):
                remarks.append(f"{name}: {WHAT[name]} was there before `compact on` and stays; off again removes it")
            if name != CONTEXT or file.data == EMPTY:
                continue
        if name == CONTEXT and not is_ours(file.data):
            remarks.append(f"{name} was written by another program and stays")
            continue
        after = _undone(name, file.data, edit)
        if after != file.data:
            changes.append(Change(file, after))
            if edit is not None and digest_of(after) != edit.before:
                remarks.append(f"{name} was changed since `compact on`: only our edit is taken out")
    return Plan(project, tuple(changes), record, tuple(remarks))


def turn_off(plan: Plan) -> bool:
    """Make the changes of plan_off() and remove the record; return whether there was anything to do.

    Raises EditError and OSError, with the files as they were.
    """
    apply_changes(plan.changes)
    folder = (plan.project / SETTINGS).parent
    if plan.changes and not folder.is_symlink() and (plan.record is None or plan.record.folder_made):
        with suppress(OSError):
            folder.rmdir()  # fails, as it should, while anything is in it
    with suppress(OSError):  # a record that stays keeps nothing from being turned on or off again
        remove_record(plan.project)
    return bool(plan.changes) or plan.record is not None


def _undone(name: str, data: bytes, edit: EditRecord | None) -> bytes | None:
    """Return a content without our edit, None for a file that goes. Without a record (`edit` None) a file goes that
    would be empty.
    """
    existed = edit is not None and edit.existed
    if name == CONTEXT:
        return EMPTY if existed else None
    if name == SETTINGS:
        after = without_our_hooks(data, edit.made if edit is not None else None)
        is_empty = parsed_settings(after, SETTINGS) == {}
    else:
        after = without_line(data, REFERENCE if name == INSTRUCTIONS else IGNORE_LINE)
        is_empty = not after or (edit is not None and name == INSTRUCTIONS and after == _OTHER_REFERENCE)
    return None if is_empty and not existed and after != data else after


# --- status ------------------------------------------------------------------------------------------


def project_state(project: Path) -> ProjectState:
    """Return which edits are there; `project` is a real path. Files that cannot be read are told, not raised."""
    record, problem = read_record(project)
    edits, remarks = [], [problem] if problem else []
    session_id = None
    for name in _ADD:
        edit = record.edits.get(name) if record is not None else None
        try:
            file = read_project_file(project, name)
            there = file.data is not None and _is_there(name, file.data)
            if name == CONTEXT:
                session_id = owner_of(file.data)
        except EditError as error:
            edits.append(EditState(name, False, error_text(error)))
            continue
        remark = ""
        if edit is not None and not there:
            remark = "it was there after `compact on`"
        elif edit is not None and not edit.added:
            remark = "it was there before `compact on`"
        elif edit is not None and name != CONTEXT and digest_of(file.data) != edit.after:
            remark = "the file was changed since `compact on`"
        edits.append(EditState(name, there, remark))
    if any(each.there for each in edits if each.file == SETTINGS):
        remarks += idle_hooks(project)
    return ProjectState(project, tuple(edits), record is not None, session_id, tuple(remarks))


def idle_hooks(project: Path) -> list[str]:
    """Return why the hooks of a project keep nothing although they are there, one line for each reason."""
    told = []
    if shutil.which(PROGRAM) is None:
        told.append(
            f"{PROGRAM} is not on the PATH of this shell: a Claude Code that is started with this PATH does not find "
            "it, and its hooks keep nothing"
        )
    for name in (SETTINGS, _LOCAL_SETTINGS):
        with suppress(EditError):
            if hooks_disabled(read_project_file(project, name).data, name):
                told.append(f'"disableAllHooks" in {name} turns every hook off')
    return told


def _is_there(name: str, data: bytes) -> bool:
    if name == CONTEXT:
        return is_ours(data)
    if name == SETTINGS:
        return len(hooks_there(data)) == len(HOOKS)
    return has_line(data, REFERENCE if name == INSTRUCTIONS else IGNORE_LINE)
