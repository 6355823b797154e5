"""The call of a hook, as a host writes it to stdin, checked."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from recall_rank.frontends.hosts.events.hook_table import HOOK_HOSTS, HookEvent, HookHost

STDIN_BYTES: Final = 8 << 20  # a prompt with pasted files; a longer call is refused
_ID_CHARS: Final = 200
_PATH_CHARS: Final = 4096


class HostCallError(Exception):
    """A hook cannot read its call. The message is one line for a person and quotes nothing of the call."""


class HostCall(NamedTuple):
    """One call of a hook; "" stands for what the host does not say. `folder` is the full path of the working directory
    of the agent, `source` says how the session started, and `data` is the call as it was read.
    """

    host: HookHost
    name: str  # of the event
    event: HookEvent
    session_id: str
    transcript: str
    folder: str
    prompt: str
    source: str
    data: bytes


def host_call(host_name: str, name: str, data: bytes, environ: Mapping[str, str]) -> HostCall:
    """Return the call of the hook for an event of a host.

    Codex runs the plugin of Claude Code with Claude Code's names; its calls are recognised, and are calls of Codex.
    Raises HostCallError for an unknown host or event, and for what is no such call.
    """
    host = HOOK_HOSTS.get(host_name)
    if host is None:
        raise HostCallError(f"hooks are known of {', '.join(HOOK_HOSTS)}")
    if name not in host.events:
        raise HostCallError(f"the events of {host.name} are {', '.join(host.events)}")
    if len(data) > STDIN_BYTES:
        raise HostCallError(f"stdin has more than {STDIN_BYTES:,} bytes")
    try:
        given = json.loads(data)  # orjson takes longer to import than to parse all but the longest call with json
    except (ValueError, RecursionError):
        raise HostCallError("stdin is no JSON, as a host sends it to a hook") from None
    if not isinstance(given, dict):
        raise HostCallError("stdin is no JSON object, as a host sends it to a hook")
    if host.name == "claude-code" and ("PLUGIN_ROOT" in environ or "turn_id" in given):
        host = HOOK_HOSTS["codex"]
    folder = _text(given, "cwd", _PATH_CHARS)
    return HostCall(
        host,
        name,
        host.events[name],
        _text(given, host.session_field, _ID_CHARS),
        _text(given, host.transcript_field, _PATH_CHARS),
        folder if os.path.isabs(folder) else "",  # noqa: PTH117 - pathlib is not needed otherwise
        _prompt(given, host),
        _text(given, "source", _ID_CHARS),
        data,
    )


def _prompt(given: Mapping[str, Any], host: HookHost) -> str:
    """Return what the user typed. Gemini CLI puts the context of hooks of SessionStart before it."""
    text = _text(given, "prompt", STDIN_BYTES)
    if host.name != "gemini" or not text.startswith("<hook_context>"):
        return text
    from recall_rank.loaders.gemini.parts import without_hook_context

    return without_hook_context(text)


def _text(given: Mapping[str, Any], name: str, most: int) -> str:
    """Return a text of a call in valid Unicode; "" for one that is absent, longer than `most`, or has a NUL."""
    value = given.get(name)
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()
