"""The tools that read messages or list sessions: recall_get, recall_context, recall_messages, recall_sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recall_rank.frontends.tools.call_context import CallContext, list_sessions, suggest_global, unknown_session
from recall_rank.frontends.tools.parameters import (
    context_parameters,
    get_parameters,
    messages_parameters,
    read,
    sessions_parameters,
)
from recall_rank.frontends.tools.warnings import Suggestions, ToolError, Warnings
from recall_rank.histories.transcript import UnknownMessage, UnknownSession
from recall_rank.model import Message
from recall_rank.model.agent_names import agent_key, agent_names
from recall_rank.model.nearest_names import did_you_mean, listed_names
from recall_rank.model.option_errors import error_text
from recall_rank.model.serialize_transcript import heading_to_dict, message_to_dict, part_to_dict, session_to_dict


def recall_get(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer with one message in full. Raises ToolError when the message is unknown or cannot be read."""
    warnings = Warnings(call.written)
    session_id, message_id = _ids(call, read(get_parameters(), args, warnings, warnings))
    try:
        turn = call.histories.get(session_id, message_id)
    except OSError as error:
        raise ToolError("no_messages", f"The messages of {session_id} cannot be read: {error_text(error)}") from None
    except UnknownSession:  # a session that is not there has no message either: the category says so, the text why
        text = f"Session not found: {session_id}"
        raise _unknown_session(call, session_id, "message_not_found", text) from None
    except LookupError as error:
        raise ToolError("message_not_found", str(error)) from None
    answer = {"ok": True, **full_message(turn.message), "context": heading_to_dict(turn.session)}
    warnings.put(answer)
    return answer


