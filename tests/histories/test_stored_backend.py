"""A Recall over an index as it is stored answers from it, and refuses in one way what needs more than the index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.open_backend import OpenedSources
from recall_rank.histories.stored_backend import StoredBackend, stored_state
from recall_rank.index.errors import UnusableIndexError
from recall_rank.model import Context
from recall_rank.recall import Recall, _IndexFactory
from tests.support.frontends.harbor import TIDES, Invented


@pytest.fixture
def stored(tmp_path: Path) -> Recall:
    with Recall([Invented()], tmp_path) as recall:
        recall.refresh()
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    state = stored_state(tmp_path, RefreshRules(cache=tmp_path), folder)
    assert state is not None
    return Recall(OpenedSources((), StoredBackend(folder, state, _IndexFactory())))


def test_a_stored_index_is_searched_as_it_is(stored: Recall) -> None:
    found = stored.search("tide gauge drift")
    assert TIDES.id in {each.session_id for each in found.results}


@pytest.mark.parametrize(
    "wanted", [lambda recall: recall.refresh(), lambda recall: recall.only(Context(directory="/home/ana/quay"))]
)
def test_what_needs_the_sources_is_refused_as_for_other_indexes(
    stored: Recall, wanted: Callable[[Recall], object]
) -> None:
    with pytest.raises(UnusableIndexError, match="searched as it is"):
        wanted(stored)
