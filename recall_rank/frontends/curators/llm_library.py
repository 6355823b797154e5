"""LlmModel: a model of the `llm` package, which has plugins for the providers of models; the extra `curator`.

The package is imported when a model is looked for. The prompt is answered by `python -m llm` in a process of its own:
that can be ended at any time, whatever the plugin of a provider does, and is ended like every other command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from recall_rank.frontends.curators.command import run_command
from recall_rank.frontends.curators.curator import NoCuratorError
from recall_rank.frontends.display_text import one_line

MODELS: Final = (
    "claude-haiku-4.5",
    "*claude-haiku-4[.-]5*",
    "*haiku*",
    "gpt-5.4-nano",
    "gpt-5-nano",
    "gpt-4.1-nano",
    "*gpt*-nano*",
    "gpt-4o-mini",
    "*gemini*flash-lite*",
    "*gemini*flash*",
    "*ministral*",
    "*mistral-small*",
    "*nova-micro*",
    "*command-r7b*",
    "*deepseek-chat*",
    "*grok*mini*",
    "*llama*8b*",
)
"""Names of models, cheap ones first, as patterns of a model's id or alias; behind them comes the default of `llm`.

The first model with a key that a pattern matches is used. Capital letters do not matter.
"""
_NO_TEXT: Final = ("*image*", "*audio*", "*tts*", "*live*", "*embed*", "*realtime*", "*transcribe*", "*guard*")
_INSTALL: Final = 'pip install "recall-rank[curator]"'


@dataclass(frozen=True, slots=True)
class _Offered:
    """A model of `llm` that answers with text."""

    model: Any
    names: tuple[str, ...]  # its id and its aliases, in lower case


class LlmModel:
    """Asks a model of `llm`: the one with this id or alias, or by default the first of MODELS with a key.

    With `stored_keys_only`, only a model counts for whose provider `llm keys set` has stored a key: neither one whose
    key is in the environment nor one that needs none. Raises NoCuratorError when `llm` is not installed or cannot be
    used, and when the model is not known or has no key.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        stored_keys_only: bool = False,
    ) -> None:
        self._environ = environ
        self._model = _named_model(model) if model else _first_usable(stored_keys_only=stored_keys_only)

    @property
    def name(self) -> str:
        """The name that an answer shows: "llm " and the id of the model."""
        return f"llm {one_line(self._model)[:60]}"

    def answer(self, system: str, text: str, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return the answer of the model to a prompt. It is not logged by `llm`.

        Raises CuratorError, with the first line of the error, when the model does not answer.
        """
        # The instructions are an argument, which others on this machine may see; recalled text goes through stdin.
        argv = [sys.executable, "-m", "llm", "prompt", "-m", self._model, "-s", system, "--no-log"]
        return run_command(argv, text, self.name, seconds, cancelled, environ=self._environ)


def _library() -> Any:
    """Return the `llm` package; raises NoCuratorError when it is not installed."""
    try:
        import llm
    except ImportError as error:
        raise NoCuratorError(f"the package llm is not installed: {_INSTALL}") from error
    return llm


def _offered(llm: Any) -> list[_Offered]:
    """Return the models of all plugins that answer with text, in the order in which they were registered."""
    try:
        found = [each for each in llm.get_models_with_aliases() if each.model is not None]
    except Exception as error:
        raise NoCuratorError(f"the package llm cannot list its models: {_said(error)}") from error
    return [_Offered(each.model, (each.model.model_id.lower(), *map(str.lower, each.aliases))) for each in found]


def _named_model(name: str) -> str:
    """Return the id of the model with this id or alias; raises NoCuratorError when it is not known or has no key."""
    llm = _library()
    found = next((each.model for each in _offered(llm) if name.lower() in each.names), None)
    if found is None:
        raise NoCuratorError(f"llm has no model '{one_line(name)[:60]}': `llm models` lists those it has")
    if problem := _problem(found):
        raise NoCuratorError(f"the model {one_line(name)[:60]} cannot be used: {problem}")
    return str(found.model_id)


def _first_usable(*, stored_keys_only: bool) -> str:
    """Return the id of the first model of MODELS that has a key, else that of the default model of `llm`."""
    llm = _library()
    offered = _offered(llm)
    if stored_keys_only:
        stored = _stored_keys(llm)
        offered = [each for each in offered if getattr(each.model, "needs_key", None) in stored]
    default = str(llm.get_default_model())
    by_default = [each for each in offered if default.lower() in each.names]
    for each in (*_in_order(offered), *by_default):
        if not _problem(each.model):
            return str(each.model.model_id)
    own = " of its own" if stored_keys_only else ""
    raise NoCuratorError(
        f"llm has no model with a key{own}: `llm keys set openai` sets one, `llm install` adds providers"
    )


def _stored_keys(llm: Any) -> frozenset[str]:
    """Return the names of the keys that `llm keys set` has stored and that are not empty."""
    try:
        keys = llm.load_keys()
    except (OSError, ValueError) as error:
        raise NoCuratorError(f"the package llm cannot read its keys: {_said(error)}") from error
    return frozenset(name for name, key in keys.items() if key) if isinstance(keys, dict) else frozenset()


def _in_order(offered: list[_Offered]) -> Iterable[_Offered]:
    """Yield the models that MODELS names, in its order."""
    for pattern in MODELS:
        for each in offered:
            matched = any(fnmatchcase(name, pattern) for name in each.names)
            if matched and not any(fnmatchcase(each.names[0], other) for other in _NO_TEXT):
                yield each


def _problem(model: Any) -> str:
    """Return the reason why a model cannot be used, such as a missing key; "" when it can."""
    try:
        model.get_key()
    except Exception as error:  # noqa: BLE001 - a plugin's own error makes its model one that cannot be used
        return _said(error)
    return ""


def _said(error: Exception) -> str:
    return one_line(str(error) or type(error).__name__)[:200]
