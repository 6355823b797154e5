"""Recalled text on a terminal: nothing in it may move the cursor, hide, reorder or imitate what we print."""

from __future__ import annotations

import re
from typing import Final

# C0 and C1 controls with ESC, CSI and OSC; bidirectional controls; characters without width; invisible fillers;
# tags and variation selectors that carry hidden text; line separators; noncharacters of interlinear annotation.
_UNSAFE_RANGES: Final = (
    "\x00-\x1f\x7f-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ud800-\udfff"
)
UNSAFE: Final = re.compile(f"[{_UNSAFE_RANGES}]")
# The same in text of several lines. A carriage return alone can still write over a line; one before a line end cannot.
UNSAFE_IN_TEXT: Final = re.compile(
    "[" + _UNSAFE_RANGES.replace("\x00-\x1f\x7f", "\x00-\x08\x0b-\x0c\x0e-\x1f\x7f") + "]|\r(?!\n)"
)
_UNSAFE_IN_JSON: Final = re.compile("[" + _UNSAFE_RANGES.replace("\x00-\x1f\x7f", "\x00-\x09\x0b-\x1f\x7f") + "]")
_BLANKS: Final = re.compile(r"[\t\n\r ]+")


def escape(text: str) -> str:
    r"""The text with every control, bidirectional and invisible character written as \x1b, \u202e, \U000e0041."""
    return text if text.isascii() and text.isprintable() else UNSAFE.sub(escaped, text)


def one_line(text: str) -> str:
    """The text escaped, with every run of blanks and line ends shown as one blank."""
    return escape(_BLANKS.sub(" ", text))


def safe_json(document: bytes) -> bytes:
    r"""The same JSON values, with what a terminal could act on written as \u escapes; line ends outside stay."""
    text = document.decode("utf-8")
    return document if text.isascii() and "\x7f" not in text else _UNSAFE_IN_JSON.sub(_json_escaped, text).encode()


def escaped(found: re.Match[str]) -> str:
    r"""A character of UNSAFE as it is written: \x1b, \u202e, \U000e0041."""
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
