"""The loader in docs/loaders.md, installed as a package of its own, is found like ours."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from recall_rank.frontends.cli.main import cli
from recall_rank.loaders import discover, open_source, open_sources
from recall_rank.loaders import plugins as offered

PAGE = Path(__file__).resolve().parents[2] / "docs" / "loaders.md"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages with the example in it; what its entry point says is taken from the page."""
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
    assert offered.load_plugins() != []
