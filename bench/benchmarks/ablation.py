"""What every weight is worth: the numbers that rank, changed for the length of a block and put back."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.reporting.bootstrap import paired
from bench.reporting.ranks import mean

if TYPE_CHECKING:
    import types

HELP = "figures as they are and under each change: NAME (off), NAME=VALUE, A=1+B=2; every weight when none is named"

# Factors do nothing at 1; what shapes the index or says how much is looked at cannot be switched off.
FACTORS = frozenset(
    {
        *("SUBAGENT", "OTHER_INITIAL", "FARTHER", "PIECE", "JOINED", "STEM", "KIND", "ORDER", "DIVERSITY"),
        "FRAMING",
    }
)
SHAPES = frozenset(
    {
        *("WINDOW_WORDS", "RECENCY_DAYS", "K1", "SURVIVORS", "LOOKED_AT", "SCORED", "WHOLE_FROM", "ECHO_FLOOR"),
        *("CHANCE", "SURE", "PLENTY", "FEWEST", "MOST", "HIGH", "HIGH_BEHIND", "MEDIUM", "STOP_WORD_SHARE"),
    }
)

Values = Mapping[str, Mapping[str, float]]  # column -> query id -> value


@contextmanager
def override(module: types.ModuleType | None = None, /, **changes: Any) -> Iterator[None]:
    """Give constants of a module (recall_rank.weights) other values inside the block; restored whatever happens.

    Raises ValueError, before anything is changed, for a name the module does not have.
    """
    target = weights() if module is None else module
    if missing := [name for name in changes if not hasattr(target, name)]:
        raise ValueError(f"{target.__name__} has no {', '.join(missing)}")
    before = {name: getattr(target, name) for name in changes}
    try:
        for name, value in changes.items():
            setattr(target, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(target, name, value)


def weights() -> types.ModuleType:
    """The module of weights."""
    return importlib.import_module("recall_rank.weights")


def switches(module: types.ModuleType | None = None) -> dict[str, Any]:
    """Every constant that can be switched off, with its value off; an entry of a table is called TABLE.ENTRY."""
    target = weights() if module is None else module
    found: dict[str, Any] = {}
    for name, value in vars(target).items():
        if name.isupper() and name not in SHAPES:
            found |= _off(name, value)
    return found


def _off(name: str, value: object) -> dict[str, Any]:
    neutral = 1.0 if name in FACTORS else 0.0
    if isinstance(value, bool):
        return {name: False} if value else {}
    if isinstance(value, int | float):
        return {name: type(value)(neutral)} if value != neutral else {}
    if isinstance(value, tuple) and any(isinstance(one, int | float) and one for one in value):
        return {name: tuple(0.0 for _ in value)}
    if isinstance(value, dict):
        return {f"{name}.{_key(key)}": neutral for key, one in value.items() if one != neutral}
    return {}


def _key(key: object) -> str:
    return str(getattr(key, "name", key))


def parse(text: str, module: types.ModuleType | None = None) -> dict[str, Any]:
    """Changes written as NAME (off), NAME=VALUE or A=1+B=2 (together); TABLE.ENTRY changes one entry of a table."""
    target = weights() if module is None else module
    changes: dict[str, Any] = {}
    for one in text.split("+"):
        label, given, written = one.partition("=")
        value = _value(written) if given else switches(target).get(label, 0)
        name, dot, entry = label.partition(".")
        if not dot:
            changes[name] = value
            continue
        table = changes.get(name, getattr(target, name, {}))
        if entry not in map(_key, table):
            raise ValueError(f"{target.__name__} has no {label}")
        changes[name] = {key: value if _key(key) == entry else old for key, old in table.items()}
    return changes


def _value(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    if "," in text:
        return tuple(float(one) for one in text.split(","))
    return float(text) if any(mark in text for mark in ".en") else int(text)


@dataclass(frozen=True, slots=True)
class Ablation:
    """What one change did: the values with it, and the reason when they could not be measured."""

    label: str
    values: Values = field(default_factory=dict)
    failed: str = ""


def ablate(names: Sequence[str], evaluate: Callable[[], Values]) -> Iterator[Ablation]:
    """The values as they are, then under each change; every weight is switched off in turn when none is named."""
    yield Ablation("as it is", evaluate())
    for label in names or list(switches()):
        try:
            with override(**parse(label)):
                yield Ablation(label if "=" in label else f"{label} off", evaluate())
        except ArithmeticError as error:
            yield Ablation(label, failed=f"{type(error).__name__}: {error}")


def table(runs: Sequence[Ablation]) -> tuple[list[str], list[list[str]]]:
    """Columns and rows: each mean with its change against the first run, starred when it is more than luck."""
    base = runs[0].values
    rows = [[run.label, *(_cell(run, base, column) for column in base)] for run in runs]
    return ["change", *base], rows


def _cell(run: Ablation, base: Values, column: str) -> str:
    if run.failed:
        return run.failed
    here = mean(list(run.values[column].values()))
    if run.values is base:
        return f"{here:.4f}"
    gap = paired(run.values[column], base[column])
    return f"{here:.4f} ({gap.mean:+.4f}{'*' if gap.low > 0 or gap.high < 0 else ' '})"
