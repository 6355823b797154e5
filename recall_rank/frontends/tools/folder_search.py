"""FolderSearch: session_search over one session folder of PraisonAI, before and after its index exists.

The first search of a large folder does not wait for the index: the files that contain words of the query are found by a
scan of their bytes, and those are ranked. The index is built in a thread meanwhile.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.tools.session_search import LIBRARY_OPTIONS, answer_of_histories
from recall_rank.frontends.tools.sessions.praisonai_scan import (
    FileScan,
    files_of_prefix,
    newest_files,
    session_files,
)
from recall_rank.frontends.tools.sessions.session_answers import original_hits
from recall_rank.frontends.tools.sessions.session_call import NO_HISTORY, session_query
from recall_rank.frontends.tools.warnings import MAX_WARNINGS, ToolError, Warnings
from recall_rank.loaders import open_sources
from recall_rank.loaders.praisonai import SUFFIX, PraisonAI, recognise
from recall_rank.loaders.praisonai_records import safe_name
from recall_rank.recall import Recall

if TYPE_CHECKING:
    from recall_rank.histories.open_backend import Cache

SMALL: Final = 256  # files of a folder whose index is built at once
RANKED: Final = 32  # files that are ranked without an index
_LOG: Final = logging.getLogger(__name__)
_NOT_INDEXED: Final = (
    "the index is still being built: {shown} of {total} files with words of the query, as they are written, were ranked"
)
_NOT_LISTED: Final = "the index is still being built: only the files that were changed last were read"


class FolderSearch:
    """Answers calls of session_search over the sessions at one path: a session folder of PraisonAI, or the history of
    another agent. Thread-safe.
    """

    def __init__(self, path: Path, cache: Cache) -> None:
        self._path = path
        self._cache = cache
        self._folder: Path | None = None  # known when the path was looked at, as `_recall` is
        self._recall: Recall | None = None
        self._indexing: threading.Thread | None = None
        self._indexed = False
        self._closed = False
        self._stamp = 0
        self._lock = threading.Lock()

    def answer(self, args: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
        """Return the answer of session_search to a call with the arguments `args`; an error to read the path is an
        answer, too. A path that does not exist yet is an empty history. With `strict`, arguments out of range are an
        error.
        """
        if self._closed:
            return {"ok": False, "error": "internal error: ValueError: this store is closed", "error_category": "other"}
        try:
            return self._answer(args, strict=strict)
        except ToolError as error:
            return {"ok": False, "error": str(error), "error_category": error.category, **error.extra}
        except OSError as error:
            return {"ok": False, "error": f"internal error: {type(error).__name__}: {error}", "error_category": "other"}

    def _answer(self, args: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
        if not self._path.exists():
            return _of_files([], args, strict=strict)
        recall = self._opened()
        if self._folder is not None and args["scoring"] == "praisonai" and args.get("query"):
            return _scored(self._folder, args)
        files = [] if self._folder is None else self._unindexed(recall, self._folder)
        if files:
            return _without_index(files, args, strict=strict)
        self._follow(recall)
        return answer_of_histories(recall, args, strict=strict)

    def wait(self, seconds: float | None) -> bool:
        """Wait up to `seconds`, None for any time, for the index that is built in the background. Returns whether there
        is an index.
        """
        thread = self._indexing
        if thread is not None:
            thread.join(seconds)
        return self._indexed

    def close(self) -> None:
        """Release the index. Later calls are answered with an error."""
        with self._lock:
            self._closed = True
            if self._recall is not None:
                self._recall.close()

    def _opened(self) -> Recall:
        with self._lock:
            if self._recall is None:
                self._folder = sessions_folder(self._path)
                sources = open_sources(self._path) if self._folder is None else [PraisonAI(self._folder)]
                self._recall = Recall(sources, self._cache)
            return self._recall

    def _unindexed(self, recall: Recall, folder: Path) -> list[str]:
        """Return the session files when there are many and no index of them; it is then built in a thread.

        Empty when an index can be asked without building it for long.
        """
        if self._indexed:
            return []
        on_disk = recall.folder is not None and recall.folder.is_dir()
        files = [] if on_disk else session_files(folder)
        if len(files) <= SMALL:
            self._indexed = True
            return []
        with self._lock:
            if self._indexing is None:
                self._indexing = threading.Thread(target=self._index, args=(recall,), name="session index", daemon=True)
                self._indexing.start()
        return files

    def _index(self, recall: Recall) -> None:
        try:
            stamp = self._changed()
            recall.prepare()
            self._stamp, self._indexed = stamp, True
        except Exception as error:  # noqa: BLE001 - searches go on without an index
            if not self._closed:
                _LOG.warning("the index of %s could not be built: %s", self._path, error)

    def _follow(self, recall: Recall) -> None:
        """Refresh the index when sessions changed since the last call. PraisonAI replaces whole files, which changes
        the modification time of their folder.
        """
        stamp, before = self._changed(), self._stamp
        if stamp != before and before:
            recall.refresh()
        self._stamp = stamp

    def _changed(self) -> int:
        try:
            return (self._folder or self._path).stat().st_mtime_ns
        except OSError:
            return 0


def sessions_folder(path: Path) -> Path | None:
    """Return the folder of PraisonAI's session files at `path`; None for the history of another agent and for a single
    file. A folder without any history counts as PraisonAI's, which may write its first session there later.
    """
    if path.is_file():
        return None
    found = recognise(path)
    if found is not None:
        return Path(found.location)
    return None if open_sources(path) else path


def _scored(folder: Path, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a query with PraisonAI's own scores, computed from the session files in `folder` as they are
    now.
    """
    warnings = Warnings()
    asked = session_query(LIBRARY_OPTIONS, args, warnings)
    scan = FileScan(files_of_prefix(session_files(folder), asked.prefix))
    found = original_hits(scan.matches(asked.query, asked.generation, asked.prefix), asked)
    for problem in scan.problems.values():
        warnings.add("source", problem)
    answer = {"ok": True, "mode": "discovery", "query": asked.query, **found}
    warnings.put(answer)
    return answer


