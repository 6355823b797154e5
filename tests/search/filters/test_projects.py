"""A project is one wherever it lies: for a search, for lists, and for a host that lets nothing else show."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_rank import Context, Recall, open_source
from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.model.camel_case import camel_answer
from tests.fixtures.make_fixtures import write_history

CONFIG = '[remote "origin"]\n\turl = git@forge.example:mara/lamp.git\n'


def clone(folder: Path, config: str = CONFIG) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(config)
    return folder


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """Two clones of one project, another project, and a folder that is gone."""
    other = clone(tmp_path / "tides", CONFIG.replace("lamp", "tides"))
    found = {"one": clone(tmp_path / "one"), "two": clone(tmp_path / "moved" / "two"), "harbour": other}
    return {**found, "gone": tmp_path / "gone"}


@pytest.fixture
def recall(tmp_path: Path, places: dict[str, Path]) -> Recall:
    records = []
    for number, (key, folder) in enumerate(places.items()):
        about = {"title": f"Lens of {key}", "directory": str(folder), "created": 1_780_000_000_000 + number}
        part = {"id": "p", "type": "text", "text": f"the lens motor in {key}"}
        spent = {"tokens": {"input": 9, "output": 2}, "cost": 0.5}
        said = {"id": f"{key}:m", "session": key, "role": "assistant", "parts": [part], **spent}
        parent = {"parent": "harbour", "forked_from": "harbour"} if key == "two" else {}
        records += [{"t": "session", "id": key, **about, **parent, **spent}, {"t": "message", **said}]
    return Recall([open_source(write_history(tmp_path / "h.jsonl", records))])


def test_scope_project_finds_every_clone(recall: Recall, places: dict[str, Path]) -> None:
    context = Context(directory=str(places["one"]))
    found = recall.search("lens motor", scope="project", context=context).results
    assert {hit.session_id for hit in found} == {"one", "two"}
    assert {session.id for session in recall.sessions(scope="project", context=context)} == {"one", "two"}
    assert {session.id for session in recall.only(context).sessions()} == {"one", "two"}
    by_name = recall.search("lens motor", project="forge.example/mara/lamp").results
    assert {hit.session_id for hit in by_name} == {"one", "two"}
    gone = Context(directory=str(places["gone"]))
    assert {hit.session_id for hit in recall.search("lens", scope="project", context=gone).results} == {"gone"}


def test_nothing_of_another_project_shows_through(recall: Recall, places: dict[str, Path]) -> None:
    tools = RecallTools(recall, options=HostOptions(global_=False), context=Context(directory=str(places["two"])))
    answer = tools.call("recall_sessions", {})
    assert {entry["id"] for entry in answer["sessions"]} == {"one", "two"}
    assert "harbour" not in repr(answer)
    assert "tides" not in repr(answer)


def test_lists_tell_lineage_and_costs(recall: Recall, tmp_path: Path) -> None:
    tools = RecallTools(recall)
    entries = {entry["id"]: entry for entry in tools.call("recall_sessions", {"scope": "global"})["sessions"]}
    two = entries["two"]
    assert (two["parent"], two["forked_from"], two["repository"]) == ("harbour", "harbour", "forge.example/mara/lamp")
    assert (two["tokens"], two["cost"], two["places"]) == ({"input": 9, "output": 2}, 0.5, [str(tmp_path / "h.jsonl")])
    message = tools.call("recall_get", {"session_id": "two", "message_id": "two:m"})["message"]
    assert (message["tokens"], message["cost"]) == ({"input": 9, "output": 2}, 0.5)
    assert "repository" not in entries["gone"]


def test_the_original_form_has_no_other_fields(recall: Recall) -> None:
    tools = RecallTools(recall)
    listed = camel_answer(tools.call("recall_sessions", {"scope": "global"}))["sessions"]
    assert {name for entry in listed for name in entry} <= {"id", "title", "directory", "time", "archived", "project"}
    message = camel_answer(tools.call("recall_get", {"session_id": "two", "message_id": "two:m"}))["message"]
    assert set(message) <= {"id", "role", "time", "agent", "model"}
