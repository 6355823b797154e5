"""Tables are copied with their rows, numbers and indexes, and nothing else of a database is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recall_rank.loaders.sqlite.copied_tables import copy_tables


def made(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    return path


def test_rows_keep_their_numbers_and_indexes(tmp_path: Path) -> None:
    whole = made(
        tmp_path / "whole.db",
        """
        CREATE TABLE talk (id INTEGER PRIMARY KEY, "odd ""name" TEXT, mood TEXT DEFAULT 'calm');
        INSERT INTO talk VALUES (3, 'a', 'secret'), (9, 'b', 'secret'), (12, 'c', 'secret');
        CREATE INDEX talk_names ON talk ("odd ""name");
        CREATE TABLE keyed (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
        INSERT INTO keyed VALUES ('k1', x'00ff'), ('k2', 5), ('k1', CAST(x'ff' AS TEXT));
        CREATE TABLE account (token TEXT);
        INSERT INTO account VALUES ('secret');
        CREATE TRIGGER grown AFTER INSERT ON talk BEGIN INSERT INTO account VALUES ('more'); END;
        """,
    )
    copy_tables(whole, tmp_path / "part.db", {"talk": "id > 3", "keyed": "", "absent": ""}, empty=("mood",))
    with closing(sqlite3.connect(tmp_path / "part.db")) as part:
        part.text_factory = bytes
        assert part.execute("SELECT rowid, * FROM talk").fetchall() == [(9, 9, b"b", b"calm"), (12, 12, b"c", b"calm")]
        assert part.execute("SELECT rowid, * FROM keyed").fetchall() == [(2, b"k2", 5), (3, b"k1", b"\xff")]
        names = {name.decode() for (name,) in part.execute("SELECT name FROM sqlite_master")}
    assert names == {"talk", "talk_names", "keyed", "sqlite_autoindex_keyed_1"}
    assert b"secret" not in (tmp_path / "part.db").read_bytes()


def test_a_schema_from_elsewhere_runs_nothing(tmp_path: Path) -> None:
    whole = made(tmp_path / "whole.db", "CREATE TABLE talk (id); CREATE TABLE other (id);")
    with closing(sqlite3.connect(whole)) as database:
        database.execute("PRAGMA writable_schema = ON")
        attach = f"ATTACH '{tmp_path}/made.db' AS talk"
        database.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'talk'", (attach,))
        database.commit()
    with pytest.raises(OSError, match="malformed"):
        copy_tables(whole, tmp_path / "part.db", {"talk": ""})
    assert not (tmp_path / "made.db").exists()


@pytest.mark.parametrize("data", [b"no database", b"SQLite format 3\0" + bytes(84)])
def test_what_is_no_database_is_an_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "whole.db").write_bytes(data)
    with pytest.raises(OSError, match=r"whole\.db"):
        copy_tables(tmp_path / "whole.db", tmp_path / "part.db", {"talk": ""})