def recall_context(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer with a message and its neighbours.

    Raises ToolError when the message is unknown or cannot be read.
    """
    warnings = Warnings(call.written)
    given = read(context_parameters(call.options), args, warnings, warnings)
    session_id, message_id = _ids(call, given)
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
    warnings.put(answer)
    return answer


def recall_messages(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer with a page of the messages of a session, by default the current session.

    Raises ToolError when the session is unknown or cannot be read.
    """
    warnings = Warnings(call.written)
    given = read(messages_parameters(call.options), args, warnings, warnings)
    session_id = given.pop("session_id") or call.context.session_id
    if not session_id:
        name = call.written("session_id")
        raise ToolError("no_current_session", f"There is no current session: name one by {name}")
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
    warnings.put(answer)
    return answer


def session_transcript(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer with a session as a transcript in Markdown; `session_id` is its id or a unique prefix of it.

    Secrets are taken out of the session before it is cut, with the option `redact`. Raises ToolError when the session
    is unknown or cannot be read.
    """
    from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
    from recall_rank.frontends.transcripts.gather import read_transcript
    from recall_rank.frontends.transcripts.homes import own_homes
    from recall_rank.frontends.transcripts.render import transcript_markdown

    session_id = str(args.get("session_id") or "")
    changed = session_without_secrets if call.options.redact else None
    read = _looked_up(
        call,
        session_id,
        lambda: read_transcript(call.histories, call.histories.session(session_id), changed=changed),
    )
    return {
        "ok": True,
        "transcript": transcript_markdown(read, own_homes()),
        "context": heading_to_dict(read.session),
    }


def recall_sessions(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer with the newest sessions of the current project, or of all projects.

    Raises ToolError when they cannot be listed.
    """
    warnings = Warnings(call.written)
    given = read(sessions_parameters(call.options), args, warnings, warnings)
    everywhere = given["scope"] == "global"
    if everywhere and not call.options.global_:
        raise global_disabled("'project'")
    asked = given["scope"], given["search"], given["agent"]
    unread = call.histories.not_read_yet()
    found = list_sessions(call, *asked)[: given["limit"]]
    if not found:
        unread = call.histories.not_read_yet(again=True)
        found = list_sessions(call, *asked)[: given["limit"]]
    warnings.add_unread(unread)
    answer = {
        "ok": True,
        "sessions": [session_to_dict(session, with_project=everywhere) for session in found],
        "returned": len(found),
        "scope": given["scope"],
    }
    warnings.put(answer)
    if not found and unread is None:
        _advice(call, given).put(answer)
    return answer


def _advice(call: CallContext, given: Mapping[str, Any]) -> Suggestions:
    """Return suggestions for a call of recall_sessions that found no session."""
    found = Suggestions()
    if given["agent"]:
        known = list(
            dict.fromkeys(name for session in list_sessions(call, given["scope"]) for name in agent_names(session))
        )
        if not any(agent_key(name) == agent_key(given["agent"]) for name in known):
            there = f"there {'is' if len(known) == 1 else 'are'} {listed_names([*map(repr, known)])}" if known else ""
            hint = did_you_mean(given["agent"], known) or there
            text = f"No session is of an agent {given['agent']!r}" + (f": {hint}" if hint else "")
            found.add("unknown_agent", text)
    if given["scope"] == "project":
        suggest_global(call, found)
    if given["search"]:
        found.add("try_recall", "Titles alone were compared: call recall to find what was said in a session")
    return found


def global_disabled(others: str) -> ToolError:
    """Return the error for a call with scope "global" when the host allows searches in one project only.

    `others` are the other scopes of the tool.
    """
    return ToolError("global_disabled", f"Global scope is disabled here: use scope {others}")


def full_message(message: Message) -> dict[str, Any]:
    """Return a message with all its parts as JSON values; nothing is cut."""
    return {"message": message_to_dict(message), "parts": [part_to_dict(part) for part in message.parts]}


def centre_first(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer, or an entry of `expanded`, with the message asked for first and its neighbours outward from it,
    one before and one after in turn, each with its signed distance; without such a message it is unchanged.

    What reads an answer in pages, or the beginning of it, then gets the nearest messages, whatever the size of others.
    """
    messages = answer.get("messages") or ()
    at = next((number for number, entry in enumerate(messages) if entry.get("center")), None)
    if at is None:
        return dict(answer)
    numbered = [
        {"center": number == at, "distance": number - at, **{name: entry[name] for name in entry if name != "center"}}
        for number, entry in enumerate(messages)
    ]
    return {**answer, "messages": sorted(numbered, key=lambda entry: abs(entry["distance"]))}


def _ids(call: CallContext, given: Mapping[str, Any]) -> tuple[str, str]:
    """Return the session id and the message id. Raises ToolError when either is missing."""
    session_id, message_id = given["session_id"], given["message_id"]
    if not session_id or not message_id:
        names = " and ".join(call.written(name) for name in ("session_id", "message_id"))
        raise ToolError("ids_required", f"{names} are required")
    return session_id, message_id


def _looked_up(call: CallContext, session_id: str, find: Callable[[], Any]) -> Any:
    """Return find(). Its errors about unknown or unreadable sessions and messages are raised as ToolError."""
    try:
        return find()
    except UnknownSession:
        raise _unknown_session(call, session_id) from None
    except UnknownMessage as error:
        raise ToolError("message_not_found", str(error)) from None
    except OSError as error:
        raise ToolError("no_messages", f"The messages of {session_id} cannot be read: {error_text(error)}") from None


def _unknown_session(
    call: CallContext, session_id: str, category: str = "other", text: str = "Unknown session"
) -> ToolError:
    """Return the error for an unknown session, with a suggestion that says why it is unknown.

    Most agents name the file of a session by its id. If a file with this id in its name could not be read, the error
    gives the reason.
    """
    for report in call.histories.sources():
        for failure in report.failures:
            if session_id in failure.location:
                return ToolError("no_messages", failure.reason)
    advice = Suggestions()
    advice.add("unknown_session", f"{session_id!r}: {unknown_session(call, session_id)}, recall_sessions lists all")
    return ToolError(category, text, **advice.fields())
