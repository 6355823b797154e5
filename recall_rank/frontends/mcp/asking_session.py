"""The session that asks: from the request, the command, the environment of the host, or guessed from the histories.

A session that a request or the command names is certain. A variable of the environment is certain if it is that of the
client's own host, since a process inherits the variables of every host above it. A guess is never taken silently: the
answer names the session and says that it was guessed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.caller_context import context_of_folder, read_context
from recall_rank.frontends.display_text import utc_minute
from recall_rank.frontends.mcp.clients import CLIENTS, known_client
from recall_rank.frontends.tools.warnings import ToolError
from recall_rank.model import Context, Flag

if TYPE_CHECKING:
    from recall_rank.recall import Recall

CONTEXT_KEY: Final = "recall-rank/context"  # of `_meta`: a JSON object with the fields of Context
_OPENCODE_KEY: Final = "ai.opencode/sessionID"
_CODEX_KEYS: Final = ("threadId", "x-codex-turn-metadata")
_CODEX_FIELDS: Final = ("thread_id", "session_id")


@dataclass(frozen=True, slots=True)
class AskingSession:
    """The context of one call, and where its session comes from: `source` is "" as long as no session is known."""

    context: Context
    source: str = ""
    guessed: bool = False

    def fields(self) -> dict[str, Any]:
        """Return the field of an answer that names the session that was taken for the current one."""
        known = {"session_id": self.context.session_id, "source": self.source, "guessed": self.guessed}
        return {"current_session": known}


def asking_session(
    command: Context, meta: Mapping[str, Any] | None, client: str | None, environment: Mapping[str, str]
) -> AskingSession:
    """Return the context of a call with the session of the first source that names one.

    The sources in order: `_meta` of the request, the context of the command, the environment. `client` is the name of
    the client. Raises ToolError for a malformed value of our own key of `_meta`.
    """
    given = _given(meta or {})
    here = command
    if given is not None:
        folder = context_of_folder(given.directory) if given.directory else command
        here = replace(
            given,
            project=given.project or (None if given.directory else command.project),
            directory=folder.directory,
            worktree=given.worktree or folder.worktree,
        )
        if given.session_id:
            return AskingSession(here, f"_meta {CONTEXT_KEY}")
    for key, value in _host_sessions(meta or {}):
        return AskingSession(replace(here, session_id=value), f"_meta {key}")
    if command.session_id:
        return AskingSession(replace(here, session_id=command.session_id), "command")
    known = known_client(client)
    for each in CLIENTS:
        value = environment.get(each.session_variable or "", "")
        if value.strip() and (known is None or each is known):
            guessed = known is None  # a host further up may have set it
            return AskingSession(replace(here, session_id=value), f"environment {each.session_variable}", guessed)
    return AskingSession(here)


def folder_of_environment(client: str | None, environment: Mapping[str, str]) -> str | None:
    """Return the project folder that the host of a client has put into the environment; None where there is none."""
    known = known_client(client)
    named = [each.folder_variable for each in ((known,) if known else CLIENTS) if each.folder_variable]
    return next((value for name in named if (value := environment.get(name, "")).startswith("/")), None)


def guessed_session(histories: Recall, asking: AskingSession, client: str | None) -> AskingSession:
    """Return the newest session of the folder, by the client's own agent if that is known, as the one that asks.

    Subagents' sessions are none that ask. Returns `asking` unchanged when no folder is known or it has no session.
    """
    here = asking.context
    if not (here.directory or here.worktree or here.project):
        return asking
    known = known_client(client)
    for session in histories.sessions(scope="project", context=here):
        if not session.flags & Flag.SUBAGENT and (known is None or session.agent in (None, known.agent)):
            source = f"the newest session of this folder, of {utc_minute(session.updated)}"
            return AskingSession(replace(here, session_id=session.id), source, guessed=True)
    return asking


def read_by_the_model(histories: Recall, session_id: str) -> tuple[str, ...]:
    """Return the ids of the messages of a session that no compaction has taken out of its model's context, sorted;
    none for a session that is not known or cannot be read.
    """
    try:
        messages = histories.transcript(session_id).messages
    except (LookupError, OSError):
        return ()  # not stored yet: then a search does not find it either
    return tuple(sorted(message.id for message in messages if not message.flags & Flag.OUT_OF_CONTEXT))


def _given(meta: Mapping[str, Any]) -> Context | None:
    """Return the context under our own key of `_meta`; None when it is absent. Raises ToolError for a malformed one."""
    try:
        return read_context(meta.get(CONTEXT_KEY))
    except ValueError as error:
        raise ToolError("context", f"_meta {CONTEXT_KEY}: {error}") from None


def _host_sessions(meta: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (key, session id) for each session that a host names in `_meta` under a key of its own.

    What has another form than the host's is ignored: it is not ours to refuse.
    """
    found = [(key, meta.get(key)) for key in (_OPENCODE_KEY, _CODEX_KEYS[0])]
    turn = meta.get(_CODEX_KEYS[1])
    if isinstance(turn, str):
        try:
            turn = json.loads(turn)
        except ValueError:
            turn = None
    if isinstance(turn, Mapping):
        found += [(_CODEX_KEYS[1], turn.get(name)) for name in _CODEX_FIELDS]
    return [(key, value) for key, value in found if isinstance(value, str) and value.strip()]
