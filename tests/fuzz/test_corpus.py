"""The kept inputs of the fuzzer, tried again, and bytes at random beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.__main__ import CORPUS, NAMES
from tests.fuzz.targets import TARGETS


def test_every_target_has_a_corpus() -> None:
    assert tuple(TARGETS) == NAMES
    if CORPUS.is_dir():  # an archive of the source has none
        assert all(any((CORPUS / name).iterdir()) for name in NAMES)


@pytest.mark.parametrize("target", TARGETS)
def test_kept_inputs(target: str) -> None:
    for path in sorted(Path(CORPUS, target).glob("*")):
        TARGETS[target](path.read_bytes())


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "segment"])
@given(st.binary(max_size=60))
def test_any_bytes(target: str, data: bytes) -> None:
    TARGETS[target](data)
