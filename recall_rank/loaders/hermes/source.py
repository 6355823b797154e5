"""Hermes Agent: one SQLite database for each profile. Its full-text tables repeat the messages and are not read."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.content.usage import dollars, tokens_of
from recall_rank.loaders.content.values import mapping
from recall_rank.loaders.hermes.messages import HermesMessages, typed
from recall_rank.loaders.hermes.rows import (
    COMPACTED,
    HermesRows,
    Record,
    columns,
    session_ids,
    session_rows,
    signatures,
)
from recall_rank.loaders.json.parse import parse_values
from recall_rank.loaders.malformed import add_malformed
from recall_rank.loaders.sqlite.reader import RowReader, decode_text
from recall_rank.loaders.sqlite.session_database import SessionDatabase
from recall_rank.model import Flag, Message, Reading, Session, Source, Tokens, Unit

NAME = "hermes"
DATABASE = "state.db"
VERSION = 22  # of the schema, the newest that is known here
SUFFIXES = {".db", ".sqlite", ".sqlite3"}
_BRANCHED = "branched"


class Hermes(SessionDatabase):
    """A source for one database of Hermes. Each session is one unit, read on its own."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or NAME)

    def has_tables(self) -> bool:
        """Return whether the tables are Hermes'. A database that cannot be read counts as Hermes' when its folder has
        Hermes' name, so that reading it reports the problem.
        """
        try:
            return bool(self._database.read(columns))
        except OSError as error:
            return error.errno != errno.EINVAL and self._database.path.parent.name.lstrip(".") == NAME
        finally:
            self.close()

    def keys(self, reader: RowReader) -> list[str]:
        return session_ids(reader)

    def signatures(self, reader: RowReader) -> dict[str, bytes]:
        """Return a mapping from session id to a digest of the session and its messages, which differs after each
        change.
        """
        return signatures(reader)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        rows, malformed = self.fetched(lambda reader: session_rows(reader, unit.key))
        if rows is None:
            return Reading([])
        found = HermesMessages(decode_text(rows.session["model"]))
        for row in rows.messages:
            found.add(row)
        times = rows.session["started_at"], rows.session["ended_at"]
        add_malformed(malformed, *self.odd_times("sessions", unit.key, *times))
        add_malformed(malformed, *(self.malformed("messages", key, reason) for key, reason in found.bad))
        newer = f"version {rows.version} of the schema was read as far as version {VERSION} goes"
        warnings = [newer] if rows.version > VERSION else []
        return Reading([_session_from(unit.key, rows, found.messages(), self.name)], malformed, warnings)


def _session_from(key: str, rows: HermesRows, messages: list[Message], source: str) -> Session:
    head = rows.session
    settings = parse_values(head["model_config"])[0] if type(head["model_config"]) is bytes else []
    delegated = "_delegate_from" in mapping(settings[0] if settings else None)
    parent = decode_text(head["parent_session_id"])
    flags = Flag.NONE
    if delegated or decode_text(head["source"]) == "subagent":
        flags |= Flag.SUBAGENT
    if head["archived"]:
        flags |= Flag.ARCHIVED
    if rows.continued and decode_text(head["end_reason"]) in COMPACTED:
        flags |= Flag.OUT_OF_CONTEXT  # another session continues from the summary
    directory, worktree = decode_text(head["cwd"]) or None, decode_text(head["git_repo_root"]) or None
    times = [message.time for message in messages if message.time]
    return Session(
        key,
        tuple(messages),
        decode_text(head["title"]) or title_from(next(typed(messages), None)) or decode_text(head["display_name"]),
        directory,
        worktree or directory,
        worktree,
        millis(head["started_at"]) or min(times, default=0),
        max(millis(head["ended_at"]), millis(head["started_at"]), *times),
        parent,
        source,
        NAME,
        flags,
        forked_from=parent if rows.above == _BRANCHED and not flags & Flag.SUBAGENT else None,
        continues=parent if rows.above in COMPACTED and not flags & Flag.SUBAGENT else None,
        tokens=_used(head),
        cost=dollars(head["actual_cost_usd"]) or dollars(head["estimated_cost_usd"]),
    )


def _used(head: Record) -> Tokens | None:
    """Return the token counts of the session. Hermes' input count excludes cached tokens; this one includes them."""
    read = head["cache_read_tokens"]
    beside = (read, head["cache_write_tokens"])
    return tokens_of(head["input_tokens"], head["output_tokens"], read, head["reasoning_tokens"], beside_sent=beside)


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a database of Hermes, recognised by its name and tables; None for any other path."""
    return named(path) if path.name == DATABASE else None


def named(path: Path) -> Source | None:
    """Return a source for a database of Hermes under any name, recognised by its tables; None for any other file."""
    if path.suffix not in SUFFIXES or not path.is_file():
        return None
    source = Hermes(path)
    return source if source.has_tables() else None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Sources for the databases of this machine, one for each profile. When HERMES_HOME is set, only that home
    folder is examined.
    """
    configured = environ.get("HERMES_HOME")
    local = environ.get("LOCALAPPDATA")
    folders = [Path(configured)] if configured else [home / ".hermes", *([Path(local) / NAME] if local else [])]
    seen = set()
    for folder in folders:
        for path in [folder / DATABASE, *sorted(folder.glob(f"profiles/*/{DATABASE}"))]:
            real = os.path.realpath(path)
            if real not in seen and path.is_file():
                seen.add(real)
                yield Hermes(path)
