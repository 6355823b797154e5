"""The user's own vocabulary: vocabulary.toml in the settings folder, read once by each process that searches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recall_rank.analysis.user_vocabulary import UserVocabulary
from recall_rank.histories.cache.location import default_settings
from recall_rank.histories.user_files import read_user_file

FILE: Final = "vocabulary.toml"
LARGEST: Final = 1 << 20  # bytes; a longer file is no vocabulary


@dataclass(frozen=True, slots=True)
class VocabularyFile:
    """The content of the file; no vocabulary where there is none. `problem` tells why the file could not be used."""

    vocabulary: UserVocabulary | None = None
    problem: str | None = None


def vocabulary_file() -> Path | None:
    """Return the path of the file, which need not exist; None when the user has no home folder."""
    folder = default_settings()
    return folder / FILE if folder is not None else None


def read_vocabulary(path: Path | None = None) -> VocabularyFile:
    """Return the content of the user's file, or of the file at `path`. A file that is missing holds nothing; one that
    cannot be read, or is not as it should be, gives a problem: searches go on without it.
    """
    path = path or vocabulary_file()
    if path is None:
        return VocabularyFile()
    try:
        data = read_user_file(path, LARGEST)
    except OSError as error:
        return VocabularyFile(problem=_problem(path, error.strerror or str(error)))
    if data is None:
        return VocabularyFile()
    import tomllib  # which most have no use for

    try:
        found = UserVocabulary.parse(tomllib.loads(data.decode()))
    except (ValueError, RecursionError) as error:
        return VocabularyFile(problem=_problem(path, str(error)))
    return VocabularyFile(found or None)


def _problem(path: Path, reason: str) -> str:
    return f"{path} is not used: {reason}"
