"""A folder of PraisonAI's sessions about a lighthouse: files as PraisonAI writes them, all of them invented."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.fixtures.make_chat_stores import called, praison, write_session


def said(*lines: str) -> list[dict[str, Any]]:
    """Return messages, by turns of the user and of the assistant."""
    return [{"role": ("user", "assistant")[at % 2], "content": line} for at, line in enumerate(lines)]


FOG = praison(
    "fog-horn",
    [
        *said("The fog horn stutters after midnight, why?", "Its valve C++ driver retries: see horn/valve.cpp."),
        {"role": "assistant", "content": "", "tool_calls": [called("c1", "read_file", path="horn/valve.cpp")]},
        {"role": "tool", "content": "retry_limit = 9  # ten was 100% too many", "tool_call_id": "c1"},
        *said("Set the retry limit to three.", "Done: the keeper's horn is quiet now."),
    ],
    metadata={"title": "Stuttering fog horn"},
    updated_at="2026-05-03T10:00:00+00:00",
)
LAMP = praison(
    "lamp",
    [
        {"role": "system", "content": "[Session Summary]\nlamp", "metadata": {"compaction": True}},
        *said("Is the lamp oil café-brown?", "It is; 灯塔 means lighthouse, 👩‍💻 wrote that."),
    ],
    archived_messages=said("The early word of the lamp is saffron pelican.", "Noted."),
    agent_name="Keeper",
    updated_at="2026-05-02T10:00:00+00:00",
)
PARTS = [
    praison(f"tower-part{number}", said(f"Paint the tower, part {number}: marine white", "Painted."),
            metadata={"lineage_id": "tower"}, updated_at=f"2026-04-0{number}T10:00:00+00:00")
    for number in (1, 2)
]  # fmt: skip
NIGHTLY = praison(
    "nightly",
    said(*(f"Check {number}: fog horn ok, fog horn ok" for number in range(12))),
    source="cron",
    updated_at="2026-05-04T10:00:00+00:00",
)
ANA, BEN = (
    praison(
        f"{name}:harbour",
        said(f"{name} asks where the {boat} is moored", "At the pier."),
        user_id=name,
        updated_at="2026-03-01T10:00:00+00:00",
    )
    for name, boat in (("ana", "heron"), ("ben", "osprey"))
)
EVERYTHING = (FOG, LAMP, *PARTS, NIGHTLY, ANA, BEN)


def write_folder(folder: Path) -> Path:
    """Write all of them into a folder, which is made where it is missing; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for session in EVERYTHING:
        write_session(folder, session)
    return folder


DAMAGED = {
    "list.json": b'["fog horn"]',
    "number.json": b"5",
    "objects.json": b'[{"role": "user", "content": "fog horn"}]',
    "mapping.json": b'{"session_id": "mapping", "messages": {"fog": "horn"}}',
    "torn.json": b'{"session_id": "torn", "messages": [{"role": "user", "content": "fog ho',
    "bytes.json": b'{"session_id": "bytes", "messages": [{"role": "user", "content": "fog \xff horn"}]}',
}
"""Files that a crash or another program may leave: none of them may keep the others from being found."""
