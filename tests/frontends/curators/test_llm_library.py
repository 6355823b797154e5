"""The package `llm` as curator: real, against a model on loopback; the order of models; keys; what goes wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recall_rank.frontends.curators import llm_library
from recall_rank.frontends.curators.answer_check import curated_answer
from recall_rank.frontends.curators.choose import VARIABLE, curator_named
from recall_rank.frontends.curators.curator import CuratorError, CuratorTimeoutError, NoCuratorError
from recall_rank.frontends.curators.llm_library import MODELS
from recall_rank.frontends.curators.prompt import NOTHING_RELEVANT, SYSTEM
from tests.support.frontends.model_curators import llm_curator
from tests.support.frontends.recalled_turns import FACT, task
from tests.support.frontends.stub_model import TextModel, serving_text

pytest.importorskip("llm")
SECONDS = 60.0
Configured = Callable[..., None]


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configured:
    """A function that configures `llm` with models at an address, in a folder of its own without any other key."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    monkeypatch.setenv("LLM_LOAD_PLUGINS", "")
    monkeypatch.setenv("NO_PROXY", "*")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)

    def configure(address: str, *models: str, default: str | None = None, **keys: str) -> None:
        folder = tmp_path / "llm"
        folder.mkdir(exist_ok=True)
        entries = [
            {"model_id": name, "model_name": name, "api_base": address, "aliases": [f"{name}-alias"]} for name in models
        ]
        (folder / "extra-openai-models.yaml").write_text(json.dumps(entries))  # JSON is YAML
        (folder / "keys.json").write_text(json.dumps(keys))
        if default:
            (folder / "default_model.txt").write_text(default)

    return configure


def test_only_what_the_model_answers_comes_back(configured: Configured, tmp_path: Path) -> None:
    model = TextModel(FACT)
    with serving_text(model) as address:
        configured(address, "claude-haiku-4.5")
        curator = llm_curator()
        answer = curated_answer(curator, task(), seconds=SECONDS)
    assert curator.name == "llm claude-haiku-4.5"
    assert answer.text == FACT
    assert len(model.requests) == 1
    assert SYSTEM in model.prompt
    assert FACT in model.prompt
    assert "<<<search results " in model.prompt
    logs = tmp_path / "llm" / "logs.db"
    assert not logs.exists() or b"winch" not in logs.read_bytes(), "recalled text is not logged"


