"""Sessions and messages as resources: recall://session/ID and recall://session/ID/message/ID."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import mcp_types as types

from recall_rank.frontends.mcp.context import decoded, encoded
from recall_rank.frontends.tools.untrusted_text import when

_URI: Final = re.compile(r"recall://session/([^/?#]+)(?:/message/([^/?#]+))?(?:\?([^#]*))?")
_KIND: Final = "text/plain"
_OFFSET: Final = "offset"
_CURSOR: Final = "cursor"

RESOURCE_TEMPLATES: Final = (
    types.ResourceTemplate(
        uri_template="recall://session/{session_id}{?offset,cursor}",
        name="session",
        title="A past session",
        description="The messages of a session, oldest first; offset leaves out the first ones.",
        mime_type=_KIND,
    ),
    types.ResourceTemplate(
        uri_template="recall://session/{session_id}/message/{message_id}{?cursor}",
        name="message",
        title="A message of a past session",
        description="One message in full.",
        mime_type=_KIND,
    ),
)


def listed_resources(answer: Mapping[str, Any]) -> list[types.Resource]:
    """The sessions of an answer of recall_sessions."""
    return [
        types.Resource(
            uri=f"recall://session/{encoded(session['id'])}",
            name=session["id"],
            title=(session["title"] or session["id"])[:200],
            description=f"{when(session['time']['updated'])[:10]} {session['directory']}"[:300],
            mime_type=_KIND,
        )
        for session in answer.get("sessions") or ()
    ]


def resource_call(uri: str, most: int) -> tuple[str, dict[str, Any]] | None:
    """The tool and the arguments that give what a resource holds; None when there is no such resource."""
    found = _URI.fullmatch(uri)
    if found is None:
        return None
    asked = dict(pair.partition("=")[::2] for pair in (found[3] or "").split("&"))
    args: dict[str, Any] = {"session_id": decoded(found[1])}
    if _CURSOR in asked:
        args[_CURSOR] = decoded(asked[_CURSOR])
    if found[2]:
        return "recall_get", {**args, "message_id": decoded(found[2])}
    offset = asked.get(_OFFSET, "")
    return "recall_messages", {**args, "limit": most, _OFFSET: int(offset) if offset.isdecimal() else 0}


def rest_of(uri: str, answer: Mapping[str, Any]) -> Iterator[str]:
    """Where the resource goes on."""
    place = uri.partition("?")[0]
    page = answer.get("pagination") or {}
    offset = f"offset={page.get('offset', 0)}&" if page.get("offset") else ""
    if "next_cursor" in answer:
        yield f"It goes on at {place}?{offset}cursor={encoded(answer['next_cursor'])}"
    elif page.get("has_more"):
        yield f"It goes on at {place}?offset={page['offset'] + page['returned']}"
