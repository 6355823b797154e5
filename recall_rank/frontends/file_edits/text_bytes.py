"""The text of a file and its bytes: a byte order mark and line ends stay as they are."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.file_edits.project_files import EditError

BOM: Final = b"\xef\xbb\xbf"


def decoded(data: bytes, name: str) -> str:
    """Return the text of a file without its byte order mark. Raises EditError for what is not UTF-8."""
    try:
        return data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        raise EditError(f"{name} is no text in UTF-8") from error


def encoded(text: str, like: bytes | None) -> bytes:
    """Return a text as UTF-8, with a byte order mark if `like` has one."""
    return (BOM if (like or b"").startswith(BOM) else b"") + text.encode()


def line_end(data: bytes) -> bytes:
    """Return the line end that a text uses first, LF for a text without one."""
    at = data.find(b"\n")
    return b"\r\n" if at > 0 and data[at - 1 : at] == b"\r" else b"\n"
