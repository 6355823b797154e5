"""Damaged JSON lines: whole records are kept and broken ones are counted."""

from __future__ import annotations

import base64
import json
import random
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.loaders import payloads
from recall_rank.loaders.json import jsonl
from recall_rank.loaders.json import large as large_json
from recall_rank.loaders.json import repair as json_repair
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.loaders.json.parse import parse_values

GOOD = b'{"t":"message","text":"good"}'


def read(data: bytes, size: int = 1 << 20) -> tuple[list[Any], list[tuple[str, str]]]:
    records = JsonlRecords((data[at : at + size] for at in range(0, len(data), size)), "f", starts=('{"t":',))
    found = [record for _, record in records]
    return found, [(bad.place, bad.reason) for bad in records.malformed]


KEPT = [
    pytest.param(b'{"t":"x","a":"\\ud83d"}', {"a": "�"}, id="lone high surrogate"),
    pytest.param(b'{"t":"x","a":"\\uDE00!"}', {"a": "�!"}, id="lone low surrogate"),
    pytest.param(b'{"t":"x","a":"\\ud83d\\ude00 \\ud83d"}', {"a": "😀 �"}, id="pair, then half a pair"),
    pytest.param(b'{"t":"x","a":"\\\\ud83d \\ud83d"}', {"a": "\\ud83d �"}, id="escaped backslash is no escape"),
    pytest.param(b'{"t":"x","a":"gr\xfc\xdfe"}', {"a": "gr��e"}, id="latin-1"),
    pytest.param(b'{"t":"x","a":"\xed\xa0\x80"}', {"a": "���"}, id="surrogate in UTF-8"),
    pytest.param(
        b'{"t":"x","a":"a\xe2\x80\xa8b\xc2\x85c\x7f"}', {"a": "a\u2028b\u0085c\x7f"}, id="U+2028 does not split"
    ),
    pytest.param(b'{"t":"x","a":"a\x0bb\x1cc\td"}', {"a": "a\x0bb\x1cc\td"}, id="raw control characters"),
    pytest.param(b'{"t":"x","a":NaN,"b":-Infinity}', {"a": None, "b": None}, id="NaN"),
    pytest.param(b'{"t":"x","a":1e400}', {"a": float("inf")}, id="number out of range"),
    pytest.param(b'{"t":"x","a":1%s}' % (b"0" * 4500), {"a": float("inf")}, id="4501 digits"),
    pytest.param(b'\xef\xbb\xbf{"t":"x","a":1}', {"a": 1}, id="byte order mark"),
    pytest.param(b'  {"t":"x","a":1}\r', {"a": 1}, id="carriage return"),
]


@pytest.mark.parametrize(("line", "wanted"), KEPT)
def test_a_strange_record_is_read_whole(line: bytes, wanted: dict[str, Any]) -> None:
    found, bad = read(GOOD + b"\n" + line + b"\n" + GOOD + b"\n")
    assert [len(found), bad] == [3, []]
    assert {key: value for key, value in found[1].items() if key != "t"} == wanted


COUNTED = [
    pytest.param(b'{"t":"x","a":', 0, id="torn"),
    pytest.param(b'{"t":"x","a":"str', 0, id="torn in a string"),
    pytest.param(b'{"t":"x" "a":1}', 0, id="missing comma"),
    pytest.param(b"{'t':'x'}", 0, id="single quotes"),
    pytest.param(b"plain text", 0, id="no JSON"),
    pytest.param(b"42", 0, id="a number"),
    pytest.param(b"[1,2]", 0, id="a list"),
    pytest.param(b"null", 0, id="null"),
    pytest.param(b"\0" * 512, 0, id="NUL block"),
    pytest.param(b"\0" * 512 + GOOD, 1, id="NUL block before a record"),
    pytest.param(GOOD + b"\0" * 9, 1, id="NUL block behind a record"),
    pytest.param(b'{"t":"x","a":"st' + GOOD, 1, id="a record appended to a torn one"),
    pytest.param(GOOD + b'{"t":"x"', 1, id="a torn record behind a whole one"),
    pytest.param(GOOD + b" garbage", 1, id="garbage behind a record"),
    pytest.param(b'{"t":"x","a":"\\q"}', 0, id="no such escape"),
    pytest.param(b"[" * 5000 + b"]" * 5000, 0, id="5,000 deep"),
    pytest.param(b'{"a":' * 400_000, 0, id="2 MB of opening brackets"),
    pytest.param(b"\x89PNG\r", 0, id="binary"),
    pytest.param(b'{"t":"x",}', 0, id="comma too many"),
]


