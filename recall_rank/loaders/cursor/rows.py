"""Queries of Cursor's databases, which are tables of keys and JSON values: one conversation is many rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import xxhash

from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.files.regular_files import read_small
from recall_rank.loaders.json.parse import parse_values
from recall_rank.loaders.sqlite.database import Database
from recall_rank.loaders.sqlite.reader import RECORD, Row, RowReader, decode_text
from recall_rank.loaders.sqlite.session_database import Columns, missing_column, read_columns, unknown_schema_error

NEEDED = {"cursorDiskKV": {"key", "value"}}
COMPOSER, BUBBLE = "composerData:", "bubbleId:"
# The sign keeps SQLite on the index of keys: the table may have gigabytes of other values.
BY_KEY = "FROM cursorDiskKV WHERE key >= ? AND key < ? AND +rowid > ? ORDER BY +rowid"
_ADDRESS = re.compile(r"[\w+.-]+://[^/]*(/.*)", re.DOTALL)
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")


def known(reader: RowReader) -> Columns:
    """Return a mapping from table name to the names of its columns. Raises OSError when the schema is not Cursor's."""
    columns = read_columns(reader)
    lack = missing_column(columns, NEEDED)
    if lack:
        raise unknown_schema_error("Cursor", lack)
    return columns


def composer_ids(reader: RowReader) -> list[str]:
    """Return the ids of all conversations, in the order of their rows."""
    known(reader)
    rows = reader.fetch(f"SELECT rowid, key {BY_KEY}", *_range(COMPOSER))
    return [(decode_text(row[1]) or "").removeprefix(COMPOSER) for row in rows]


def composer_rows(reader: RowReader, key: str) -> tuple[Any, list[Row]]:
    """Return (value, rows): the value of a conversation's own row, None when it is missing or was too long to be read,
    and the rows (rowid, key, value) of its bubbles, that is its messages. All values are JSON texts, not yet parsed.
    """
    known(reader)
    own = "SELECT rowid, value FROM cursorDiskKV WHERE key = ? AND +rowid > ? ORDER BY +rowid"
    heads = reader.fetch(own, COMPOSER + key)
    if not heads and not reader.passed_over:
        return None, []
    bubbles = reader.fetch(f"SELECT rowid, key, value {BY_KEY}", *_range(f"{BUBBLE}{key}:"), record=RECORD)
    return heads[0][1] if heads else None, bubbles


def signatures(reader: RowReader) -> dict[str, bytes]:
    """Return a mapping from conversation id to a digest of the row ids of its rows. The digest differs after each
    change, because Cursor changes a value by replacing its row.
    """
    known(reader)
    found = {}
    for row in reader.fetch(f"SELECT rowid, key {BY_KEY}", *_range(COMPOSER)):
        key = (decode_text(row[1]) or "").removeprefix(COMPOSER)
        sql = "SELECT max(rowid), count(*), sum(rowid) FROM cursorDiskKV WHERE key >= ? AND key < ?"
        counts = reader.fetch_few(sql, *_range(f"{BUBBLE}{key}:"))
        found[key] = xxhash.xxh3_128_digest(repr((row[0], counts)).encode())
    return found


def _range(prefix: str) -> tuple[str, str]:
    """Return the bounds (low, high), high excluded, of all keys that begin with `prefix`: high is `prefix` with its
    last character incremented.
    """
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)


# --- which project a conversation belongs to -------------------------------------------------------


def folders(storage: Path) -> Iterator[tuple[str, str]]:
    """Yield (conversation id, working folder) from the databases of the workspaces; unreadable databases are
    skipped.
    """
    try:
        inside = sorted(storage.iterdir())
    except OSError:
        return
    for workspace in inside:
        folder = _folder(workspace)
        database = workspace / "state.vscdb"
        if folder is None or not database.is_file():
            continue
        for key in _composers(database):
            yield key, folder


def _folder(workspace: Path) -> str | None:
    try:
        values, _ = parse_values(read_small(workspace / "workspace.json", workspace)[0])
    except OSError:
        return None
    told = mapping(values[0]) if len(values) == 1 else {}
    return path_of(text_of(told.get("folder")) or text_of(told.get("workspace")))


def _composers(path: Path) -> Iterator[str]:
    database = Database(path)
    try:
        rows = database.read(_listed)
    except OSError:
        rows = []
    finally:
        database.close()
    for row in rows:
        values, _ = parse_values(row[0] if type(row[0]) is bytes else b"")
        told = mapping(values[0]) if len(values) == 1 else {}
        listed = told.get("allComposers")
        for composer in listed if type(listed) is list else ():
            key = text_of(mapping(composer).get("composerId"))
            if key:
                yield key
        opened = told.get("selectedComposerIds")
        yield from (key for key in (opened if type(opened) is list else ()) if type(key) is str)


def _listed(reader: RowReader) -> list[Row]:
    if missing_column(read_columns(reader), {"ItemTable": {"key", "value"}}):
        return []
    return reader.fetch_few("SELECT CAST(value AS BLOB) FROM ItemTable WHERE key = 'composer.composerData'")


def path_of(uri: str | None) -> str | None:
    """Return the path in a URI such as file: or vscode-remote:; a text that is no URI is returned unchanged, None for
    empty text.
    """
    if not uri:
        return None
    address = _ADDRESS.fullmatch(uri)
    if address is None:
        return uri
    raw = _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), address[1].encode("utf-8", "replace"))
    path = raw.decode("utf-8", "replace")
    return path[1:] if path[2:3] == ":" else path  # /c:/Users/...
