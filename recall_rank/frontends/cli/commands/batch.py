"""The command `batch`: read the histories once, then answer many calls of tools and hooks, one line of JSON each."""

from __future__ import annotations

import os
import re
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import IO, Any, Final, NoReturn

import click

from recall_rank.frontends.caller_context import read_context
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.output_file import OutputFile, output_options
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.output.console import HITS, status_of
from recall_rank.frontends.display_text import safe_json
from recall_rank.frontends.hooks.hook_calls import HOOKS
from recall_rank.frontends.host_options import NAMES, HostOptions, host_options, snake_name
from recall_rank.frontends.tools.dispatch import TOOLS, RecallTools, argument_names, failed_call
from recall_rank.model import Context
from recall_rank.model.camel_case import snake_arguments
from recall_rank.model.serialize import MAX_DEPTH, error_to_dict, json_kind, json_line, too_deep

_MODES: Final = ("schema", "raw")
_WIRES: Final = ("snake", "camel")
_ANSWER: Final = re.compile(rb'\{"id":[^\n]*?,"ms":[0-9.e+-]+,"cpu_ms":[0-9.e+-]+,"output":')  # as serve() makes it
_ANSWER_BYTES: Final = 10_000  # within which its beginning lies
_HELP: Final = """Answer many calls: a line of JSON in, a line of JSON out.

A call is {"id", "tool", "args", "mode"?, "context"?, "options"?, "now"?, "wire"?}, its answer {"id", "ms",
"cpu_ms", "output"}. A call that cannot be served is answered with {"ok": false, "error"}; the others are served
all the same. Other keys of a call are ignored.

With --live, for a program that stays: calls are answered at once, also while the histories are read for the first
time and in another order than they came; {"cancel": ID} cancels a call; the end of the input ends everything."""


@click.command(name="batch", help=_HELP, short_help="Answer many calls: lines of JSON in, lines of JSON out.")
@history_option
@click.option("--calls", type=click.File("rb"), required=True, help="Calls, one JSON object a line; - is stdin.")
@output_options("--out", required=True, help="Where answers go; - is stdout.")
@click.option("--live", is_flag=True, help="Answer each call as soon as it is done, until the calls end.")
@redact_option
@click.pass_context
def batch(
    ctx: click.Context, histories: tuple[str, ...], calls: IO[bytes], out: OutputFile, live: bool, redact: bool
) -> None:
    """Answer the calls of a file, each with a line of JSON."""
    if _holds_answers(out.path):
        out = OutputFile(out.path, replaced=True)
    with out.open(every_store(histories), growing=live) as file:
        if live:
            _answer_live(histories, calls, file, redact=redact)
        with open_recall(histories) as recall:
            reports = read_with_progress(recall)
            tools = RecallTools(recall, hooks=HOOKS)
            for number, line in enumerate(calls, 1):
                if line.strip():
                    file.write(answer_line(serve(tools, line, number, redact=redact)))
    ctx.exit(status_of(reports))


def _holds_answers(path: Path | None) -> bool:
    """Return whether a file begins with an answer of an earlier `batch`, which a later one may replace: calls are
    answered again and again into the same file.
    """
    if path is None or not path.is_file() or not os.access(path, os.R_OK):
        return False
    with path.open("rb") as file:
        return _ANSWER.match(file.read(_ANSWER_BYTES)) is not None


def _answer_live(histories: tuple[str, ...], calls: IO[bytes], out: IO[bytes], *, redact: bool) -> NoReturn:
    """Answer calls until they end, then end the process, whatever is still being read or searched."""
    from recall_rank.frontends.hosts.live_calls import LiveCalls
    from recall_rank.frontends.mcp.background_reading import BackgroundHistories

    reading = BackgroundHistories(open_recall(histories, may_be_none=True))
    tools = RecallTools(reading.recall, hooks=HOOKS)

    def write(answer: dict[str, Any]) -> None:
        out.write(answer_line(answer))
        out.flush()

    LiveCalls(reading, partial(serve, tools, redact=redact), write).run(calls)
    sys.stderr.flush()
    os._exit(HITS)