@pytest.mark.parametrize(("line", "kept"), COUNTED)
def test_a_broken_record_is_counted_and_hides_no_other(line: bytes, kept: int) -> None:
    found, bad = read(GOOD + b"\n" + line + b"\n" + GOOD + b"\n")
    assert found == [orjson.loads(GOOD)] * (2 + kept)
    assert [place for place, _ in bad] == ["line 2"]


def test_two_records_on_a_line_are_two_records() -> None:
    assert read(GOOD + GOOD + b"\n") == ([orjson.loads(GOOD)] * 2, [])


def test_blank_lines_are_no_records() -> None:
    assert read(b"\n\r\n  \n" + GOOD + b"\n\n") == ([orjson.loads(GOOD)], [])
    assert read(b"") == ([], [])


def test_lines_of_a_carriage_return_alone_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: four million of them took 15 seconds."""
    monkeypatch.setattr(jsonl, "parse_damaged", None)
    assert read(b"\r\n" * 5 + b'{"t": 1}\r\n\r\n') == ([{"t": 1}], [])


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
def test_mixed_good_and_bad_in_blocks_of_any_size(size: int) -> None:
    random.seed(size)
    bad = [case.values[0] for case in COUNTED if case.values[1] == 0 and len(case.values[0]) < 10_000]
    lines = [GOOD] * 40 + [random.choice(bad) for _ in range(20)]
    random.shuffle(lines)
    found, malformed = read(b"".join(line + b"\n" for line in lines), size)
    assert (len(found), len(malformed)) == (40, 20)


def test_last_line_without_an_end() -> None:
    whole = JsonlRecords([GOOD + b"\n" + GOOD], "f")
    assert len(list(whole)) == 2
    assert (whole.place.offset, whole.place.line, whole.malformed) == (len(GOOD) * 2 + 1, 1, [])
    torn = JsonlRecords([GOOD + b"\n" + GOOD[:-3]], "f")
    assert len(list(torn)) == 1
    assert torn.place.offset == len(GOOD) + 1
    assert torn.malformed[0].reason.startswith("torn last line")
    assert list(JsonlRecords([b'{"t":"skipped'], "f", skip=lambda _: True)) == []


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
def test_utf16_with_its_mark_is_read(mark: str) -> None:
    data = ("\ufeff" + '{"t":"x","a":"Größe 潮"}\n' * 2).encode(mark)
    assert read(data, 5) == ([{"t": "x", "a": "Größe 潮"}] * 2, [])


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    read(data)
    parse_values(data)
    large_json.parse_large(data)


# --- large records ---------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from('\\"\n é潮😀\ud83d'), max_size=120)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds so small that every string is long and pieces end at every offset."""
    monkeypatch.setattr(large_json, "LONG", 3)
    monkeypatch.setattr(large_json, "PIECE", 17)
    monkeypatch.setattr(large_json, "WINDOW", 5)


@pytest.mark.usefixtures("small_steps")
@given(value=VALUE, ascii_only=st.booleans())
def test_parsing_in_small_steps_gives_equal_values(value: Any, ascii_only: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    wanted = orjson.loads(json_repair.decode_json(raw))
    assert large_json.parse_large(raw) == ([wanted], None)
    assert large_json.parse_large(bytearray(raw)) == ([wanted], None)


def test_a_large_record_is_whole() -> None:
    value = {"t": "x", "a": "ab \\ \n" * 300_000, "b": [{"c": "d e"}] * 3, "k" * 70_000: "long key"}
    assert parse_values(orjson.dumps(value)) == ([value], None)


def test_a_large_record_of_small_values() -> None:
    value = {"t": "x", "a": [{"line": f"number {n}"} for n in range(60_000)]}
    assert parse_values(orjson.dumps(value)) == ([value], None)
    values, problem = parse_values(orjson.dumps(value)[:-2] + b"}}")
    assert (values, str(problem)[:9]) == ([], "not JSON:")


def test_a_large_torn_record_is_counted() -> None:
    found, bad = read(GOOD + b'\n{"t":"x","a":"' + b"words " * 400_000 + b"\n" + GOOD + b"\n")
    assert (len(found), [place for place, _ in bad]) == (2, ["line 2"])


@pytest.mark.usefixtures("small_steps")
def test_a_bad_escape_in_a_long_string_is_counted() -> None:
    values, problem = large_json.parse_large(b'{"t":"x","a":"long enough \\q and on"}')
    assert (values, str(problem)[:9]) == ([], "not JSON:")
    assert large_json.parse_large(b'{"a":"' + "\\ud83d gr\u00fc\u00df".encode("latin-1") + b'"}') == (
        [{"a": "\ufffd gr\ufffd\ufffd"}],
        None,
    )


def test_an_endless_string_keeps_its_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_json, "LONGEST", 1 << 20)
    raw = b'{"t":"x","a":"first words ' + b"filler words " * 400_000 + b' last words","b":1}'
    ((record,), problem) = parse_values(raw)
    assert problem is None
    assert record["a"].startswith("first words")
    assert record["a"].endswith("last words")
    assert len(record["a"]) < 2 << 20
    assert record["b"] == 1


