"""Measures a ranking under changed weights, one change at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench.reporting.paired_difference import paired
from bench.reporting.rank_metrics import mean
from recall_rank.frontends.cli.options.weights import parse_weights, weight_names
from recall_rank.weights import DEFAULT, Weights

HELP = "figures as they are and under each change: NAME (off), NAME=VALUE, A=1+B=2; every weight when none is named"

# Factors do nothing at 1; other weights do nothing at 0.
FACTORS = frozenset(
    {
        *("partial", "joined", "stem", "kind", "order", "diversity"),
        "framing",
    }
)
# Weights that cannot be switched off: they shape the scores or say how many candidates are read.
SHAPES = frozenset(
    {
        *("window_words", "k1", "survivors", "looked_at", "echo_floor"),
        *("per_session", "prose_words"),
        *("chance", "sure", "plenty", "fewest", "most", "high", "medium", "stop_word_share"),
    }
)

Values = Mapping[str, Mapping[str, float]]  # column -> query id -> value


def switches(weights: Weights = DEFAULT) -> dict[str, Weights]:
    """For every weight that can be switched off, by its name in capitals, the weights without it.

    An entry of a table is called TABLE.ENTRY.
    """
    found: dict[str, Weights] = {}
    for name in weight_names(weights):
        if name not in SHAPES:
            for label, value in _off(name, getattr(weights, name)):
                found[label] = replace(weights, **{name: value})
    return found


def _off(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Each label under which a weight is switched off and its value then; none for a weight that does nothing."""
    neutral = 1.0 if name in FACTORS else 0.0
    label = name.upper()
    if hasattr(value, "_fields"):
        for entry, one in value._asdict().items():
            if one != neutral:
                yield f"{label}.{entry}", value._replace(**{entry: neutral})
    elif value != neutral:
        yield label, type(value)(neutral)


def parse(text: str, weights: Weights = DEFAULT) -> Weights:
    """A copy of `weights` with the changes NAME (off), NAME=VALUE or A=1+B=2; TABLE.ENTRY is one entry of a table.

    Raises ValueError for a name that no weight has, or that cannot be switched off.
    """
    for change in text.split("+"):
        if "=" in change:
            weights = parse_weights(change, weights)
        elif change in (off := switches(weights)):
            weights = off[change]
        else:
            raise ValueError(f"{change!r} is no weight that can be switched off: give its value as NAME=VALUE")
    return weights


@dataclass(frozen=True, slots=True)
class Ablation:
    """The values under one change, or the reason why they could not be measured."""

    label: str
    values: Values = field(default_factory=dict)
    failed: str = ""


def ablate(names: Sequence[str], evaluate: Callable[[Weights], Values]) -> Iterator[Ablation]:
    """The values with the default weights, then under each change; every weight is switched off when none is named."""
    yield Ablation("as it is", evaluate(DEFAULT))
    for label in names or list(switches()):
        try:
            yield Ablation(label if "=" in label else f"{label} off", evaluate(parse(label)))
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
