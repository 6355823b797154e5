"""Every field of a history may hold a secret, and no surface that redacts shows it."""

from __future__ import annotations

import dataclasses
import html
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio
import click
import mcp
import orjson
import pytest
from click.testing import CliRunner

from bench.datasets.synthetic_secrets import make
from recall_rank.frontends.cli.browse.search import find
from recall_rank.frontends.cli.browse.state import SearchState
from recall_rank.frontends.cli.commands.hits import copy
from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.hooks.hook_calls import HOOKS
from recall_rank.frontends.hooks.prompt_blocks import auto_recall, compaction_recall
from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.mcp.background_reading import BackgroundHistories
from recall_rank.frontends.mcp.server import RecallServer
from recall_rank.frontends.redaction.redact import redacted
from recall_rank.frontends.redaction.redacted_answers import hidden, response_without_secrets, without_secrets
from recall_rank.frontends.tools.dispatch import TOOLS, RecallTools
from recall_rank.model import Context, Message, Part, Reading, Session, Unit
from recall_rank.recall import Recall
from tests.support.frontends.web_pages import client_of

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

NOW: Final = 1_790_000_000_000
# ids, which stay as they are, and fields with values of this package
KEPT: Final = frozenset({"id", "messages", "parts", "role", "flags", "parent", "forked_from", "continues", "source"})
FORMS: Final = {"plain": "{}{}", "without width": "{}\u200b{}", "coloured": "\x1b[33m{}\x1b[33m{}\x1b[0m"}


class Planter:
    """Gives secrets, and knows the field that each was planted in."""

    def __init__(self, form: str) -> None:
        self.chance = random.Random(form)
        self.form = form
        self.fields: dict[str, str] = {}  # secret -> field

    def secret(self, field: str) -> str:
        secret = make(self.chance, "github")
        self.fields[secret] = field
        return self.form.format(secret[:9], secret[9:])

    def record(self, kind: Any, **given: Any) -> Any:
        """A record whose fields of text, other than the given ones, each hold a secret of their own."""
        texts: dict[str, Any] = {}
        for field in dataclasses.fields(kind):
            name = f"{kind.__name__}.{field.name}"
            if field.name in KEPT or field.name in given:
                continue
            if "Sequence[str]" in str(field.type) or "tuple[str" in str(field.type):
                texts[field.name] = (self.secret(name),)
            elif "str" in str(field.type):
                texts[field.name] = f"gauge {self.secret(name)} gauge"
            elif field.type == "Any":
                texts[field.name] = {f"k{self.secret(name + ' key')}": ["gauge", self.secret(name)]}
        return kind(**texts, **given)

    def shown(self, answer: object) -> list[str]:
        """The fields whose secret is in an answer, whole or without what no terminal shows."""
        text = answer if isinstance(answer, str) else orjson.dumps(answer, option=orjson.OPT_NON_STR_KEYS).decode()
        for unseen in ("\u200b", "\\u200b", "\x1b[33m", "\\u001b[33m", "\\x1b[33m"):
            text = text.replace(unseen, "")
        return sorted({field for secret, field in self.fields.items() if secret in text})


class Planted:
    """A source of one session whose fields hold secrets."""

    name = "planted"
    location = "planted"

    def __init__(self, planter: Planter) -> None:
        parts = [
            planter.record(Part, id="p1", type="text"),
            planter.record(Part, id="p2", type="reasoning"),
            planter.record(Part, id="p3", type="tool"),
            planter.record(Part, id="p4"),  # of a type that holds a secret
            planter.record(Part, id="p5", type="subtask", text=None),
            Part("p6", "text", f"We decided to keep the gauge because {planter.secret('a decision')} is known."),
        ]
        message = planter.record(Message, id="m1", role="user", time=NOW - 1, parts=parts)
        self.session = planter.record(
            Session, id="s1", messages=(message,), directory=f"/home/ana/{planter.secret('folder')}", updated=NOW
        )

    def units(self) -> list[Unit]:
        return [Unit("all", self.location)]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        return Reading([self.session])


