"""Whenever the power fails while an index is written, the old one or the new one is there, whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from recall_rank.corpus import Index
from recall_rank.histories.cache.store import find
from recall_rank.index.errors import MissingIndexError, UnusableIndexError
from tests.histories.test_safety import shelves
from tests.support.histories.rebuilt import ids, refreshed
from tests.support.index.crash_images import (
    Call,
    Image,
    images,
    laid,
    named_first,
    recorded,
    removed_first,
    without_folder_syncs,
    without_syncs,
)
from tests.support.index.history import answers, history
from tests.support.soak import times

pytestmark = pytest.mark.posix  # they watch the calls that write an index

BUILDS = times(1, 20)
Look = Callable[[Path], str]
Made = tuple[Image, list[Call], Look]


def contents(folder: Path) -> Image:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}


def said(index: Index) -> str:
    return repr(answers(index, ("lantern",), ("smart",)))


def saved(folder: Path, seed: int, *, first: bool) -> Made:
    """An index that is saved, over another one unless it is the first."""
    old, new = Index.build(history(seed)), Index.build(history(seed + 1))
    known = {said(old): "old", said(new): "new"}
    if not first:
        old.save(folder)
    before = contents(folder)
    with recorded(folder) as calls:
        new.save(folder)

    def look(image: Path) -> str:
        try:
            with Index.open(image, verify=True) as found:
                return known.get(said(found), "a mixture")
        except MissingIndexError:
            return "old" if first else "gone"
        except UnusableIndexError:
            return "damaged"

    return before, calls, look


def refreshed_cache(folder: Path, _: int) -> Made:
    """A cache that is refreshed: a session more, one less, one that grew."""
    old, new = shelves()
    refreshed(folder, [old])
    before = contents(folder)
    with recorded(folder) as calls:
        done = refreshed(folder, [new])
    known = {frozenset(f"s{number}" for number in range(5)): "old", frozenset(ids(done.state)): "new"}

    def look(image: Path) -> str:
        state = find(image).state
        if state is None:
            return "damaged"
        try:
            for segment in state.segments:
                segment.verify()  # type: ignore[attr-defined]
            state.view.table()
        except UnusableIndexError:
            return "damaged"
        return known.get(frozenset(ids(state)), "a mixture")

    return before, calls, look


MAKERS: dict[str, Callable[[Path, int], Made]] = {
    "the first save": lambda folder, seed: saved(folder, seed, first=True),
    "a save": lambda folder, seed: saved(folder, seed, first=False),
    "a refresh": refreshed_cache,
}


def found(made: Made, calls: Sequence[Call], folder: Path) -> Iterator[str]:
    """What is there after a failure at any call, and at the end."""
    before, _, look = made
    for done, image in images(before, calls):
        what = look(laid(image, folder))
        yield what if done < len(calls) else f"{what} at the end"


@pytest.mark.parametrize("maker", MAKERS)
def test_a_power_cut_at_any_call_leaves_the_old_index_or_the_new(tmp_path: Path, maker: str) -> None:
    for seed in range(BUILDS):
        made = MAKERS[maker](tmp_path / f"index{seed}", seed)
        seen = Counter(found(made, made[1], tmp_path / "image"))
        assert set(seen) == {"old", "new", "new at the end"}, seen
        assert Counter(call.kind for call in made[1])["sync names"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("fault", [without_syncs, without_folder_syncs, named_first, removed_first])
@pytest.mark.parametrize("maker", ["a save", "a refresh"])
def test_a_careless_writer_would_be_found_out(
    tmp_path: Path, maker: str, fault: Callable[[Sequence[Call]], list[Call]]
) -> None:
    made = MAKERS[maker](tmp_path / "index", 1)
    well = {"old", "new", "old at the end", "new at the end"}
    assert any(what not in well for what in found(made, fault(made[1]), tmp_path / "image"))