def test_too_much_structure_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_json, "MOST_STRUCTURE", 1 << 20)
    values, problem = parse_values(b"[" + b"1," * 600_000 + b"1]")
    assert values == []
    assert "structure" in str(problem)


@pytest.mark.parametrize("value", [b"1", b'{"a":1}', b"[[]]", b'"short"'])
def test_values_that_take_too_much_memory_are_counted(monkeypatch: pytest.MonkeyPatch, value: bytes) -> None:
    monkeypatch.setenv("RECALL_RANK_LIMITS", "record=4M")
    line = b'{"t":"x","a":[' + b",".join([value] * (1_500_000 // len(value))) + b"]}"
    found, bad = read(GOOD + b"\n" + line + b"\n" + GOOD + b"\n")
    assert len(found) == 2
    assert [reason.partition(" with ")[2] for _, reason in bad] == ["values that may take more than 4 MiB of memory"]
    many = b'{"t":"x","a":["' + b'","'.join([b"long " * 100_000] * 20) + b'"]}'
    assert [reason.partition(" with ")[2] for _, reason in read(many + b"\n")[1]] == ["more than 4 MiB of text"]
    monkeypatch.setenv("RECALL_RANK_LIMITS", "record=200M")
    assert read(line + b"\n")[1] == []


def test_a_million_levels_are_counted() -> None:
    found, bad = read(GOOD + b"\n" + b"[" * 1_000_000 + b"]" * 1_000_000 + b"\n" + GOOD + b"\n")
    assert (len(found), bad) == (2, [("line 2", "nested too deeply")])


# --- payloads ----------------------------------------------------------------------------------------

PAYLOAD = base64.b64encode(random.Random(7).randbytes(6000)).decode()
WRAPPED = "\n".join(PAYLOAD[at : at + 76] for at in range(0, 7600, 76)) + "\nQUJD=="


@pytest.mark.parametrize(
    ("before", "payload", "after"),
    [
        pytest.param("see ", PAYLOAD, " there", id="bare"),
        pytest.param("data:image/png;base64,", PAYLOAD[:400] + "==", ") and more", id="short, in a data URI"),
        pytest.param("key:\n", WRAPPED, "\nend. of it", id="wrapped"),
    ],
)
def test_a_payload_is_replaced_by_a_mark(before: str, payload: str, after: str) -> None:
    text = payloads.strip_text(before + payload + after)
    assert payloads.MARK in text
    assert text.startswith(before)
    assert text.endswith(after)
    assert len(text) < len(before + after) + 160
    ((record,), _) = parse_values(orjson.dumps({"a": [before + payload + after]}))
    assert record == {"a": [text]}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("deadbeef" * 1000, id="hex dump"),
        pytest.param("-" * 5000, id="ruler"),
        pytest.param("word\n" * 2000, id="word list"),
        pytest.param("a.b(c);" * 1000, id="minified code"),
        pytest.param("日本語" * 2000, id="text without blanks"),
        pytest.param("\n".join(f"src/Some{n}File.py" for n in range(500)), id="list of paths"),
    ],
)
def test_ordinary_text_is_no_payload(text: str) -> None:
    assert payloads.strip_text(text) == text


@given(st.text(max_size=300), st.integers(2, 9))
def test_ordinary_text_stays(text: str, times: int) -> None:
    spaced = (text + " ") * times
    assert payloads.strip_text(spaced) == spaced or ";base64," in spaced


@pytest.mark.parametrize("size", [7, 64, 333, 1024, 5000, 1 << 20])
def test_a_payload_is_found_wherever_blocks_are_cut(size: int) -> None:
    texts = [
        "plain words",
        f"see data:image/png;base64,{PAYLOAD[:400]}== and more",
        "words again",
        f"({PAYLOAD})",
        "end",
    ]
    data = b"".join(json.dumps({"t": "x", "a": text}).encode() + b"\n" for text in texts)
    found, bad = read(data, size)
    assert bad == []
    assert [record["a"] for record in found] == [payloads.strip_text(text) for text in texts]
    assert PAYLOAD[:200] not in repr(found)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"t":"mess', "not JSON: Unterminated string starting at column 6"),
        (b'{"t":"me\x01ss"}', None),
        (b"rubbish", "not JSON: Expecting value at column 1"),
    ],
)
def test_the_reason_is_a_sentence(line: bytes, reason: str | None) -> None:
    assert parse_values(line)[1] == reason
