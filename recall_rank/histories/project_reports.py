"""Source reports limited to one project, so that they reveal nothing about other projects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from recall_rank.histories.records.table import session_key
from recall_rank.model import Context, ReadFailure, Session, SourceReport
from recall_rank.model.project_scope import inside, normal_path

_NAMED: Final = re.compile(r"[^A-Za-z0-9]+")
_IN_PROJECTS: Final = (
    "aider",
    "specstory",
)  # they keep a history in the folder of each project: it is that one's alone


def own_reports(
    reports: Sequence[SourceReport], sessions: Sequence[Session], own: Sequence[Session], context: Context
) -> list[SourceReport]:
    """Return the reports limited to the project of `context`; `own` are the sessions of that project among `sessions`.

    An error is kept when its file lies in the project's folder, holds sessions of the project only, or lies in a folder
    named after the project. A store that could not be read at all is reported without place or reason. Every other
    error may concern another project and is left out. Sessions and messages are counted over `own`; message parts and
    bytes are given as 0.
    """
    folders = [folder for folder in (context.worktree, context.directory) if folder]
    mine = {session_key(each) for each in own}
    files = {place for each in own for place in each.places}
    files -= {place for each in sessions if session_key(each) not in mine for place in each.places}
    held = Counter(each.source for each in own)
    said = Counter(each.source for each in own for _ in each.messages)
    found = []
    for report in reports:
        failures = tuple(each for each in report.failures if _concerns(each.location, folders, files))
        if report.failed and not failures and report.agent not in _IN_PROJECTS:
            failures = (ReadFailure("", f"nothing of the {report.agent} history could be read"),)
        kept = replace(
            report,
            location=report.location if failures and _concerns(report.location, folders, files) else "",
            bytes=0,
            sessions=held[report.agent],
            messages=said[report.agent],
            parts=0,
            malformed=tuple(bad for bad in report.malformed if _concerns(bad.location, folders, files)),
            failures=failures,
            warnings=(),
            newest=0,
            kept=0,
        )
        if kept.sessions or kept.failures or kept.malformed:
            found.append(kept)
    return found


def _concerns(place: str, folders: Sequence[str], files: set[str]) -> bool:
    if place in files:
        return True
    return any(inside(place, folder) or _kept_under(place, folder) for folder in folders)


def _kept_under(place: str, folder: str) -> bool:
    """Return whether a folder above `place` has the name that agents make of the project folder `folder`: its path with
    hyphens.
    """
    name = _NAMED.sub("-", normal_path(folder)).strip("-")
    parents = normal_path(place).split("/")[:-1]
    return "-" in name and any(parent[:1] == "-" and _NAMED.sub("-", parent).strip("-") == name for parent in parents)
