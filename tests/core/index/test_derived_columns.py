"""Columns that follow from others."""

from __future__ import annotations

from array import array
from itertools import accumulate
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.index.derived_columns import owners, piece_sizes, piece_starts, values_at
from tests.reference.index import derived_columns as reference
from tests.support.kernels.inputs import seeds


def some_firsts(chance: Random) -> array[int]:
    return array("I", accumulate((chance.choice([0, 1, 1, 2, 5]) for _ in range(chance.randrange(9))), initial=0))


def hurt(chance: Random, column: array[int]) -> None:
    """Change a number, or how many there are, or nothing."""
    match chance.randrange(4):
        case 0 if column:
            column[chance.randrange(len(column))] = chance.choice([0, 1, 3, 2**32 - 1])
        case 1 if column:
            column.pop(chance.randrange(len(column)))
        case 2:
            column.append(chance.choice([0, 1, 9]))


@given(seeds)
def test_every_row_has_the_owner_it_had(chance: Random) -> None:
    firsts = some_firsts(chance)
    count = firsts[-1]
    hurt(chance, firsts)
    try:
        wanted = reference.owners(firsts.tolist(), count)
    except ValueError:
        with pytest.raises(ValueError, match="out of order, or of nobody"):
            owners(firsts, count)
    else:
        assert owners(firsts, count).tolist() == wanted


@given(seeds)
def test_picked_values_are_there(chance: Random) -> None:
    values = array("Q", [chance.getrandbits(64) for _ in range(chance.randrange(5))])
    places = array("I", [chance.randrange(5) for _ in range(chance.randrange(5))])
    try:
        wanted = reference.values_at(values, places)
    except ValueError:
        with pytest.raises(ValueError, match="not there"):
            values_at(values, places)
    else:
        assert values_at(values, places).tolist() == wanted


@given(seeds)
def test_pieces_are_placed_where_they_were(chance: Random) -> None:
    firsts = some_firsts(chance)
    whose = array("I", reference.owners(firsts, firsts[-1]))
    starts = array("Q", accumulate((chance.randrange(3000) for _ in whose), initial=0))
    begins = array("Q", [starts[first] for first in firsts])
    sizes = piece_sizes(starts, whose)
    assert sizes.tolist() == reference.piece_sizes(starts, whose)
    assert piece_starts(begins, firsts, sizes) == memoryview(starts)


@given(seeds)
def test_pieces_that_do_not_fit_are_refused(chance: Random) -> None:
    firsts = some_firsts(chance)
    begins = array("Q", [chance.getrandbits(chance.choice([8, 64])) for _ in firsts])
    sizes = array("I", [chance.getrandbits(32) for _ in range(chance.randrange(firsts[-1] + 1))])
    hurt(chance, firsts)
    try:
        wanted = reference.piece_starts(begins, firsts, sizes)
    except ValueError:
        with pytest.raises(ValueError, match="do not fit together"):
            piece_starts(begins, firsts, sizes)
    else:
        assert piece_starts(begins, firsts, sizes).tolist() == wanted


def test_pieces_without_an_end_or_of_four_gibibytes_are_refused() -> None:
    with pytest.raises(ValueError, match="one number more"):
        piece_sizes(array("Q", [0]), array("I", [0]))
    with pytest.raises(ValueError, match="too long"):
        piece_sizes(array("Q", [0, 2**32, 2**32]), array("I", [0, 0]))
