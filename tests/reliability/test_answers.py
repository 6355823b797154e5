"""Answers are right, and in time: at scale, and in processes that differ in all that must not matter."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recall_rank.corpus import Index
from recall_rank.model import Session
from tests.fixtures.make_codex import write_codex
from tests.fixtures.make_fixtures import write_claude, write_history, write_opencode
from tests.fixtures.make_pi import write_pi
from tests.sanitize import volume
from tests.support.loaders.age import age
from tests.support.search.samples import NOW, message, part, session
from tests.support.soak import LONG, first_seed, portion, times, tried

ROOT = Path(__file__).resolve().parents[2]


def child(*words: object, **environment: str) -> str:
    """The output of a module of this repository, which must end well."""
    command = [sys.executable, "-m", *map(str, words)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    told = None if LONG else subprocess.PIPE
    done = subprocess.run(
        command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, stderr=told, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, (done.stderr or "")[-3000:]
    return done.stdout


# --- Q3: inputs of kernels --------------------------------------------------------------------------------------


@pytest.mark.promise("Q3")
def test_random_inputs_of_kernels() -> None:
    """On the build that is there, where a crash is seen; the long run, like .ci/run, builds a sanitized one."""
    count = portion(20_000, 10_000_000, ci=50_000)
    tried(count)
    if LONG:
        child("tests.sanitize", "--no-properties", "--inputs", count, "--seed", first_seed())
    else:
        child("tests.sanitize.volume", count, first_seed())


@pytest.mark.promise("Q3")
def test_every_kernel_accepts_random_inputs() -> None:
    """An input that is always refused, for a wrong type say, would try nothing."""
    done = volume.run(6_000, 1)
    for one, _ in volume.TRIES:
        name = one.__name__.removeprefix("try_")
        assert done[name] > done[f"{name}, refused"] / 4, name


# --- Q4: budgets ------------------------------------------------------------------------------------------------

WORDS = "lantern wick oil glass shutter harbor keeper rope storm tide relay gasket ember tunnel".split()


def long_history(parts: int, seed: int = 1) -> Iterator[Session]:
    """Sessions of 50 messages; one part is huge, many are tiny, and one word stands in every other part."""
    chance = random.Random(seed)
    yield session("huge", message("h", "storm tide " * 40_000))
    for number in range(-(-parts // 50)):
        made = [
            message(
                f"{number}.{at}",
                part(f"{number}.{at}.1", " ".join(chance.choices(WORDS, k=chance.choice((2, 3, 12, 30))))),
                role=chance.choice(("user", "assistant")),
                time=NOW - number * 60_000,
            )
            for at in range(50)
        ]
        yield session(f"s{number}", *made, title=f"{chance.choice(WORDS)} {number}", updated=NOW - number * 60_000)


# 99 of 100 searches end so soon behind their budget, and 999 of 1,000 within four times that. The long run has its
# machine alone; the others share two cores with all tests, where CPU times of three times as much were seen.
LATE_MS = 5 if LONG else 20
HARD = (
    ("storm tide", {}), ("lantren wik oyl glas", {"match": "fuzzy"}), ("o", {"match": "literal"}),
    ("(a|aa)+$", {"match": "regex"}), ("storm.*ti.e", {"match": "regex"}), ("zzzz", {"match": "literal"}),
    ("lantern wick oil glass shutter harbor keeper rope storm tide", {"match": "smart", "group": "session"}),
    ("ember", {"order": "time", "results": 50}), ("storm " * 200, {"match": "fuzzy"}),
    ("lantern glass", {"directory": "/lighthouse", "fallback": True}),
    ("lantern glass", {"directory": "/lighthouse", "fallback": True, "group": "session"}),
)  # fmt: skip


@pytest.mark.promise("Q4")
@pytest.mark.promise("Q5")
@pytest.mark.slow
@pytest.mark.timeout(0 if LONG else 600)
def test_budgeted_queries() -> None:
    """No search uses more than a few milliseconds of CPU time behind its budget, and what it counts adds up."""
    index = Index.build(long_history(times(3_000, 1_000_000, ci=20_000)))
    count = portion(300, 100_000, ci=1_500)
    chance = random.Random(first_seed() + 4)
    late = []
    degraded = 0
    for _ in range(count):
        text, options = chance.choice(HARD)
        budget = chance.choice((1, 2, 5, 20, 50, 50))
        began, used = time.perf_counter(), time.thread_time()
        response = index.search(text, now=NOW, budget_ms=budget, **options)
        used, took = time.thread_time() - used, time.perf_counter() - began
        late.append(max(0.0, min(used, took) * 1e3 - budget))
        degraded += response.degrade_kind == "time"
        for counted in (response.coverage.sessions, response.coverage.messages, response.coverage.parts):
            assert counted.known == counted.eligible + sum(counted.skipped.values())
            assert counted.not_reached == counted.eligible - counted.searched >= 0
    tried(count)
    late.sort()
    worst = f"p99.9 {late[int(len(late) * 0.999)]:.1f} ms, most {late[-1]:.1f} ms of {count:,} queries"
    sys.stderr.write(f"behind the budget: {worst}; {degraded:,} degraded\n")
    assert late[int((len(late) - 1) * 0.999)] <= 4 * LATE_MS, worst
    assert late[int((len(late) - 1) * 0.99)] <= LATE_MS, worst
    assert degraded > 0


# --- Q6: regular expressions ------------------------------------------------------------------------------------

PIECES = (
    "a",
    "aa",
    "b",
    "[^x]",
    ".",
    r"\w",
    r"\s",
    "(a|aa)",
    "(a|b|ab)",
    "(.*)",
    "x?",
    "[a-z]{1,9}",
    "a{0,40}",
    "^",
    "$",
)
REPEATS = ("", "*", "+", "?", "*?", "+?", "{2,30}")
TEXTS = ("a" * 4_000, "ab" * 3_000 + "!", "x" * 100 + "\n" * 2_000, "é中🙂" * 1_500, "a b c " * 1_200)


def random_pattern(chance: random.Random) -> str:
    return "".join(chance.choice(PIECES) + chance.choice(REPEATS) for _ in range(chance.randint(1, 7)))


@pytest.mark.promise("Q6")
@pytest.mark.slow
def test_random_patterns_end_in_time() -> None:
    index = Index.build([session("s", *TEXTS)])
    chance = random.Random(first_seed() + 6)
    count, budget, done = portion(60, 20_000, ci=300), 50.0, 0
    late = 50 if LONG else 200
    while done < count:
        pattern = random_pattern(chance)
        used = time.thread_time()
        try:
            index.search(pattern, match="regex", now=NOW, budget_ms=budget)
        except ValueError:  # a program that is too large
            continue
        done += 1
        assert (time.thread_time() - used) * 1e3 < budget + late, pattern
    tried(count * len(TEXTS))


# --- Q7: other processes ----------------------------------------------------------------------------------------


@pytest.mark.promise("Q7")
@pytest.mark.slow
def test_answers_do_not_depend_on_the_process(tmp_path: Path) -> None:
    """Hash seed, locale, zone, encoding, the order of files in folders, and how many threads ask."""
    first, second = tmp_path / "a" / "stores", tmp_path / "b" / "stores"
    write_claude(first / "claude")
    write_history(first / "history.jsonl")
    (first / "codex").mkdir()
    write_codex(first / "codex")
    write_pi(first / "pi")
    age(write_opencode(first / "opencode"))
    reversed_copy(first, second)
    count, seed = times(40, 5_000, ci=100), first_seed() + 7
    settings = [
        ({"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"}, first, 1),
        ({"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Auckland", "PYTHONUTF8": "0"}, first, 8),
        ({"PYTHONHASHSEED": "3", "LC_ALL": "POSIX", "TZ": "America/St_Johns", "LANG": "tr_TR.UTF-8"}, second, 1),
    ]
    texts = []
    for environment, folder, threads in settings:
        told = child("tests.reliability.asked_again", folder, count, seed, threads, **environment)
        texts.append(told.replace(str(folder), "stores"))
    tried(count * len(settings))
    assert texts[0].count('"results": [{') > count // 4
    assert [text == texts[0] for text in texts] == [True] * len(settings)


def reversed_copy(source: Path, target: Path) -> None:
    """Copy a folder so that its entries are made in the opposite order."""
    target.mkdir(parents=True)
    for path in sorted(source.iterdir(), reverse=True):
        if path.is_dir():
            reversed_copy(path, target / path.name)
        else:
            shutil.copy2(path, target / path.name)
    shutil.copystat(source, target)


# --- Q9: other threads ------------------------------------------------------------------------------------------


def longest_gap(work: Callable[[], object]) -> float:
    """The most ms of CPU time that this thread used while another one, which looks all the time, could not look."""
    clock = time.pthread_getcpuclockid(threading.get_ident())
    ended, gap, begun = threading.Event(), 0.0, threading.Event()

    def look() -> None:
        nonlocal gap
        last = time.clock_gettime(clock)
        begun.set()
        while not ended.is_set():
            time.sleep(0.0005)
            now = time.clock_gettime(clock)
            gap = max(gap, now - last)
            last = now

    other = threading.Thread(target=look)
    other.start()
    begun.wait()
    work()
    ended.set()
    other.join()
    return gap * 1e3


@pytest.mark.promise("Q9")
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="needs the CPU clock of a thread")
def test_other_threads_go_on_while_a_search_runs() -> None:
    """The best of twenty tries counts: another thread that waits for a core, on a busy machine, is late as well."""
    index = Index.build(long_history(times(3_000, 200_000, ci=20_000)))
    for text, options in HARD:
        gaps: list[float] = []
        while len(gaps) < times(3, 10) or (min(gaps) > 15 and len(gaps) < 20):
            gaps.append(longest_gap(lambda: index.search(text, now=NOW, budget_ms=200, **options)))  # noqa: B023
        tried(len(gaps))
        assert min(gaps) <= 15, (text[:40], options, gaps)


# --- Q10: memory ------------------------------------------------------------------------------------------------


@pytest.mark.promise("Q10")
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_searches_leave_no_memory_behind() -> None:
    count = times(500, 100_000, ci=1_000)
    tried(count)
    assert int(child("tests.reliability.grown_memory", count)) <= 4_096
