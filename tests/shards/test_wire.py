"""Requests and replies are the same after they were bytes, and other bytes are refused."""

from __future__ import annotations

from array import array
from io import BytesIO

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.index.shards.questions import (
    AddHits,
    AddParts,
    EvidenceAnswer,
    EvidenceQuestion,
    NearAnswer,
    NearQuestion,
    ScanAnswer,
    ScanQuestion,
    Score,
    ShardReply,
    ShardRequest,
)
from recall_rank.index.shards.scoring import ScoredGroup, Scoring
from recall_rank.shards import wire
from recall_rank.shards.process_shard import HEADER, MAX_FRAME, read_frame
from recall_rank.shards.wire import from_bytes, to_bytes

numbers = st.integers(0, 2**32 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
float_lists = st.lists(floats, max_size=5)
marks = st.none() | st.binary(max_size=300)
rows = st.lists(st.tuples(numbers, numbers, floats, floats, st.integers(0, 3)).map(list), max_size=5)
sessions = st.lists(
    st.tuples(numbers, numbers, floats, numbers, st.booleans(), st.integers(0, 3)).map(list), max_size=5
)
parts = st.lists(numbers, max_size=100).map(lambda values: array("I", values))
groups = st.builds(
    ScoredGroup, st.lists(st.tuples(numbers, numbers, floats).map(list), max_size=4), floats, st.booleans()
)
dates = st.lists(
    st.tuples(
        st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=2), st.lists(numbers, min_size=1), floats
    ).map(list),
    max_size=2,
)
scorings = st.builds(
    Scoring, st.lists(groups, max_size=4), float_lists, float_lists, dates, float_lists, float_lists, floats, floats
)
scores = st.builds(Score, scorings, marks, marks, numbers)
steps = st.lists(scores | st.builds(AddParts, parts) | st.builds(AddHits, scores, floats), max_size=3)
wanted = st.sampled_from(("top", "top_among", "among", "sessions", "hits", "scores"))
questions = (
    st.builds(
        EvidenceQuestion,
        st.text(),
        steps,
        wanted,
        numbers,
        parts,
    )
    | st.builds(ScanQuestion, st.text(), st.booleans(), marks)
    | st.builds(NearQuestion, st.binary(max_size=40), st.integers(1, 3))
)
answers = (
    st.none()
    | st.builds(EvidenceAnswer, numbers, st.booleans(), rows, sessions, parts, float_lists)
    | st.builds(ScanAnswer, parts, st.booleans())
    | st.builds(NearAnswer, st.lists(st.lists(st.tuples(numbers, numbers).map(list), max_size=4), max_size=4))
)
records = st.builds(ShardRequest, st.text(), questions, numbers, st.lists(st.text(), max_size=3)) | st.builds(
    ShardReply, st.text(), answers, st.text()
)


def plain(value: object) -> object:
    """Return a record as lists: short arrays are read as lists, and empty lists as tuples are equal."""
    if isinstance(value, list | tuple | array):
        return [plain(each) for each in value]
    if hasattr(value, "__slots__"):
        return type(value).__name__, [plain(getattr(value, name)) for name in value.__slots__]
    return value


@given(records)
def test_records_survive_the_wire(record: ShardRequest | ShardReply) -> None:
    assert plain(from_bytes(to_bytes(record))) == plain(record)


@given(records, st.data())
def test_damaged_bytes_are_refused_or_another_record(record: ShardRequest | ShardReply, data: st.DataObject) -> None:
    written = bytearray(to_bytes(record))
    written[data.draw(st.integers(0, len(written) - 1))] = data.draw(st.integers(0, 255))
    try:
        from_bytes(bytes(written))
    except ValueError:
        return


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"Unknown": []}',
        b'{"ShardReply": [1]}',
        b'{"ShardRequest": ["g", {"NearQuestion": ["a", 1]}, 0, [], 1]}',
        b'{"Done": [["key"]]}',
        b'{"bytes": "####"}',
        b'{"bytes": "AAAA"}',
        b'{"numbers": "eJxjAAAAAQAB"}',
        b'{"ShardReply": [], "NearAnswer": []}',
    ],
)
def test_bytes_that_are_no_record_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no record of a shard"):
        from_bytes(data)


def test_a_value_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    question = ScanQuestion("a", False, bytes(5_000))
    written = to_bytes(ShardRequest("g", question))
    assert len(written) < 500
    assert from_bytes(written).question == question
    monkeypatch.setattr(wire, "MAX_BYTES", 4_999)
    with pytest.raises(ValueError, match="cut or too long"):
        from_bytes(written)


def test_frames_are_read_one_by_one() -> None:
    stream = BytesIO(HEADER.pack(7, 5, 3) + b"abc" + HEADER.pack(8, 0, 0))
    assert [read_frame(stream), read_frame(stream), read_frame(stream)] == [(7, 5, b"abc"), (8, 0, b""), None]


@pytest.mark.parametrize(
    "data", [HEADER.pack(1, 0, 3) + b"ab", HEADER.pack(1, 0, 3)[:5], HEADER.pack(1, 0, MAX_FRAME + 1)]
)
def test_a_frame_that_is_cut_or_too_long_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="frame"):
        read_frame(BytesIO(data))


def test_what_is_sent_is_json() -> None:
    sent = orjson.loads(to_bytes(ShardRequest("g", NearQuestion(b"lantern", 1), 5)))
    assert sent["ShardRequest"][0] == "g"


def test_texts_that_are_no_utf8_are_sent() -> None:
    request = ShardRequest("g", ScanQuestion("a lone \ud800", False, None))
    assert from_bytes(to_bytes(request)).question.text == "a lone \ufffd"
    assert from_bytes(to_bytes(ShardReply("g", None, "no folder '\udcff'"))).problem == "no folder '\ufffd'"
