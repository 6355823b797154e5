"""Restrictions: what the options of a search and the operators in its query ask of a hit, taken together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Self

from recall_rank.analysis.fields import Field
from recall_rank.analysis.normalize import fold
from recall_rank.index.segment.segment import Segment
from recall_rank.model.query_syntax import QuerySyntax
from recall_rank.model.record_classes import frozen
from recall_rank.search.query import Query

_GIVEN_TO_TOOLS = (Field.INPUT, Field.COMMAND, Field.TOOL_TITLE)


@frozen
class Restrictions:
    """The restrictions of a search that its options and its query can both name. A hit meets every one of them."""

    roles: tuple[str, ...]
    tools: tuple[str, ...]
    projects: tuple[str, ...]
    agents: tuple[str, ...]
    files: tuple[str, ...]  # paths that the input of a tool names
    must: tuple[str, ...]
    must_not: tuple[str, ...]
    titles: bool  # only titles are hits

    @classmethod
    def of(cls, query: Query) -> Self:
        """Return the restrictions of a query."""
        options = query.options
        syntax = query.syntax or _NONE
        return cls(
            roles=(*(() if options.role == "all" else (options.role,)), *syntax.given("role")),
            tools=_all(options.tool_name, syntax.given("tool")),
            projects=_all(options.project, syntax.given("project")),
            agents=_all(options.agent, syntax.given("agent")),
            files=(*options.files, *syntax.given("file")),
            must=(*options.must, *syntax.must),
            must_not=(*options.must_not, *syntax.must_not),
            titles=bool(syntax.given("in")),
        )


_NONE = QuerySyntax("")


def _all(option: str | None, values: tuple[str, ...]) -> tuple[str, ...]:
    return (option, *values) if option else values


def contradictions(query: Query, sessions: int) -> Iterator[str]:
    """Yield a warning for restrictions, of the query and of the options, that no part can meet together.

    `sessions` is the number of eligible sessions: a project or an agent may have several names.
    """
    if query.syntax is None:
        return
    limits, kind = Restrictions.of(query), query.options.type
    for name, values in (("role", set(limits.roles)), ("tool", set(map(fold, limits.tools)))):
        if len(values) > 1:
            yield f"nothing is of more than one {name}: {', '.join(sorted(values))}"
    for name, values in (("project", set(limits.projects)), ("agent", set(limits.agents))):
        if len(values) > 1 and not sessions:
            yield f"no session is of more than one {name}: {', '.join(sorted(values))}"
    if limits.tools and kind not in ("all", "tool"):
        yield f"tool:{limits.tools[0]} goes with type 'all' or 'tool', not {kind!r}"
    if limits.titles and (limits.tools or limits.files or kind != "all"):
        yield "in:title leaves nothing: a title is no call of a tool and of no other type"
    if query.after and query.before and query.after >= query.before:
        yield "since and until leave no time"


def path_pattern(path: str) -> re.Pattern[str]:
    """Return the pattern of a path in a folded text: whole, or as the end or the beginning of a path.

    In src/app.py it finds app.py, src and src/app.py, but neither app nor pp.py.
    """
    return re.compile(rf"(?<![\w.-]){re.escape(fold(path))}(?![\w-]|\.\w)")


def is_named_in_input(segment: Segment, part: int, pattern: re.Pattern[str]) -> bool:
    """Return whether the input of a tool call, or its title, has a match of path_pattern()."""
    for start, end, field in segment.fields_of(part):
        if field in _GIVEN_TO_TOOLS:
            text = bytes(segment.text_for(((start, end),))[start:end]).decode("utf-8", "replace")
            if pattern.search(fold(text)):
                return True
    return False
