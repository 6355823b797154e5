"""Compares two files of answers, and counts and prints the differences."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from bench.reporting.same_answers.searches import CorpusSearch, read_searches

ANSWERS_SHOWN: Final = 3  # differing answers that are printed for each way of asking
PATHS_SHOWN: Final = 4  # differing JSON paths that are printed for each answer
PATHS_COUNTED: Final = 12  # JSON paths in the closing list
WIDEST: Final = 300  # characters of a printed value

Json = Any  # a decoded JSON value


def differences(one: Json, other: Json, path: str = "") -> Iterator[tuple[str, Json, Json]]:
    """Yield the JSON path and both values of everything that differs; the order of an object's keys counts."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            if name not in one or name not in other:
                yield f"{path}.{name}", one.get(name, "(absent)"), other.get(name, "(absent)")
            else:
                yield from differences(one[name], other[name], f"{path}.{name}")
        if list(one) != list(other) and one.keys() == other.keys():
            yield f"{path} (order of keys)", list(one), list(other)
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{path} (length)", len(one), len(other)
        for at, (left, right) in enumerate(zip(one, other, strict=False)):
            yield from differences(left, right, f"{path}[{at}]")
    elif type(one) is not type(other) or one != other:
        yield path, one, other


def rounded(value: Json, digits: int) -> Json:
    """Return a JSON value with every float rounded to so many decimals."""
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, dict):
        return {name: rounded(item, digits) for name, item in value.items()}
    return [rounded(item, digits) for item in value] if isinstance(value, list) else value


class AnswerComparison:
    """Counts of answers and differences for each way of asking. Floats are compared exactly unless `digits` is set."""

    def __init__(self, digits: int | None = None) -> None:
        self.digits = digits
        self.asked: Counter[str] = Counter()
        self.empty: Counter[str] = Counter()
        self.raised: Counter[str] = Counter()
        self.different: Counter[str] = Counter()
        self.first_paths: Counter[str] = Counter()
        self.shown: list[str] = []
        self.missing = ""  # the first search that only one checkout answered

    def add(self, search: CorpusSearch, base: str | None, checkout: str | None) -> None:
        """Compare two answers to `search`; None stands for a missing answer."""
        self.asked[search.group] += 1
        if base is not None:
            self.empty[search.group] += '"results": [], ' in base
            self.raised[search.group] += base.startswith('{"raised"')
        if base == checkout:
            return
        named = f"{search.group} #{search.number} {search.query[:100]!r} {_shortened(search.options)}"
        if base is None or checkout is None:
            self.different[search.group] += 1
            self.missing = self.missing or named
            return
        found = list(differences(self._read(base), self._read(checkout)))
        if not found:
            return  # equal after rounding
        self.different[search.group] += 1
        self.first_paths[re.sub(r"\[\d+\]", "[*]", found[0][0])] += 1
        if self.different[search.group] <= ANSWERS_SHOWN:
            self.shown.append(named)
            self.shown += [
                f"    {path}\n        base:     {_shortened(left)}\n        checkout: {_shortened(right)}"
                for path, left, right in found[:PATHS_SHOWN]
            ]
            if len(found) > PATHS_SHOWN:
                self.shown.append(f"    and {len(found) - PATHS_SHOWN} more")

    def _read(self, line: str) -> Json:
        value = json.loads(line)
        return value if self.digits is None else rounded(value, self.digits)

    def lines(self) -> Iterator[str]:
        """Yield the table of all ways, the first differences of each way, and the paths that differ most often."""
        yield f"{'corpus/index/way':<32}{'asked':>8}{'empty':>8}{'raised':>8}{'different':>11}"
        counted = (self.asked, self.empty, self.raised, self.different)
        for group in sorted(self.asked):
            asked, empty, raised, different = (count[group] for count in counted)
            yield f"{group:<32}{asked:>8}{empty:>8}{raised:>8}{different:>11}"
        asked, empty, raised, different = (count.total() for count in counted)
        yield f"{'all':<32}{asked:>8}{empty:>8}{raised:>8}{different:>11}"
        yield from self.shown
        if self.missing:
            yield f"no answer from here on, counted as different: {self.missing}"
        if self.first_paths:
            yield "answers by the first JSON path that differs:"
            yield from (f"{count:>8}  {path}" for path, count in self.first_paths.most_common(PATHS_COUNTED))


def compare_files(searches: Path, base: Path, checkout: Path, digits: int | None = None) -> AnswerComparison:
    """Compare two files of answers to the searches of a file."""
    comparison = AnswerComparison(digits)
    with base.open("rb") as left, checkout.open("rb") as right:
        for search, one, other in zip_longest(read_searches(searches), _complete(left), _complete(right)):
            comparison.add(search, one, other)
    return comparison


def _complete(lines: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines with a line end: a child that died may have left half a line."""
    return (line.decode() for line in lines if line.endswith(b"\n"))


def _shortened(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."
