"""What the documents say is true: their commands and Python run, their names exist, and nothing is left out.

`[...]` in a transcript stands for anything, on a line of its own for any lines.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

import recall_rank
from bench.command import BENCHMARKS
from recall_rank import loaders, model
from recall_rank.evaluation import labelled_queries as labelled
from recall_rank.evaluation import report as figures
from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.demo.generate import history
from recall_rank.histories.settings import Settings, settings
from recall_rank.histories.vocabulary_file import read_vocabulary
from recall_rank.loaders.registry import LOADERS
from recall_rank.search.options import Options
from tests.reliability.__main__ import command_line

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md")])
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]

FIRST = 'python3 -m venv .venv && . .venv/bin/activate && pip install . && recall-rank demo "rate limit"'
SECOND = "python3 -m venv .venv && . .venv/bin/activate && pip install -e '.[test]' && python -m pytest"
SECOND += " -n auto --dist loadfile"

_BLOCK = re.compile(r"^```(\w*)(?: title=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")
_GAP = "[...]"


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    language: str
    title: str
    text: str


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(path: Path) -> list[Block]:
    return [Block(*found.groups(default="")) for found in _BLOCK.finditer(path.read_text(encoding="utf-8"))]


def prose(path: Path) -> str:
    """The page without its blocks."""
    return _BLOCK.sub("", path.read_text(encoding="utf-8"))


def names(text: str) -> set[str]:
    """Everything that is set as code."""
    return set(_CODE.findall(text))


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its two head lines."""
    below = re.split(rf"^#+ {re.escape(heading)}$", text, maxsplit=1, flags=re.MULTILINE)[1]
    table = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert table is not None, f"no table below {heading!r}"
    return [re.split(r"\s*\|\s*", line.strip())[1:-1] for line in table[0].splitlines()[2:]]


def commands(text: str) -> Iterator[list[str]]:
    """The words of every command, without comments and without variables before it."""
    for line in text.splitlines():
        for words in _split(shlex.split(line, comments=True, posix=True)):
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                words.pop(0)
            if words:
                yield words


