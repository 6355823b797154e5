"""Read the index that Codex keeps of its sessions: their names, which are archived, and which session spawned
which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.content.values import text_of
from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import open_file
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.loaders.sqlite.database import Database
from recall_rank.loaders.sqlite.reader import Row, RowReader, decode_text

NAMES = "session_index.jsonl"
_STATE = re.compile(r"state_(\d+)\.sqlite")
_THREAD = ("id", "name", "title", "archived")


@dataclass(frozen=True, slots=True)
class Thread:
    """One session in Codex's index: its name, whether it is archived, and the id of its parent."""

    title: str | None = None
    archived: bool = False
    parent: str | None = None  # that spawned it


def threads_of(home: Path) -> tuple[dict[str, Thread], list[str]]:
    """Return (threads, problems): a mapping from session id to the session's entry in Codex's index, and descriptions
    of the problems met while reading. Both are empty without an index.
    """
    found: dict[str, Thread] = {}
    problems = []
    versions = {int(state[1]): path for path in home.iterdir() if (state := _STATE.fullmatch(path.name))}
    if versions:
        path = versions[max(versions)]
        try:
            with Database(path) as database:
                found, lost = database.read(_threads)
            if lost:
                problems.append(f"{path}: {lost} rows are too long; names of sessions may be missing")
        except OSError as error:
            problems.append(f"{path}: {error.strerror or error}; names of sessions are not known")
    try:
        with open_file(home / NAMES, home) as file:
            records = JsonlRecords(read_blocks(file), NAMES)
            for _, record in records:
                key, name = text_of(record.get("id")), text_of(record.get("thread_name"))
                if key and name and name.strip():
                    found[key] = replace(found.get(key, Thread()), title=title_from(name))
        if records.malformed:
            first, count = records.malformed[0], len(records.malformed)
            problems.append(f"{home / NAMES}: {count} damaged, from {first.place} on; names of sessions may be missing")
    except FileNotFoundError:
        pass  # older versions have none
    except OSError as error:
        problems.append(f"{home / NAMES}: {error.strerror or error}; names of sessions are not known")
    return found, problems


def _threads(reader: RowReader) -> tuple[dict[str, Thread], int]:
    """Return a mapping from session id to its entry in the database, and the number of rows that were not read because
    they are too long.
    """
    columns = {decode_text(row[0]) for row in reader.fetch_few("SELECT name FROM pragma_table_info('threads')")}
    if "id" not in columns:
        return {}, 0
    wanted = ", ".join(name if name in columns else "NULL" for name in _THREAD)
    rows = reader.fetch(f"SELECT rowid, {wanted} FROM threads WHERE rowid > ? ORDER BY rowid")  # noqa: S608
    parents = {}
    if reader.fetch_few("SELECT 1 FROM sqlite_master WHERE name = 'thread_spawn_edges'"):
        edges = "SELECT rowid, child_thread_id, parent_thread_id FROM thread_spawn_edges WHERE rowid > ? ORDER BY rowid"
        parents = {decode_text(child): decode_text(parent) for _, child, parent in reader.fetch(edges)}
    threads = {key: _thread(row, parents.get(key)) for row in rows if (key := decode_text(row[1]))}
    return threads, sum(row.count for row in reader.passed_over)


def _thread(row: Row, parent: str | None) -> Thread:
    _, _, name, title, archived = row
    return Thread(title_from(decode_text(name) or decode_text(title)), bool(archived), parent)