class Failing(Planted):
    """A source that cannot be read, and says so with a secret."""

    def __init__(self, planter: Planter) -> None:
        self.planter = planter
        self.name = "failing"
        self.location = f"/srv/{planter.secret('location')}"

    def units(self) -> list[Unit]:
        raise OSError(f"cannot read {self.planter.secret('error')}")


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def planter(request: pytest.FixtureRequest) -> Planter:
    return Planter(request.param)


CALLS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    *(
        ("recall", {"query": "gauge", "match": match, "explain": True, "expand": expand, "results": 10})
        for match in ("smart", "literal", "fuzzy", "regex")
        for expand in ("message", "none")
    ),
    ("recall", {"query": "gauge", "group": "session", "title": "gauge"}),
    ("recall", {"query": "gaugee gauge"}),
    ("recall", {"query": "pelican"}),
    ("recall", {"query": "gauge", "directory": "/home/ana", "type": "tool"}),
    ("recall_get", {"session_id": "s1", "message_id": "m1"}),
    ("recall_get", {"session_id": "s1", "message_id": "m9"}),
    ("recall_context", {"session_id": "s1", "message_id": "m1"}),
    ("recall_messages", {"session_id": "s1"}),
    ("recall_messages", {"session_id": "s9"}),
    ("recall_sessions", {"scope": "global"}),
)
SESSION_CALLS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("session_search", {"query": "gauge"}),
    ("session_search", {"query": "pelican"}),
    ("session_search", {}),
    ("session_search", {"session_id": "s1"}),
    ("session_search", {"session_id": "s1", "around_message_id": "m1"}),
    *(
        ("session_recall", {"query": query, "looking_for": "gauge", "curator": "extractive"})
        for query in ("gauge", "gaugee", "pelican")
    ),
)


def called(planter: Planter, **more: Any) -> Iterator[tuple[str, Any]]:
    for sources in ([Planted(planter)], [Planted(planter), Failing(planter)], [Failing(planter)]):
        tools = RecallTools(Recall(sources), options=host_options({"redact": True}), hooks=HOOKS)
        for name, args in (*CALLS, *SESSION_CALLS):
            yield f"{name} {args}", tools.call(name, args, now=NOW, **more)


def test_every_tool_is_called() -> None:
    assert {name for name, _ in (*CALLS, *SESSION_CALLS)} == set(TOOLS)


@pytest.mark.parametrize("wire", ["snake", "camel"])
def test_answers_of_tools(planter: Planter, wire: str) -> None:
    shown = {name: found for name, answer in called(planter, wire=wire) if (found := planter.shown(answer))}
    assert shown == {}


def test_without_redaction_the_fields_are_shown(planter: Planter) -> None:
    """The planted secrets do reach answers: else the other tests could not fail."""
    tools = RecallTools(Recall([Planted(planter)]), options=host_options({"redact": False}))
    shown = {field for name, args in CALLS for field in planter.shown(tools.call(name, args, now=NOW))}
    fields = {"type", "text", "tool", "output", "error", "title", "input", "input key"}
    assert shown >= {f"Part.{name}" for name in fields}
    assert shown >= {f"Message.{name}" for name in ("author", "agent", "model")}
    assert shown >= {f"Session.{name}" for name in ("title", "agent", "repository", "places", "worktree")}


def test_blocks_of_hooks(planter: Planter) -> None:
    recall = Recall([Planted(planter)])
    tools = RecallTools(recall, options=host_options({"auto_recall": True, "compaction_recall": True}), hooks=HOOKS)
    ask = "What did we decide last time about the gauge?"
    blocks: list[Any] = [
        auto_recall(recall, ask, now=NOW, floor=0.0, budget_ms=60_000, chars=9_000),
        compaction_recall(recall, "s1", budget_ms=60_000, chars=9_000),
        tools.call("hook:auto_recall", {"parts": [{"type": "text", "text": ask}]}, now=NOW),
        tools.call("hook:compaction", {"session_id": "s1", "context": []}, now=NOW),
    ]
    assert all(blocks)
    assert [planter.shown(block) for block in blocks] == [[], [], [], []]


