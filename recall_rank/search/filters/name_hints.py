"""Hints on the names of projects, folders and tools in the options of a search: unknown ones, and shared ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from recall_rank.analysis.normalize import fold
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model import Suggestion
from recall_rank.model.nearest_names import nearest_names
from recall_rank.model.project_names import is_named, place_of, projects_of, short_name
from recall_rank.model.project_scope import inside
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.filters.session_filters import sessions_in_scope
from recall_rank.search.query import Query

MOST = 5  # names that are listed where none is near


def shared_project_name(reader: IndexReader, query: Query, eligible: EligibleSet) -> Iterator[str]:
    """Yield a warning if the option `project` is the name of several projects, whose sessions are all searched."""
    name = query.options.project
    if name:
        rows = (row for row, passed in zip(reader.sessions, eligible.session_marks, strict=True) if passed)
        folders = projects_of(rows)
        if len(folders) > 1:
            yield f"{len(folders)} projects are called {name!r}, and all were searched: {_listed(sorted(folders))}"


def unknown_names(reader: IndexReader, query: Query, eligible: EligibleSet) -> Iterator[Suggestion]:
    """Yield a suggestion for each of the options `project`, `directory` and `tool_name` that names nothing.

    It gives the names that are near, else some that are there; all are of sessions in the scope of the search.
    """
    project, folder, tool = query.options.project, query.options.directory, query.options.tool_name
    if not (project or folder or tool):
        return
    rows = sessions_in_scope(reader, query)
    if project and not any(is_named(row, project) for row in rows):
        known = {short_name(place_of(row)): short_name(place_of(row)) for row in rows if place_of(row)}
        yield from _hint(f"no project is called {project!r}", short_name(project), known, "unknown_project")
    if folder and not query.options.fallback and not any(inside(row.directory, folder) for row in rows):
        known = {row.directory: short_name(row.directory) for row in rows if row.directory}
        yield from _hint(f"no session ran in {folder!r}", short_name(folder), known, "unknown_directory", listed=False)
    if tool:
        names = _tools(reader, eligible)
        if fold(tool) not in map(fold, names):
            yield from _hint(f"no call of a tool {tool!r}", tool, {name: name for name in names}, "unknown_tool")


def _hint(
    said: str, wanted: str, known: Mapping[str, str], category: str, *, listed: bool = True
) -> Iterator[Suggestion]:
    """Yield the suggestion to use one of `known` instead of `wanted`; nothing when nothing is known.

    `known` maps what is suggested to the name by which it is compared with `wanted`. Where none is near, the suggestion
    is a list of some that are there, unless `listed` is false.
    """
    near = nearest_names(wanted, known.values())
    meant = [each for name in near for each, compared in known.items() if compared == name]
    if meant:
        yield Suggestion(f"{said}: did you mean {' or '.join(map(repr, meant[:MOST]))}?", category)
    elif known and listed:
        there = [repr(each) for each in known]
        yield Suggestion(f"{said}: there {'is' if len(there) == 1 else 'are'} {_listed(there)}", category)


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


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST]) + (f" and {len(names) - MOST} more" if len(names) > MOST else "")
