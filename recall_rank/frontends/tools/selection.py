"""Which sessions a question selects, and how near each is to the folder it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from recall_rank.analysis.normalize import fold
from recall_rank.frontends.tools.call_context import Call
from recall_rank.frontends.tools.request import Question
from recall_rank.model import Context, Session
from recall_rank.model.project_scope import in_project, inside

BUCKETS: Final = ("exact", "project", "global")


def selected(call: Call, question: Question) -> list[tuple[Session, str]]:
    """The sessions that are searched, each with its directory bucket, in the order in which they are."""
    given, options = question.given, question.options
    if question.unknown:
        return []
    found: Sequence[Session] = call.histories.sessions(
        scope="project" if options["scope"] == "project" and not question.one_session else "global",
        search=given["title"],
        context=call.context,
    )
    wanted = question.session if question.session is not None else call.context.session_id
    if question.one_session:
        found = [session for session in found if session.id == wanted]
    excluded, project = frozenset(given["exclude_session_ids"]), given["project"]
    kept = [
        (session, bucket_of(session, given["directory"], call.context))
        for session in found
        if session.id not in excluded and (not project or project in (session.project, session.repository))
    ]
    if given["directory"]:
        if not options["fallback"]:
            kept = [pair for pair in kept if pair[1] == "exact"]
        kept.sort(key=lambda pair: BUCKETS.index(pair[1]))
    return kept[: options.get("sessions")]


def bucket_of(session: Session, folder: str | None, context: Context) -> str:
    """exact: in the folder; project: in the worktree of the context; global: elsewhere, and without a folder."""
    if folder and inside(session.directory or "", folder):
        return "exact"
    return "project" if in_project(session, replace(context, project=None)) else "global"


def titled(session: Session) -> bool:
    """Whether there is anything to call the session by."""
    return bool(fold(session.title or "").strip() or session.directory)