def test_a_title_is_redacted_before_it_is_cut(planter: Planter) -> None:
    secret = planter.secret("title")
    message = Message("m1", "user", NOW - 1, (Part("p1", "text", "the gauge drifts"),))
    source = Planted(planter)
    source.session = Session("s1", (message,), "x" * 60 + " " + secret, "/home/ana", updated=NOW)
    block = auto_recall(Recall([source]), "What did we decide last time about the gauge?", now=NOW, floor=0.0)
    assert block is not None
    assert "ghp_" not in block


def test_what_an_mcp_client_gets(planter: Planter) -> None:
    async def work(client: Any) -> list[Any]:
        got: list[Any] = []
        for name, args in CALLS:
            result = await client.session.call_tool(name, args)
            got += [result.structured_content, result.content[0].text]
        got.append((await client.list_resources()).model_dump_json())
        for uri in ("recall://session/s1", "recall://session/s1/message/m1"):
            got.append((await client.read_resource(uri)).model_dump_json())
        with pytest.raises(mcp.MCPError) as error:
            await client.read_resource("recall://session/s9")
        return [*got, str(error.value)]

    async def run(sources: list[Any]) -> list[Any]:
        histories = BackgroundHistories(Recall(sources))
        there = RecallServer(histories, host_options({"redact": True}), Context(directory="/home/ana/quay"))
        async with mcp.Client(there.server) as client:
            return await work(client)

    for sources in ([Planted(planter)], [Planted(planter), Failing(planter)]):
        got = anyio.run(run, sources)
        assert [planter.shown(each) for each in got] == [[]] * len(got)