def _without_index(files: Sequence[str], args: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
    """Return an answer from a few of `files` that are read now, without an index. It has `partial` set unless the call
    names a session, whose file alone is read.
    """
    asked = session_query(LIBRARY_OPTIONS, args, Warnings())
    if asked.session_id:
        path = Path(files[0]).with_name(f"{safe_name(asked.session_id)}{SUFFIX}")
        known = files_of_prefix([str(path)] if path.is_file() else [], asked.prefix)
        return _of_files([*map(Path, known)], args, strict=strict)
    files = files_of_prefix(files, asked.prefix)
    scan = FileScan(files)
    named = bool(asked.query.strip())
    chosen = scan.likely(asked.query, RANKED) if named else newest_files(files, RANKED)
    answer = _of_files(chosen.paths, args, strict=strict)
    if not answer["ok"]:
        return answer
    found = zip(answer.get("warnings", ()), answer.get("warning_categories", ()), strict=True)
    warnings = Warnings()
    warnings.add(
        "partial", (_NOT_INDEXED if named else _NOT_LISTED).format(shown=len(chosen.paths), total=chosen.total)
    )
    problems = list(scan.problems.values())[: MAX_WARNINGS - 2]
    for problem in problems:
        warnings.add("source", problem)
    for text, category in found:
        if category != NO_HISTORY and not text.startswith(tuple(f"{path}: " for path in scan.problems)):
            warnings.add(category, text)  # that no file was chosen is told above, and a file's problem once
    total = answer["total_found"] + chosen.total - len(chosen.paths)
    answer = {**answer, "total_found": total, "total_exact": False, "partial": True}
    warnings.put(answer)
    return answer


def _of_files(paths: Sequence[Path], args: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
    with Recall([PraisonAI(path) for path in paths]) as few:
        return answer_of_histories(few, args, strict=strict)
