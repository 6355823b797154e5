"""The benchmark of the kernels, without its clock."""

from __future__ import annotations

from bench.benchmarks.kernels import cases
from bench.datasets import generate
from bench.datasets.documents import documents


def test_every_room_answers_as_its_plain_version() -> None:
    texts = [document.text.encode() for document in documents(generate.sessions(60, 1))]
    kernels = list(cases(texts))
    assert len(kernels) > 15
    for case in kernels:
        assert case.native() == case.plain(), case.kernel
