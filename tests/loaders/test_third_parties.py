"""Loaders of other packages: the one in docs/loaders.md is found when installed, and resume points may be any bytes."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from recall_rank.frontends.cli.main import cli
from recall_rank.loaders import BaseSource, discover, open_source, open_sources, plugins
from recall_rank.model import Message, Part, Reading, Session, Unit
from recall_rank.recall import Recall

PAGE = Path(__file__).resolve().parents[2] / "docs" / "loaders.md"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages that holds the example, with the entry point that the page names."""
    text = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python title=notes_loader\.py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (group,) = re.findall(r'`\[project\.entry-points\."([\w.]+)"\]`', text)
    (line,) = re.findall(r'a line `(\w+ = "[\w:]+")`', text)
    site = tmp_path / "site"
    about = site / "notes_loader-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "notes_loader.py").write_text(example, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: notes-loader\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{line.replace(chr(34), '')}\n")
    assert len(example.splitlines()) <= 40
    monkeypatch.syspath_prepend(str(site))
    yield site
    sys.modules.pop("notes_loader", None)


@pytest.fixture
def notes(tmp_path: Path, installed: Path) -> Path:
    folder = tmp_path / "home" / "notes"
    folder.mkdir(parents=True)
    (folder / "ferry.txt").write_text("The timetable changes in winter.")
    return folder


def test_it_is_found_by_path_and_by_discovery(notes: Path) -> None:
    assert open_source(notes).name == "notes"
    assert [source.location for source in open_sources(notes.parent)] == [str(notes)]
    assert [source.name for source in discover({}, notes.parent)] == ["notes"]


def test_the_shell_searches_it(notes: Path) -> None:
    answer = CliRunner().invoke(cli, ["sources", "--history", str(notes), "--json"])
    (entry,) = json.loads(answer.output)["sources"]
    assert (entry["agent"], entry["sessions"], entry["messages"], entry["parts"]) == ("notes", 1, 1, 1)
    answer = CliRunner().invoke(cli, ["search", "timetabel", "--history", str(notes), "--json"])
    assert json.loads(answer.output)["results"][0]["snippet"] == "The timetable changes in winter."


def test_it_is_found_by_name(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(notes.parent))
    assert open_source("notes").location == str(notes)


@pytest.mark.parametrize("how", ["link", "archive"])
def test_it_is_found_however_it_was_installed(notes: Path, installed: Path, how: str) -> None:
    about = installed / "notes_loader-1.0.dist-info" / "entry_points.txt"
    if how == "link":
        about.rename(installed / "elsewhere.txt")
        about.symlink_to(installed / "elsewhere.txt")
    else:
        packed = installed.parent / "packed.zip"
        with zipfile.ZipFile(packed, "w") as archive:
            for path in installed.rglob("*"):
                if path.is_file():
                    archive.write(path, path.relative_to(installed))
        sys.path[sys.path.index(str(installed))] = str(packed)
    assert open_source(notes).name == "notes"
    assert plugins.load_plugins() != []


class GrowingLog(BaseSource):
    """One session in memory that grows; its resume points are bytes of no format that this package knows."""

    def __init__(self) -> None:
        self.name = self.location = "log"
        self.words: list[str] = []
        self.reads: list[tuple[int, bool]] = []  # the number of messages and Reading.appended of each read

    def units(self) -> Iterable[Unit]:
        return [Unit("log", "/log")]

    def signature(self, unit: Unit) -> bytes:
        return b"%d" % len(self.words)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        first = since[-1] if since is not None else 0
        messages = tuple(
            Message(f"m{number}", "user", number, (Part(f"p{number}", "text", words),))
            for number, words in enumerate(self.words[first:], first)
        )
        self.reads.append((len(messages), since is not None))
        session = Session("log", messages, title=f"{len(self.words)} entries", source="log")
        return Reading([session], resume=b"\x00=+\xff" + bytes([len(self.words)]), appended=since is not None)


@pytest.mark.parametrize("cached", [True, False])
def test_a_resume_point_may_be_any_bytes(tmp_path: Path, cached: bool) -> None:
    log = GrowingLog()
    for words in ("the lantern", "a gull", "the ferry"):
        log.words.append(words)
        with Recall([log], cache=tmp_path if cached else None) as recall:
            recall.refresh()
            (hit,) = recall.search("lantern").results
            assert (hit.message_id, hit.session_title) == ("m0", f"{len(log.words)} entries")
            assert [hit.message_id for hit in recall.search(words).results][:1] == [f"m{len(log.words) - 1}"]
    grown = [count for count, appended in log.reads if appended]
    assert grown == ([1, 1] if cached else [])
