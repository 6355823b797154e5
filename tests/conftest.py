"""Settings of every test: fixed examples, an empty home folder, the data folder beside the checkout."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.database import DirectoryBasedExampleDatabase, MultiplexedDatabase, ReadOnlyDatabase

from tests.reliability.report import (  # noqa: F401  # hooks
    pytest_runtest_logreport,
    pytest_runtest_makereport,
    pytest_terminal_summary,
)
from tests.support.examples import FEWEST
from tests.support.simulated_windows import SIMULATED, simulate
from tests.support.soak import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

if SIMULATED:
    simulate()  # before anything of recall_rank is imported

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "src_ext" / "recall_rank" / "_core"
SHARED = ROOT.parent / "shared"

# Every run tries equal examples: pyproject.toml fixes the seed. Examples that fail under the profile "ci" are kept in
# tests/corpus, and every later run of any profile tries them first.
KEPT = DirectoryBasedExampleDatabase(ROOT / "tests" / "corpus")
LOCAL = MultiplexedDatabase(DirectoryBasedExampleDatabase(ROOT / ".hypothesis" / "examples"), ReadOnlyDatabase(KEPT))
SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile("dev", max_examples=60, deadline=None, database=LOCAL, suppress_health_check=SLOW_IS_FINE)
settings.register_profile("traced", settings.get_profile("dev"), max_examples=FEWEST)
settings.register_profile(
    "ci",
    settings.get_profile("dev"),
    max_examples=int(os.environ.get("RECALL_RANK_EXAMPLES", "1000")),
    database=KEPT,
    print_blob=True,
)
settings.load_profile("dev")

# Variables that move the stores of agents and the files of programs; a test must find none of the developer's.
STORE_VARIABLES = (
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS"),
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_DATA_DIR", "OPENCODE_DB", "OPENCODE_CONFIG_DIR"),
    *("GEMINI_CLI_HOME", "COPILOT_HOME", "HERMES_HOME", "PRAISONAI_HOME", "GOOSE_PATH_ROOT", "AIDER_CHAT_HISTORY_FILE"),
    *("PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR", "TALLOW_CODING_AGENT_DIR"),
    *("CURSOR_STATE_DB", "CURSOR_CONFIG_DIR", "CURSOR_DATA_DIR", "APPDATA", "LOCALAPPDATA", "PWD"),
)


def pytest_report_header() -> str:
    """Return a line that counts the compiled kernels, and names those that are missing or older than their source."""
    sources = sorted(KERNELS.rglob("*.pyx"))
    built = {
        path.stem: importlib.util.find_spec(f"recall_rank._core.{path.parent.name}.{path.stem}") for path in sources
    }
    missing = [kernel for kernel, spec in built.items() if spec is None]
    stale = [
        path.stem
        for path in sources
        if (spec := built[path.stem]) and spec.origin and Path(spec.origin).stat().st_mtime < path.stat().st_mtime
    ]
    line = f"recall_rank: {len(sources) - len(missing)} of {len(sources)} compiled kernels"
    if missing or stale:
        line += f"; missing: {missing}, older than their source: {stale}; run: python setup.py build_ext --inplace"
    return line


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every property a key in the example database, remove time limits where RECALL_RANK_SOAK=long, and skip tests
    marked `posix` elsewhere.

    Under a fixed seed hypothesis keeps no failing example of a property without a key.
    """
    for item in items:
        if (SIMULATED or os.name == "nt") and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip("a promise for POSIX systems"))
        if LONG:
            item.add_marker(pytest.mark.timeout(0))
        test = getattr(item, "obj", None)
        test = getattr(test, "__func__", test)
        if test is not None and is_hypothesis_test(test):
            test._hypothesis_internal_database_key = item.nodeid.encode()


@pytest.fixture(scope="module", autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give this process and its children an empty home folder, so that no test reads the developer's histories, nor
    what another module has left there: agents' own packages write to it.
    """
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        for variable in STORE_VARIABLES:
            patch.delenv(variable, raising=False)
        yield home


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    """Return the module of Ray, which has a local cluster of two processors: one for all tests of this process, because
    Ray often fails to start a second one. Skips where it is not installed.
    """
    module = pytest.importorskip("ray", reason="Ray is not installed: what needs it is not tested")
    from tests.support.shards.local_ray import local_ray

    with local_ray(module):
        yield module


@pytest.fixture(scope="session")
def shared() -> Iterator[Path]:
    """Return the data folder beside the checkout. The session fails when its stores have changed at the end."""
    if not SHARED.is_dir():
        pytest.skip("the data folder ../shared is absent: tests on real histories are left out")
    before = state(SHARED / "stores")
    yield SHARED
    assert state(SHARED / "stores") == before, "a test changed or created files under ../shared/stores"


@pytest.fixture(autouse=True)
def _shared_where_marked(request: pytest.FixtureRequest) -> None:
    """Skip tests marked `shared` without the data folder, also those that do not take the fixture `shared`."""
    if request.node.get_closest_marker("shared"):
        request.getfixturevalue("shared")


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and modification time (ns) of every file below a folder, by relative path."""
    found = {str(path.relative_to(folder)): path.lstat() for path in folder.rglob("*")}
    return {name: (status.st_size, status.st_mtime_ns) for name, status in found.items()}
