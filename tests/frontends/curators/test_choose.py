"""Which curator a name, a setting or neither gives; never the extractive one unasked."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from pathlib import Path

import pytest

from recall_rank.frontends.curators.choose import VARIABLE, curator_named
from recall_rank.frontends.curators.command import CURATING
from recall_rank.frontends.curators.curator import NoCuratorError
from recall_rank.frontends.curators.sampling import SamplingCurator, SamplingRequest


def asked(_: SamplingRequest) -> Future[str]:
    return Future()


HOST = SamplingCurator(asked)


@pytest.fixture(autouse=True)
def without_llm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llm", None)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("extractive", "extractive"),
        (" Extractive ", "extractive"),
        ("command:my-agent -p 'one argument'", "command my-agent"),
        ("command:/opt/a b/agent", "command a"),
        ("COMMAND: cat", "command cat"),
        ("sampling", "sampling"),
    ],
)
def test_a_name_gives_its_curator(name: str, shown: str) -> None:
    assert curator_named(name, sampling=HOST, environ={VARIABLE: "extractive"}).name == shown
    assert curator_named(None, sampling=HOST, environ={VARIABLE: name}).name == shown


@pytest.mark.parametrize("name", [None, "", "  "])
def test_without_a_name_the_setting_counts_then_the_host(name: str | None) -> None:
    assert curator_named(name, sampling=HOST, environ={VARIABLE: "command:cat"}).name == "command cat"
    assert curator_named(name, sampling=HOST, environ={VARIABLE: " "}) is HOST
    assert curator_named(name, sampling=HOST, environ={}) is HOST


def test_without_any_the_message_says_how_to_set_one() -> None:
    with pytest.raises(NoCuratorError) as caught:
        curator_named(None, environ={})
    for words in (VARIABLE, "command:", "llm:MODEL", "extractive", "recall-rank[curator]"):
        assert words in str(caught.value)


@pytest.mark.parametrize("name", ["sampling", None, "cat"])
def test_sampling_is_proposed_only_where_the_host_offers_it(name: str | None) -> None:
    with pytest.raises(NoCuratorError) as caught:
        curator_named(name, environ={})
    assert "sampling or" not in str(caught.value).partition("name a curator")[2]
    with pytest.raises(NoCuratorError, match="sampling or extractive"):
        curator_named("cat", sampling=HOST, environ={})


def test_the_setting_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "command:cat")
    assert curator_named(None).name == "command cat"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("extractiv", "did you mean 'extractive'"),
        ("extractive:7", "no curator 'extractive:7'"),
        ("cat", "no curator 'cat'"),
        ("command", "command:PROGRAM"),
        ("command:", "is empty"),
        ("command:'open", "cannot be read: No closing quotation"),
        ("llm", "is not installed"),
        ("llm:", "llm:MODEL"),
        ("llm:claude-haiku-4.5", "is not installed"),
        ("sampling", "the host offers no model"),
        ("\x1b[1m", r"no curator '\\x1b\[1m'"),
    ],
)
def test_a_curator_that_cannot_be_had_is_told(name: str, said: str) -> None:
    with pytest.raises(NoCuratorError, match=said):
        curator_named(name, environ={})
    with pytest.raises(NoCuratorError, match=said):
        curator_named(None, sampling=None, environ={VARIABLE: name})


def test_an_error_names_the_setting_that_has_the_name() -> None:
    with pytest.raises(NoCuratorError, match=r"no curator 'cat' \(RECALL_RANK_CURATOR\)"):
        curator_named(None, sampling=HOST, environ={VARIABLE: "cat"})


def test_a_curator_cannot_ask_for_a_curator(tmp_path: Path) -> None:
    for name in (None, "extractive", "command:cat"):
        with pytest.raises(NoCuratorError, match="a curator is running this program"):
            curator_named(name, sampling=HOST, environ={CURATING: "1"})
