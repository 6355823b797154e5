"""Files that commands write: never in a store, never over another file unasked, complete or not at all."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from recall_rank.frontends.cli.browse.export import ExportError, export_sessions
from recall_rank.frontends.cli.output.console import HITS, NOT_WRITTEN, USAGE
from recall_rank.frontends.demo.generate import history
from recall_rank.loaders import open_sources
from recall_rank.recall import Recall
from tests.fixtures import make_fixtures
from tests.frontends.conftest import Run
from tests.support.histories.every_store import STORES

CALL = '{"id": 1, "tool": "recall", "args": {"query": "token bucket"}}\n'
WRITERS = {  # a command whose last option takes a file -> how that begins, its ending
    ("export", "demo-10", "--out"): (b"# ", ".md"),
    ("transcript", "demo-10", "--out"): (b"# ", ".md"),
    ("condense", "demo-10", "--query", "token bucket", "--out"): (b"# ", ".md"),
    ("stats", "--svg"): (b"<svg", ".svg"),
    ("web", "demo-10", "--share"): (b"<!doctype", ".html"),
    ("batch", "--calls", "calls.jsonl", "--out"): (b'{"id":1,', ".jsonl"),
}
writers = pytest.mark.parametrize("words", WRITERS, ids=lambda words: words[0])


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the invented history and calls; a home folder with a store of Claude Code."""
    home = tmp_path / "home"
    for name, folder in (("HOME", ""), ("XDG_CACHE_HOME", "caches"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(home / folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "settings"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    make_fixtures.write_claude(home)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "history.jsonl").write_text(history(), encoding="utf-8")
    (work / "calls.jsonl").write_text(CALL, encoding="utf-8")
    return home


@pytest.fixture
def transcript(home: Path) -> Path:
    """A transcript that Claude Code wrote."""
    return next((home / ".claude" / "projects").rglob("*.jsonl"))


@writers
@pytest.mark.parametrize("way", ["over", "beside", "link", "dots"])
def test_nothing_is_written_in_a_store(
    run: Run, home: Path, transcript: Path, words: tuple[str, ...], way: str
) -> None:
    ending = WRITERS[words][1]
    link = Path(f"page{ending}")
    link.symlink_to(transcript.parent / f"new{ending}")
    named = {
        "over": transcript,
        "beside": transcript.parent / f"new{ending}",
        "link": link,
        "dots": transcript.parent / ".." / f"new{ending}",
    }[way]
    before = contents(home / ".claude")
    done = run(*words, named, "--force", "--history", "history.jsonl")
    assert contents(home / ".claude") == before
    assert done.exit_code == NOT_WRITTEN, done.output
    if way != "over" or ending == ".jsonl" or words[0] == "export":
        assert "which is never written to" in done.stderr


@pytest.mark.parametrize("kind", STORES)
def test_nothing_is_written_into_a_store_of_any_agent(run: Run, home: Path, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "another"
    STORES[kind](place)
    sources = open_sources(place)
    assert sources
    targets = {Path(source.location) for source in sources if Path(source.location).is_file()}
    targets |= {Path(f"{path}-wal") for path in targets}
    for folder in (Path(source.location) for source in sources if Path(source.location).is_dir()):
        inside = [path for path in folder.rglob("*") if path.is_file()]
        targets |= {*inside, *(path.parent / "new.md" for path in inside)}
    before = contents(place)
    assert targets
    for target in sorted(targets)[:: max(1, len(targets) // 8)]:
        words = ("export", "demo-10", "--format", "markdown", "--force", "--out", target)
        done = run(*words, "--history", "history.jsonl", "--history", place)
        assert done.exit_code == NOT_WRITTEN, (target, done.output)
        assert "which is never written to" in done.stderr
    assert contents(place) == before


@pytest.mark.parametrize(
    "words",
    [words for words, (_, ending) in WRITERS.items() if ending == ".jsonl"]
    + [
        ("export", "demo-10", "--format", "jsonl", "--out"),
    ],
)
def test_a_copy_of_a_transcript_is_not_replaced(run: Run, home: Path, transcript: Path, words: tuple[str, ...]) -> None:
    """The copy lies where no command looks for histories."""
    copy = Path("copied") / transcript.name
    copy.parent.mkdir()
    copy.write_bytes(transcript.read_bytes())
    done = run(*words, copy, "--force", "--history", "history.jsonl")
    assert copy.read_bytes() == transcript.read_bytes()
    assert done.exit_code == NOT_WRITTEN, done.output
    assert "is a history of claude-code, which is never written to" in done.stderr


@writers
def test_an_existing_file_is_replaced_by_force_alone(run: Run, home: Path, words: tuple[str, ...]) -> None:
    begins, ending = WRITERS[words]
    page = Path(f"page{ending}")
    page.write_text("my own work\n", encoding="utf-8")
    page.chmod(0o640)
    refused = run(*words, page, "--history", "history.jsonl")
    assert page.read_text(encoding="utf-8") == "my own work\n"
    assert refused.exit_code == NOT_WRITTEN, refused.output
    assert "there is a file already" in refused.stderr
    assert "--force" in refused.stderr
    done = run(*words, page, "--force", "--history", "history.jsonl")
    assert done.exit_code == HITS, done.output
    assert page.read_bytes().startswith(begins)
    assert stat.S_IMODE(page.stat().st_mode) == 0o640
    assert f"wrote {page}" in done.stderr.splitlines()
    assert sorted(each.name for each in Path().iterdir()) == ["calls.jsonl", "history.jsonl", page.name]


@writers
def test_a_new_file_and_an_empty_one_are_written(run: Run, home: Path, words: tuple[str, ...]) -> None:
    begins, ending = WRITERS[words]
    for name in ("new", "empty", "page.without.name"):
        page = Path(f"{name}{ending}")
        if name == "empty":
            page.touch()
        done = run(*words, page, "--history", "history.jsonl")
        assert done.exit_code == HITS, done.output
        assert page.read_bytes().startswith(begins)
        assert done.stderr.count("wrote ") == 1


@writers
def test_a_file_is_complete_or_not_there(run: Run, home: Path, words: tuple[str, ...]) -> None:
    """A command that fails leaves no file behind, and the earlier one as it was."""
    page = Path(f"page{WRITERS[words][1]}")
    page.write_text("my own work\n", encoding="utf-8")
    done = run(*words, page, "--force", "--history", "history.jsonl", "--cache", "one", "--no-cache")
    assert done.exit_code == USAGE, done.output
    assert page.read_text(encoding="utf-8") == "my own work\n"
    assert sorted(each.name for each in Path().iterdir()) == ["calls.jsonl", "history.jsonl", page.name]


@pytest.mark.posix
@writers
def test_a_pipe_is_written_to_as_it_is(run: Run, home: Path, words: tuple[str, ...]) -> None:
    os.mkfifo("pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_bytes()), daemon=True)
    reader.start()
    done = run(*words, "pipe", "--history", "history.jsonl")
    reader.join(20)
    assert done.exit_code == HITS, done.output
    assert read
    assert read[0].startswith(WRITERS[words][0])
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.md", b"# "),
        ("a.txt", b"# "),
        ("a", b"# "),
        ("a.html", b"<!doctype"),
        ("A.HTM", b"<!doctype"),
        ("a.jsonl", b"{"),
    ],
)
def test_the_format_of_an_export_follows_the_ending(run: Run, home: Path, name: str, begins: bytes) -> None:
    assert run("export", "demo-10", "--out", name, "--history", "history.jsonl").exit_code == HITS
    assert Path(name).read_bytes().startswith(begins)
    named = run("export", "demo-10", "--format", "jsonl", "--force", "--out", name, "--history", "history.jsonl")
    assert named.exit_code == HITS
    assert Path(name).read_bytes().startswith(b"{")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("export", "demo-10", "--out"), "a.pdf"),
        (("transcript", "demo-10", "--out"), "a.html"),
        (("condense", "demo-10", "--query", "token bucket", "--out"), "a.jsonl"),
        (("stats", "--svg"), "a.png"),
        (("web", "demo-10", "--share"), "a.md"),
    ],
)
def test_an_ending_of_another_format_is_refused(run: Run, home: Path, words: tuple[str, ...], name: str) -> None:
    done = run(*words, name, "--history", "history.jsonl")
    assert done.exit_code == NOT_WRITTEN, done.output
    assert f"{name} must end in ." in done.stderr
    assert not Path(name).exists()


def test_a_batch_replaces_answers_and_nothing_else(run: Run, home: Path) -> None:
    words = ("batch", "--calls", "calls.jsonl", "--history", "history.jsonl", "--out")
    for _ in range(2):
        assert run(*words, "answers.jsonl").exit_code == HITS
    before = Path("calls.jsonl").read_bytes()
    assert run(*words, "calls.jsonl").exit_code == NOT_WRITTEN
    assert Path("calls.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("search", "token bucket", "--cache", "{store}/cache"), USAGE),
        (("refresh", "--cache", "{store}/cache"), USAGE),
        (("build", "history.jsonl", "--workers", "1", "--out", "{store}/shards"), NOT_WRITTEN),
        (("push", "{store}/shared", "--project", "*"), NOT_WRITTEN),
        (("notes", "add", "We use SQLite.", "--folder", "{store}"), NOT_WRITTEN),
        (("compact", "on", "--yes", "--project", "{store}"), NOT_WRITTEN),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else None,
)
def test_no_folder_is_made_in_a_store(
    run: Run, home: Path, transcript: Path, words: tuple[str, ...], status: int
) -> None:
    before = contents(home / ".claude")
    done = run(*(each.format(store=transcript.parent) for each in words))
    assert contents(home / ".claude") == before
    assert done.exit_code == status, done.output
    assert "which is never written to" in done.stderr


def test_a_project_in_a_store_gets_no_install(
    run: Run, home: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(home / ".claude")
    monkeypatch.chdir(transcript.parent)
    assert run("install", "claude-code", "--scope", "project", "--yes").exit_code == NOT_WRITTEN
    assert contents(home / ".claude") == before


@pytest.mark.parametrize("place", [lambda found: found, lambda found: found.parent / "new.md"], ids=["over", "beside"])
def test_the_picker_writes_nothing_in_a_store_that_it_does_not_show(
    home: Path, transcript: Path, place: Callable[[Path], Path]
) -> None:
    before = contents(home / ".claude")
    with Recall(open_sources("history.jsonl"), None) as recall:
        for ids, target in ((["demo-10"], place(transcript)), (["demo-10", "demo-11"], transcript.parent / "more")):
            with pytest.raises(ExportError, match=r"nothing was written: .* which is never written to"):
                export_sessions(recall, ids, str(target))
    assert contents(home / ".claude") == before
