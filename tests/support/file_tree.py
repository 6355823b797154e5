"""The files of a repository in a dictionary, for the builders of published sets."""

from __future__ import annotations


class FileTree:
    """A tree of files by path."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def paths(self, folder: str, suffix: str) -> list[str]:
        return sorted(path for path in self.files if path.startswith(f"{folder}/") and path.endswith(suffix))

    def read(self, path: str) -> bytes:
        return self.files[path].encode()
