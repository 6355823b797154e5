"""Hints on the names and texts that a search is limited to: unknown and shared names, texts that nothing has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from recall_rank.analysis.normalize import fold
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model import Suggestion
from recall_rank.model.agent_names import agent_names, is_of_agent
from recall_rank.model.nearest_names import LISTED, listed_names, nearest_names
from recall_rank.model.project_scope import inside, is_named, place_of, projects_of, short_name
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.filters.restrictions import Restrictions
from recall_rank.search.filters.session_filters import sessions_in_scope
from recall_rank.search.query import Query


def shared_project_name(reader: IndexReader, query: Query, eligible: EligibleSet) -> Iterator[str]:
    """Yield a warning if the project that a search is limited to is the name of several, which are all searched."""
    for name in Restrictions.of(query).projects:
        rows = (row for row, passed in zip(reader.sessions, eligible.session_marks, strict=True) if passed)
        folders = projects_of(rows)
        if len(folders) > 1:
            yield f"{len(folders)} projects are called {name!r}, and all were searched: {listed_names(sorted(folders))}"


def unknown_names(reader: IndexReader, query: Query, eligible: EligibleSet) -> Iterator[Suggestion]:
    """Yield a suggestion for each name that a search is limited to and that is unknown: of a project, agent, machine,
    account, directory or tool.

    It gives the names that are near, else some that are there; all are of sessions in the scope of the search.
    """
    limits, folder = Restrictions.of(query), query.options.directory
    machine = {"host": query.options.host, "user": query.options.user}
    context = query.options.context if query.options.scope == "project" else None
    own = context.project if context is not None else None
    if not (own or limits.projects or limits.agents or limits.tools or folder or any(machine.values())):
        return
    rows = sessions_in_scope(reader, query)
    if own and not rows and not query.options.session_id:  # names of other projects are not for this caller
        yield Suggestion(f"no agent calls a project {own!r}, as the context does", "unknown_context")
    for project in limits.projects:
        if not any(is_named(row, project) for row in rows):
            known = {short_name(place_of(row)): short_name(place_of(row)) for row in rows if place_of(row)}
            yield from _hint(f"no project is called {project!r}", short_name(project), known, "unknown_project")
    for agent in limits.agents:
        if not any(is_of_agent(row, agent) for row in rows):
            known = {name: name for row in rows for name in agent_names(row)}
            yield from _hint(f"no session is of an agent {agent!r}", agent, known, "unknown_agent")
    for field, wanted in machine.items():
        known = {name: name for row in rows if (name := getattr(row, field))}
        if wanted and wanted.casefold() not in map(str.casefold, known):
            said = f"no session has the {field} {wanted!r}"
            if known:
                yield from _hint(said, wanted, known, f"unknown_{field}")
            else:
                yield Suggestion(f"{said}: none that is searched tells its {field}", f"unknown_{field}")
    if folder and not query.options.fallback and not any(inside(row.directory, folder) for row in rows):
        known = {row.directory: short_name(row.directory) for row in rows if row.directory}
        yield from _hint(f"no session ran in {folder!r}", short_name(folder), known, "unknown_directory", listed=False)
    if limits.tools:
        names = _tools(reader, eligible)
        for tool in limits.tools:
            if fold(tool) not in map(fold, names):
                each = dict(reversed([(fold(name), name) for name in names]))  # a filter takes a name in any case
                known = {name: name for name in names if each[fold(name)] == name}
                yield from _hint(f"no call of a tool {tool!r}", tool, known, "unknown_tool")


def unmet_text(eligible: EligibleSet) -> Iterator[Suggestion]:
    """Yield a sentence on the text that a filter asks for and that left nothing to search, if there is one."""
    unmet = eligible.unmet
    if unmet is not None and unmet.of_file:
        what = "call of a tool" if unmet.alone else "call that the other filters leave"
        yield Suggestion(f"no {what} names the file {unmet.text!r}", "unknown_file")
    elif unmet is not None:
        what = "nothing" if unmet.alone else "nothing that the other filters leave"
        yield Suggestion(f"{what} holds {unmet.text!r}", "unknown_text")


def _hint(
    said: str, wanted: str, known: Mapping[str, str], category: str, *, listed: bool = True
) -> Iterator[Suggestion]:
    """Yield the suggestion to use one of `known` instead of `wanted`; nothing when nothing is known.

    `known` maps what is suggested to the name by which it is compared with `wanted`. Where none is near, the suggestion
    is a list of some that are there, unless `listed` is false.
    """
    near = nearest_names(wanted, known.values())
    # as the history has them, and not as repr() writes them out: redaction must recognise what stands in a name
    meant = [f"'{each}'" for name in near for each, compared in known.items() if compared == name]
    if meant:
        yield Suggestion(f"{said}: did you mean {' or '.join(meant[:LISTED])}?", category)
    elif known and listed:
        there = [f"'{each}'" for each in known]
        yield Suggestion(f"{said}: there {'is' if len(there) == 1 else 'are'} {listed_names(there)}", category)


def _tools(reader: IndexReader, eligible: EligibleSet) -> list[str]:
    """Return the names of the tools that eligible sessions called, the most frequent first."""
    counts: Counter[str] = Counter()
    for view, kept in zip(reader.views, reader.own_sessions(bytes(eligible.session_marks), 0), strict=True):
        segment = view.segment
        for row, passed in zip(segment.sessions, kept, strict=True):
            if passed:
                first, last = (segment.message_first_part[at] for at in (row.first_message, row.last_message))
                for number, count in Counter(segment.part_tool[first:last]).items():
                    counts[segment.names.values[number] or ""] += count
    del counts[""]
    return sorted(counts, key=lambda name: (-counts[name], name))
