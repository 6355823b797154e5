"""vocabulary.toml in the settings folder: searches of this machine use it, and a broken one is told once and left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recall_rank import Context, Recall, UserVocabulary
from recall_rank.histories import vocabulary_file as vocabulary
from recall_rank.histories.vocabulary_file import LARGEST, VocabularyFile, read_vocabulary, vocabulary_file
from tests.support.frontends.harbor import Invented
from tests.support.search.samples import NOW, session

SHORT, LONG = session("short", "k8s is slow", directory="/srv/a"), session("long", "kubernetes is slow")
FILE = 'both_ways = [["k8s", "kubernetes"]]\n[one_way]\nprod = "production"\nci = ["continuous integration"]\n'


@pytest.fixture(autouse=True)
def settings_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "default_settings", lambda: tmp_path / "settings")


def write(content: str | bytes) -> Path:
    path = vocabulary_file()
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def asked(recall: Recall, query: str = "k8s", **options: Any) -> dict[str, Any]:
    """Return an answer without its times."""
    answer = recall.search(query, now=NOW, **options).to_dict()
    return {name: value for name, value in answer.items() if name not in ("elapsed_ms", "cpu_ms")}


def sessions_of(answer: dict[str, Any]) -> set[str]:
    return {result["session_id"] for result in answer["results"]}


def test_no_file_is_no_vocabulary() -> None:
    assert read_vocabulary() == VocabularyFile()


def test_a_file_is_read() -> None:
    write(FILE)
    found = read_vocabulary()
    assert found.problem is None
    assert found.vocabulary is not None
    assert found.vocabulary.both_ways == [["k8s", "kubernetes"]]
    assert found.vocabulary.one_way == {"prod": ["production"], "ci": ["continuous integration"]}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("both_ways = [", "Invalid value"),
        (b"\xff\xfe", "can't decode byte 0xff"),
        ("words = 1", "there is no 'words': there are both_ways and one_way"),
        ('both_ways = [["alone"]]', "both_ways[0] must have 2 to 32 texts, not 1"),
        (b"#" * (LARGEST + 1), "it has more than 1,048,576 bytes"),
        ("a = " + "[" * 5000, ""),
    ],
)
def test_a_broken_file_is_one_warning_and_the_search_goes_on(content: str | bytes, reason: str) -> None:
    path = write(content)
    recall = Recall([Invented(SHORT, LONG)], vocabulary=True)
    for _ in range(2):
        answer = asked(recall)
        (warning,) = answer.pop("warnings")
        assert warning.startswith(f"{path} is not used: ")
        assert reason in warning
        assert answer == asked(Recall([Invented(SHORT, LONG)]))


def test_a_folder_in_its_place_is_told() -> None:
    path = vocabulary_file()
    assert path is not None
    path.mkdir(parents=True)
    assert read_vocabulary().problem == f"{path} is not used: Is a directory"


def test_an_empty_file_changes_no_answer() -> None:
    write("# nothing yet\n")
    for query in ("k8s", "slow", "kubernetes k8s", '"is slow"'):
        recall, plain = Recall([Invented(SHORT, LONG)], vocabulary=True), Recall([Invented(SHORT, LONG)])
        assert asked(recall, query) == asked(plain, query)


def test_searches_use_the_file_where_they_are_told_to() -> None:
    write(FILE)
    with_file, without = Recall([Invented(SHORT, LONG)], vocabulary=True), Recall([Invented(SHORT, LONG)])
    assert sessions_of(asked(with_file)) == {"short", "long"}
    assert asked(with_file)["synonyms"] == {"k8s": ["kubernetes"]}
    assert sessions_of(asked(without)) == {"short"}
    assert sessions_of(asked(with_file, vocabulary=None)) == {"short"}
    assert asked(with_file, "slow") == asked(without, "slow")


def test_a_vocabulary_of_the_caller_goes_before_the_file() -> None:
    write(FILE)
    own = UserVocabulary([["k8s", "slow"]])
    assert asked(Recall([Invented(SHORT, LONG)], vocabulary=own))["synonyms"] == {"k8s": ["slow"]}
    assert asked(Recall([Invented(SHORT, LONG)], vocabulary=True), vocabulary=own)["synonyms"] == {"k8s": ["slow"]}


def test_a_view_of_one_project_keeps_the_vocabulary() -> None:
    write(FILE)
    here = Recall([Invented(SHORT, LONG)], vocabulary=True).only(Context(directory="/srv/a"))
    assert asked(here)["synonyms"] == {"k8s": ["kubernetes"]}


def test_discover_uses_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    from recall_rank import loaders

    monkeypatch.setattr(loaders, "discover", lambda: [Invented(SHORT, LONG)])
    write(FILE)
    assert asked(Recall.discover(cache=None))["synonyms"] == {"k8s": ["kubernetes"]}
    assert "synonyms" not in asked(Recall.discover(cache=None, vocabulary=None))
