"""A machine with fictional stores of several agents, for tests that change files at random."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from pathlib import Path

from recall_rank.loaders import open_sources
from recall_rank.model import Source
from tests.fixtures.make_chat_stores import write_memo
from tests.fixtures.make_codex import write_codex
from tests.fixtures.make_copilot import write_copilot
from tests.fixtures.make_fixtures import START, add_message, write_claude, write_history, write_opencode
from tests.fixtures.make_pi import write_pi, write_tallow

WORDS = ("lantern", "gull", "horn", "tide", "grease", "shutter", "keel", "amber")


class Machine:
    """The stores below one folder. Each change is small; equal seeds give equal changes."""

    def __init__(self, home: Path, seed: int, stores: str = "") -> None:
        self.home = home
        self.chance = random.Random(seed)
        self.clock = 1_700_000_000
        self.made = 0
        for name, write in {
            "claude": lambda: write_claude(home / "a"),
            "pi": lambda: write_pi(home / "b"),
            "tallow": lambda: write_tallow(home / "c"),
            "codex": lambda: write_codex(home / "d"),
            "copilot": lambda: write_copilot(home / "e"),
            "history": lambda: (write_history(home / "f" / "one.jsonl"), write_history(home / "g" / "two.jsonl")),
            "opencode": lambda: write_opencode(home / "h"),
            "memo": lambda: write_memo(home / "i" / "sessions.db"),
        }.items():
            if not stores or name in stores:
                write()
        self.settle()

    def sources(self) -> list[Source]:
        """Open the stores anew, as another process would."""
        return open_sources(self.home)

    def files(self) -> list[Path]:
        return sorted(path for path in self.home.rglob("*") if path.suffix == ".jsonl" and path.is_file())

    def databases(self) -> list[Path]:
        return sorted(path for path in self.home.rglob("*.db") if path.is_file() and path.parent.name in "hi")

    def settle(self) -> None:
        """Date every database back, so that it is read in place and not as a copy."""
        for path in self.databases():
            self.clock += 1
            os.utime(path, (self.clock, self.clock))

    def change(self) -> str:
        """Make one change to one store, and return a description of it."""
        databases = self.databases()
        if databases and self.chance.random() < 0.2:
            done = self._change_rows(self.chance.choice(databases))
            self.settle()
            return done
        files = self.files()
        if not files:
            return "nothing left"
        path = self.chance.choice(files)
        what = self.chance.choice(
            ("append", "append", "append", "say", "cut", "replace", "delete", "move", "copy", "torn")
        )
        getattr(self, f"_{what}")(path)
        return f"{what} {path.relative_to(self.home)}"

    def _like(self, path: Path) -> Path:
        """Return another file of the store."""
        top = path.relative_to(self.home).parts[0]
        return self.chance.choice([other for other in self.files() if other.relative_to(self.home).parts[0] == top])

    def _append(self, path: Path) -> None:
        """Append a line of some file of the store: a copy of a message, or a stray record."""
        lines = self._like(path).read_bytes().splitlines(keepends=True)
        if lines:
            with path.open("ab") as file:
                file.write(self.chance.choice(lines))

    def _say(self, path: Path) -> None:
        """Append a new line: the last line with other words and another id."""
        lines = path.read_text("utf-8", "replace").splitlines()
        if lines:
            self.made += 1
            line = lines[-1]
            for digit in "123456789":
                line = line.replace(f"{digit}{digit}", f"{digit}{self.made % 10}")
            with path.open("a", encoding="utf-8") as file:
                file.write(line.replace("the", self.chance.choice(WORDS)) + "\n")

    def _cut(self, path: Path) -> None:
        size = path.stat().st_size
        os.truncate(path, self.chance.randrange(size + 1))

    def _torn(self, path: Path) -> None:
        with path.open("ab") as file:
            file.write(
                self.chance.choice((b'{"type": "user", "mess', b"\n", b'{"t":"message"', b"[]\n", b"\xff\xfe\n"))
            )

    def _replace(self, path: Path) -> None:
        data = self._like(path).read_bytes()
        other = path.with_name(f".{path.name}.new")
        other.write_bytes(data)
        other.replace(path)

    def _delete(self, path: Path) -> None:
        path.unlink()

    def _move(self, path: Path) -> None:
        path.rename(self._free(path))

    def _copy(self, path: Path) -> None:
        if not (free := self._free(path)).exists():
            shutil.copy(path, free)

    def _free(self, path: Path) -> Path:
        self.made += 1
        stem = path.stem[:-1] + str(self.made % 10)
        return path.with_name(f"{stem}{path.suffix}")

    def _change_rows(self, path: Path) -> str:
        connection = sqlite3.connect(path)
        sessions = [
            row[0]
            for row in connection.execute(
                "SELECT id FROM session" if path.parent.name == "h" else "SELECT id FROM sessions ORDER BY id"
            )
        ]
        self.made += 1
        done = "nothing"
        if path.parent.name == "h" and sessions:
            session = self.chance.choice(sessions)
            if self.chance.random() < 0.7:
                words = {"type": "text", "text": f"{self.chance.choice(WORDS)} {self.made}"}
                add_message(connection, session, f"msg_x{self.made:03}", {"role": "user"}, [words], START + self.made)
                connection.execute(
                    "UPDATE session SET time_updated = ? WHERE id = ?", (START + 1000 + self.made, session)
                )
                done = f"say in {session}"
            else:
                for table, column in (("session", "id"), ("message", "session_id"), ("part", "session_id")):
                    connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (session,))
                done = f"delete {session}"
        elif sessions:
            session = self.chance.choice(sessions)
            connection.execute(
                "DELETE FROM messages WHERE rowid = (SELECT max(rowid) FROM messages WHERE session_id = ?)", (session,)
            )
            done = f"unsay in {session}"
        connection.commit()
        connection.close()
        return f"{done} of {path.name}"
