"""HOOKS: hook name -> function that takes and returns JSON values, for hosts that are written in another language.

The hook functions of prompt_blocks are imported on the first call, because compiling their regular expressions takes
longer than a search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from recall_rank.frontends.tools.call_context import CallContext
from recall_rank.frontends.tools.dispatch import TOOLS

Hook = Callable[[CallContext, Mapping[str, Any]], dict[str, Any]]
"""It takes the context of a call and its arguments, and returns the arguments with what it adds to them."""


def _primary(_: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"primary_tools": the tools that a host gives to its own agent alone, with the recall tools added}."""
    given = args.get("primary_tools", [])
    if not isinstance(given, list):
        return {"primary_tools": given}
    return {"primary_tools": [*given, *(name for name in TOOLS if name.startswith("recall") and name not in given)]}


def _nudge(_: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"system": the list of system prompts of the arguments, with a reminder added}."""
    from recall_rank.frontends.hooks.prompt_blocks import nudge

    return {"system": nudge(args.get("system"))}


def _auto_recall(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"parts": the parts of a user's message}; a part with hits of earlier sessions is added, if there are
    hits.
    """
    from recall_rank.frontends.hooks.prompt_blocks import auto_recall

    parts = args.get("parts")
    if not isinstance(parts, list):
        return {"parts": parts}
    texts = [
        part["text"]
        for part in parts
        if isinstance(part, Mapping)
        and part.get("type") == "text"
        and not part.get("synthetic")
        and isinstance(part.get("text"), str)
    ]
    block = auto_recall(
        call.histories,
        "\n".join(texts),
        context=call.context,
        scope="global" if call.options.global_ else "project",
        now=call.now,
        other_languages=call.options.other_languages,
    )
    if block is None:
        return {"parts": parts}
    ids = {"session_id": call.context.session_id, "message_id": args.get("message_id")}
    added = {"type": "text", "text": block, "synthetic": True}
    return {"parts": [*parts, {**added, **{name: value for name, value in ids.items() if isinstance(value, str)}}]}


def _compaction(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"context": the texts for a summary}; a text with the notes of the session to keep is added, if there
    are any.
    """
    from recall_rank.frontends.hooks.prompt_blocks import compaction_recall

    given = args.get("context")
    session = args.get("session_id") or call.context.session_id
    if not isinstance(given, list) or not isinstance(session, str):
        return {"context": given}
    block = compaction_recall(call.histories, session)
    return {"context": given if block is None else [*given, block]}


def _run(hook: Hook, option: str, call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a hook, with `registered` true.

    When the host option `option` is off, the arguments are returned unchanged, with `registered` false.
    """
    registered = bool(getattr(call.options, option))
    return {**(hook(call, args) if registered else args), "ok": True, "registered": registered}


HOOKS: Final[Mapping[str, Hook]] = {
    "hook:primary": partial(_run, _primary, "primary"),
    "hook:nudge": partial(_run, _nudge, "nudge"),
    "hook:auto_recall": partial(_run, _auto_recall, "auto_recall"),
    "hook:compaction": partial(_run, _compaction, "compaction_recall"),
}
