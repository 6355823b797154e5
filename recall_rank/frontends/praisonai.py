"""RecallSessionStore: a session store for PraisonAI that searches with recall_rank; PraisonAI's own store writes.

    from recall_rank.frontends.praisonai import RecallSessionStore, set_default_session_store

    set_default_session_store(RecallSessionStore())

The package praisonaiagents is imported when its classes are needed: to write, to become the active store, and for the
records that a search returns. Searching works without it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.tools.folder_search import FolderSearch
from recall_rank.frontends.tools.method_functions import as_function
from recall_rank.frontends.tools.session_search import SessionTools, checked_choices
from recall_rank.frontends.tools.sessions.session_call import INTERNAL
from recall_rank.histories.open_backend import check_cache
from recall_rank.loaders.praisonai import FOLDER

if TYPE_CHECKING:
    from recall_rank.histories.open_backend import Cache

_LOG: Final = logging.getLogger(__name__)
# The methods of the protocols of session stores, beside those of searching: PraisonAI's store answers them.
_PASSED_THROUGH: Final = (
    *("add_message", "get_chat_history", "clear_session", "delete_session", "session_exists"),
    *("upsert_partial_assistant_message", "discard_partial_assistant_message"),
    *("export_session", "export_all", "import_sessions"),
    *("set_runtime_state", "get_runtime_state", "clear_runtime_state"),
)


class _PassedThrough:
    """A method of RecallSessionStore that calls the method of this name of the store that writes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: RecallSessionStore | None, owner: type) -> Any:
        return self if instance is None else getattr(instance.writer, self._name)


class PlainRecord(SimpleNamespace):
    """A hit or a listed session, with the fields of the record of praisonaiagents for which it stands where that
    package is not installed.
    """

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return dict(vars(self))


