"""The tools that read rather than search: one message, its surroundings, a session's messages, the sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recall_rank.frontends.tools.call_context import Call, listed
from recall_rank.frontends.tools.parameters import (
    context_parameters,
    get_parameters,
    messages_parameters,
    read,
    sessions_parameters,
)
from recall_rank.frontends.tools.warnings import MOST_WARNINGS, Remarks, ToolError
from recall_rank.histories.transcript import UnknownMessage, UnknownSession
from recall_rank.model import Message
from recall_rank.model.serialize_transcript import heading_to_dict, message_to_dict, part_to_dict, session_to_dict

UNKNOWN_SESSION = "Unknown session"


def recall_get(call: Call, args: Mapping[str, Any]) -> dict[str, Any]:
    """One message in full."""
    remarks = Remarks()
    session_id, message_id = _ids(read(get_parameters(), args, remarks, remarks))
    try:
        turn = call.histories.get(session_id, message_id)
    except OSError as error:
        raise ToolError("no_messages", f"The messages of {session_id} cannot be read: {error}") from None
    except LookupError:  # whether the session or the message is wrong is not always known
        raise ToolError("message_not_found", f"Message not found: {message_id}") from None
    answer = {"ok": True, **full_message(turn.message), "context": heading_to_dict(turn.session)}
    remarks.put(answer, "warning", MOST_WARNINGS)
    return answer


def recall_context(call: Call, args: Mapping[str, Any]) -> dict[str, Any]:
    """The messages around one."""
    remarks = Remarks()
    given = read(context_parameters(call.options), args, remarks, remarks)
    session_id, message_id = _ids(given)
    found = _looked_up(
        call,
        session_id,
        lambda: call.histories.context(
            session_id, message_id, window=given["window"], before=given["before"], after=given["after"]
        ),
    )
    answer = {
        "ok": True,
        "messages": [
            {**full_message(message), "center": at == found.center} for at, message in enumerate(found.messages)
        ],
        "context": heading_to_dict(found.session),
        "has_more_before": found.has_more_before,
        "has_more_after": found.has_more_after,
    }
    remarks.put(answer, "warning", MOST_WARNINGS)
    return answer


def recall_messages(call: Call, args: Mapping[str, Any]) -> dict[str, Any]:
    """A page of a session's messages."""
    remarks = Remarks()
    given = read(messages_parameters(call.options), args, remarks, remarks)
    session_id = given.pop("session_id") or call.context.session_id
    if not session_id:
        raise ToolError("no_current_session", "There is no current session: name one by session_id")
    page = _looked_up(call, session_id, lambda: call.histories.messages(session_id, **given))
    answer = {
        "ok": True,
        "messages": [full_message(message) for message in page.messages],
        "pagination": {
            "offset": page.offset,
            "returned": len(page.messages),
            "total": page.total,
            "has_more": page.has_more,
        },
        "context": heading_to_dict(page.session),
    }
    remarks.put(answer, "warning", MOST_WARNINGS)
    return answer


def recall_sessions(call: Call, args: Mapping[str, Any]) -> dict[str, Any]:
    """The sessions of the project, or of all projects."""
    remarks = Remarks()
    given = read(sessions_parameters(call.options), args, remarks, remarks)
    everywhere = given["scope"] == "global"
    if everywhere and not call.options.global_:
        raise global_disabled()
    found = listed(call, given["scope"], given["search"])[: given["limit"]]
    answer = {
        "ok": True,
        "sessions": [session_to_dict(session, with_project=everywhere) for session in found],
        "returned": len(found),
        "scope": given["scope"],
    }
    remarks.put(answer, "warning", MOST_WARNINGS)
    return answer


def global_disabled() -> ToolError:
    return ToolError("global_disabled", "Global scope is disabled here: use scope 'project' or 'session'")


def full_message(message: Message) -> dict[str, Any]:
    """A message with all its parts; nothing is cut or hidden."""
    return {"message": message_to_dict(message), "parts": [part_to_dict(part) for part in message.parts]}


def _ids(given: Mapping[str, Any]) -> tuple[str, str]:
    session_id, message_id = given["session_id"], given["message_id"]
    if not session_id or not message_id:
        raise ToolError("ids_required", "sessionID and messageID are required (session_id and message_id)")
    return session_id, message_id


def _looked_up(call: Call, session_id: str, find: Callable[[], Any]) -> Any:
    try:
        return find()
    except UnknownSession:
        raise _unknown(call, session_id) from None
    except UnknownMessage as error:
        raise ToolError("message_not_found", str(error)) from None
    except OSError as error:
        raise ToolError("no_messages", f"The messages of {session_id} cannot be read: {error}") from None


def _unknown(call: Call, session_id: str) -> ToolError:
    """Nobody knows the session, or its file could not be read: most programs name one by the other."""
    for report in call.histories.sources():
        for error in report.errors:
            place, _, reason = error.rpartition(": ")
            if session_id in place:
                return ToolError("no_messages", reason)
    return ToolError("other", UNKNOWN_SESSION)
