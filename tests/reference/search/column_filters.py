"""Filters over columns, one row at a time."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

TITLE_ROLE = 4
REASONS = 16


def mark_eligible(
    columns: Any,
    session_reasons: Sequence[int],
    role_keep: Sequence[int],
    after: int,
    before: int,
    type_keep: Sequence[int],
    tool_keep: Sequence[int],
    titles: bool,
    messages: bytearray,
    parts: bytearray,
) -> tuple[array[int], array[int]]:
    """Mark the messages and parts that pass the filters, row by row; returns the number of each by reason, without
    titles.
    """
    message_session, message_role = columns.message_session, columns.message_role
    why = [
        session_reasons[session] or (1 if not role_keep[role] else 0 if after < time < before else 2)
        for session, role, time in zip(message_session, message_role, columns.message_time, strict=True)
    ]
    said = [m for m, role in enumerate(message_role) if role != TITLE_ROLE]
    for m in range(len(messages)):
        messages[m] = m in said and not why[m]
    for m, role in enumerate(message_role):
        if role == TITLE_ROLE and titles:
            messages[m] = any(messages[n] for n in range(len(messages)) if message_session[n] == message_session[m])
    of_parts = []
    for p, m in enumerate(columns.part_message):
        if message_role[m] == TITLE_ROLE:
            parts[p] = messages[m]
            continue
        by_part = 3 if not type_keep[columns.part_type[p]] else 0 if tool_keep[columns.part_tool[p]] else 4
        of_parts.append(why[m] or by_part)
        parts[p] = not of_parts[-1]
    return (
        array("q", map([why[m] for m in said].count, range(REASONS))),
        array("q", map(of_parts.count, range(REASONS))),
    )


def copy_marks(marks: Sequence[int], owners: Sequence[int], own: bytearray) -> None:
    for at, owner in enumerate(owners):
        own[at] = marks[owner]


def count_marks(marks: Sequence[int], also: Sequence[int] | None = None) -> int:
    return sum(1 for k in range(len(marks)) if marks[k] and (also is None or also[k]))


def clear_first_parts(marks: bytearray, roles: Sequence[int], role: int, first_part: Sequence[int]) -> None:
    for message, other in enumerate(roles):
        if other == role:
            marks[first_part[message]] = 0


def marked_indices(marks: bytes) -> list[int]:
    return [at for at, mark in enumerate(marks) if mark]


def are_marked(marks: bytes, starts: Sequence[int], ends: Sequence[int], width: int) -> bool:
    """Whether every byte of the ranges is marked, tested byte by byte; bytes beyond the last mark do not count."""
    of_bytes = {at: marks[at // width] for at in range(len(marks) * width)}
    return all(of_bytes.get(at, 1) for start, end in zip(starts, ends, strict=True) for at in range(start, end))


def keep_marks(marks: bytearray, others: Sequence[int], wanted: bool) -> None:
    for k in range(len(marks)):
        marks[k] = marks[k] if bool(others[k]) == wanted else 0
