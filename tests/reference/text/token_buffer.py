"""The kinds of tokens and the limit of their forms."""

from __future__ import annotations

WORD, JOINED, SPECIAL = 0, 1, 2

MAX_TERM = 64  # bytes of a form

Token = tuple[str, int, int, int, int, int, bool]  # form, kind, start, end, position, span, cjk
