"""Read the session that is about to be compacted, if it may be read: from Claude Code's own folder, neither ignored nor
forgotten, and without its secrets.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from recall_rank.frontends.compaction.claude_call import ClaudeCall, ForgottenSessionError, HookError
from recall_rank.frontends.compaction.hook_machine import HookMachine
from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
from recall_rank.frontends.transcripts.render import SessionTranscript, transcript_of
from recall_rank.histories.ignore import FilteredSource
from recall_rank.loaders.claude_code.source import SUFFIX, ClaudeCode, stores
from recall_rank.model import Session, Source, Unit


def kept_session(call: ClaudeCall, machine: HookMachine) -> SessionTranscript:
    """Return the transcript of the session of a call, without secrets; read_own_session() reads it, and says what it
    raises.
    """
    session, unread = read_own_session(call, machine)
    return transcript_of(session_without_secrets(session), unread=unread)


def read_own_session(call: ClaudeCall, machine: HookMachine) -> tuple[Session, Mapping[str, int]]:
    """Return the session of a call, without the sessions of subagents, and the numbers of records of unknown types.

    Only the file of that session is read, in a folder where Claude Code keeps its sessions on this machine: what the
    hook writes is put before a model, so no other file may get into it, whatever the call says. Raises HookError when
    the file lies elsewhere, is of another session, or is ignored, ForgottenSessionError for a session that was
    forgotten, OSError when the file cannot be read.
    """
    if machine.is_forgotten(call.session_id):
        raise ForgottenSessionError("the session was forgotten, and is not read")
    source, unit = _place(call, machine)
    if machine.ignore.store(source) or machine.ignore.unit(unit):
        raise HookError("the settings say that the session is never read")
    reading = FilteredSource(source, machine.ignore).read(unit)
    if reading.left_out:
        raise HookError("the settings say that the session is never read")
    if not reading.sessions:
        raise HookError("the transcript holds no message yet")
    (session,) = reading.sessions
    if session.id != call.session_id:
        raise HookError("the transcript is that of another session")
    return session, reading.unknown


def _place(call: ClaudeCall, machine: HookMachine) -> tuple[Source, Unit]:
    """Return the store and the unit of the session file of a call."""
    if not call.transcript:
        raise HookError("the call has no transcript_path")
    path = Path(os.path.realpath(os.path.expanduser(call.transcript)))  # noqa: PTH111 - realpath follows
    if path.name != f"{call.session_id}{SUFFIX}":
        raise HookError("the transcript_path does not name the file of this session")
    for store in stores(machine.environ, machine.home):
        root = Path(os.path.realpath(store.location))
        if path.is_relative_to(root):
            if not path.is_file():
                raise HookError("the transcript is not there")
            return ClaudeCode(root, store.name), Unit(path.relative_to(root).as_posix(), str(path))
    raise HookError("the transcript lies in no folder of Claude Code's sessions")
