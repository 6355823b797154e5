"""A store of every loader, and the words that a store and a cache hold: whatever is left of a store can be seen."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from recall_rank.histories.cache.purge import folders
from recall_rank.histories.cache.store import find
from recall_rank.index.segment.stored_sessions import stored_session
from recall_rank.loaders import open_source, open_sources
from recall_rank.model import Session, Source
from tests.fixtures import make_chat_stores as chats
from tests.fixtures import make_codex, make_copilot, make_cursor, make_fixtures, make_gemini, make_hermes, make_pi
from tests.fixtures import make_markdown_stores as pages
from tests.fixtures import make_opencode_json as opencode_json

_WORD: Final = re.compile(rb"[A-Za-z]{6,}")
_FLAG: Final = re.compile(r"<Flag[^>]*>")
NEIGHBOUR: Final = (
    {"t": "session", "id": "near", "title": "Umbrellas", "created": 1, "directory": "/nearby"},
    {"t": "message", "id": "n1", "session": "near", "role": "user", "time": 2,
     "parts": [{"type": "text", "text": "Which umbrella withstands hail?"}]},
)  # fmt: skip


def _exported(home: Path) -> Path:
    opencode_json.write(home / "export.json", opencode_json.exported())
    return home


def _titled(home: Path) -> Path:
    """History JSONL that ends with a torn line and a message whose session has no line of its own."""
    path = make_fixtures.write_history(home / "history.jsonl")
    stray = {"t": "message", "id": "stray1", "session": "straysession", "role": "user", "time": 5,
             "parts": [{"type": "text", "text": "a straggler of nobody"}]}  # fmt: skip
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(stray) + "\n" + '{"t": "crumpled record, torn off')
    return home


STORES: Final[dict[str, Callable[[Path], object]]] = {
    "opencode": lambda home: make_fixtures.write_opencode(home / "opencode"),
    "opencode-json": lambda home: opencode_json.write_tree(home / "opencode"),
    "opencode-json-oldest": opencode_json.write_oldest_tree,
    "opencode-export": _exported,
    "claude-code": make_fixtures.write_claude,
    "codex": make_codex.write_codex,
    "gemini-cli": make_gemini.write_gemini,
    "copilot-cli": make_copilot.write_copilot,
    "hermes": lambda home: make_hermes.write_hermes(home / ".hermes"),
    "tallow": make_pi.write_tallow,
    "pi": make_pi.write_pi,
    "praisonai": chats.write_praison,
    "cursor": lambda home: make_cursor.write_cursor(home / ".config"),
    "cursor-cli": make_cursor.write_cursor_cli,
    "goose": lambda home: chats.write_goose(home / "goose" / "sessions"),
    "goose-files": lambda home: chats.write_goose_files(home / "goose"),
    "memo-agent": lambda home: chats.write_memo(home / "sessions.db"),
    "memo-agent-described": lambda home: chats.write_memo_described(home / "memo" / "sessions.db"),
    "aider": lambda home: pages.write_aider(home / "quillwharf"),
    "specstory": lambda home: pages.write_specstory(home / "quillwharf"),
    "history": _titled,
}


def write_neighbour(folder: Path, more: Iterable[dict[str, object]] = ()) -> Path:
    """A history that stays, so that the index is never empty."""
    folder.mkdir(parents=True, exist_ok=True)
    return make_fixtures.write_history(folder / "near.jsonl", [*NEIGHBOUR, *more])


def sources_of(home: Path, neighbour: Path) -> list[Source]:
    """The stores below `home` and the neighbour, opened as another process would."""
    found = open_sources(home)
    assert found
    return [*found, open_source(neighbour)]


def words(data: bytes) -> set[str]:
    """The runs of at least six letters in these bytes, in lower case."""
    return {found.decode().lower() for found in _WORD.findall(data)}


def words_of_store(home: Path) -> set[str]:
    """The words in every file below `home`, and in the names of files and folders."""
    found: set[str] = set()
    for path in home.rglob("*"):
        found |= words(str(path.relative_to(home)).encode())
        if path.is_file():
            found |= words(path.read_bytes())
    return found


def words_of_session(session: Session) -> set[str]:
    """The words of a session's texts, ids and folders; those of our names of flags are not among them."""
    return words(_FLAG.sub("", repr(session)).encode())


def words_of_empty_units(cache: Path) -> set[str]:
    """The words in the names of units that hold no session: nobody can forget them."""
    found: set[str] = set()
    for folder in folders(cache):
        state = find(folder).state
        assert state is not None
        units = [unit for source in state.view.table().sources for unit in source.units.values() if not unit.sessions]
        found |= words(repr([unit.unit for unit in units]).encode())
    return found


def words_of_cache(cache: Path) -> set[str]:
    """The words in the bytes of every file of a cache, in their names, and in what its own readers decode."""
    found: set[str] = set()
    for path in cache.rglob("*"):
        found |= words(str(path.relative_to(cache)).encode())
        if path.is_file():
            found |= words(path.read_bytes())
    return found | _decoded(cache)


def _decoded(cache: Path) -> set[str]:
    """The words of the terms, names, sessions (deleted ones as well) and tables of the indexes in a cache."""
    found: set[str] = set()
    for folder in folders(cache):
        state = find(folder).state
        if state is None:
            continue
        found |= words(_FLAG.sub("", repr(state.view.table())).encode()) | words(repr(state.view.reports()).encode())
        for segment in state.segments:
            terms = segment.vocabulary
            found |= words(b" ".join(terms.form(number) for number in range(len(terms))))
            found |= words(repr(segment.names.values).encode())
            for at in range(len(segment.sessions)):
                found |= words(repr(segment.sessions[at]).encode()) | words_of_session(stored_session(segment, at))
    return found
