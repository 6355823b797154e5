"""One call of the tool session_search: its arguments checked, its answer, and that answer in PraisonAI's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.tools.call_context import CallContext
from recall_rank.frontends.tools.parameters import read, session_search_parameters
from recall_rank.frontends.tools.warnings import ToolError, Warnings
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:  # it imports loaders, which most calls of a process do not need
    from recall_rank.frontends.tools.sessions.session_answers import SessionQuery

TOOL: Final = "session_search"
HINT: Final = "Verify store availability and parameters (query/session_id/window/limit)."
NO_HISTORY: Final = "no_history"  # category of the warning that there was nothing to search
INTERNAL: Final = "internal error: "
_DOCUMENTED: Final = ("mode", "query", "session_id", "around_message_id", "total_found", "results", "messages")
_ADDED: Final = ("partial", "warnings")


def session_search_call(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of the tool `session_search`. Raises ToolError for a request that is refused."""
    from recall_rank.frontends.tools.sessions.session_answers import browse, discovery, scroll

    warnings = Warnings(call.written)
    asked = session_query(call.options, args, warnings)
    try:
        if asked.query and (asked.query.strip() or not asked.session_id):
            answer = discovery(call, asked, warnings)
        elif asked.session_id:
            answer = scroll(call, asked, warnings)
        else:
            answer = browse(call, asked, warnings)
    except (LookupError, OSError) as error:
        raise ToolError("no_messages", error_text(error)) from None
    if call.cancelled():
        raise ToolError("aborted", "aborted")
    if asked.around != "" and answer["mode"] != "scroll":
        why = "it reads in a session_id without a query" if asked.query else "it needs a session_id"
        warnings.add("anchor_ignored", f"Ignored {call.written('around_message_id')}: {why}")
    if not call.histories.found:
        warnings.add(NO_HISTORY, "no history was found: nothing could be searched")
    answer = {"ok": True, **answer}
    warnings.put(answer)
    return answer


def session_query(options: HostOptions, args: Mapping[str, Any], warnings: Warnings) -> SessionQuery:
    """Return the arguments of a call of session_search as a record. Values that cannot be used are replaced by accepted
    ones, with a warning.
    """
    from recall_rank.frontends.tools.sessions.session_answers import SessionQuery

    original = args.get("scoring") == "praisonai"
    given = read(session_search_parameters(options, original=original), args, warnings, warnings)
    query = given["query"] or ""
    around = given["around_message_id"]
    return SessionQuery(
        query=query,
        session_id=given["session_id"] or "",
        around="" if around is None else around,
        limit=given["limit"],
        window=given["window"],
        scoring=given["scoring"],
        generation=given["generation"],
        prefix=given["session_prefix"] or "",
        budget_ms=given["budget_ms"],
    )


def documented_answer(answer: Mapping[str, Any], args: Mapping[str, Any], *, added: bool = True) -> dict[str, Any]:
    """Return the answer of the tool in the form that PraisonAI documents: with `success`, and its fields only.

    With `added`, the fields `partial` and `warnings` are kept where an answer has them.
    """
    if answer.get("ok"):
        names = (*_DOCUMENTED, *(_ADDED if added else ()))
        discovered = answer.get("mode") == "discovery" and not added
        kept = {name: answer[name] for name in names if name in answer and not (discovered and name == "session_id")}
        return {"success": True, **kept}
    return failure(str(answer.get("error", "")).removeprefix(INTERNAL), args)


def failure(error: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return PraisonAI's form of an answer for a call that failed."""
    session_id = args.get("session_id") or None
    mode = "discovery" if args.get("query") else "scroll" if session_id else "browse"
    return {"success": False, "tool": TOOL, "mode": mode, "session_id": session_id, "error": error, "hint": HINT}
