"""Runs the cases of a conformance directory against the real tools, and tells which of their facts hold."""

from __future__ import annotations

import contextlib
import fnmatch
import importlib.util
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any
from unittest import mock

import orjson

from recall_rank.frontends.cli.commands.batch import serve
from recall_rank.frontends.hooks.hook_calls import HOOKS
from recall_rank.frontends.tools.dispatch import TOOLS, RecallTools
from recall_rank.model import Context
from recall_rank.recall import Recall

from .corpus import Corpus
from .overrides import OVERRIDES

Json = Mapping[str, Any]
BUDGET_MS = 2000
NEW_MESSAGE = "m-new"  # the id that the message has to which a hook adds


@dataclass(slots=True)
class Outcome:
    """The result of one case: the checked facts, the failed facts, and the facts that an override replaces."""

    case: Json
    output: Json
    checked: int
    wrong: list[Json]
    overridden: list[Json]


def load_check(folder: Path) -> ModuleType:
    """Import the directory's check.py as a module. Importing it runs its command, so it gets arguments that do
    nothing.
    """
    spec = importlib.util.spec_from_file_location("conformance_check", folder / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    argv = ["check.py", "--list", os.devnull, "--only", "no case"]
    with mock.patch.object(sys, "argv", argv), contextlib.suppress(SystemExit), _leaks_ignored():
        spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def _leaks_ignored() -> Iterator[None]:
    """Ignore the warnings about files that check.py leaves to the garbage collector."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield


class Machine:
    """The tools over each corpus. A corpus is read once; a corpus with faults, once for each case."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._corpora: dict[str, tuple[Corpus, RecallTools]] = {}

    def answer(self, case: Json) -> Json | None:
        """Return the answer of a tool or hook to a case; None for a case that is neither."""
        if case["tool"] not in TOOLS and case["tool"] not in HOOKS:
            return None
        corpus, tools = self._tools(case)
        given = case.get("context") or {}
        options = dict(case.get("options") or {})
        elapsed = (case.get("simulate") or {}).get("elapsed_ms")
        args = _numbers(case["args"])
        if case["tool"] == "hook:auto_recall":
            args.setdefault("message_id", NEW_MESSAGE)
        if elapsed is not None:
            args["budget_ms"] = max(BUDGET_MS - elapsed, 1)
        context = {**corpus.current, **{name: value for name, value in given.items() if isinstance(value, str)}}
        call = {
            "id": case["id"],
            "tool": case["tool"],
            "args": args,
            "mode": case.get("mode", "schema"),
            "options": options,
            "now": corpus.now,
            "context": context,
        }
        if given.get("abort_on_load"):
            stop = Event()
            stop.set()
            return tools.call(case["tool"], args, context=Context(**context), now=corpus.now, cancel=stop)
        output = _served(tools, call)
        for _ in range(case.get("times", 1) - 1):  # a hook runs again over what it left
            output = _served(tools, {**call, "args": {name: output.get(name, value) for name, value in args.items()}})
        return output

    def _tools(self, case: Json) -> tuple[Corpus, RecallTools]:
        name, faults = case["corpus"], case.get("faults")
        if faults or name not in self._corpora:
            corpus = Corpus.read_file(self._folder / "corpora" / f"{name}.json", faults)
            made = corpus, RecallTools(Recall(corpus.split()), hooks=HOOKS)
            if faults:
                return made
            self._corpora[name] = made
        return self._corpora[name]


def _served(tools: RecallTools, call: Json) -> Json:
    """Return the answer of the batch command, read back from its JSON. Numbers that JSON cannot hold bypass it."""
    args = call["args"]
    odd = {name: value for name, value in args.items() if isinstance(value, float) and value * 0 != 0}
    plain = {name: value for name, value in args.items() if name not in odd}
    if odd:
        from recall_rank.frontends.cli.commands import batch as cli_batch

        read = cli_batch._read_call
        with mock.patch.object(cli_batch, "_read_call", lambda line, **more: _with(read(line, **more), odd)):
            return _output(tools, {**call, "args": plain})
    return _output(tools, call)


def _with(call: Any, odd: Json) -> Any:
    return replace(call, args={**call.args, **odd})


def _output(tools: RecallTools, call: Json) -> Json:
    answer = orjson.loads(orjson.dumps(serve(tools, orjson.dumps(call), 1)))
    assert answer["id"] == call["id"]
    output: Json = answer["output"]
    return output


def _numbers(value: Any) -> Any:
    """Return the arguments with numbers that JSON cannot hold written as {"$num": "NaN"}."""
    if isinstance(value, dict):
        if value.keys() == {"$num"}:
            return float(value["$num"].replace("Infinity", "inf"))
        return {name: _numbers(item) for name, item in value.items()}
    return [_numbers(item) for item in value] if isinstance(value, list) else value


def run(
    folder: Path, *, engine: str | None, contract_only: bool, skip_defects: bool, only: str = ""
) -> Iterator[Outcome | Json]:
    """Yield the outcome of every case, or the case itself where nothing in the package answers it."""
    check = load_check(folder)
    defects = orjson.loads((folder / "defects.json").read_bytes()) if skip_defects else []
    machine = Machine(folder)
    with _leaks_ignored():
        cases = list(check.cases(engine))
    for case in cases:
        if not case["id"].startswith(only):
            continue
        output = machine.answer(case)
        if output is None:
            yield case
            continue
        facts = [f for f in case["expect"] if not (contract_only and f.get("strength") == "behaviour")]
        facts = [f for f in facts if not check.excused(case, f, defects)]
        wrong = [f for f in facts if not check.check(output, f)]
        overridden = [f for f in wrong if skip_defects and _is_overridden(case, f)]
        yield Outcome(case, output, len(facts), [f for f in wrong if f not in overridden], overridden)


def _is_overridden(case: Json, fact: Json) -> bool:
    return any(
        fnmatch.fnmatchcase(case["id"], override.case) and fact["path"] in override.paths for override in OVERRIDES
    )


def summary(folder: Path, say: Callable[[str], None], *, verbose: bool = False, **options: Any) -> int:
    """Print the report of check.py on the answers of this package, and the overrides; return the number of failed
    cases.
    """
    check = load_check(folder)
    passed = failed = skipped = facts = 0
    overridden: list[str] = []
    for outcome in run(folder, **options):
        if not isinstance(outcome, Outcome):
            skipped += 1
            continue
        facts += outcome.checked
        if outcome.overridden:
            overridden.append(outcome.case["id"])
        if not outcome.wrong:
            passed += 1
            continue
        failed += 1
        say(f"FAIL {outcome.case['id']}")
        for fact in outcome.wrong if verbose else ():
            got = check.canon(check.get(outcome.output, fact["path"]))
            say(f"     {fact} got {got[:300]}")
    for case in overridden:
        say(f"overridden {case}")
    say(f"{passed} passed, {failed} failed, {skipped} skipped ({facts} facts)")
    return failed
