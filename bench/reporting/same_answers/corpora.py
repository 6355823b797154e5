"""The histories that both checkouts search: generated sessions, and the histories of the data folder."""

from __future__ import annotations

import hashlib
import json
import lzma
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.datasets import generate
from bench.datasets.remarks import REMARKS
from recall_rank.model import Part, Session

DAY_MS: Final = 86_400_000
REMARKS_START: Final = 1_700_000_000_000  # time of the first remark, ms
TWIN_INTERVAL: Final = 9  # one generated session in so many has two twins
STEPS: Final = 4  # refreshes that an index on disk is built in

Line = dict[str, Any]  # a line of the history format: of a session, or of a message with its parts


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session as lines of the history format."""

    head: Line
    messages: list[Line]

    def write(self, path: Path, share: float = 1.0) -> None:
        """Write the session with the first `share` of its messages as a history file."""
        kept = self.messages[: max(1, int(len(self.messages) * share))]
        path.write_text("".join(json.dumps(line) + "\n" for line in (self.head, *kept)), encoding="utf-8")


def read_transcripts(path: Path) -> list[Transcript]:
    """Return the sessions of a history file, in the order of their lines."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        data = lzma.decompress(data)
    found: dict[str, Transcript] = {}
    for line in data.splitlines():
        record: Line = json.loads(line)
        if record["t"] == "session":
            found[record["id"]] = Transcript(record, [])
        else:
            found[record["session"]].messages.append(record)
    return list(found.values())


def generated_transcripts(parts: int, seed: int) -> list[Transcript]:
    """Return a generated history of about `parts` parts, with twins, and a session of remarks in many scripts.

    A twin is a copy of a session under other ids that says everything twice. Scores of twins are equal, so that the
    order of their results depends on ids alone.
    """
    suffixes = [("", "-b", "-a"), *[("",)] * (TWIN_INTERVAL - 1)]
    sessions = enumerate(generate.sessions(parts, seed))
    found = [
        _transcript(session, suffix) for number, session in sessions for suffix in suffixes[number % TWIN_INTERVAL]
    ]
    return [*found, _remarks()]


def _transcript(session: Session, twin: str) -> Transcript:
    head: Line = {"t": "session", "id": session.id + twin, "agent_app": session.agent}
    head |= {name: getattr(session, name) for name in ("title", "directory", "project", "source", "created", "updated")}
    messages: list[Line] = []
    for message in session.messages:
        copies = ("", "-again") if twin else ("",)
        parts = [_part(part, twin + copy) for copy in copies for part in message.parts]
        line: Line = {"t": "message", "session": session.id + twin, "id": message.id + twin, "role": message.role}
        messages.append(line | {"time": message.time, "agent": message.agent, "parts": parts})
    return Transcript(head, messages)


def _part(part: Part, suffix: str) -> Line:
    names = ("type", "text", "tool", "input", "output", "error", "title", "status")
    return {"id": part.id + suffix} | {name: value for name in names if (value := getattr(part, name)) is not None}


def _remarks() -> Transcript:
    head: Line = {"t": "session", "id": "ses_remarks", "title": "Remarks 备注", "source": "generated"}
    messages: list[Line] = []
    for at, text in enumerate(remark for remarks in REMARKS.values() for remark in remarks):
        part = {"id": f"remark-{at}.0", "type": "text", "text": text}
        line: Line = {"t": "message", "session": "ses_remarks", "id": f"remark-{at}", "role": "user", "parts": [part]}
        messages.append(line | {"time": REMARKS_START + at * DAY_MS})
    return Transcript(head | {"project": "remarks"}, messages)


def write_sessions(transcripts: Sequence[Transcript], path: Path) -> None:
    """Write a session a line, as the mappings that Index.build accepts."""
    with path.open("w", encoding="utf-8") as file:
        for one in transcripts:
            session = one.head | {"agent": one.head.get("agent_app"), "messages": one.messages}
            file.write(json.dumps(session) + "\n")


def write_steps(transcripts: Sequence[Transcript], folder: Path, seed: int) -> None:
    """Write the session files of every step into a folder of its own.

    An index that is refreshed after the files of each step were copied has several segments with dead sessions: a
    quarter of the sessions grows from one step to a later one, and one session vanishes. The file `vanished` of a step
    names the session file that is removed.
    """
    order = list(transcripts)
    random.Random(f"{seed}/steps").shuffle(order)
    bounds = [0, len(order) // 2, len(order) * 7 // 10, len(order) * 85 // 100, len(order)]
    last = STEPS - 1
    for step in range(STEPS):
        (folder / str(step)).mkdir(parents=True)
    for step in range(STEPS):
        for place, one in enumerate(order[bounds[step] : bounds[step + 1]]):
            name = hashlib.sha256(one.head["id"].encode()).hexdigest()[:16] + ".jsonl"
            grows = step < last and place % 4 == 0 and len(one.messages) > 1
            one.write(folder / str(step) / name, 0.5 if grows else 1.0)
            if grows:
                one.write(folder / str(min(last, step + 1 + place % 3)) / name)
            if step == 1 and place == 1:
                (folder / "2" / "vanished").write_text(name, encoding="utf-8")