def test_recalled_text_is_no_argument_of_a_process(configured: Configured, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    real = subprocess.Popen

    def popen(argv: list[str], **more: Any) -> Any:
        started.append(argv)
        return real(argv, **more)

    monkeypatch.setattr(subprocess, "Popen", popen)
    with serving_text(TextModel(FACT)) as address:
        configured(address, "small")
        curated_answer(llm_curator("small"), task(), seconds=SECONDS)
    words = [word for argv in started for word in argv]
    assert "--no-log" in words
    assert not any(word in " ".join(words) for word in ("winch", "slipway", "berth"))


def test_nothing_relevant_is_recognised(configured: Configured) -> None:
    with serving_text(TextModel(NOTHING_RELEVANT)) as address:
        configured(address, "small")
        assert not curated_answer(llm_curator("small-alias"), task(), seconds=SECONDS).found


def test_an_error_of_the_provider_is_told_without_history(configured: Configured) -> None:
    with serving_text(TextModel("no such key \x1b[1m", status=401)) as address:
        configured(address, "small")
        with pytest.raises(CuratorError, match=r"llm small ended with status 1: .*401") as caught:
            curated_answer(llm_curator("small"), task(), seconds=SECONDS)
    assert "winch" not in str(caught.value)
    assert str(caught.value).isprintable()


def test_an_error_ends_without_a_full_stop(configured: Configured) -> None:
    configured("http://127.0.0.1:9/v1", "small")
    with pytest.raises(CuratorError, match=r"ended with status 1: .*Connection error$"):
        curated_answer(llm_curator("small"), task(), seconds=SECONDS)


def test_unasked_only_a_key_that_llm_has_stored_counts(configured: Configured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    configured("http://127.0.0.1:9/v1", "local", default="local")
    with pytest.raises(NoCuratorError, match="llm has no model with a key of its own: `llm keys set openai`"):
        curator_named(None, environ={})
    for asked, setting in (("llm", {}), (None, {VARIABLE: "llm"})):
        assert curator_named(asked, environ=setting).name == "llm gpt-5.4-nano", "it is named"
    assert curator_named("llm:gpt-4o", environ={}).name == "llm gpt-4o"
    configured("http://127.0.0.1:9/v1", "local", default="local", openai="k")
    assert curator_named(None, environ={}).name == "llm gpt-5.4-nano"
    configured("http://127.0.0.1:9/v1", "local", default="local", openai="", other="k")
    with pytest.raises(NoCuratorError, match="no model with a key of its own"):
        curator_named(None, environ={})


def test_stored_keys_that_cannot_be_read_are_told(configured: Configured, tmp_path: Path) -> None:
    configured("http://127.0.0.1:9/v1")
    (tmp_path / "llm" / "keys.json").write_text("[")
    with pytest.raises(NoCuratorError, match="cannot read its keys"):
        curator_named(None, environ={})
    (tmp_path / "llm" / "keys.json").write_text("[]")
    with pytest.raises(NoCuratorError, match="no model with a key of its own"):
        curator_named(None, environ={})


def test_a_model_that_hangs_is_ended(configured: Configured) -> None:
    with serving_text(TextModel(FACT, seconds=60.0)) as address:
        configured(address, "small")
        curator = llm_curator("small")
        began = time.monotonic()
        with pytest.raises(CuratorTimeoutError, match="llm small did not answer within 4 seconds"):
            curated_answer(curator, task(), seconds=4.0)
    assert time.monotonic() - began < 50


def test_a_model_that_floods_is_ended(configured: Configured) -> None:
    with serving_text(TextModel("w" * 10_000, chunks=1_000)) as address:
        configured(address, "small")
        with pytest.raises(CuratorError, match="printed more than"):
            curated_answer(llm_curator("small"), task(), seconds=SECONDS)


def test_an_empty_answer_is_an_error(configured: Configured) -> None:
    with serving_text(TextModel("")) as address:
        configured(address, "small")
        with pytest.raises(CuratorError, match="returned nothing"):
            curated_answer(llm_curator("small"), task(), seconds=SECONDS)


@pytest.mark.parametrize(
    ("models", "default", "chosen"),
    [
        (("gpt-5-nano-b", "claude-haiku-4.5", "big"), "big", "claude-haiku-4.5"),
        (("big", "anthropic/claude-haiku-4-5-20251001"), "big", "anthropic/claude-haiku-4-5-20251001"),
        (("gemini/gemini-2.5-flash-image", "gemini/gemini-2.5-flash-lite"), None, "gemini/gemini-2.5-flash-lite"),
        (("mistral/mistral-small-latest", "gemini/gemini-2.5-flash"), None, "gemini/gemini-2.5-flash"),
        (("big", "other"), "other", "other"),
        (("big", "other"), "other-alias", "other"),
        (("big", "CLAUDE-Haiku-9"), "big", "CLAUDE-Haiku-9"),
    ],
)
def test_cheap_models_come_first_then_the_default(
    configured: Configured, models: tuple[str, ...], default: str | None, chosen: str
) -> None:
    configured("http://127.0.0.1:9/v1", *models, default=default)
    assert llm_curator().name == f"llm {chosen}"


def test_models_without_a_key_are_skipped(configured: Configured) -> None:
    configured("http://127.0.0.1:9/v1", "local", default="local")
    assert llm_curator().name == "llm local", "the models of OpenAI have no key"
    configured("http://127.0.0.1:9/v1", "local", default="local", openai="k")
    assert llm_curator().name == "llm gpt-5.4-nano"


def test_no_model_with_a_key_is_no_curator(configured: Configured) -> None:
    configured("http://127.0.0.1:9/v1", "local")
    with pytest.raises(NoCuratorError, match="llm keys set openai"):
        llm_curator()


@pytest.mark.parametrize(
    ("name", "said"), [("none-such\x1b[1m", r"no model 'none-such\\x1b\[1m'"), ("gpt-4o", "llm keys set openai")]
)
def test_a_named_model_that_cannot_be_used_is_no_curator(configured: Configured, name: str, said: str) -> None:
    configured("http://127.0.0.1:9/v1", "local", default="local")
    with pytest.raises(NoCuratorError, match=said):
        llm_curator(name)


def test_a_damaged_configuration_is_told(configured: Configured, tmp_path: Path) -> None:
    configured("http://127.0.0.1:9/v1")
    (tmp_path / "llm" / "extra-openai-models.yaml").write_text("- 7")
    with pytest.raises(NoCuratorError, match="cannot list its models"):
        llm_curator()


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llm", None)
    with pytest.raises(NoCuratorError, match=r'not installed: pip install "recall-rank\[curator\]"'):
        llm_curator()


def test_the_package_is_imported_late() -> None:
    code = "import sys, recall_rank.frontends.curators.choose; sys.exit('llm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_pattern_names_a_model_that_can_answer_with_text() -> None:
    assert len(set(MODELS)) == len(MODELS)
    assert all(pattern == pattern.lower() for pattern in MODELS)
    names = {"*": "x", "[.-]": "."}
    for pattern in MODELS:
        name = pattern
        for sign, plain in names.items():
            name = name.replace(sign, plain)
        usable = SimpleNamespace(model_id=name, get_key=lambda: None)
        offered = [llm_library._Offered(usable, (name,))]
        assert [each.model.model_id for each in llm_library._in_order(offered)][:1] == [name]


def test_the_page_lists_the_order_of_models() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "curators.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\d+) \| `([^`]+)` \|", page, re.MULTILINE)
    assert listed == [(str(number), pattern) for number, pattern in enumerate(MODELS, 1)]
