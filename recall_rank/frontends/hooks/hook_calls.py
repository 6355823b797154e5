"""The hooks as calls with JSON in and JSON out, for hosts that are written in another language.

A hook is loaded when it is called: the cues of its languages take longer to compile than a search takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from recall_rank.frontends.tools.call_context import Call

Hook = Callable[[Call, Mapping[str, Any]], dict[str, Any]]


def _nudge(_: Call, args: Mapping[str, Any]) -> dict[str, Any]:
    """`system`, the prompts: with a reminder among them."""
    from recall_rank.frontends.hooks.hooks import nudge

    return {"system": nudge(args.get("system"))}


def _auto_recall(call: Call, args: Mapping[str, Any]) -> dict[str, Any]:
    """`parts` of a user's message: with one more behind them where earlier sessions have something to say."""
    from recall_rank.frontends.hooks.hooks import auto_recall

    parts = args.get("parts")
    if not isinstance(parts, list):
        return {"parts": parts}
    said = [
        part["text"]
        for part in parts
        if isinstance(part, Mapping)
        and part.get("type") == "text"
        and not part.get("synthetic")
        and isinstance(part.get("text"), str)
    ]
    block = auto_recall(
        call.histories,
        "\n".join(said),
        context=call.context,
        scope="global" if call.options.global_ else "project",
        now=call.now,
    )
    if block is None:
        return {"parts": parts}
    places = {"session_id": call.context.session_id, "message_id": args.get("message_id")}
    added = {"type": "text", "text": block, "synthetic": True}
    return {"parts": [*parts, {**added, **{name: place for name, place in places.items() if isinstance(place, str)}}]}


def _compaction(call: Call, args: Mapping[str, Any]) -> dict[str, Any]:
    """`context`, what goes into the summary: with what of the session should last."""
    from recall_rank.frontends.hooks.hooks import compaction_recall

    given = args.get("context")
    session = args.get("session_id") or call.context.session_id
    if not isinstance(given, list) or not isinstance(session, str):
        return {"context": given}
    block = compaction_recall(call.histories, session)
    return {"context": given if block is None else [*given, block]}


HOOKS: Final[Mapping[str, tuple[str, Hook]]] = {  # name -> the option that turns it on, and what it does
    "hook:nudge": ("nudge", _nudge),
    "hook:auto_recall": ("auto_recall", _auto_recall),
    "hook:compaction": ("compaction_recall", _compaction),
}


def run_hook(name: str, call: Call, args: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of a hook: what it was given with what it adds; `registered` is false where the host has it off."""
    option, hook = HOOKS[name]
    registered = bool(getattr(call.options, option))
    return {**(hook(call, args) if registered else args), "ok": True, "registered": registered}