def planted_file(planter: Planter, folder: Path) -> Path:
    """The session as history JSONL, with a broken line that holds a secret."""
    from recall_rank.frontends.cli.output.export_formats import history_lines

    path = folder / "history.jsonl"
    lines = [json.dumps(record) for record in history_lines(Planted(planter).session)]
    path.write_text("\n".join([*lines, '{"t": "' + planter.secret("record") + '"}']) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("more", [[], ["--json"], ["--explain"], ["--json", "--explain", "--group", "session"]])
@pytest.mark.parametrize("query", ["gauge", "gaugee", "pelican"])
def test_the_search_command(planter: Planter, tmp_path: Path, query: str, more: list[str]) -> None:
    words = ["search", query, "--history", str(planted_file(planter, tmp_path)), "--no-cache", *more]
    plain, safe = (CliRunner().invoke(cli, [*words, *redact]) for redact in ([], ["--redact"]))
    assert (plain.exit_code, safe.exit_code) == ((1, 1) if query == "pelican" else (0, 0)), safe.output
    assert planter.shown(plain.output) or query == "pelican"
    assert planter.shown(safe.output) == []


def test_batches(planter: Planter, tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    lines = [{"id": f"c{at}", "tool": tool, "args": args, "now": NOW} for at, (tool, args) in enumerate(CALLS)]
    calls.write_text("\n".join(json.dumps({**line, "options": {"redact": True}}) for line in lines), encoding="utf-8")
    out = tmp_path / "answers.jsonl"
    words = ["batch", "--history", str(planted_file(planter, tmp_path)), "--no-cache"]
    done = CliRunner().invoke(cli, [*words, "--calls", str(calls), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert len(out.read_text(encoding="utf-8").splitlines()) == len(CALLS)
    assert planter.shown(out.read_text(encoding="utf-8")) == []


# --- every command where the settings say so ---------------------------------------------------------------------

COMMANDS: Final = (  # the words of a command, {out} for a file that it writes
    *(f"search {query}{form}" for query in ("gauge", "gaugee", "pelican") for form in ("", " --json", " --explain")),
    *(f"search gauge --{name} nobody" for name in ("agent", "tool", "project", "file")),
    *(f"search gauge --{form}" for form in ("oneline", "tsv", "group session")),
    *(f"sessions{form}" for form in ("", " --json", " --oneline", " --tsv", " --agent nobody", " --search x")),
    *(f"chain s1{form}" for form in ("", " --json")),
    *(f"stats{form}" for form in ("", " --json", " --svg {out}")),
    *(f"sources{form}" for form in ("", " --json", " --verbose", " --verbose --json")),
    *(f"export s1 --format {form}" for form in ("markdown", "jsonl", "html")),
    "export s1 --out {out}",
    *(f"get s1 m1{form}" for form in ("", " --json", " --raw")),
    *(f"context s1 m1{form}" for form in ("", " --json")),
    *(f"messages s1{form}" for form in ("", " --json", " --query gauge")),
    *(f"session-search{form}" for form in (" gauge", " gaugee", " pelican", "", " gauge --json", " --session s1")),
    *(f"ask {query} --for gauge --curator extractive" for query in ("gauge", "gaugee", "pelican")),
    "transcript s1",
    "condense s1",
    "condense s1 --query gauge",
    "open s1",
    "copy s1 m1",
    "reopen s1",
    "web s1 --share {out}",
    "notes suggest s1",
    "notes suggest s1 --json",
    "batch --calls {calls} --out -",
)
SHOWS_NOTHING: Final = {  # commands that read histories, and why they need no --redact
    "ask": "its answers are always redacted, and so is what a curator gets",
    "notes suggest": "what it suggests is always redacted",
    "mcp": "it has its own --redact, which is on",
    "evaluate": "it shows the queries of its user and ids",
    "push": "what it sends is always redacted",
    "forget": "it shows ids",
    "refresh": "it shows counts",
    "build": "it shows counts",
    "embed": "it shows counts",
    "compress": "it reads no history but the conversation that it is given",
    "hook": "blocks of hooks are always redacted",
}


def commands_of(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command of the shell with its name."""
    for inner, each in getattr(command, "commands", {}).items():
        yield from commands_of(each, f"{name} {inner}".strip())
    if not hasattr(command, "commands"):
        yield name, command


def every_command() -> dict[str, Any]:
    context = click.Context(cli)
    named = ((name, cli.get_command(context, name)) for name in cli.list_commands(context))
    return {inner: each for name, command in named for inner, each in commands_of(command, name)}


def test_every_command_that_reads_histories_has_the_option() -> None:
    without = {
        name
        for name, command in every_command().items()
        if {"histories", "history"} & {each.name for each in command.params}
        and "redact" not in {each.name for each in command.params}
    }
    assert without <= set(SHOWS_NOTHING), without - set(SHOWS_NOTHING)


@pytest.fixture
def redacting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose settings say that keys and passwords are replaced."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    folder = tmp_path / "settings" / "recall_rank"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("[defaults]\nredact = true\n")
    return tmp_path


def outcome(words: str, planter: Planter, folder: Path, *more: str) -> tuple[Any, str]:
    """The result of a command, and all that it has written."""
    out = folder / f"out{'.svg' if '--svg' in words else '.html' if '--share' in words else '.md'}"
    calls = folder / "calls.jsonl"
    out.unlink(missing_ok=True)
    lines = [{"id": f"c{at}", "tool": tool, "args": args, "now": NOW} for at, (tool, args) in enumerate(CALLS)]
    calls.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    given = [each.format(out=out, calls=calls) for each in words.split()]
    done = CliRunner().invoke(cli, [*given, "--history", str(planted_file(planter, folder)), "--no-cache", *more])
    return done, done.output + (out.read_text(encoding="utf-8") if out.exists() else "")


@pytest.mark.parametrize("words", COMMANDS)
def test_the_setting_means_every_command(words: str, redacting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr(copy, "copy_to_clipboard", lambda text: str(copied.append(text)))
    planter = Planter(FORMS["plain"])
    done, written = outcome(words, planter, redacting)
    assert done.exit_code in ((2,) if words == "reopen s1" else (0, 1)), done.output  # its folder is not there
    assert planter.shown(written + "".join(copied)) == []


@pytest.mark.parametrize(
    "words",
    ["sessions", "chain s1", "stats --json", "sources --verbose", "export s1", "batch --calls {calls} --out -"],
)
def test_no_redact_shows_them_once(words: str, redacting: Path) -> None:
    planter = Planter(FORMS["plain"])
    done, written = outcome(words, planter, redacting, "--no-redact")
    assert done.exit_code == 0, done.output
    assert planter.shown(written)


def test_an_export_says_that_it_is_not_redacted(redacting: Path) -> None:
    planter = Planter(FORMS["plain"])
    safe, _ = outcome("export s1 --out {out}", planter, redacting)
    plain, _ = outcome("export s1 --out {out}", planter, redacting, "--no-redact")
    wrote = f"wrote {redacting / 'out.md'}"
    note = "note: keys and passwords are not replaced in what is written: --no-redact"
    assert safe.stderr.splitlines() == [wrote]
    assert plain.stderr.splitlines() == [note, wrote]


# --- the pages of a browser, the picker, the library -------------------------------------------------------------

PAGES: Final = (
    *("/", "/?agent=x", "/?role=nobody", "/?q=gauge", "/?q=gaugee", "/?q=pelican", "/?q=gauge&match=regex"),
    *("/?q=gauge&agent=nobody", "/?q=gauge&project=nobody", "/?q=gauge&group=session", "/?q=(&match=regex"),
    *("/session?id=s1", "/session?id=s1&q=gaugee", "/session?id=s9", "/message?id=s1&number=1", "/activity"),
    *("/lineage?id=s1", "/lineage?id=s9", "/coverage", "/forget?id=s1"),
)


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_of_a_browser(planter: Planter, page: str) -> None:
    for sources in ([Planted(planter)], [Planted(planter), Failing(planter)]):
        recall = Recall(sources)
        recall.prepare()
        safe = client_of(recall, redact=True).get(page)
        assert safe.status_code in (200, 400, 404), safe.text
        assert planter.shown(html.unescape(safe.text)) == []


def test_the_pages_show_them_without_redaction(planter: Planter) -> None:
    recall = Recall([Planted(planter), Failing(planter)])
    recall.prepare()
    client = client_of(recall)
    shown = {field for page in PAGES for field in planter.shown(html.unescape(client.get(page).text))}
    assert shown >= {"Session.title", "Session.agent", "folder", "Part.text", "location", "error"}


@pytest.mark.parametrize("query", ["gauge", "gaugee", "pelican", ""])
def test_the_entries_of_the_picker(planter: Planter, query: str) -> None:
    recall = Recall([Planted(planter), Failing(planter)])
    answer = find(recall, SearchState(query=query, redact=True), budget_ms=60_000, now=NOW)
    assert planter.shown(str((answer.entries, answer.remarks))) == []


class OfAProgram(str):
    """A text as another program may give it, such as numpy's."""

    __slots__ = ()


def with_subclasses(value: Any) -> Any:
    """A record or value in which each text is of a subclass of str."""
    if isinstance(value, str):
        return OfAProgram(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        known = {each.name: with_subclasses(getattr(value, each.name)) for each in dataclasses.fields(value)}
        return dataclasses.replace(value, **known)
    if isinstance(value, dict):
        return {with_subclasses(key): with_subclasses(item) for key, item in value.items()}
    return type(value)(map(with_subclasses, value)) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("wire", ["snake", "camel"])
def test_texts_of_another_program(planter: Planter, wire: str) -> None:
    """A source of a library's user may give any subclass of str, and so may a caller."""
    source = Planted(planter)
    source.session = with_subclasses(source.session)
    tools = RecallTools(Recall([source]), options=host_options({"redact": True}), hooks=HOOKS)
    for name, args in (*CALLS, *SESSION_CALLS):
        answer = tools.call(name, with_subclasses(args), now=NOW, wire=wire)
        assert answer.get("error_category", answer.get("errorCategory")) != "internal", answer
        assert planter.shown(answer) == []
    response = Recall([source]).search(OfAProgram("gaugee"), redact=hidden, now=NOW)
    assert response.results
    assert planter.shown(orjson.dumps(response_without_secrets(response).to_dict()).decode()) == []
    assert "[redacted" in redacted(OfAProgram(planter.secret("a text")))
    answer = {"title": OfAProgram(planter.secret("title")), "notes": (OfAProgram(planter.secret("note")),)}
    assert planter.shown(without_secrets(answer)) == []
