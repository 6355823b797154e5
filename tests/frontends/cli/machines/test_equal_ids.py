"""Sessions of two machines with one id: each command shows the one that is meant, never silently the other one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from recall_rank.frontends.cli import last_search
from recall_rank.frontends.cli.browse.entries import entry_of_hit, entry_of_session
from recall_rank.frontends.cli.browse.outcome import printed
from recall_rank.frontends.cli.browse.preview import session_matches
from recall_rank.frontends.cli.browse.state import SearchState
from recall_rank.frontends.cli.commands.web.web import _forgetting
from recall_rank.frontends.cli.last_search import LastSearch, ShownHit, forget_in_searches, remember
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.transcripts.gather import read_transcript
from recall_rank.loaders import open_sources
from recall_rank.model import Flag, Session
from recall_rank.recall import Recall
from tests.frontends.conftest import Run
from tests.support.frontends.picker import write_history
from tests.support.frontends.web_pages import HOST, Elements, client_of, recall_of
from tests.support.search.samples import message, session

ID = "20260528_1"


def talk(session_id: str, host: str | None, *texts: str, created: int, parent: str | None = None) -> Session:
    said = [message(f"{session_id}:{at}", text, time=created + at) for at, text in enumerate(texts)]
    flags = Flag.SUBAGENT if parent else Flag.NONE
    known = session(session_id, *said)
    return replace(known, created=created, agent="goose", title=texts[0], host=host, parent=parent, flags=flags)


HERE = [
    talk(ID, None, "Feed the goat", "The goat took ivy", created=1000),
    talk("goat-child", None, "Count the herd", created=1500, parent=ID),
]
THERE = [
    talk(ID, "quay", "Deploy the gateway", "The gateway took noon", created=3000),
    talk("gateway-child", "quay", "Count the replicas", created=3500, parent=ID),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A history of this machine and of the machine quay; each has a session ID and a subagent of it."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    for command in ("search", "session_search", "transcripts"):
        module = import_module(f"recall_rank.frontends.cli.commands.{command}")
        monkeypatch.setattr(module, "has_terminal", lambda: True)
    monkeypatch.setattr(last_search, "terminal_name", lambda: "this.json")
    (tmp_path / "told").mkdir()
    write_history(tmp_path / "told" / "here.jsonl", HERE)
    write_history(tmp_path / "told" / "there.jsonl", THERE)
    return tmp_path / "told"


@pytest.fixture
def recall(folder: Path) -> Iterator[Recall]:
    with Recall(open_sources(folder)) as opened:
        yield opened


@pytest.mark.parametrize("search", [("search", "gateway noon"), ("session-search", "gateway noon")])
def test_a_number_of_a_hit_names_the_session_of_its_machine(run: Run, folder: Path, search: tuple[str, ...]) -> None:
    named = ("--history", folder)
    for words, other in (search[1], "goat"), ("goat ivy", "gateway"):
        assert run(search[0], words, *named).exit_code == 0
        wanted = words.split()[0]
        for command in ("messages", "transcript", "chain", "export", "open"):
            shown = run(command, "1")
            assert shown.exit_code == 0, (command, shown.stderr)
            assert wanted in shown.stdout.casefold()
            assert other not in shown.stdout.casefold(), command


def test_a_number_names_the_message_of_its_machine(run: Run, folder: Path) -> None:
    run("search", "gateway noon", "--history", folder)
    for command in ("get", "context"):
        assert "The gateway took noon" in run(command, "1").stdout


def test_the_list_of_sessions_has_numbers_for_those_of_each_machine(run: Run, folder: Path) -> None:
    listed = json.loads(run("sessions", "--history", folder, "--json").stdout)["sessions"]
    run("sessions", "--history", folder)
    for number, entry in enumerate(listed, 1):
        assert run("transcript", str(number)).stdout.startswith(f"# {entry['title']}")


def test_forgetting_leaves_the_number_of_the_other_machine(folder: Path) -> None:
    hits = (ShownHit(ID), ShownHit(f"{ID}@quay"))
    for forgotten, left in ((ID, (None, hits[1])), (f"{ID}@quay", (hits[0], None))):
        remember(LastSearch(1, hits))
        forget_in_searches(forgotten)
        found = last_search.last_search()
        assert found is not None
        assert found.hits == left


def test_a_transcript_is_of_the_session_that_was_named_and_of_its_subagents() -> None:
    recall = recall_of(*HERE, *THERE)
    for name, title, child in (
        (ID, "Feed the goat", "goat-child"),
        (f"{ID}@quay", "Deploy the gateway", "gateway-child"),
    ):
        read = read_transcript(recall, recall.session(name))
        assert read.session.title == title
        assert read.session.messages[0].parts[0].text == title
        assert [each.session.id for each in read.subagents] == [child]


@pytest.mark.parametrize("command", ["transcript", "condense"])
@pytest.mark.parametrize("name", [f"{ID}@quay", "Deploy the gateway"])
def test_commands_read_the_session_of_the_machine_that_is_named(
    run: Run, folder: Path, command: str, name: str
) -> None:
    shown = run(command, name, "--history", folder)
    assert shown.exit_code == 0, shown.stderr
    assert "gateway" in shown.stdout
    assert "goat" not in shown.stdout


@pytest.mark.parametrize(("name", "host"), [(ID, None), (f"{ID}@", None), (f"{ID}@quay", "quay")])
def test_a_search_in_one_session_is_in_that_of_one_machine(
    run: Run, folder: Path, recall: Recall, name: str, host: str | None
) -> None:
    found = json.loads(run("search", "took", "--session", name, "--history", folder, "--json").stdout)
    assert [hit.get("host") for hit in found["results"]] == [host]
    if name != ID:
        assert [hit.host for hit in recall.search("took", session_id=name).results] == [host]
    answer = RecallTools(recall).call("recall", {"query": "took", "session_id": name})
    assert [hit["message_id"] for hit in answer["results"]] == [f"{ID}:1"]
    words = [hit["snippet"] for hit in answer["results"]]
    assert ("gateway" in words[0]) == (host == "quay")


def test_the_chain_is_of_the_machine_that_is_named(run: Run, folder: Path, recall: Recall) -> None:
    assert [node.session.id for node in recall.chain(f"{ID}@quay").nodes] == [ID, "gateway-child"]
    assert [node.session.id for node in recall.chain(f"{ID}@").nodes] == [ID, "goat-child"]
    assert recall.chain(ID).notes == ("other sessions have this id (goose on quay); this is the one of goose",)
    shown = run("chain", f"{ID}@quay", "--history", folder)
    assert shown.exit_code == 0
    assert "Deploy the gateway" in shown.stdout
    assert "goat" not in shown.stdout


def test_session_search_shows_one_session_of_a_hit(recall: Recall) -> None:
    tools = RecallTools(recall)
    (entry,) = tools.call("session_search", {"query": "gateway noon"})["results"]
    assert (entry["session_id"], entry["title"]) == (f"{ID}@quay", "Deploy the gateway")
    assert [each["content"] for each in entry["messages"]] == ["Deploy the gateway", "The gateway took noon"]
    read = tools.call("session_search", {"session_id": entry["session_id"]})
    assert [each["content"] for each in read["messages"]] == ["Deploy the gateway", "The gateway took noon"]
    listed = tools.call("session_search", {})["results"]
    assert {each["session_id"]: each["title"] for each in listed}[f"{ID}@quay"] == "Deploy the gateway"


def test_an_expanded_hit_is_of_its_machine(recall: Recall) -> None:
    for expand in ("message", "context"):
        answer = RecallTools(recall).call("recall", {"query": "took noon", "expand": expand, "type": "all"})
        assert "The gateway took noon" in json.dumps(answer["expanded"])
        assert "goat" not in json.dumps(answer["expanded"])


@pytest.mark.parametrize(
    ("words", "title", "left"), [("goat ivy", "Feed the goat", "quay"), ("gateway noon", "Deploy the gateway", None)]
)
def test_pages_show_and_forget_the_session_of_the_machine(
    folder: Path, words: str, title: str, left: str | None
) -> None:
    def links_of(page: str) -> list[str]:
        return [link["href"] or "" for link in Elements(page).all("a")]

    with Recall(open_sources(folder), True) as recall, client_of(recall, forget=_forgetting(recall)) as client:
        recall.prepare()
        hit = next(link for link in links_of(client.get("/", params={"q": words}).text) if "message=" in link)
        opened = client.get(hit).text
        assert f"<h1>{title}</h1>" in opened
        of_session = links_of(opened)
        lineage, asked = (
            next(link for link in of_session if link.startswith(f"/{each}?")) for each in ("lineage", "forget")
        )
        assert f"Lineage of {title}" in client.get(lineage).text
        form = {each["name"]: each["value"] for each in Elements(client.get(asked).text).all("input")}
        done = client.post("/forget", data=form, headers={"origin": HOST})
        assert done.status_code == 200, done.text
        assert [each.host for each in recall.sessions() if each.id == ID] == [left]


def test_the_picker_shows_and_prints_the_session_of_the_machine(recall: Recall) -> None:
    for words, title, name in (("goat ivy", "Feed the goat", ID), ("gateway noon", "Deploy the gateway", f"{ID}@quay")):
        entry = entry_of_hit(recall.search(words).results[0])
        shown = session_matches(recall, entry.session_id, SearchState("took"))
        assert shown is not None
        assert (shown.session.title, shown.places) == (title, (1,))
        assert list(printed(recall, [entry], "id")) == [name]
    listed = {entry_of_session(each).session_id for each in recall.sessions()}
    assert {ID, f"{ID}@quay"} <= listed
