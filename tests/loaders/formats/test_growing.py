"""A reader with resume points sees a file as it is, whether it grew, was cut, replaced or rewritten."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from recall_rank.loaders.files import regular_files as files
from recall_rank.loaders.files import resume
from recall_rank.loaders.history_jsonl import HistoryJsonl
from recall_rank.model import Message
from tests.fixtures.make_fixtures import lines
from tests.support.soak import first_seed, portion, tried

STEPS = portion(2_000, 1_000_000, ci=5_000)
PLANTED = 2_000  # are enough to catch a reader that knows less


def record(rng: random.Random) -> bytes:
    """A session or a message of a fixed length, so that sizes tell little."""
    number = rng.randrange(40)
    if rng.random() < 0.2:
        return lines([{"t": "session", "id": f"s{number:02}", "title": f"{number:029}"}])
    part = {"id": "p", "type": "text", "text": "x"}
    return lines([{"t": "message", "session": "s00", "id": f"m{number:02}", "role": "user", "parts": [part]}])


class Model:
    """A writer that changes a file in every way, and a reader that follows it with resume points."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.rng = random.Random(seed)
        self.path.write_bytes(record(self.rng))
        self.since: bytes | None = None
        self.view: dict[str, dict[str, Message]] = {}

    def step(self) -> bool:
        """Make one change; returns whether the reader's view equals a whole reading."""
        self.change()
        source = HistoryJsonl(self.path)
        (unit,) = source.units()
        reading = source.read(unit, self.since)
        if not reading.appended:
            self.view = {}
        for session in reading.sessions:
            self.view.setdefault(session.id, {}).update((message.id, message) for message in session.messages)
        self.since = reading.resume
        whole = source.read(unit)
        return self.view == {session.id: {m.id: m for m in session.messages} for session in whole.sessions}

    def change(self) -> None:
        data = self.path.read_bytes()
        what = self.rng.random()
        if what < 0.55:
            data += record(self.rng)
        elif what < 0.7:  # half a line, to be completed or not
            piece = record(self.rng)
            data += piece[: self.rng.randrange(len(piece))]
        elif what < 0.8 and b"\n" in data[:-1]:
            data = data[: data.rfind(b"\n", 0, -1) + 1]
        elif what < 0.9:
            rows = data.split(b"\n")
            rows[self.rng.randrange(len(rows))] = record(self.rng)[:-1]
            data = b"\n".join(rows)
        elif what < 0.95:
            data = b"".join(record(self.rng) for _ in range(self.rng.randrange(8)))
        if self.rng.random() < 0.5:
            fresh = self.path.with_suffix(".new")
            fresh.write_bytes(data)
            fresh.replace(self.path)
        else:
            self.path.write_bytes(data)


def wrong_views(tmp_path: Path, steps: int) -> int:
    wrong = 0
    for seed in range(steps // 50):
        model = Model(tmp_path / "growing.jsonl", first_seed() + seed)
        wrong += sum(not model.step() for _ in range(50))
    return wrong


@pytest.mark.timeout(3600)
def test_every_view_equals_a_whole_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "change", _as_agents_do(Model.change))
    tried(STEPS)
    assert wrong_views(tmp_path, STEPS) == 0


@pytest.mark.parametrize(
    "forget",
    [
        pytest.param(lambda _, tail: files.hash_ends(b"", tail), id="without the head"),
        pytest.param(lambda head, _: files.hash_ends(head, b""), id="without the tail"),
        pytest.param(lambda *_: files.hash_ends(b"", b""), id="without both"),
    ],
)
def test_a_resume_point_needs_both_hashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forget: Callable[[bytes, bytes], bytes]
) -> None:
    monkeypatch.setattr(Model, "change", _as_agents_do(Model.change))
    monkeypatch.setattr(resume, "hash_ends", forget)
    assert wrong_views(tmp_path, PLANTED) > 0


def _as_agents_do(change: Callable[[Model], None]) -> Callable[[Model], None]:
    """The change without the one kind that no resume point notices: between its head and its tail."""

    def changed(model: Model) -> None:
        before = model.path.read_bytes()
        change(model)
        after = model.path.read_bytes()
        at = json.loads(model.since)[0] if model.since else 0
        old, new = before[:at], after[:at]
        if old != new and old[: files.HEAD] == new[: files.HEAD] and old[-files.TAIL :] == new[-files.TAIL :]:
            model.path.write_bytes(before)

    return changed


def test_signatures_notice_every_change(tmp_path: Path) -> None:
    path = tmp_path / "f"
    seen = set()
    contents = [b"", b"a", b"ab", b"a" * 400, b"b" + b"a" * 399, b"a" * 399 + b"b", b"a" * 200 + b"b" + b"a" * 199]
    for number, data in enumerate(contents):
        path.write_bytes(data)
        os.utime(path, ns=(number, number))
        seen.add(files.file_signature(path))
    assert len(seen) == len(contents)
