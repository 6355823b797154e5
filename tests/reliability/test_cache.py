"""The cache is safe to lose and never lies: what the tests of histories and of the index do not try."""

from __future__ import annotations

import pickle
from contextlib import suppress
from pathlib import Path

import pytest

from recall_rank import Recall
from recall_rank.histories.cache.store import find
from recall_rank.histories.records.forgotten import UnreadableListError, forget
from tests.histories.test_safety import shelves
from tests.support.histories.rebuilt import check, refreshed
from tests.support.soak import tried


class Bomb:
    """What creates a file when a pickle of it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.mark), "w")


@pytest.mark.promise("C7")
@pytest.mark.parametrize("protocol", [0, 2, pickle.HIGHEST_PROTOCOL])
def test_a_pickle_in_the_cache_is_never_loaded(tmp_path: Path, protocol: int) -> None:
    """In place of each file, and behind and inside the bytes of each."""
    mark = tmp_path / "loaded"
    bomb = pickle.dumps(Bomb(mark), protocol)
    assert not mark.exists()
    old, new = shelves()
    folder = tmp_path / "index"
    refreshed(folder, [old])
    names = sorted(path.name for path in folder.iterdir())
    for kind in {name.partition("-")[0] for name in names}:
        for where in ("whole", "behind", "inside"):
            for path in folder.iterdir():
                path.unlink()
            refreshed(folder, [old])
            (victim,) = list(folder.glob(f"{kind}-*"))[:1]
            data = victim.read_bytes()
            at = len(data) // 2
            inside = data[:at] + bomb + data[at + len(bomb) :]
            victim.write_bytes({"whole": bomb, "behind": data + bomb, "inside": inside}[where])
            if where == "whole":
                assert find(folder).state is None
            check(refreshed(folder, [new]), [new])
            tried(1)
    forget(tmp_path / "cache", "s0")
    (tmp_path / "cache" / "forgotten").write_bytes(bomb)
    with Recall([new], cache=tmp_path / "cache") as recall, suppress(UnreadableListError):
        recall.search("lantern")
    assert not mark.exists()
    pickle.loads(bomb).close()
    assert mark.exists(), "loading it would have been seen"
