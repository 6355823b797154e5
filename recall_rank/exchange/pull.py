"""Pull: copy the stores of another machine here by rsync, and keep the copy up to date."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from recall_rank.exchange.pulled import NAME, home_of, pulled_machines
from recall_rank.exchange.pulled_databases import DATABASES, LISTED, LOG, PulledDatabases, is_database, remove_staged
from recall_rank.index.storage.folder import Folder
from recall_rank.model.record_classes import frozen

_DATA: Final = ("/.local/share", "/Library/Application Support", "/AppData/Local", "/AppData/Roaming")
_CONFIG: Final = ("/.config", "/Library/Application Support", "/AppData/Roaming")
_WHOLE: Final = "***"  # in a pattern of rsync: a folder and all that is below it

# What is copied as it is below a home folder, as patterns of rsync, beside DATABASES. Keys and settings of agents lie
# beside these and are not copied. The index of a database's log (-shm) belongs to the processes of its machine: SQLite
# makes a new one. What OpenCode keeps of a shared session has the secret by which it is withdrawn.
STORES: Final = (
    *("/.claude/projects/" + _WHOLE, "/.config/claude/projects/" + _WHOLE),
    *("/.codex/sessions/" + _WHOLE, "/.codex/archived_sessions/" + _WHOLE),
    "/.codex/session_index.jsonl",
    *("/.gemini/tmp/" + _WHOLE, "/.gemini/projects.json"),
    *("/.copilot/session-state/" + _WHOLE, "/.pi/agent/sessions/" + _WHOLE, "/.tallow/sessions/" + _WHOLE),
    *("/.praisonai/sessions/" + _WHOLE, "/.praison/sessions/" + _WHOLE),
    *("/.cursor/chats/" + _WHOLE, "/.cursor/projects/*/agent-transcripts/" + _WHOLE),
    *("/.config/cursor/chats/" + _WHOLE, "/.config/cursor/projects/*/agent-transcripts/" + _WHOLE),
    *(f"{base}/Cursor/User/workspaceStorage/*/workspace.json" for base in _CONFIG),
    *(f"{base}/opencode/{each}/{_WHOLE}" for base in _DATA for each in ("storage", "project", "tool-output")),
    *(f"{base}/goose/sessions/{_WHOLE}" for base in _DATA),
    *(f"{base}/Block/goose/data/sessions/{_WHOLE}" for base in _DATA),
    *(f"{base}/Block.goose/sessions/{_WHOLE}" for base in _DATA),
    *("/.aider.chat.history.md", "/.specstory/history/" + _WHOLE),
)
NOT_COPIED: Final = ("*-shm", "*-journal", "storage/session_share/", "storage/session/share/")
_REMOTE: Final = re.compile(r"(?:[A-Za-z0-9_][\w.-]*@)?(?:[A-Za-z0-9_][\w.-]*|\[[0-9A-Fa-f:.]+\])")
ORIGIN: Final = "origin"  # the file beside a copy that says where it came from
PARTIAL: Final = 23  # the exit status of rsync when some files could not be copied,
VANISHED: Final = 24  # and when files were deleted while it copied
_AS_OWN: Final = ("--times", "--prune-empty-dirs", "--omit-dir-times", "--chmod=D700,F600")
_IN_PLACE: Final = ("--delay-updates", "--delete-delay", "--delete-excluded")
SILENT_SECONDS: Final = 120  # after which rsync gives up a machine that sends nothing, also while ssh connects


class PullError(OSError):
    """Raised when the stores of another machine could not be copied, or not to the end. See pull() for what became of
    an earlier copy.
    """


@frozen
class PulledCopy:
    """A copy of a machine's stores after a pull: the machine's name here, the folder of the copy, how many files it
    has, what rsync said when some files could not be copied, else "", and the databases that could not be read, with
    the reasons; of these an earlier copy stays.
    """

    name: str
    folder: str
    files: int
    problem: str = ""
    damaged: tuple[str, ...] = ()


def pull(where: str, name: str | None = None) -> PulledCopy:
    """Copy the stores of the home folder of another machine, or bring an earlier copy up to date.

    `where` is a host as ssh takes it, [user@]host, or the path of a folder that is laid out as a home folder. `name`
    is what the machine is called here, by default its host, or the last name of the folder. What was deleted there is
    deleted from the copy, unless some files could not be read there: these stay as an earlier pull has copied them, the
    others are brought up to date, nothing is deleted, and `problem` of the result says why. Nothing is written to the
    other machine, which needs rsync, and so does this one.

    Raises ValueError for a place or a name that cannot be used, also for the name of a copy of another place or of a
    folder that no pull made; LookupError when there is no store; and PullError when the copy could not be made to the
    end. What was transferred is put in place at the end, then what is gone there is deleted: an earlier copy is
    unchanged when the transfer breaks off, or the other machine sends nothing for SILENT_SECONDS. Where this machine
    fails in the last step, such as for want of room, a part of the files is new.
    """
    origin, called = _origin(where)
    name = called if name is None else name
    if NAME.fullmatch(name) is None:
        raise ValueError(
            f"{name!r} cannot be the name of a machine here, which has letters, digits, '.', '_' and '-': choose one "
            "with --name"
        )
    home = home_of(name)
    before = _origin_of(home)
    if before not in ("", origin):
        raise ValueError(f"{name} is the copy of {before}: choose another --name for {origin}, or remove that copy")
    if not before and home.exists() and any(home.iterdir()):
        raise ValueError(f"{home} has files, and no pull made it: choose another --name")
    databases = [pattern + end for pattern in DATABASES for end in ("", LOG)]
    listed, problem = _rsync(where, ["--list-only", *_filters([*STORES, *databases]), "--", origin])
    files = [line for line in listed.splitlines() if line.startswith(b"-")]
    if not files and problem:
        raise PullError(f"{where}: rsync ended with {PARTIAL}: {problem}")
    if not files:
        raise LookupError(f"no store of an agent was found at {where}")
    for folder in (home.parent.parent, home.parent, home):
        Folder.create(folder).close()
    with Folder(home.parent) as folder_of_machine:
        folder_of_machine.put(ORIGIN, origin.encode())
    listing = b"\n".join(line for line in files if is_database(line))
    with PulledDatabases(home) as pulled:
        changed = not pulled.are_listed(listing)
        if changed:
            staged = [*_AS_OWN, *_filters(databases), "--", origin, f"{pulled.staged}{os.sep}"]
            problem = _rsync(where, staged)[1] or problem
            pulled.clean()
        kept = [f"--filter=protect {pattern}" for pattern in DATABASES]  # from being deleted as if gone there
        kept += [f"--filter=hide {pattern}" for pattern in databases]
        in_place = [*_AS_OWN, *_IN_PLACE, *kept, *_filters(STORES), "--", origin, f"{home}{os.sep}"]
        problem = _rsync(where, in_place)[1] or problem
        if changed:
            pulled.put(listing, complete=not problem)
    copied = sum(path.is_file() for path in home.rglob("*"))
    return PulledCopy(name, str(home), copied, problem, tuple(pulled.damaged))


def _filters(patterns: Sequence[str]) -> list[str]:
    found = ["--recursive", *(f"--exclude={pattern}" for pattern in NOT_COPIED)]
    return [*found, *(f"--include={pattern}" for pattern in (*_above(patterns), *patterns)), "--exclude=*"]


def _rsync(where: str, words: Sequence[str]) -> tuple[bytes, str]:
    """Run rsync; return what it printed, and what it said of files that could not be copied. Raises PullError."""
    program = shutil.which("rsync")
    if program is None:
        raise PullError("the program rsync is needed, here and there")
    done = subprocess.run(  # noqa: S603 - a program and options of ours, and a place that was checked
        [program, f"--timeout={SILENT_SECONDS}", *words], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    told = done.stderr.decode("utf-8", "replace").strip().splitlines()
    why = told[0] if told else "it did not say why"
    if done.returncode not in (0, PARTIAL, VANISHED):
        raise PullError(f"{where}: rsync ended with {done.returncode}: {why}")
    return done.stdout, why if done.returncode == PARTIAL else ""


def _origin_of(home: Path) -> str:
    """Return where a copy came from; "" when there is none."""
    try:
        return (home.parent / ORIGIN).read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return ""


def remove_pulled(name: str) -> None:
    """Delete the copy of a machine's stores. Raises LookupError when no pull made one, and OSError."""
    if name not in pulled_machines() or not _origin_of(home_of(name)):
        raise LookupError(f"no stores were copied from a machine {name!r}")
    home = home_of(name)
    shutil.rmtree(home)
    remove_staged(home)
    (home.parent / LISTED).unlink(missing_ok=True)
    (home.parent / ORIGIN).unlink()  # last: without it the rest of a copy would not be removed another time
    with suppress(OSError):
        home.parent.rmdir()  # fails, as it should, while anything is in it


def _origin(where: str) -> tuple[str, str]:
    """Return what rsync copies from, and the name of the machine by default. Raises ValueError."""
    path = Path(where).expanduser()
    if where and path.is_dir():
        full = path.resolve()
        return f"{full}{os.sep}", full.name or "root"
    if _REMOTE.fullmatch(where) is None:
        told = f"{where!r} is neither a folder nor a host as ssh takes it"
        raise ValueError(f"{told}; a port and the like are set in ssh's configuration")
    return f"{where}:", where.rpartition("@")[2].strip("[]").replace(":", "-")


def _above(patterns: Sequence[str]) -> Iterator[str]:
    """Yield a pattern for each folder above those of `patterns`, without which rsync does not look into them."""
    seen = set()
    for pattern in patterns:
        parts = pattern.removesuffix(_WHOLE).strip("/").split("/")
        for count in range(1, len(parts)):
            above = "/" + "/".join(parts[:count]) + "/"
            if above not in seen:
                seen.add(above)
                yield above
