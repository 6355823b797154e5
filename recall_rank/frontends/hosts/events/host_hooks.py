"""The command behind the hooks of every host: read a call, answer it within its time, and never fail the host.

A hook searches the index on disk as it is. Where there is none, it starts a refresh in the background and says nothing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.compaction.time_limit import TimeLimitError, time_limit
from recall_rank.frontends.hosts.events.hook_table import COMPACTION, END, FLAT, HOOK_HOSTS, MESSAGE, SPECIFIC, START
from recall_rank.frontends.hosts.events.host_call import HostCall, HostCallError, host_call

# A host waits for a hook at each message: what most calls need not is imported where it is used.
if TYPE_CHECKING:
    from recall_rank.frontends.compaction.claude_hooks import Condenser
    from recall_rank.frontends.compaction.hook_machine import HookMachine
    from recall_rank.histories.cache.rules import RefreshRules
    from recall_rank.model import Context, Flag, Message, Session
    from recall_rank.recall import Recall

    Machine = Callable[[], HookMachine]

CURATING: Final = "RECALL_RANK_CURATING"  # set inside a program that a curator or summarizer of recall-rank has started
SECONDS: Final = {START: 3.0, MESSAGE: 2.0, COMPACTION: 3.0, END: 3.0}  # kind of event -> time for its answer
SEARCH_MS: Final = 800.0  # for the search behind a message of the user
FRESH_SECONDS: Final = 20.0  # an index that is newer is not refreshed when a session starts
STALE_SECONDS: Final = 60.0  # an older index is refreshed in the background, for the next message
_REMEMBERS: Final = ("resume", "fork")  # sources of a start whose model still reads the reminder of the first one
_OPENS_TAG: Final = re.compile(r"<(?=[/!?|<A-Za-z])")
_SAID_CHARS: Final = 300


class HostAnswer:
    """The stdout of a hook, "" for nothing, and lines for stderr."""

    def __init__(self) -> None:
        self.stdout = ""
        self.problems: list[str] = []


def host_answer(
    host_name: str,
    name: str,
    read: Callable[[], bytes],
    machine: Machine,
    condense: Condenser | None = None,
    *,
    seconds: float | None = None,
) -> HostAnswer:
    """Return the answer of the hook for event `name` of a host to the call that `read` gives, and raise nothing.

    It takes `seconds` at the most, by default SECONDS of its kind; only a compaction in a project that keeps condensed
    sessions may take longer. `condense` condenses the session there; by default recall-rank's own function. Inside a
    program that a summarizer has started, the answer is empty, and nothing is read or written.
    """
    answer = HostAnswer()
    if os.environ.get(CURATING):
        return answer
    limit = seconds if seconds is not None else _seconds(host_name, name)
    try:
        with time_limit(limit):
            call = host_call(host_name, name, read(), os.environ)
            if _is_second(call):
                return answer
            texts = _KINDS[call.event.kind](call, machine, answer)
        answer.stdout = _formed(call, texts)
        more = _of_project(call, machine, condense, answer)
        if more:
            answer.stdout = _formed(call, texts + more)
    except TimeLimitError:
        answer.problems.append(f"it took longer than {limit:g} seconds, and was ended")
    except Exception as error:  # noqa: BLE001 - a hook must not fail its host; the error is told
        answer.problems.append(_said(error))
    return answer


def _is_second(call: HostCall) -> bool:
    """Return whether a call comes from the plugin of Claude Code while its settings run the hook, too: one answers."""
    if call.host.name != "claude-code" or "CLAUDE_PLUGIN_ROOT" not in os.environ:
        return False
    from pathlib import Path

    from recall_rank.frontends.hosts.events.hook_settings import claude_settings_run

    return claude_settings_run(call.name, call.folder, os.environ, Path.home())


def _seconds(host_name: str, name: str) -> float:
    host = HOOK_HOSTS.get(host_name)
    event = host.events.get(name) if host is not None else None
    return SECONDS[event.kind if event is not None else END]


def _formed(call: HostCall, texts: list[str]) -> str:
    """Return texts as the stdout of an answer; "" for none, and where none reaches the model."""
    if not texts or not call.event.form:
        return ""
    text = "\n\n".join(texts)
    if call.event.form == SPECIFIC:
        return json.dumps({"hookSpecificOutput": {"hookEventName": call.name, "additionalContext": text}})
    return json.dumps({"additionalContext": text}) if call.event.form == FLAT else text


# --- the kinds of events ------------------------------------------------------------------------------


def _start(call: HostCall, machine: Machine, _: HostAnswer) -> list[str]:
    """Remind the model that earlier sessions can be searched, and refresh the index in the background."""
    from recall_rank.model.recalled_text import NUDGE as REMINDER

    _refresh(machine(), FRESH_SECONDS)
    return [] if call.source in _REMEMBERS else [REMINDER]


def _message(call: HostCall, machine: Machine, _: HostAnswer) -> list[str]:
    """Return hits of earlier sessions for a message of the user that refers to earlier work."""
    from recall_rank.frontends.hooks.back_references import refers_back

    if not refers_back(call.prompt):
        return []
    here = machine()
    recall = _stored(here)
    if recall is None:
        _refresh(here, 0.0)
        return []
    from recall_rank.frontends.hooks.prompt_blocks import auto_recall

    asking = _asking(call, recall)
    others = here.other_languages
    block = auto_recall(recall, call.prompt, context=asking, budget_ms=SEARCH_MS, other_languages=others)
    _refresh(here, STALE_SECONDS)
    return [] if block is None else [recalled_data(block)]


def _compaction(call: HostCall, machine: Machine, answer: HostAnswer) -> list[str]:
    """Return sentences of the session for its summary, where the host takes any; refresh the index in the background,
    so that what the model will no longer read is found.
    """
    here = machine()
    _refresh(here, STALE_SECONDS)
    if call.host.name != "claude-code":
        return []
    from recall_rank.analysis.compaction_notes import compaction_notes
    from recall_rank.frontends.compaction.claude_call import HookError, claude_call
    from recall_rank.frontends.compaction.kept_session import read_own_session
    from recall_rank.frontends.hooks.prompt_blocks import notes_block

    try:
        session, _ = read_own_session(claude_call(call.data, call.name), here)
    except (HookError, OSError) as error:
        answer.problems.append(_said(error))
        return []
    block = notes_block(compaction_notes(session))
    return [] if block is None else [recalled_data(block)]


def _end(_: HostCall, machine: Machine, __: HostAnswer) -> list[str]:
    """Refresh the index in the background, so that other sessions find this one."""
    _refresh(machine(), 0.0, wait=True)
    return []


_KINDS: Final = {
    START: _start,
    MESSAGE: _message,
    COMPACTION: _compaction,
    END: _end,
}


# --- the compaction of a project ----------------------------------------------------------------------


def _of_project(call: HostCall, machine: Machine, condense: Condenser | None, answer: HostAnswer) -> list[str]:
    """Run the hook of `recall-rank compact` where it is on in the project of a call and settings.json there does not
    run it: one of the two writes, never both. Returns the texts that it gives.
    """
    if call.host.name != "claude-code" or call.event.kind not in (START, COMPACTION):
        return []
    from recall_rank.frontends.compaction.claude_call import HookError, claude_call, project_of
    from recall_rank.frontends.compaction.context_file import refers_to_context
    from recall_rank.frontends.compaction.edits import HOOKS, SETTINGS, hooks_there
    from recall_rank.frontends.file_edits.hook_entries import hooks_disabled
    from recall_rank.frontends.file_edits.project_files import read_project_file

    try:
        project = project_of(claude_call(call.data, call.name), os.environ)
    except HookError:
        return []  # it is not on here, or the call says too little
    if call.name not in HOOKS or not refers_to_context(project):
        return []
    settings = read_project_file(project, SETTINGS).data
    if call.name in hooks_there(settings) and not hooks_disabled(settings, SETTINGS):
        return []
    from recall_rank.frontends.compaction.claude_hooks import answered
    from recall_rank.frontends.compaction.condensing import condensed_session

    done = answered(call.name, lambda: call.data, machine(), condense or condensed_session)
    answer.problems += done.problems
    return [json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]] if done.stdout else []


# --- the index on disk --------------------------------------------------------------------------------


def _rules(machine: HookMachine) -> RefreshRules:
    from recall_rank.histories.cache.rules import RefreshRules

    return RefreshRules(machine.ignore, None, machine.cache)


def _stored(machine: HookMachine) -> Recall | None:
    """Return a Recall over the index of this machine as it is on disk; None when there is none that may be searched."""
    if machine.cache is None:
        return None
    from recall_rank.histories.stored_backend import stored_state

    state = stored_state(machine.cache, _rules(machine))
    if state is None:
        return None
    from recall_rank.recall import stored_recall

    return stored_recall(machine.cache, state)


def _refresh(machine: HookMachine, older: float, *, wait: bool = False) -> None:
    """Start a refresh in the background, if the index is older than `older` seconds."""
    if machine.cache is not None:
        from recall_rank.frontends.hosts.events.background_refresh import start_refresh

        start_refresh(machine.cache, machine.environ, older, wait=wait)


def _asking(call: HostCall, recall: Recall) -> Context:
    """Return the context of a call: its session, its folder, and the messages that the model still reads."""
    from recall_rank.frontends.caller_context import context_of_folder
    from recall_rank.model import Context

    here = context_of_folder(call.folder) if call.folder else Context()
    own = recall.indexed([call.session_id]) if call.session_id else []
    read = tuple(each for session in own for each in still_read(session))
    return Context(call.session_id or None, None, here.directory, here.worktree, in_context=read)


def still_read(session: Session) -> list[str]:
    """Return the ids of the messages of a session that its model still reads: those that its store does not mark as out
    of context, and of a store without such marks those from the last summary on.
    """
    from recall_rank.model import Flag

    gone = Flag.OUT_OF_CONTEXT | Flag.ABANDONED
    marked = [(message.id, _marks(message)) for message in session.messages]
    if any(marks & Flag.OUT_OF_CONTEXT for _, marks in marked):
        return [name for name, marks in marked if not marks & gone]
    summaries = [at for at, (_, marks) in enumerate(marked) if marks & Flag.SUMMARY]
    return [name for name, _ in marked[summaries[-1] if summaries else 0 :]]


def _marks(message: Message) -> Flag:
    """Return the flags of a message. In an index they are those that all its parts have."""
    from functools import reduce
    from operator import and_

    parts = [part.flags for part in message.parts]
    return message.flags | reduce(and_, parts) if parts else message.flags


# --- text for the model -------------------------------------------------------------------------------


def recalled_data(block: str) -> str:
    """Return a text block of recalled text as data between delimiters. No recalled line can begin or end a tag, of ours
    or of the host, such as one that marks a reminder of the system.
    """
    from recall_rank.frontends.tools.untrusted_text import fenced

    first, heading, *lines, last = block.split("\n")
    return fenced([first, heading, *(_OPENS_TAG.sub("\u2039", line) for line in lines), last])


def host_machine() -> HookMachine:
    """Return what the hooks know of this machine. Raises ValueError for settings that cannot be read: they may say that
    a session is never read.
    """
    from pathlib import Path

    from recall_rank.frontends.compaction.hook_machine import HookMachine
    from recall_rank.histories.cache.location import default_cache
    from recall_rank.histories.settings import settings

    known = settings()
    if known.problem is not None:
        raise HostCallError(known.problem)
    cache = Path(known.cache) if isinstance(known.cache, str) else default_cache() if known.cache else None
    return HookMachine(os.environ, Path.home(), cache, cache or default_cache(), known.ignore, known.other_languages)


def _said(error: Exception) -> str:
    """Return one line about an error. Of an error that nobody expects only its type and place are told: its message may
    quote history.
    """
    from recall_rank.frontends.compaction.claude_hooks import error_line

    return str(error)[:_SAID_CHARS] if isinstance(error, HostCallError) else error_line(error)