def _split(words: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word == "&&":
            yield part
            part = []
        else:
            part.append(word)
    yield part


def said(output: str, transcript: str) -> str | None:
    """What of a transcript is not in the output, in its order; None when all is."""
    at, gap, lines = 0, True, output.splitlines()
    for line in transcript.splitlines():
        if line.strip() == _GAP:
            gap = True
        elif line.strip():
            pattern = re.compile(".*".join(map(re.escape, line.rstrip().split(_GAP))))
            reach = range(at, len(lines)) if gap else range(at, min(at + 1, len(lines)))
            place = next((k for k in reach if pattern.fullmatch(lines[k].rstrip())), None)
            if place is None:
                return line
            at, gap = place + 1, False
        else:
            gap = True
    return None


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory on a machine with one history, in which no id is that of the demo's history."""
    found, desk = tmp_path / "found.jsonl", tmp_path / "desk"
    found.write_text(history().replace('"demo-', '"own-'), encoding="utf-8")
    desk.mkdir()
    monkeypatch.chdir(desk)
    monkeypatch.setattr(loaders, "discover", lambda: loaders.open_sources(found))
    return desk


def run(words: list[str]) -> str:
    """What `recall-rank` prints for these words. Every command that a page shows finds something."""
    result = CliRunner().invoke(cli, words, prog_name="recall-rank", catch_exceptions=False)
    assert result.exit_code == 0, f"recall-rank {shlex.join(words)}: {result.output}"
    return result.stdout


# --- blocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_blocks_run(path: Path, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = blocks(path)
    for block in found:
        if block.title:
            (desk / block.title).write_text(block.text, encoding="utf-8")
    needed = any("history.jsonl" in block.text for block in found if block.language == "python")
    if needed and path.name != "library.md":  # which says how to make this file
        assert "a copy of the demo" in prose(path)
        (desk / "history.jsonl").write_text(history(), encoding="utf-8")
    run_blocks(path, without_ray(found), desk, capsys)


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
def test_blocks_for_ray_run(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "docs" / "scaling.md"
    found = blocks(path)
    assert sum(map(needs_ray, found)) >= 3
    run_blocks(path, found, desk, capsys)


def without_ray(found: list[Block]) -> list[Block]:
    """The blocks that need no Ray, and the text that these print."""
    kept: list[Block] = []
    left_out = False
    for block in found:
        left_out = needs_ray(block) or (left_out and block.language == "text")
        if not left_out:
            kept.append(block)
    return kept


def needs_ray(block: Block) -> bool:
    return 'workers="ray"' in block.text or "import ray" in block.text or "--ray" in block.text


def run_blocks(path: Path, found: list[Block], desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the blocks of a page, in their order."""
    scope: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for block in found:
        if block.language == "python":
            exec(compile(block.text, str(path), "exec"), scope)
            printed = capsys.readouterr().out
        elif block.language == "text":
            missing = said(printed, block.text)
            assert missing is None, f"{path.name}: the code above prints no {missing!r} but:\n{printed}"
        elif block.language == "console":
            check_transcript(path, block.text)
        elif block.language == "sh":
            for words in commands(block.text):
                check_command(words)
        elif block.language == "json" or "mcp_servers" in block.text:
            check_client(json.loads(block.text) if block.language == "json" else tomllib.loads(block.text))
        elif block.language == "toml":
            (desk / "settings.toml").write_text(block.text, encoding="utf-8")
            if "both_ways" in block.text:
                assert read_vocabulary(desk / "settings.toml").vocabulary
            else:
                assert settings(desk / "settings.toml") != Settings()
        else:
            assert block.language in ("jsonl", "mermaid"), f"{path.name}: nothing checks a block of {block.language!r}"


def check_transcript(path: Path, text: str) -> None:
    command, _, transcript = text.partition("\n")
    assert command.startswith("$ ")
    ((program, *words),) = commands(command[2:])
    assert program == "recall-rank"
    output = run(words)
    missing = said(output, transcript)
    assert missing is None, f"{path.name}: `{command[2:]}` prints no {missing!r} but:\n{output}"


def check_command(words: list[str]) -> None:
    """Runs what searches; of everything else, the pieces it names have to be there."""
    program, *rest = words
    if program == "recall-rank" and rest[0] == "web" and "--share" not in rest:  # it would serve until Ctrl-C
        command = cli.get_command(click.Context(cli), "web")
        assert command is not None
        command.make_context("web", rest[1:])
    elif program == "recall-rank":
        run([*rest, "--help"] if rest[:1] in (["browse"], ["pull"]) else rest)  # they need a terminal, another machine
    elif program == "pip":
        check_install(rest)
    elif program in ("python", "python3"):
        check_python(rest)
    elif program == ".":
        assert rest == [".venv/bin/activate"]
    elif program in ("ruff", "mypy", "cython-lint"):
        assert program in {requirement.partition(">")[0] for requirement in EXTRAS["lint"]}
        assert all((ROOT / word).exists() for word in rest if word in ("src_ext", "."))
    elif program == "pip-compile":
        assert rest == ["pyproject.toml"]
        assert tomllib.loads(page("pyproject.toml"))["tool"]["pip-tools"]["output-file"] == ".ci/lock.txt"
    elif program in ("claude", "codex"):
        assert rest[:2] == ["mcp", "add"]
        check_server(rest[rest.index("--") + 1 :])
    else:
        pytest.fail(f"nothing checks the command {program!r}")


def check_client(settings_of_client: dict[str, Any]) -> None:
    """What an agent's settings start is our server."""
    for name in ("mcpServers", "mcp_servers", "mcp"):
        for entry in settings_of_client.get(name, {}).values():
            command = entry["command"]
            check_server(command if isinstance(command, list) else [command, *entry["args"]])
            return
    pytest.fail(f"no server in {settings_of_client}")


def check_server(words: list[str]) -> None:
    assert words[:2] == ["recall-rank", "mcp"]
    command = cli.get_command(click.Context(cli), "mcp")
    assert command is not None
    command.make_context("mcp", words[2:])


def check_install(words: list[str]) -> None:
    assert words[0] == "install"
    target = words[-1]
    assert target[0] == "."
    extras = target[1:].strip("[]")
    assert all(extra in EXTRAS for extra in extras.split(",") if extra), target


def check_python(words: list[str]) -> None:
    if words[0] == "setup.py":
        assert (ROOT / "setup.py").is_file()
        return
    assert words[0] == "-m"
    if words[1].startswith("examples."):  # tests/examples runs them
        assert (ROOT / words[1].replace(".", "/")).with_suffix(".py").is_file()
        return
    if words[1] == "tests.reliability":
        assert command_line().parse_known_args(words[2:])[1] == []
        return
    assert words[1] in ("venv", "pytest", "bench", "tests.faults", "tests.repository.sample")
    if words[1] == "bench":
        assert words[2] in ("list", "run", "compare")
        assert words[2] != "run" or words[3] in BENCHMARKS


COMMAND = re.compile(r"\brecall-rank .*")


@pytest.mark.parametrize(
    "words",
    [[], ["rate limit", "-n", "2"], ["umlats bank", "--group", "session"], ["E0502"], ["zyzzyva", "-m", "literal"]],
)
def test_what_the_demo_prints_runs_as_printed(desk: Path, words: list[str]) -> None:
    printed = CliRunner().invoke(cli, ["demo", *words], prog_name="recall-rank").stdout
    found = [found[0] for found in map(COMMAND.search, printed.splitlines()) if found]
    assert bool(found) == ("zyzzyva" not in words)
    for line in found:
        ((_, *rest),) = commands(line)
        shown = run(rest)
        assert rest[1] in shown
        assert rest[2] in shown


def test_without_histories_what_is_offered_runs_as_printed(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaders, "discover", list)
    told = CliRunner().invoke(cli, ["search", "rate"], prog_name="recall-rank").stderr
    (line,) = COMMAND.findall(told)[-1:]
    ((_, *rest),) = commands(line)
    assert run(rest)


def test_a_transcript_that_is_not_printed_is_noticed() -> None:
    output = " 1. one\n    two 3.5 ms\n\n 2. three\n"
    assert said(output, " 1. one\n    two [...] ms\n\n 2. three\n") is None
    assert said(output, "[...]\n 2. three\n") is None
    assert said(output, " 1. one\n    two [...] s\n") == "    two [...] s"
    assert said(output, " 1. one\n 2. three\n") == " 2. three"
    assert said(output, " 2. three\n\n 1. one\n") == " 1. one"


# --- README -----------------------------------------------------------------------------------------


def test_readme_has_the_two_commands_and_the_parts_in_order() -> None:
    text = page("README.md")
    assert f"\n{FIRST}\n" in text
    assert f"\n{SECOND}\n" in text
    order = ["$ recall-rank demo", FIRST, SECOND, "```python", "| ---: |", "## What it searches", "## What it is not"]
    places = [text.find(piece) for piece in [*order, "## Contribute", "## Links"]]
    assert -1 not in places
    assert places == sorted(places)
    assert "recall-rank" in PROJECT["project"]["scripts"]
    (python,) = (block.text for block in blocks(ROOT / "README.md") if block.language == "python")
    assert sum(bool(line.strip()) for line in python.splitlines()) == 6


def test_readme_has_the_contributors_commands() -> None:
    listed = [list(commands(block.text)) for block in blocks(ROOT / "CONTRIBUTING.md") if block.language == "sh"]
    ours = [list(commands(block.text)) for block in blocks(ROOT / "README.md") if block.language == "sh"]
    assert listed[0] == ours[-1]
    assert len([block for block in blocks(ROOT / "README.md") if block.language == "sh"][-1].text.splitlines()) == 5


# --- ARCHITECTURE -----------------------------------------------------------------------------------


def packages() -> set[str]:
    """The dotted names of the packages that hold modules of their own, agents' loaders apart."""
    found = set()
    for path in (ROOT / "recall_rank").rglob("*"):
        modules = [each for each in path.glob("*.py*") if each.name != "__init__.py"] if path.is_dir() else []
        name = ".".join(path.relative_to(ROOT / "recall_rank").parts)
        if modules and "__pycache__" not in name and not name.startswith(("loaders.", "frontends.cli.")):
            found.add(name)
    return found


def test_architecture_has_a_row_for_every_package_and_no_other() -> None:
    listed = {cells[0].strip("`") for cells in rows(page("ARCHITECTURE.md"), "Packages")}
    assert packages() <= {*listed, "frontends", "search", "index"}
    assert listed <= {*packages(), "frontends.cli"}


def test_architecture_names_files_that_exist() -> None:
    named = {name for name in names(page("ARCHITECTURE.md")) if name.endswith((".py", ".pyx", ".pxd", ".h"))}
    assert named
    bases = (ROOT, ROOT / "recall_rank", ROOT / "src_ext" / "recall_rank")
    assert not [name for name in named if not any((base / name).is_file() for base in bases)]


def test_architecture_is_short_and_drawn() -> None:
    lines = page("ARCHITECTURE.md").splitlines()
    assert len(lines) <= 250
    assert max(map(len, lines)) <= 120
    drawn = [block for block in blocks(ROOT / "ARCHITECTURE.md") if block.language == "mermaid"]
    assert len(drawn) == 4  # packages, a query, a refresh, a tool call


def test_architecture_gives_a_reason_for_every_requirement() -> None:
    listed = {name for cells in rows(page("ARCHITECTURE.md"), "Runtime requirements") for name in cells[0].split(", ")}
    assert listed == {re.split(r"[<>=!~]", requirement)[0] for requirement in PROJECT["project"]["dependencies"]}


# --- docs/ ------------------------------------------------------------------------------------------


def test_every_option_of_search_stands_with_its_default() -> None:
    table = {cells[0].strip("`"): cells for cells in rows(page("docs/library.md"), "Options of search")}
    assert list(table) == [field.name for field in fields(Options)]
    for field in fields(Options):
        _, kind, default, meaning = table[field.name]
        assert default == f"`{field.default!r}`", field.name
        assert kind
        assert meaning


@pytest.mark.parametrize(
    "record",
    [model.SearchResponse, model.Result, model.Why, model.Span, model.Count, model.Coverage, model.SourceReport,
     model.Session, model.Message, model.Part, model.Context, figures.Evaluation, figures.Figures, figures.Ranks,
     figures.Comparison, figures.Compared, figures.Difference, labelled.LabelledQuery],
)  # fmt: skip
def test_every_field_of_a_record_is_named(record: type) -> None:
    counts = {"sessions", "messages", "parts"}  # of a source: "counts"
    listed = names(page("docs/library.md"))
    assert {field.name for field in fields(record)} - counts <= listed


def test_every_public_name_and_flag_is_named() -> None:
    text = page("docs/library.md") + page("docs/loaders.md")
    assert [name for name in recall_rank.__all__ if not re.search(rf"\b{name}\b", text)] == []
    assert {str(flag.name) for flag in model.Flag} <= names(text)


def test_every_method_is_named() -> None:
    text = page("docs/library.md")
    for owner in (recall_rank.Index, recall_rank.Recall):
        public = [name for name in vars(owner) if not name.startswith("_")]
        assert [name for name in public if not re.search(rf"\b{name}\b", text)] == []


def options_of(command: click.Command) -> set[str]:
    """The options of a command and, of a group below the program itself, those of its commands."""
    options = [option for option in command.params if isinstance(option, click.Option)]
    found = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    inner = command.commands.values() if isinstance(command, click.Group) and command is not cli else ()
    return found.union(*map(options_of, inner))


def test_every_command_and_option_stands_in_its_section() -> None:
    text = page("docs/command-line.md")
    context = click.Context(cli)
    first, *sections = re.split(r"^## recall-rank ([\w-]+)$", text, flags=re.MULTILINE)
    found = dict(zip(sections[::2], sections[1::2], strict=True))
    assert list(found) == cli.list_commands(context)
    assert options_of(cli) - {"-h"} <= names(first)
    search = names(found["search"])
    cached = {"--cache", "--no-cache", "--keep-vanished", "--no-keep-vanished", "--ignore"}
    assert {*cached, "--color", "--no-pager"} <= names(first)
    for name, section in found.items():
        command = cli.get_command(context, name)
        assert command is not None
        listed = {word for word in names(section) if re.fullmatch(r"--?[a-z][a-z-]*", word)}
        if name == "demo":  # takes every option of search but --history and --index, and says so
            searched = cli.get_command(context, "search")
            assert searched is not None
            assert options_of(command) == options_of(searched) - {"--history", "--index", *cached}
            assert listed == {"--history", "--index"}
        else:
            assert options_of(command) - cached == listed - {"--"} - cached
            able = cached if "--history" in listed else {"--cache"} if name == "purge" else set()
            if name in ("refresh", "embed", "forget"):  # nothing to do without a cache on disk
                able = able - {"--no-cache", "--ignore"}
            assert options_of(command) & cached == able
    assert {"--match", "-m"} <= search


def test_defaults_of_the_command_line_are_those_of_the_library() -> None:
    defaults = {field.name: field.default for field in fields(Options)}
    for option, _, default, _ in rows(page("docs/command-line.md"), "recall-rank search"):
        name = option.split("`")[1].removeprefix("--").replace("-", "_")
        if isinstance(defaults.get(name), str | float) and not isinstance(defaults[name], bool):
            assert default.strip("`") == f"{defaults[name]:{'.0f' if isinstance(defaults[name], float) else ''}}"


def test_every_loader_is_named_with_the_variables_it_reads() -> None:
    text = page("docs/loaders.md")
    listed = {cells[0].strip("`") for cells in rows(text, "What is found on a machine")}
    assert listed == {loader.name for loader in LOADERS}
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "recall_rank/loaders").rglob("*.py"))
    read = set(re.findall(r"""environ(?:\.get\(|\[)"([A-Z_]+)""", source))
    assert read
    assert read <= names(text)


def test_every_key_of_the_neutral_format_is_named() -> None:
    source = page("recall_rank/loaders/history_jsonl.py")
    read = set(re.findall(r"""\bget\("(\w+)"\)""", source))
    listed = {name for cells in rows(page("docs/loaders.md"), "history JSONL") for name in names(cells[1])}
    assert read <= listed


# --- all pages --------------------------------------------------------------------------------------


def anchors(path: Path) -> set[str]:
    """The fragments by which headings are reached."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    for link in _LINK.findall(prose(path)):
        if link.startswith("https://"):
            continue
        place, _, fragment = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        assert target.exists(), f"{path.name} links to {link}"
        assert not fragment or fragment in anchors(target), f"{path.name} links to {link}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_name_no_place_of_one_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"(?<![\w~.])/(?:root|work|tmp|Users)/\S*|localhost|127\.0\.0\.1", text) == []
    assert not [line for line in text.splitlines() if "../shared" in line and path.name != "CONTRIBUTING.md"]


def test_the_python_of_the_pages_is_ours() -> None:
    version = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert f"Python {version} or newer" in page("README.md")
    assert sys.version_info >= tuple(map(int, version.split(".")))
