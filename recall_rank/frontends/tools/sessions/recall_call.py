"""One call of the tool session_recall: a search, a curator that picks what was looked for, and never raw history.

Where no curator can be had, and where one fails, the answer has counts and a sentence on how to go on, and no recalled
text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.curators.curator import CURATION_SECONDS, CurationTask, Curator, CuratorError, NoCuratorError
from recall_rank.frontends.redaction.redact import redacted
from recall_rank.frontends.tools.call_context import CallContext
from recall_rank.frontends.tools.parameters import FIRST_DAY, LAST_DAY, read, session_recall_parameters
from recall_rank.frontends.tools.warnings import ToolError, Warnings
from recall_rank.model.serialize import repaired

if TYPE_CHECKING:  # they are loaded with the first call
    from recall_rank.frontends.tools.sessions.recalled_turns import FoundTurns, TurnQuery

TOOL: Final = "session_recall"
FOUND: Final = "found"
EMPTY: Final = "empty"
NOTHING_RELEVANT: Final = "nothing_relevant"
NO_CURATOR: Final = "no_curator"
CURATOR_FAILED: Final = "curator_failed"
ERROR: Final = "error"
STATUSES: Final = (FOUND, EMPTY, NOTHING_RELEVANT, NO_CURATOR, CURATOR_FAILED, ERROR)
NOT_FOUND_TEXT: Final = "No relevant context found."  # the original's, whose status is "found" then
_ORIGINAL_STATUS: Final = {NOTHING_RELEVANT: FOUND, NO_CURATOR: "fallback", CURATOR_FAILED: "fallback"}
_HOW_TO_GO_ON: Final = (
    'Try again, or with the curator "extractive" (in a shell, --curator extractive), which returns the best matching '
    "passages without a model."
)
_QUOTED: Final = 200  # characters of an argument in a text of an answer


def session_recall_call(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of the tool `session_recall`. Raises ToolError for a request that is refused."""
    from recall_rank.frontends.tools.sessions.recalled_turns import find_turns

    warnings = Warnings(call.written)
    given = read(session_recall_parameters(call.options), args, warnings, warnings)
    asked = _turn_query(call, args, given, warnings)
    found = find_turns(
        call.histories, asked, warnings, leave_out=call.context, now=call.now, cancel=call.cancel
    )  # fmt: skip
    if call.cancelled():
        raise ToolError("aborted", "aborted")
    shown = _without_secrets(given) if call.options.redact else given
    details = {"query": shown["query"], "match_count": len(found.turns), "session_count": found.sessions}
    if not found.turns:
        asked = replace(asked, query=shown["query"], project=shown["project"])
        text = _empty_text(call, asked, shown, complete=not warnings.limited)
        answer: dict[str, Any] = {"status": EMPTY, "text": text, "details": details}
    else:
        answer = _curated(call, found, shown, details)
    if call.cancelled():
        raise ToolError("aborted", "aborted")
    answer = {"ok": True, **answer}
    if found.partial:
        answer["partial"] = True
    warnings.put(answer)
    return answer


def _turn_query(call: CallContext, args: Mapping[str, Any], given: Mapping[str, Any], warnings: Warnings) -> TurnQuery:
    """Return what the arguments of a call, `args`, ask for; `given` are their usable values. Raises ToolError when a
    required one is missing or blank, and for days that exclude every day.
    """
    from recall_rank.analysis.day_ranges import day_window
    from recall_rank.analysis.time_filters import EmptyTimeWindow
    from recall_rank.frontends.tools.sessions.recalled_turns import TurnQuery

    query = given["query"]
    if query is None:
        raise ToolError("query_required", "query is missing: name words that you would expect in the conversation")
    if not query.strip():
        raise ToolError("query_required", "query is empty: name words that you would expect in the conversation")
    if not given["looking_for"]:
        name, what = call.written("looking_for"), "missing" if args.get("looking_for") is None else "empty"
        text = f'{name} is {what}: describe exactly what to return, such as "the root cause and its fix"'
        raise ToolError("looking_for_required", text)
    try:
        window = day_window(call.now, given[FIRST_DAY], given[LAST_DAY], strict=False)
    except EmptyTimeWindow as error:
        raise ToolError("empty_time_window", _as_written(call, str(error))) from None
    for warning in window.warnings:
        warnings.add(f"{warning.category}:{warning.parameter}", _as_written(call, warning.text))
    return TurnQuery(query, given["project"], window.after, window.before, budget_ms=given["budget_ms"])


def _as_written(call: CallContext, text: str) -> str:
    """Return a message about days with the names of their arguments as the caller writes them."""
    for name in (FIRST_DAY, LAST_DAY):
        text = re.sub(rf"\b{name}\b(?=[:=])", call.written(name), text, count=1)
    return text


