"""The first commands of a user, as processes: what they load, and what they do where no cache can be kept."""

from __future__ import annotations

import re
import resource
from pathlib import Path

import pytest

from recall_rank.frontends.demo.generate import history
from tests.support.frontends.process import recall_rank
from tests.support.privileges import modes_bind_in_child


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    path = tmp_path / "demo.jsonl"
    path.write_text(history(), encoding="utf-8")
    return path


def imported(told: str) -> set[str]:
    """Return the packages that `-X importtime` reports."""
    return set(re.findall(r"^import time: .*\| +(\w+)$", told, re.MULTILINE))


@pytest.mark.parametrize("words", [("search", "rate limit"), ("refresh",), ("sessions",), ("stats",), ("sources",)])
def test_the_first_run_with_a_cache_and_the_next_load_no_numpy(demo: Path, tmp_path: Path, words: tuple[str]) -> None:
    for _ in range(2):
        ended = recall_rank(
            *words, "--history", demo, "--cache", tmp_path / "cache", python=("-X", "importtime"), cwd=tmp_path
        )
        assert ended.returncode == 0, ended.stderr[-500:]
        loaded = imported(ended.stderr)
        assert {"click", "xxhash"} <= loaded
        assert "numpy" not in loaded
    assert any((tmp_path / "cache").rglob("segment-*"))


def homes(folder: Path) -> dict[str, str]:
    """Return HOME variables under which nothing can be kept, or settings cannot be read, by what they lead to."""
    file, closed, fixed = folder / "file", folder / "closed", folder / "fixed"
    file.touch()
    for home in (closed, fixed):
        (home / ".config" / "recall_rank").mkdir(parents=True)
        (home / ".cache").mkdir()
    (fixed / ".cache").chmod(0o500)
    closed.chmod(0)
    found = {"a file": file, "missing": folder / "no" / "such", "closed": closed, "read-only": fixed}
    return {
        **{name: str(path) for name, path in found.items()},
        "proc": "/proc/1/nosuch",
        "none": "",
        "odd": "relative",
    }


@pytest.mark.parametrize("name", ["a file", "missing", "closed", "read-only", "proc", "none", "odd"])
@pytest.mark.parametrize(
    "words",
    [("search", "rate limit", "-n", "1"), ("sessions",), ("stats",), ("sources",), ("get", "demo-10", "demo-10-m2")],
)
def test_a_search_goes_on_without_a_cache(demo: Path, tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    home = homes(tmp_path)[name]
    ended = recall_rank(*words, "--history", demo, env={"HOME": home}, cwd=tmp_path, preexec_fn=modes_bind_in_child)
    assert ended.returncode == 0, ended.stderr
    assert len(ended.stdout) > 80
    assert "Traceback" not in ended.stderr
    said = ended.stdout + ended.stderr
    if words[0] == "search":
        kept = name == "missing"  # a folder can be made there
        assert ("made anew each time" in said) == (not kept), said
    (tmp_path / "closed").chmod(0o700)


def test_what_unknown_settings_may_ignore_is_not_kept(demo: Path, tmp_path: Path) -> None:
    caches = tmp_path / "caches"
    ended = recall_rank(
        *("search", "rate limit", "--history", demo),
        env={"HOME": homes(tmp_path)["closed"], "XDG_CACHE_HOME": str(caches)},
        preexec_fn=modes_bind_in_child,
    )
    (tmp_path / "closed").chmod(0o700)
    assert ended.returncode == 0
    assert "the home folder cannot be read: Permission denied" in ended.stderr
    assert not list(caches.rglob("*"))


@pytest.mark.parametrize("words", [("push", "{out}", "--project", "*", "--history"), ("build", "--out", "{out}")])
def test_what_unknown_settings_may_ignore_leaves_nothing_behind(
    demo: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    ended = recall_rank(
        *(each.format(out=out) for each in words),
        demo,
        env={"HOME": homes(tmp_path)["closed"], "XDG_CACHE_HOME": str(tmp_path / "caches")},
        preexec_fn=modes_bind_in_child,
    )
    (tmp_path / "closed").chmod(0o700)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "the home folder cannot be read: Permission denied" in ended.stderr
    assert not out.exists()


def test_settings_that_cannot_be_read_are_an_error_where_the_home_can_be(demo: Path, tmp_path: Path) -> None:
    """What they ignore must not be read; in a home that is closed as a whole, no history can be read either."""
    folder = tmp_path / ".config" / "recall_rank"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("cache = false\n")
    for closed in (folder / "config.toml", folder, folder.parent):
        closed.chmod(0)
        ended = recall_rank(
            "search", "rate", "--history", demo, env={"HOME": str(tmp_path)}, preexec_fn=modes_bind_in_child
        )
        closed.chmod(0o700)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "config.toml cannot be read: Permission denied" in ended.stderr


def test_a_full_disk_is_no_reason_not_to_search(demo: Path, tmp_path: Path) -> None:
    ended = recall_rank(
        *("search", "rate limit", "-n", "1", "--history", demo, "--cache", tmp_path / "cache"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "1-1 of " in ended.stdout
    assert "it is made anew each time" in ended.stdout