class RecallSessionStore:
    """Searches PraisonAI's sessions, and passes everything else on to PraisonAI's own store. Thread-safe.

    `path` is the folder of the session files, by default PraisonAI's own; or the history of another agent, which is
    only searched. `cache` is where the index is kept, as for Recall. With `scoring` "praisonai", sessions have the
    scores and the order of PraisonAI's own search; `generation` chooses its rule: "g1" is that of the first release,
    "g3" that of praisonaiagents 1.7. `session_prefix` hides from the searching methods all sessions whose id does not
    begin with it; the store that writes does not know it. `writer` is that store, by default PraisonAI's default store
    over the folder. Raises ValueError for a scoring or generation that does not exist, and TypeError for a cache or
    prefix of a wrong type.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        cache: Cache = True,
        scoring: str = "recall",
        generation: str = "g3",
        session_prefix: str = "",
        writer: Any = None,
    ) -> None:
        self._path = Path(path).expanduser() if path is not None else default_folder()
        self._fixed = checked_choices(scoring, generation, session_prefix)
        check_cache(cache)
        self._searched = FolderSearch(self._path, cache)
        self._writer = writer
        self._lock = threading.Lock()
        self._told: set[str] = set()

    @property
    def writer(self) -> Any:
        """The store of PraisonAI that writes sessions. Raises ModuleNotFoundError when it must be made and
        praisonaiagents is not installed.
        """
        with self._lock:
            if self._writer is None:
                from praisonaiagents.session.store import DefaultSessionStore

                self._writer = DefaultSessionStore(session_dir=str(self._path))
            return self._writer

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the store that writes, for a name that this class does not have."""
        if name.startswith("__") or "_path" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.writer, name)

    def search(self, query: str, *, limit: int = 5, window: int = 5) -> list[Any]:
        """Return the `limit` sessions that match best, as SessionHit records of praisonaiagents, each with up to
        `window` messages on each side of its best match. Raises ValueError for a limit or window out of range.
        """
        if not (query or "").strip():
            return []
        answer = self._answered({"query": query, "limit": limit, "window": window})
        return [_record("SessionHit", entry) for entry in answer["results"]]

    def window(self, session_id: str, around_message_id: str | None = None, *, window: int = 5) -> list[dict[str, Any]]:
        """Return the messages of a session from `window` before to `window` behind the one with the number
        `around_message_id`, by default the last; empty for an unknown session.
        """
        args = {"session_id": session_id, "around_message_id": around_message_id, "window": window}
        messages: list[dict[str, Any]] = self._answered(args)["messages"]
        return messages

    def recent(self, *, limit: int = 10) -> list[Any]:
        """Return the `limit` sessions that were changed last, as SessionSummary records of praisonaiagents."""
        return [_record("SessionSummary", entry) for entry in self._answered({"limit": limit})["results"]]

    def session_search_answer(self, args: Mapping[str, Any], *, strict: bool = False) -> dict[str, Any]:
        """Return the answer of the tool session_search over this store to a call with the arguments `args`, with its
        warnings and counts. With `strict`, arguments out of range are an error, unless PraisonAI's scoring is used.
        """
        given = {**args, **self._fixed}
        # PraisonAI accepts any number as a limit: with its scoring, so do we
        return self._searched.answer(given, strict=strict and self._fixed["scoring"] != "praisonai")

    def _answered(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer of session_search to `args`. Each warning is logged the first time it occurs. Raises
        ValueError for arguments that are refused and RuntimeError for an internal error.
        """
        answer = self.session_search_answer(args, strict=True)
        if not answer["ok"]:
            error = str(answer["error"])
            raise RuntimeError(error) if error.startswith(INTERNAL) else ValueError(error)
        for warning in answer.get("warnings", ()):
            if warning not in self._told:
                self._told.add(warning)
                _LOG.warning("%s", warning)
        return answer

    def wait(self, seconds: float | None = None) -> bool:
        """Wait up to `seconds`, None for any time, for the index that is built in the background. Returns whether there
        is an index.
        """
        return self._searched.wait(seconds)

    def close(self) -> None:
        """Release the index. Later searches raise RuntimeError."""
        self._searched.close()


for _name in _PASSED_THROUGH:
    setattr(RecallSessionStore, _name, _PassedThrough(_name))


def default_folder() -> Path:
    """Return the folder in which PraisonAI keeps its sessions, by the rules of PraisonAI."""
    home = os.environ.get("PRAISONAI_HOME")
    return (Path(home).expanduser() if home else Path.home() / ".praisonai") / FOLDER


def _record(kind: str, entry: Mapping[str, Any]) -> Any:
    """Return an entry of an answer as the record `kind` of praisonaiagents, or as a PlainRecord where that package is
    not installed.
    """
    try:
        from praisonaiagents.session import protocols
    except ModuleNotFoundError:
        return PlainRecord(**entry)
    return getattr(protocols, kind)(**entry)


def set_default_session_store(store: Any) -> None:
    """Make `store` the active store of praisonaiagents: agents write to it, and its session_search searches it.

    None restores PraisonAI's own. Raises ModuleNotFoundError when praisonaiagents is not installed.
    """
    from praisonaiagents.session import store as stores
    from praisonaiagents.tools import session_tools

    offered = getattr(stores, "set_default_session_store", None)
    if offered is not None:
        offered(store)
    else:
        stores._default_store = store  # noqa: SLF001 - the documented way as of 1.7.17
    session_tools._session_tools._store = None  # noqa: SLF001 - it keeps the store that it used first
    _default_tools.cache_clear()


@lru_cache(maxsize=1)
def _default_tools() -> SessionTools:
    """Return the tool session_search over the active store of praisonaiagents when that is a RecallSessionStore, else
    over a new one.
    """
    try:
        from praisonaiagents.session.store import get_default_session_store
    except ModuleNotFoundError:
        return SessionTools(store=RecallSessionStore())
    active: object = get_default_session_store()
    return SessionTools(store=active if isinstance(active, RecallSessionStore) else RecallSessionStore())


session_search = as_function(SessionTools.session_search, _default_tools)
