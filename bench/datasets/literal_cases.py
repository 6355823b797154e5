"""The kernels that tell where a literal can stand, each on generated text and its vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recall_rank._core.search import literal_candidates as runs
from recall_rank._core.text import token_coverage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.datasets.column_cases import Row
    from recall_rank._core.index.vocabulary import Vocabulary


def run_rows(texts: list[bytes], known: Vocabulary, plain: Callable[[str], Any]) -> Iterator[Row]:
    """Room, native and plain call, how much of what one call does; where `plain` knows the slow version."""
    forms = [known.form(number) for number in range(len(known))]
    asked = [b"ingstro", b"eabea", b"nobody0"]
    yield (
        "runs.holding",
        lambda: [runs.holding(known, run, len(forms)) for run in asked],
        lambda: [[k for k, form in enumerate(forms) if run in form and form[0] >= 0x20] for run in asked],
        len(asked) * len(forms),
        "terms",
    )
    if slow := plain("text.token_coverage.is_covered"):
        some = texts[:100]
        yield (
            "token_coverage.is_covered",
            lambda: [token_coverage.is_covered(one)[0] for one in some],
            lambda: [slow(one) for one in some],
            sum(map(len, some)),
            "bytes",
        )
