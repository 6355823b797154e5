"""The names of projects, agents, folders and tools that people type, on every surface: library, tools, MCP, shell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp
import pytest
from click.testing import CliRunner

from recall_rank.corpus import Index
from recall_rank.evaluation.evaluate import evaluate
from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.index.reader.places import Place
from recall_rank.model import Context, Message, Part, Session
from recall_rank.recall import Recall
from tests.frontends.mcp.test_server import server, talk
from tests.support.frontends.harbor import Invented

NOW = 1_790_000_000_000
ACME, OTHER, QUAY = "/home/al/code/acme-api", "/srv/mirror/acme-api", "/home/al/code/quay-web"


def told(key: str, folder: str, tool: str = "Bash", **more: Any) -> Session:
    """Return a session in a folder; its one message speaks of the lantern and calls a tool."""
    parts = (
        Part(f"{key}.text", "text", f"the lantern of {key} flickers"),
        Part(f"{key}.tool", "tool", tool=tool, input={"command": "lantern --trim"}, output="lantern trimmed"),
    )
    said = Message(f"{key}.m", "assistant", NOW, parts)
    return Session(key, (said,), title=key, **{"directory": folder, "project": folder, "updated": NOW, **more})


SESSIONS = (
    told("acme-one", ACME, agent="claude-code"),
    told("acme-two", f"{ACME}/server", worktree=ACME),
    told("quay-one", QUAY, tool="Edit", agent="codex"),
    told("loose-end", "", project=None, tool="WebFetch"),
)
TWINS = (*SESSIONS, told("twin-one", OTHER))

Answer = dict[str, Any]
Ask = Callable[..., Answer]


def by_index(sessions: tuple[Session, ...], query: str, **options: Any) -> Answer:
    return Index.build(sessions).search(query, now=NOW, **options).to_dict()


def by_recall(sessions: tuple[Session, ...], query: str, **options: Any) -> Answer:
    return Recall([Invented(*sessions)]).search(query, now=NOW, **options).to_dict()


def by_tools(sessions: tuple[Session, ...], query: str, **options: Any) -> Answer:
    desk = RecallTools(Recall([Invented(*sessions)]), context=Context(directory="/elsewhere"))
    return desk.call("recall", {"query": query, "match": "smart", **options}, now=NOW)


def by_literal_tools(sessions: tuple[Session, ...], query: str, **options: Any) -> Answer:
    desk = RecallTools(Recall([Invented(*sessions)]), context=Context(directory="/elsewhere"))
    return desk.call("recall", {"query": query, **options}, now=NOW)


def by_mcp(sessions: tuple[Session, ...], query: str, **options: Any) -> Answer:
    async def work(client: mcp.Client) -> Any:
        return (await client.call_tool("recall", {"query": query, **options})).structured_content

    answer: Answer = talk(server(Invented(*sessions)), work)
    return answer


@pytest.fixture
def by_shell(tmp_path: Path) -> Ask:
    def ask(sessions: tuple[Session, ...], query: str, **options: Any) -> Answer:
        path = tmp_path / "history.jsonl"
        lines = [line for session in sessions for line in records(session)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        named = {"tool_name": "tool", "must_not": "must-not"}
        each = [
            (name, one) for name, value in options.items() for one in (value if isinstance(value, list) else [value])
        ]
        words = [word for name, value in each for word in (f"--{named.get(name, name)}", str(value))]
        command = ["search", query, "--history", str(path), "--no-cache", "--json", *words]
        answer: Answer = json.loads(CliRunner().invoke(cli, command).stdout)
        return answer

    return ask


def records(session: Session) -> list[Answer]:
    """Return a session as records of history JSONL."""
    names = ("id", "title", "directory", "project", "worktree", "updated")
    head = {"t": "session", **{name: getattr(session, name) for name in names if getattr(session, name)}}
    head["agent_app"] = session.agent
    (said,) = session.messages
    text, call = said.parts
    parts = [
        {"id": text.id, "type": "text", "text": text.text},
        {"id": call.id, "type": "tool", "tool": call.tool, "input": call.input, "output": call.output},
    ]
    message = {"t": "message", "id": said.id, "session": session.id, "role": said.role, "time": said.time}
    return [head, {**message, "parts": parts}]


SURFACES: dict[str, Ask | None] = {
    "index": by_index, "recall": by_recall, "tools": by_tools, "literal tools": by_literal_tools, "mcp": by_mcp,
    "shell": None,
}  # fmt: skip


@pytest.fixture(params=SURFACES)
def ask(request: pytest.FixtureRequest) -> Ask:
    found: Ask = SURFACES[request.param] or request.getfixturevalue("by_shell")
    return found


def sessions_of(answer: Answer) -> set[str]:
    return {result["session_id"] for result in answer["results"]}


@pytest.mark.parametrize("name", ["acme-api", ACME, f"{ACME}/"])
def test_the_name_that_stats_shows_is_the_name_of_a_project(ask: Ask, name: str) -> None:
    answer = ask(SESSIONS, "lantern", project=name)
    assert sessions_of(answer) == {"acme-one", "acme-two"}
    assert "called" not in str(answer.get("warnings", ""))


@pytest.mark.parametrize("name", ["claude-code", "Claude Code"])
def test_an_agent_is_found_in_any_spelling_of_its_name(ask: Ask, name: str) -> None:
    assert sessions_of(ask(SESSIONS, "lantern", agent=name)) == {"acme-one"}


def test_projects_that_share_a_name_are_both_searched_and_a_warning_says_so(ask: Ask) -> None:
    answer = ask(TWINS, "lantern", project="acme-api")
    assert sessions_of(answer) == {"acme-one", "acme-two", "twin-one"}
    (warning,) = (text for text in answer["warnings"] if "called" in text)
    assert warning == f"2 projects are called 'acme-api', and all were searched: {ACME}, {OTHER}"
    answer = ask(TWINS, "lantern", project=OTHER)
    assert sessions_of(answer) == {"twin-one"}
    assert "called" not in str(answer.get("warnings", ""))


def test_a_tool_that_has_its_name_in_two_cases_is_offered_once(ask: Ask) -> None:
    both = (*SESSIONS, told("small-one", ACME, tool="bash"))
    answer = ask(both, "lantern", tool_name="bsah")
    (suggestion,) = (text for text in answer["suggestions"] if "bsah" in text)
    assert suggestion == "no call of a tool 'bsah': did you mean 'Bash'?"


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ({"project": "acme-apj"}, "no project is called 'acme-apj': did you mean 'acme-api'?"),
        ({"project": "ACME-API"}, "no project is called 'ACME-API': did you mean 'acme-api'?"),
        ({"project": "/home/al/acme-api"}, "no project is called '/home/al/acme-api': did you mean 'acme-api'?"),
        ({"project": "zebra"}, "no project is called 'zebra': there are 'acme-api', 'quay-web'"),
        ({"directory": "/home/al/code/acme-ap"}, f"no session ran in '/home/al/code/acme-ap': did you mean {ACME!r}?"),
        ({"directory": "acme-api"}, f"no session ran in 'acme-api': did you mean {ACME!r}?"),
        ({"agent": "codx"}, "no session is of an agent 'codx': did you mean 'codex'?"),
        ({"tool_name": "bahs"}, "no call of a tool 'bahs': did you mean 'Bash'?"),
        ({"tool_name": "zebra"}, "no call of a tool 'zebra': there are 'Bash', 'Edit', 'WebFetch'"),
        ({"tool_name": "Edit", "project": "acme-api"}, "no call of a tool 'Edit': there is 'Bash'"),
    ],
)
def test_an_unknown_name_is_answered_with_what_was_meant(ask: Ask, options: Answer, first: str) -> None:
    answer = ask(SESSIONS, "lantern", **options)
    assert answer["results"] == []
    assert answer["suggestions"][0] == first
    assert not any("match" in text for text in answer["suggestions"])


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ({"must": ["nope"]}, "nothing holds 'nope'"),
        ({"must": ["nope"], "project": "acme-api"}, "nothing that the other filters leave holds 'nope'"),
        ({"must": ["lantern"], "must_not": ["lantern"]}, None),
    ],
)
def test_a_text_that_nothing_holds_is_named(ask: Ask, options: Answer, first: str | None) -> None:
    answer = ask(SESSIONS, "lantern", **options)
    assert answer["results"] == []
    assert [text for text in answer.get("suggestions", ()) if "holds '" in text] == ([first] if first else [])


def test_a_text_that_some_part_holds_is_not_named(ask: Ask) -> None:
    answer = ask(SESSIONS, "zyzzyva", must=["lantern"])
    assert answer["results"] == []
    assert "holds '" not in str(answer.get("suggestions", ""))


@pytest.mark.parametrize(
    ("query", "options", "said"),
    [
        ("lantern", {"files": ["nope"]}, "no call of a tool names the file 'nope'"),
        ("lantern file:nope", {"syntax": True}, "no call of a tool names the file 'nope'"),
        ("lantern file:nope tool:bash", {"syntax": True}, "no call that the other filters leave names the file 'nope'"),
        ('lantern +"nope"', {"syntax": True}, "nothing holds 'nope'"),
    ],
)
def test_a_file_that_no_call_names_is_named(query: str, options: Answer, said: str) -> None:
    answer = Index.build(SESSIONS).search(query, now=NOW, **options)
    assert not answer.results
    assert [str(text) for text in answer.suggestions] == [said]


def test_a_name_that_is_known_gets_no_such_suggestion(ask: Ask) -> None:
    for options in ({"project": "acme-api"}, {"directory": ACME}, {"tool_name": "Bash"}):
        answer = ask(SESSIONS, "zyzzyva", **options)
        assert answer["results"] == []
        assert "did you mean" not in str(answer.get("suggestions", ""))


@pytest.mark.parametrize("name", ["Bash", "bash", "BASH"])
def test_the_case_of_a_tool_does_not_count(ask: Ask, name: str) -> None:
    answer = ask(SESSIONS, "lantern", tool_name=name)
    assert sessions_of(answer) == {"acme-one", "acme-two"}
    assert {result["tool_name"] for result in answer["results"]} == {"Bash"}


def test_a_part_of_a_tools_name_is_not_its_name(ask: Ask) -> None:
    assert ask(SESSIONS, "lantern", tool_name="Fetch")["results"] == []


def test_suggestions_name_nothing_outside_of_the_scope(tmp_path: Path) -> None:
    here = Context(directory=QUAY)
    index = Index.build(SESSIONS)
    for options in ({"project": "acme-apj"}, {"tool_name": "bahs"}, {"directory": "/home/al/code/acme-ap"}):
        told = index.search("lantern", scope="project", context=here, now=NOW, **options)
        assert not told.results
        assert "acme-api'" not in str(told.suggestions)
        assert "Bash" not in str(told.suggestions)
    confined = Recall([Invented(*SESSIONS)], tmp_path / "cache").only(here)
    for options in ({"project": "acme-apj"}, {"tool_name": "bahs"}, {"directory": "/home/al/code/acme-ap"}):
        shown = confined.search("lantern", now=NOW, **options)
        assert "acme-api'" not in str(shown.suggestions)
        assert "Bash" not in str(shown.suggestions)


def test_queries_of_an_evaluation_name_projects_as_searches_do() -> None:
    index = Index.build(SESSIONS)
    places = [Place("acme-one"), Place("acme-two"), Place("quay-one")]
    assert index.holds(places, project="acme-api") == set(places[:2])
    query = {"query": "lantern", "relevant": [{"session": "acme-one"}], "project": "acme-api"}
    assert evaluate(index, [query]).measured == 1


def test_an_unknown_agent_is_answered_with_what_was_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["search", "lantern", "--history", "claud-code"])
    assert result.exit_code == 3
    assert "claud-code: no such file or folder; did you mean 'claude-code'?" in result.output
