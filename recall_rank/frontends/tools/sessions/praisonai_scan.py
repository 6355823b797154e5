"""A scan of PraisonAI's session files for a query without an index: the files that may match, then their contents.

A file is parsed only when its bytes can contain what is looked for, which is found out at the speed of memory.
"""

from __future__ import annotations

import codecs
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recall_rank._core.text.substring_scan import find
from recall_rank.analysis.stop_words import STOP_WORDS
from recall_rank.frontends.tools.sessions.praisonai_scores import Generation, ScoredChat, query_terms, scored
from recall_rank.loaders.files.regular_files import open_regular, read_small
from recall_rank.loaders.limits import limits, size_text
from recall_rank.loaders.praisonai import HEAD, SUFFIX
from recall_rank.loaders.praisonai_records import parse_chat, safe_name, session_id_of

USUAL_FILE_BYTES: Final = 16_384  # repeated words count for less in longer files
BUFFER: Final = 1 << 18  # bytes; most files fit
MEASURED: Final = 4  # times as many files are measured as are wanted
_NO_STRING: Final = re.compile(rb'"content"\s*:\s*[^"\s]')  # null, a list, a number: searched by their repr
# Spellings of a character that PraisonAI does not write, and letters beyond ASCII whose lower case is within it.
_OTHER_SPELLINGS: Final = (b"\\u", b"\\/", "\u212a".encode(), "\u0130".encode())
_WORD: Final = re.compile(r"\w+")
_ID_FIRST: Final = re.compile(rb'\s*\{\s*"session_id"\s*:\s*("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True)
class ChosenFiles:
    """The best of several session files in order, and the number of files that they were chosen from."""

    paths: Sequence[Path]
    total: int


@dataclass(slots=True)
class FileScan:
    """Paths of session files, and the problems met while they were read: path of the file -> one line of text.

    Paths are str, since ten thousand Path objects take longer to make than the files to search.
    """

    paths: Sequence[str]
    problems: dict[str, str] = field(default_factory=dict)

    def _problem(self, path: str, reason: str) -> None:
        self.problems.setdefault(path, f"{path}: {reason}")

    def read(self) -> Iterator[tuple[str, memoryview]]:
        """Yield (path, content) of each file; the content is valid until the next step. A file that cannot be read, is
        cut off or too long is added to `problems` instead.
        """
        most = limits().text
        buffer = bytearray(BUFFER)
        for path in self.paths:
            try:
                size, buffer = _read_into(path, buffer, most)
            except OSError as error:
                self._problem(path, error.strerror or str(error))
                continue
            data = memoryview(buffer)[:size]
            damage = f"longer than {size_text(most)}" if size > most else damage_of(data)
            if damage:
                self._problem(path, f"{damage}, not searched")
            else:
                yield path, data

    def matches(self, query: str, generation: Generation, prefix: str = "") -> Iterator[ScoredChat]:
        """Yield the sessions that PraisonAI's own rule finds for the query, with their scores; only those whose id
        begins with `prefix`.
        """
        _, terms = query_terms(query)
        # the lower case of a Greek sigma depends on its neighbours, and those are others in the file
        forms = None if any({"σ", "ς"} & set(term) for term in terms) else [*map(written, terms)]
        for path, view in self.read():
            data = bytes(view)
            if forms is not None and not may_contain(data, forms):
                continue
            try:
                chat = parse_chat(data)
            except ValueError as error:
                self._problem(path, f"{error}, not searched")
                continue
            session_id = session_id_of(chat, Path(path))
            found = scored(session_id, chat, query, generation) if session_id.startswith(prefix) else None
            if found is not None:
                yield found

    def likely(self, query: str, most: int) -> ChosenFiles:
        """Return at most `most` of the files that contain a word of the query, best first: a file is the better the
        rarer its words of the query are and the more densely they stand in it.

        Words are found in lower case, capitalized and in capitals. Their density is measured only in the files with the
        rarest words, 4 times as many as wanted.
        """
        words = dict.fromkeys(_WORD.findall(query.lower())) or dict.fromkeys(query.lower().split())
        telling = [word for word in words if word not in STOP_WORDS] or list(words)
        spellings = [tuple(dict.fromkeys(map(written, (word, word.capitalize(), word.upper())))) for word in telling]
        holding: dict[str, list[bool]] = {}
        for path, data in self.read():
            found = [_has_one(data, forms) for forms in spellings]
            if any(found):
                holding[path] = found
        total = len(self.paths)
        known = [sum(column) for column in zip(*holding.values(), strict=True)]
        rarity = [math.log1p(total / (1 + number)) for number in known]
        evidence = {
            path: sum(weight for weight, there in zip(rarity, found, strict=True) if there)
            for path, found in holding.items()
        }
        best = sorted(evidence, key=lambda path: -evidence[path])[: most * MEASURED]
        if len(holding) > most:
            dense = {path: _density(bytes(data).lower(), spellings, rarity) for path, data in FileScan(best).read()}
            best = sorted(dense, key=lambda path: -dense[path])
        return ChosenFiles([*map(Path, best[:most])], len(holding))


def _density(text: bytes, spellings: Sequence[Sequence[bytes]], rarity: Sequence[float]) -> float:
    """Return the evidence of a file for a query, given its bytes in lower case: the sum of the rarities of its words,
    where repetitions add less and less, and still less in long files.
    """
    norm = 1 + len(text) / USUAL_FILE_BYTES
    counts = (text.count(forms[0]) for forms in spellings)
    return sum(weight * count / (count + norm) for weight, count in zip(rarity, counts, strict=True))


def _has_one(data: memoryview, forms: Sequence[bytes]) -> bool:
    for form in forms:  # noqa: SIM110 - any() takes twice as long, and this is asked of every file
        if find(data, form) >= 0:
            return True
    return False


def _read_into(path: str, buffer: bytearray, most: int) -> tuple[int, bytearray]:
    """Read a file into `buffer`, or into a larger one when it does not fit, at most `most` bytes and one more. Returns
    (number of bytes read, the buffer used).
    """
    descriptor = open_regular(path)
    try:
        size = os.readv(descriptor, [buffer])
        while size == len(buffer) and size <= most:
            larger = bytearray(4 * len(buffer))
            larger[:size] = buffer
            buffer = larger
            size += os.readv(descriptor, [memoryview(buffer)[size:]])
        return size, buffer
    finally:
        os.close(descriptor)


def session_files(folder: Path) -> list[str]:
    """Return the paths of the session files of a folder, by name. Raises OSError when the folder cannot be listed."""
    with os.scandir(folder) as entries:
        return sorted(entry.path for entry in entries if entry.name.endswith(SUFFIX))


def newest_files(paths: Sequence[str], most: int) -> ChosenFiles:
    """Return the `most` files that were changed last, newest first, out of those that still exist."""
    times: dict[str, int] = {}
    for path in paths:
        with suppress(OSError):
            times[path] = os.stat(path).st_mtime_ns  # noqa: PTH116 - as in FileScan
    return ChosenFiles([*map(Path, sorted(times, key=lambda path: (-times[path], path))[:most])], len(times))


def files_of_prefix(paths: Sequence[str], prefix: str) -> list[str]:
    """Return the files that hold a session whose id begins with `prefix`: the name of the file does not tell, since it
    has "_" for several characters. A file that is too damaged to tell its session's id is left out.
    """
    beginning = safe_name(prefix)
    if not beginning:
        return list(paths)
    named = (path for path in paths if path[path.rfind(os.sep) + 1 :].startswith(beginning))
    return [path for path in named if _id_at(Path(path)).startswith(prefix)]


def _id_at(path: Path) -> str:
    """Return the id of the session in a file; empty when the file cannot tell it."""
    try:
        first = _ID_FIRST.match(read_small(path, limit=HEAD)[0].removeprefix(codecs.BOM_UTF8))
        if first is None:
            return session_id_of(parse_chat(read_small(path, limit=limits().text)[0]), path)
        return str(json.loads(first[1]))
    except (OSError, ValueError):
        return ""


def damage_of(data: memoryview) -> str:
    """Return what the first and last bytes of a session file show to be wrong with it, as text; empty when they show
    nothing.
    """
    if bytes(data[:1]) == b"{" and bytes(data[-1:]) == b"}":
        return ""
    text = bytes(data).strip()
    if not text.startswith(b"{"):
        return "not an object" if text else "empty"
    return "" if text.endswith(b"}") else "the file ends too early"


def written(term: str) -> bytes:
    """Return the term as PraisonAI writes it inside a JSON string."""
    return json.dumps(term, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")


def lowered(data: bytes, forms: Iterable[bytes]) -> bytes:
    """Return the bytes in lower case; beyond ASCII only where one of the forms needs it."""
    if all(form.isascii() for form in forms):
        return data.lower()
    return data.decode("utf-8", "replace").lower().encode()


def may_contain(data: bytes, forms: Sequence[bytes]) -> bool:
    """Return whether the text of a message in a session file can contain one of `forms`, which are in lower case and
    written as inside of a JSON string. True also for bytes with escapes, which may spell a form otherwise.
    """
    text = lowered(data, forms)
    if any(form in text for form in forms):
        return True
    return any(spelling in data for spelling in _OTHER_SPELLINGS) or _NO_STRING.search(data) is not None
