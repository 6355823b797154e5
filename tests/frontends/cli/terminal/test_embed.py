"""`recall-rank embed`, the setting `embedder`, and what searches and `stats` tell of vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall_rank.histories.settings import settings
from recall_rank.semantic import vector_index
from tests.frontends.conftest import Run
from tests.support.semantic.embedding_server import EmbeddingServer, embedding_server

DEMO = ("--history", "demo")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, whose settings can be written."""
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 3600.0)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    (tmp_path / "settings" / "recall_rank").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as made:
        yield made


def configure(home: Path, text: str) -> None:
    (home / "settings" / "recall_rank" / "config.toml").write_text(text)


def test_vectors_are_made_and_searches_use_them(home: Path, run: Run, server: EmbeddingServer) -> None:
    configure(home, f'embedder = "ollama:mini@{server.url}"\n')
    made = json.loads(run("embed", *DEMO, "--json").stdout)
    assert made["model"] == "ollama:mini"
    assert made["made"] > 20
    assert made["with_vector"] == made["passages"] >= made["made"]
    told = json.loads(run("search", "token", *DEMO, "--json", "--explain").stdout)
    assert "near in meaning" in told["trace"][2]
    assert told["coverage"]["vectors"] == {
        "model": "ollama:mini", "passages": made["passages"], "with_vector": made["passages"],
    }  # fmt: skip
    counted = json.loads(run("stats", *DEMO, "--json").stdout)
    assert counted["vectors"] == told["coverage"]["vectors"]
    count = f"{made['passages']:,} of {made['passages']:,} passages have a vector · ollama:mini"
    assert count in run("stats", *DEMO).stdout
    again = run("embed", *DEMO)
    assert again.exit_code == 0
    assert again.stdout.startswith(f"0 vectors made, {made['passages']:,} of {made['passages']:,} passages have one")


def test_without_the_setting_nothing_is_asked_and_nothing_told(run: Run) -> None:
    told = json.loads(run("search", "token", *DEMO, "--json").stdout)
    assert "vectors" not in told["coverage"]
    assert "vectors" not in json.loads(run("stats", *DEMO, "--json").stdout)
    done = run("embed", *DEMO)
    assert done.exit_code == 2
    assert "no embedder is chosen" in done.stderr


def test_an_option_names_another_embedder(home: Path, run: Run, server: EmbeddingServer) -> None:
    configure(home, 'embedder = "ollama:other@http://127.0.0.1:9"\n')
    done = json.loads(run("embed", *DEMO, "--embedder", f"openai:mini@{server.url}/v1", "--json").stdout)
    assert done["model"] == "openai:mini"
    assert done["with_vector"] == done["passages"]


def test_a_server_that_is_not_there_ends_the_command_and_stops_no_search(home: Path, run: Run) -> None:
    configure(home, 'embedder = "ollama:mini@http://127.0.0.1:9"\n')
    done = run("embed", *DEMO)
    assert done.exit_code == 4
    assert "http://127.0.0.1:9 cannot be reached" in done.stderr
    assert json.loads(run("search", "token", *DEMO, "--json").stdout)["results"]


@pytest.mark.parametrize("name", ["word2vec", "ollama:mini@http://example.org", "openai:mini"])
def test_a_wrong_name_is_refused(home: Path, run: Run, name: str) -> None:
    done = run("embed", *DEMO, "--embedder", name)
    assert done.exit_code == 2
    assert "embedder" in done.stderr
    configure(home, f'embedder = "{name}"\n')
    with pytest.raises(ValueError, match="embedder"):
        settings()
    done = run("search", "token", *DEMO)
    assert done.exit_code == 2
    assert "config.toml" in done.stderr


def test_the_setting_is_a_string(home: Path) -> None:
    configure(home, "embedder = true\n")
    with pytest.raises(ValueError, match="embedder must not be True"):
        settings()
