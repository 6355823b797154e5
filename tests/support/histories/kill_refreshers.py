"""Kills processes while they refresh an index, and checks the index that remains.

`python -m tests.support.histories.kill_refreshers FOLDER [KILLS SEED]`. Without KILLS, one process at a time is
killed: the first at its first call that writes, the next at its second call, until one process survives. With KILLS,
two processes refresh sources that change all the time; they are killed KILLS times at any moment, while this process
and another one open and search the index. Prints the number of checks, with KILLS also of
kills that left files half made, and fails at the first index that is none of the expected ones.
"""

from __future__ import annotations

import os
import random
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any, Final

from recall_rank.corpus import index_of_segments
from recall_rank.histories.cache.refresh import refresh
from recall_rank.histories.cache.store import find
from recall_rank.loaders import open_sources
from tests.fixtures.make_fixtures import lines
from tests.support.histories.rebuilt import check, ids, refreshed
from tests.support.index.system_calls import (
    has_files_half_made,
    kill,
    lives_still,
    looking,
    stopped_with_files_half_made,
    survives,
)

TRIES: Final = 20  # changes of the sources until a writer is caught while it writes


def store(home: Path, version: int) -> None:
    """Write eight sessions a file; the version decides which sessions there are, and their words."""
    home.mkdir(exist_ok=True)
    for number in range(8):
        path = home / f"{number}.jsonl"
        if version and number == version % 8:
            path.unlink(missing_ok=True)
            continue
        said = [f"lantern {number}"] + [f"gull {version}"] * (number == (version + 1) % 8)
        records: list[dict[str, Any]] = [{"t": "session", "id": f"s{number}"}]
        for at, words in enumerate(said):
            part = {"id": f"p{at}", "type": "text", "text": words}
            records.append({"t": "message", "session": f"s{number}", "id": f"m{at}", "role": "user", "parts": [part]})
        other = path.with_suffix(".new")
        other.write_bytes(lines(records))
        other.replace(path)


def lives(home: Path, folder: Path, kill_at: int) -> bool:
    """Return whether a process that refreshes survives its call number `kill_at`."""
    sources = open_sources(home)
    return survives(lambda: refresh(folder, sources), kill_at)


def at_every_call(folder: Path) -> int:
    home, index = folder / "home", folder / "index"
    store(home, 0)
    lives(home, index, 0)
    wanted = [frozenset(f"s{number}" for number in range(8))]
    store(home, 1)
    wanted.append(frozenset(f"s{number}" for number in range(8) if number != 1))
    looked, seen = 0, set()
    while True:
        looked += 1
        lived = lives(home, index, looked)
        state = find(index).state
        assert state is not None, "an index that was there is gone or damaged"
        for segment in state.segments:
            segment.verify()  # type: ignore[attr-defined]
        seen.add(wanted.index(frozenset(ids(state))))
        if lived:
            check(refreshed(index, open_sources(home)), open_sources(home), search=True)
            assert seen == {0, 1}, "killed early, the old index is there; killed late, the new one"
            left = len(list(index.iterdir()))
            assert left == len(find(index).state.segments) + 2, "a refresh sweeps what the killed ones left"
            return looked
        if len(ids(state)) == 7:
            store(home, 0)
            lives(home, index, 0)
            store(home, 1)


def at_any_moment(folder: Path, kills: int, seed: int) -> str:
    chance = random.Random(seed)
    writing = 0
    changes = count(1)
    home, index = folder / "home", folder / "index"
    store(home, 0)
    lives(home, index, 0)
    writers: list[int] = []
    reader = looking(lambda: look(index))
    try:
        for version in range(1, kills + 1):
            while len(writers) < 2:
                writers.append(writer(home, index))
            store(home, next(changes))
            chance.shuffle(writers)
            stopped = None
            if chance.random() < 0.5:
                for _ in range(TRIES):
                    stopped = stopped_with_files_half_made(index, writers, 0.1)
                    if stopped is not None:
                        break
                    store(home, next(changes))  # both had written before anyone looked
            else:
                time.sleep(chance.uniform(0, 0.03))
                look(index)  # while both are writing
            victim = stopped or writers[0]
            writers.remove(victim)
            kill(victim)
            writing += has_files_half_made(index, victim)
            look(index)
            assert lives_still(reader), "the other reader met what is no index"
            if version % 500 == 0:
                print(f"{version:,} killed", file=sys.stderr, flush=True)
    finally:
        for child in (*writers, reader):
            kill(child)
    done = refreshed(index, open_sources(home))
    check(done, open_sources(home), search=True)
    store(home, next(changes))
    done = refreshed(index, open_sources(home))  # one that writes: it sweeps what the killed ones left
    assert len(list(index.iterdir())) == len(done.state.segments) + 2
    return f"{2 * kills} {writing}"


def writer(home: Path, index: Path) -> int:
    """Start a process that refreshes until it is killed."""
    child = os.fork()
    if child == 0:
        try:
            while True:
                refresh(index, open_sources(home))
        finally:
            os._exit(1)
    return child


def look(index: Path) -> None:
    found = find(index)
    assert found.state is not None, found.problem
    there = sorted(ids(found.state))
    # a file that is gone for a moment is gone for who reads then: a slow writer may meet several such moments
    assert there, "nothing is left"
    assert set(there) <= {f"s{number}" for number in range(8)}, there
    answer = index_of_segments(found.state.segments, found.state.dead).search("lantern")
    assert answer.total == len(there), (answer.total, there)


if __name__ == "__main__":
    place = Path(sys.argv[1])
    print(at_any_moment(place, int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 2 else at_every_call(place))
