"""Kills processes while they save an index, and checks the index that remains.

`python -m tests.support.index.kill_savers FOLDER [KILLS SEED]`. Without KILLS, one process at a time is killed: the
first at its first call that writes, the next at its second call, until one process survives; the killed call has
written half of its bytes. With KILLS, two processes save without end and are killed KILLS times at any moment, while
this process and another one open and search. Prints the number of checks, with KILLS also of kills that left files half
made, and fails at the first index that is neither the old one nor the new one.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path
from typing import Any

from recall_rank.corpus import Index
from tests.support.index.history import answers, history
from tests.support.index.system_calls import (
    has_files_half_made,
    kill,
    lives_still,
    looking,
    stopped_with_files_half_made,
    survives,
)

ASKED = ("lantern",)
MODE = ("smart",)


def saves(index: Index, folder: Path, kill_at: int) -> bool:
    """Return whether a process that saves `index` survives its call number `kill_at`."""
    return survives(lambda: index.save(folder), kill_at)


def at_every_call(folder: Path) -> int:
    old, new = (Index.build(history(seed)) for seed in (1, 2))
    wanted = [answers(old, ASKED, MODE), answers(new, ASKED, MODE)]
    saves(old, folder, 0)  # by another process: what one that lives left behind is not swept
    looked, seen = 0, set()
    while True:
        looked += 1
        lives = saves(new, folder, looked)
        with Index.open(folder, verify=True) as found:
            seen.add(wanted.index(answers(found, ASKED, MODE)))
        if lives:
            assert seen == {0, 1}, "killed early, the old index is there; killed late, the new one"
            assert len(list(Path(folder).iterdir())) == 2, "a save sweeps what the killed ones left"
            return looked
        if found_new(folder, wanted[1]):
            saves(old, folder, 0)


def found_new(folder: Path, wanted: list[dict[str, Any]]) -> bool:
    with Index.open(folder) as found:
        return answers(found, ASKED, MODE) == wanted


def at_any_moment(folder: Path, kills: int, seed: int) -> str:
    chance = random.Random(seed)
    writing = 0
    made = [Index.build(history(seed)) for seed in (1, 2, 3)]
    wanted = [answers(index, ASKED, MODE) for index in made]
    saves(made[0], folder, 0)
    writers: list[int] = []

    def look() -> None:
        with Index.open(folder) as found:
            assert answers(found, ASKED, MODE) in wanted

    reader = looking(look)
    for number in range(1, kills + 1):
        while len(writers) < 2:
            child = os.fork()
            if child == 0:
                while True:
                    chance.choice(made).save(folder)
            writers.append(child)
        time.sleep(chance.uniform(0, 0.02))
        look()  # while both are writing
        chance.shuffle(writers)
        stopped = stopped_with_files_half_made(folder, writers) if chance.random() < 0.5 else None
        victim = stopped or writers[0]
        writers.remove(victim)
        kill(victim)
        writing += has_files_half_made(folder, victim)
        with Index.open(folder, verify=True) as found:
            assert answers(found, ASKED, MODE) in wanted
        assert lives_still(reader), "the other reader met what is no index"
        if number % 500 == 0:
            print(f"{number:,} killed", file=sys.stderr, flush=True)
    for child in (*writers, reader):
        kill(child)
    made[1].save(folder)
    assert found_new(folder, wanted[1])
    assert len(list(Path(folder).iterdir())) == 2, "a save sweeps what the killed ones left"
    return f"{2 * kills} {writing}"


if __name__ == "__main__":
    place = Path(sys.argv[1])
    print(at_any_moment(place, int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 2 else at_every_call(place))
