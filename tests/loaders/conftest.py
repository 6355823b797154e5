"""Stores for the loader tests, and the proof that reading leaves them as they were."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import SHARED
from tests.fixtures import make_fixtures
from tests.support.loaders.age import age

Seal = Callable[[Path], Path]


def contents(root: Path) -> dict[str, str]:
    """Every file, link and folder below `root` with its content."""
    found = {}
    for path in [root, *sorted(root.rglob("*"))]:
        status = path.lstat()
        if path.is_symlink():
            held = f"link {path.readlink()}"
        elif path.is_file():
            held = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            held = f"other {status.st_mode}"
        found[str(path)] = f"{held} {status.st_mode} {status.st_mtime_ns}"
    return found


@pytest.fixture(scope="session", autouse=True)
def real_stores_stay_as_they_are() -> Iterator[None]:
    """Checks that what these tests read of ../shared is byte by byte unchanged afterwards, with no new file."""
    stores = SHARED / "stores"
    before = contents(stores) if stores.is_dir() else {}
    yield
    assert not before or contents(stores) == before, f"a loader changed {stores}"


@pytest.fixture(autouse=True)
def seal() -> Iterator[Seal]:
    """A function that takes the folder of a store; after the test its content must be byte by byte unchanged."""
    sealed: dict[Path, dict[str, str]] = {}

    def remember(root: Path) -> Path:
        sealed[root] = contents(root)
        return root

    yield remember
    for root, before in sealed.items():
        assert contents(root) == before, f"a loader changed {root}"


@pytest.fixture
def opencode(tmp_path: Path, seal: Seal) -> Path:
    """A quiet OpenCode database."""
    database = make_fixtures.write_opencode(tmp_path / "opencode")
    age(database)
    seal(database.parent)
    return database


@pytest.fixture
def claude(tmp_path: Path, seal: Seal) -> Path:
    """A `.claude` folder."""
    return seal(make_fixtures.write_claude(tmp_path / "home"))