@dataclass(frozen=True, slots=True)
class BatchCall:
    """One call of a tool or hook, read from a line of a calls file and checked."""

    id: Any
    tool: str
    args: dict[str, Any]
    mode: str
    wire: str
    context: Context | None
    options: HostOptions
    now: int | None


def serve(
    tools: RecallTools, line: bytes, number: int, cancel: Event | None = None, *, redact: bool = False
) -> dict[str, Any]:
    """Return the answer to the call on a line of a calls file; `number` is the number of the line.

    Once `cancel` is set, a search ends early. `redact` is the option of that name where the call does not have it.

    The fields `ms` and `cpu_ms` of the answer are the wall time and CPU time of the call alone.
    """
    try:
        call = _read_call(line, redact=redact)
    except ValueError as error:
        output = {**error_to_dict(f"line {number}: {error}"), "error_category": "other"}
        return {"id": _id_of(line), "ms": 0.0, "cpu_ms": 0.0, "output": output}
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    output = tools.call(
        call.tool,
        call.args,
        context=call.context,
        options=call.options,
        now=call.now,
        mode=call.mode,
        wire=call.wire,
        cancel=cancel,
    )
    return {
        "id": call.id,
        "ms": (time.perf_counter_ns() - wall) / 1e6,
        "cpu_ms": (time.process_time_ns() - cpu) / 1e6,
        "output": output,
    }


def answer_line(answer: dict[str, Any]) -> bytes:
    """Return the answer of serve() as a line of JSON; an error in place of an output that JSON cannot express."""
    try:
        return safe_json(json_line(answer)) + b"\n"
    except Exception as error:  # noqa: BLE001 - it must not end the other calls
        return safe_json(json_line({**answer, "output": failed_call(error)})) + b"\n"


def _read_call(line: bytes, *, redact: bool) -> BatchCall:
    """Return the call on a line of JSON. Raises ValueError that states what is wrong with the line."""
    import orjson

    call = orjson.loads(line)  # JSONDecodeError is a ValueError
    if not isinstance(call, dict):
        raise ValueError(f"a call must be an object, not {json_kind(call)}")
    if "id" not in call:
        raise ValueError("a call needs an id")
    if too_deep({**call, "args": None}):  # the tools themselves refuse such args
        raise ValueError(f"a call may be nested {MAX_DEPTH} levels deep")
    tool = call.get("tool")
    if not isinstance(tool, str) or (tool not in TOOLS and tool not in HOOKS):
        raise ValueError(f"tool must be one of {', '.join((*TOOLS, *HOOKS))}, not {tool!r}")
    for name, accepted in (("mode", _MODES), ("wire", _WIRES)):
        if call.get(name, accepted[0]) not in accepted:
            raise ValueError(f"{name} must be one of {', '.join(accepted)}, not {call[name]!r}")
    now = call.get("now")
    if now is not None and (isinstance(now, bool) or not isinstance(now, int) or now <= 0):
        raise ValueError(f"now must be epoch milliseconds, not {now!r}")
    args, options = call.get("args", {}), call.get("options", {})
    for name, value in (("args", args), ("options", options)):
        if not isinstance(value, dict):
            raise ValueError(f"{name} must be an object, not {json_kind(value)}")
    return BatchCall(
        id=call["id"],
        tool=tool,
        args={**_default_arguments(tool, options), **args},
        mode=call.get("mode", "schema"),
        wire=call.get("wire", "snake"),
        context=read_context(call.get("context")),
        options=host_options({"redact": redact, **options}),
        now=now,
    )


def _default_arguments(tool: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a call that the host does not have, which are default arguments; not those that only other
    tools take, since one set of options may serve all calls.
    """
    defaults = {name: value for name, value in options.items() if snake_name(name) not in NAMES}
    if tool not in TOOLS:
        return defaults
    others = frozenset().union(*map(argument_names, TOOLS)) - argument_names(tool)
    return {name: value for name, value in defaults.items() if not others.intersection(snake_arguments({name: value}))}


def _id_of(line: bytes) -> Any:
    """Return the id of a call that is otherwise malformed; None when the line has no id that can be written."""
    import orjson

    try:
        call = orjson.loads(line)
    except ValueError:
        return None
    return call.get("id") if isinstance(call, dict) and not too_deep(call.get("id")) else None
