"""The cases of the benchmark of kernels, without its clock."""

from __future__ import annotations

from bench.datasets import generate
from bench.datasets.documents import documents
from bench.datasets.kernel_cases import cases


def test_every_kernel_equals_its_slow_version() -> None:
    texts = [document.text.encode() for document in documents(generate.sessions(60, 1))]
    found = list(cases(texts))
    assert len(found) > 15
    for case in found:
        assert case.native() == case.slow(), case.kernel
