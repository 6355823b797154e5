"""Summarizers: a command, a model of the package `llm`, or Claude Code without a terminal, which is the default."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from recall_rank.frontends.curators.bounded_call import bounded_call, cleaned_text, repeats_instructions
from recall_rank.frontends.curators.choose import COMMAND, LLM, model_of_name
from recall_rank.frontends.curators.command import CURATING, READ_BYTES, CommandModel
from recall_rank.frontends.curators.curator import CuratorError, NoCuratorError, never
from recall_rank.frontends.curators.language_model import LanguageModel
from recall_rank.frontends.curators.prompt import letters
from recall_rank.frontends.display_text import one_line
from recall_rank.model.nearest_names import did_you_mean

VARIABLE: Final = "RECALL_RANK_SUMMARIZER"
CLAUDE: Final = "claude"
CLAUDE_MODEL: Final = "sonnet"
FORMS: Final = "command:PROGRAM ARGUMENTS, llm, llm:MODEL, claude, claude:MODEL"
# Claude Code has no tools then, neither its own nor those of MCP servers, and writes no session file.
_CLAUDE_OPTIONS: Final = ("--tools", "", "--strict-mcp-config", "--no-session-persistence")
# Claude Code sets these for what it starts, hooks among them, and refuses to start where it finds the first.
_OF_CLAUDE_SESSION: Final = frozenset({"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"})
_ADVICE: Final = f"set {VARIABLE} or name a summarizer: {FORMS}"


class Summarizer(Protocol):
    """Writes a summary of a conversation. Call one through `summary_of`, which bounds and cleans what it returns."""

    @property
    def name(self) -> str:
        """The name that a summary shows, such as "claude sonnet"."""
        ...

    def summarize(self, system: str, text: str, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return a summary of the conversation in `text` as the instructions `system` ask, at most `seconds` after the
        call.

        `cancelled` is asked several times a second and may be called from other threads. Raises CuratorError when there
        is no summary, its subclasses when time has run out or the call was cancelled.
        """
        ...


class ModelSummarizer:
    """Asks a language model for each summary."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    def summarize(self, system: str, text: str, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return the answer of the model. Raises what the model raises."""
        return self._model.answer(system, text, seconds=seconds, cancelled=cancelled)


def summarizer_named(name: str | None, *, environ: Mapping[str, str] | None = None) -> Summarizer:
    """Return the summarizer of a name: "command:" and a command line, "llm", "llm:MODEL", "claude" or "claude:MODEL".

    For None and for a blank name, return the one that the environment variable RECALL_RANK_SUMMARIZER names; where it
    is not set, "claude", which asks the model "sonnet" in Claude Code's mode without a terminal. Raises NoCuratorError,
    whose message says how to set a summarizer, when the one that is named is not known or cannot be had, when there is
    none, and inside a program that a curator or summarizer has started.
    """
    environ = os.environ if environ is None else environ
    if environ.get(CURATING):
        raise NoCuratorError("a curator or summarizer is running this program: it cannot ask for a summarizer in turn")
    if name and name.strip():
        return _of_name(name.strip(), "", environ)
    configured = environ.get(VARIABLE, "").strip()
    if configured:
        return _of_name(configured, f" ({VARIABLE})", environ)
    if shutil.which(CLAUDE, path=environ.get("PATH")) is None:
        raise NoCuratorError(f"no summarizer is set and the program {CLAUDE} is not there: {_ADVICE}")
    return _claude(CLAUDE_MODEL, environ)


def summary_of(
    summarizer: Summarizer, system: str, text: str, *, seconds: float, cancelled: Callable[[], bool] = never
) -> str:
    """Return what a summarizer writes of a text, without control characters and lines that look like our fences.

    It is called in a thread and left after `seconds` or `cancelled`, as `bounded_call` says. Raises CuratorError, whose
    message does not repeat the text, for a summarizer that fails and for a summary that is empty, has more than
    READ_BYTES characters, or repeats a line of its instructions.
    """
    who = f"the summarizer {one_line(str(summarizer.name))[:80]}"
    answer = bounded_call(
        who,
        lambda ended: summarizer.summarize(system, text, seconds=seconds, cancelled=ended),
        lambda: (text,),
        seconds=seconds,
        cancelled=cancelled,
    )
    summary = cleaned_text(who, answer, READ_BYTES)
    if repeats_instructions(letters(summary), system.splitlines()):
        raise CuratorError(f"{who} returned its instructions, so its summary is not shown")
    return summary


def _of_name(name: str, where: str, environ: Mapping[str, str]) -> Summarizer:
    """Return the summarizer of a name that is not blank; `where` says in errors which setting has the name."""
    model = model_of_name(name, where, _ADVICE, environ)
    if model is not None:
        return ModelSummarizer(model)
    kind, colon, rest = name.partition(":")
    kind, rest = kind.strip().lower(), rest.strip()
    if kind == CLAUDE and (rest or not colon) and not rest.startswith("-"):
        return _claude(rest or CLAUDE_MODEL, environ)
    near = did_you_mean(kind, (COMMAND, LLM, CLAUDE))
    raise NoCuratorError(
        f"there is no summarizer '{one_line(name)[:60]}'{where}; {near + ' ' if near else ''}{_ADVICE}"
    )


def _claude(model: str, environ: Mapping[str, str]) -> Summarizer:
    """Return the summarizer that asks a model of Claude Code; raises NoCuratorError where its program is not there."""
    if shutil.which(CLAUDE, path=environ.get("PATH")) is None:
        raise NoCuratorError(f"the program {CLAUDE} is not there: {_ADVICE}")
    outside = {name: value for name, value in environ.items() if name not in _OF_CLAUDE_SESSION}
    argv = (CLAUDE, "-p", "--model", model, *_CLAUDE_OPTIONS)
    return ModelSummarizer(CommandModel(argv, name=f"{CLAUDE} {one_line(model)[:60]}", environ=outside))