def _without_secrets(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call with the secrets in their texts replaced: for curators, and for answers."""
    return {name: redacted(value) if isinstance(value, str) else value for name, value in given.items()}


def _curated(call: CallContext, found: FoundTurns, given: Mapping[str, Any], details: dict[str, Any]) -> dict[str, Any]:
    """Return status, text and details of an answer: what a curator picked, or why there is nothing of one.

    `given` are the arguments as they may be shown.
    """
    from recall_rank.frontends.curators.answer_check import curated_answer, shown_name

    matching = "matches" if len(found.turns) == 1 else "match"
    counted = f"{_counted(found)} {matching} {_quoted(given['query'])}"
    task = CurationTask(given["query"], given["looking_for"], found.turns)
    try:
        curator = _curator(call, given["curator"])
        details = {**details, "curator": shown_name(curator)}
        answer = curated_answer(curator, task, seconds=CURATION_SECONDS, cancelled=call.cancelled)
    except NoCuratorError as error:
        text = f"{counted}, but there is no curator to pick from them what was looked for, so none is shown: {error}"
        return {"status": NO_CURATOR, "text": text, "details": details}
    except CuratorError as error:
        text = f"{counted}, but none is shown, since the curator failed: {error}. {_HOW_TO_GO_ON}"
        return {"status": CURATOR_FAILED, "text": text, "details": details}
    if not answer.found:
        text = (
            f"{counted}, and none of them has what was looked for: {_quoted(given['looking_for'])}. "
            "Try other words in query, or describe more widely what to look for."
        )
        return {"status": NOTHING_RELEVANT, "text": text, "details": details}
    return {"status": FOUND, "text": answer.text, "details": details}


def _curator(call: CallContext, named: str | None) -> Curator:
    """Return the curator of a call: the one that an argument names, else the host's choice. Raises NoCuratorError."""
    from recall_rank.frontends.curators.choose import curator_named

    chosen = named or call.curator
    return curator_named(chosen, sampling=call.sampling) if chosen is None or isinstance(chosen, str) else chosen


def _counted(found: FoundTurns) -> str:
    turns, sessions = len(found.turns), found.sessions
    return f"{turns} turn{'s' * (turns != 1)} of {sessions} conversation{'s' * (sessions != 1)}"


def _empty_text(call: CallContext, asked: TurnQuery, given: Mapping[str, Any], *, complete: bool) -> str:
    """Return a sentence that says what was searched, and what may help."""
    where = f" in project {_quoted(asked.project)}" if asked.project else ""
    bounds = (("from", FIRST_DAY, asked.after), ("to", LAST_DAY, asked.before))
    days = [f" {word} {_quoted(given[name])}" for word, name, bound in bounds if bound is not None]
    if not call.histories.found:
        return "No history was found: nothing could be searched."
    if not complete:
        return f"Nothing that was read so far matches {_quoted(asked.query)}{where}{''.join(days)}. Ask again soon."
    tried = ["fewer or other words"]
    tried += ["no project, which searches all of them"] if where and call.options.global_ else []
    tried += ["other days"] if days else []
    return f"No past conversation matches {_quoted(asked.query)}{where}{''.join(days)}. Try {', or '.join(tried)}."


def _quoted(value: object) -> str:
    text = " ".join(str(value).split())
    return f'"{text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"}"'


def library_answer(answer: Mapping[str, Any], args: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer in the form of the library: always with `status`, `text` and `details`."""
    if answer.get("ok"):
        return {name: value for name, value in answer.items() if name != "ok"}
    details = {"query": _query(args), "match_count": 0, "session_count": 0}
    return {"status": ERROR, "text": str(answer.get("error", "")), "details": details}


def original_answer(answer: Mapping[str, Any], args: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer in the form of tallow's tool: `content`, `details`, and `isError` for an error.

    The original knows four statuses: "found", "empty", "fallback" (no curator, or one that failed) and "error". Each
    warning on an argument, such as a day that cannot be read, is a text behind the first: the original has no field
    for it.
    """
    plain = library_answer(answer, args)
    status, text, details = plain["status"], plain["text"], plain["details"]
    if status == NOTHING_RELEVANT:
        text = NOT_FOUND_TEXT
    if status == ERROR:
        text = f"Session recall error: {text}"
    shown = {
        "query": details["query"],
        "matchCount": details["match_count"],
        "sessionCount": details["session_count"],
        **(
            {"curatorModel": details["curator"]} if "curator" in details and status in (FOUND, NOTHING_RELEVANT) else {}
        ),
        "status": _ORIGINAL_STATUS.get(status, status),
    }
    told = zip(answer.get("warnings", ()), answer.get("warning_categories", ()), strict=True)
    notes = [{"type": "text", "text": f"Note: {warning}"} for warning, category in told if category != "source"]
    answer = {"content": [{"type": "text", "text": text}, *notes], "details": shown}
    return {**answer, "isError": True} if status == ERROR else answer


def _query(args: Mapping[str, Any]) -> str:
    """Return the query of a call that was refused, without secrets, whatever the options of the host are."""
    query = args.get("query")
    return redacted(repaired(query)) if isinstance(query, str) else ""
