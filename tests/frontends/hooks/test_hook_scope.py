"""No hook adds a word of a session that is forgotten, ignored, deleted or of another project when global is off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.hooks import HOOKS
from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.forgotten import forget
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.support.frontends.harbor import NOW, TIDES, Invented

QUESTION = "Why did the tide gauge drift after noon, as last time?"
SESSION = TIDES.id
HERE = Context("now", directory=TIDES.directory)


def added(recall: Recall, context: Context = HERE, **options: Any) -> str:
    """What the hooks add to a question about a session, and to a compaction of it."""
    host = host_options({"auto_recall": True, "compaction_recall": True, **options})
    desk = RecallTools(recall, options=host, context=context, hooks=HOOKS)
    asked = desk.call("hook:auto_recall", {"parts": [{"type": "text", "text": QUESTION}]}, now=NOW)
    kept = desk.call("hook:compaction", {"context": [], "session_id": SESSION}, now=NOW)
    return "\n".join([*(part["text"] for part in asked["parts"][1:]), *kept["context"]])


@pytest.fixture(params=["in memory", "cached"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path if request.param == "cached" else None


def test_what_may_be_recalled_is_added(cache: Path | None) -> None:
    with Recall([Invented()], cache=cache) as recall:
        assert added(recall).count("<recall-") >= 1
        assert added(recall, **{"global": False}).count("<recall-") >= 1


@pytest.mark.parametrize(
    "ignore",
    [
        Ignore(sessions=(SESSION,)),
        Ignore(projects=(str(TIDES.directory),)),
        Ignore(paths=(SESSION,)),
        Ignore(stores=("invented",)),
    ],
    ids=["session", "project", "path", "store"],
)
def test_what_is_ignored_is_not_added(cache: Path | None, ignore: Ignore) -> None:
    if cache is not None:  # what was indexed before it was ignored
        with Recall([Invented()], cache=cache) as recall:
            recall.refresh()
    with Recall([Invented()], cache=cache, ignore=ignore) as recall:
        assert SESSION not in added(recall)


def test_what_is_forgotten_is_not_added(tmp_path: Path) -> None:
    with Recall([Invented()], cache=tmp_path) as recall:
        assert SESSION in added(recall)
        forget(tmp_path, SESSION)  # while a host has the index open
        assert added(recall) == ""
        assert added(recall, **{"global": False}) == ""


@pytest.mark.parametrize("kept", [False, True])
def test_what_is_deleted_is_added_only_where_it_is_kept(tmp_path: Path, kept: bool) -> None:
    source = Invented()
    with Recall([source], cache=tmp_path, keep_vanished=kept) as recall:
        assert SESSION in added(recall)
        del source.sessions[SESSION]
        recall.refresh()
        assert (SESSION in added(recall)) == kept


def test_what_is_said_elsewhere_is_not_added_with_global_off(cache: Path | None) -> None:
    away = Context("now", directory="/elsewhere")
    with Recall([Invented()], cache=cache) as recall:
        assert SESSION in added(recall, away)
        assert added(recall, away, **{"global": False}) == ""
