"""From sessions to the text and the columns of a segment."""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.index.builder import SegmentBuilder
from recall_rank._core.index.gather import Gatherer, known_time
from recall_rank.analysis.fields import is_recall_tool
from recall_rank.analysis.normalize import fold
from recall_rank.index.segment.build import doc_class_of, refined_kind
from recall_rank.index.segment.strings import Names
from recall_rank.model import Flag, Message, Part
from tests.core.text.test_fields import some_part
from tests.reference.index import builder as reference_builder
from tests.reference.index import gather as reference
from tests.reference.index.gather import LAST_TIME
from tests.support.kernels.inputs import ATOMS, seeds

ROLES = {"user": 0, "assistant": 1, "system": 2, "tool": 3}
TEXTS = [*ATOMS, "Ω", "ς", "İ", "\ud800", "\U0001f642\udfff", "\xe9 \xe8", "A. " * 9, "\n", "ΟΔΟΣ \ud800", "Always ",
         "I prefer ", "is it so? "]  # fmt: skip
NUMBERS = [Flag(value) for value in (0, 0, 1, 2, 64, 128, 511, 512, 1023)]

Said = tuple[dict[str, Any], list[Message], int, int]  # what title() and messages() are given


def gatherers(longest: int = 16) -> list[tuple[Any, Any, Names]]:
    """The native one and the slow one, each with its builder and its names."""
    kinds = [(Gatherer, SegmentBuilder), (reference.Gatherer, reference_builder.SegmentBuilder)]
    made = []
    for kind, builder_kind in kinds:
        builder, names = builder_kind(), Names()
        asked = (doc_class_of, is_recall_tool, refined_kind, fold)
        made.append((kind(builder, ROLES, names.number, *asked, longest), builder, names))
    return made


def native(longest: int = 16) -> Gatherer:
    """The native one by itself."""
    made: Gatherer = gatherers(longest)[0][0]
    return made


def gathered(gatherer: Any, builder: Any, names: Names, *, last: bool = True) -> dict[str, Any]:
    """All that comes out, at the end or so far."""
    made = gatherer.finish() if last else gatherer.snapshot()
    columns = {name: (view.format, view.tolist()) for name, view in made.items()}
    ids = [
        (bytes(data), starts.tolist()) for data, starts in (gatherer.message_ids.buffers(), gatherer.part_ids.buffers())
    ]
    return {**columns, "ids": ids, "text": bytes(gatherer.text), "folded": bytes(gatherer.folded_text),
            "names": list(names.values), "terms": builder.finish() if last else builder.snapshot()}  # fmt: skip


def some_text(chance: Random) -> str:
    return "".join(chance.choices(TEXTS, k=chance.choice([1, 3, 9])))


def some_session(chance: Random) -> Said:
    """What a session is taken apart into."""
    messages = []
    for number in range(chance.randint(0, 4)):
        parts = []
        for _ in range(chance.randint(0, 3)):
            part = some_part(chance, some_text(chance), some_text(chance))
            tool = chance.choice([None, "", "bash", "recall", "Tôol_x", "\ud800t"])
            kind = chance.choice(["text", "tool", "reasoning", "odd"])
            parts.append(Part(some_text(chance), kind, part.text, tool, part.input, part.output, part.error, part.title,
                              part.prompt, flags=chance.choice(NUMBERS)))  # fmt: skip
        role: Any = chance.choice([*ROLES, "odd"])
        time = chance.choice([0, -1, 5, LAST_TIME, LAST_TIME + 1, 2**80])
        author = chance.choice([None, "", "Ann Bé", "x\ud800"])
        messages.append(Message(f"m{number}", role, time, parts, author, flags=chance.choice(NUMBERS)))
    title = {
        "key": f"{some_text(chance)}:title",
        "title": chance.choice([None, "", some_text(chance)]),
        "directory": chance.choice([None, "", "/a/É"]),
        "time": chance.choice([0, LAST_TIME]),
    }
    return title, messages, int(chance.choice(NUMBERS)), chance.randrange(3)


def take(gatherer: Any, session: Said) -> None:
    title, messages, flags, talk = session
    gatherer.title(**title, flags=flags, role=4, kind=0, talk=talk)
    gatherer.messages(messages, flags, talk == 1)


def test_a_session_of_one_message() -> None:
    gatherer = native()
    gatherer.title("s:title", "T", None, 2, 7, 4, 0, False)
    gatherer.messages([Message("m", "user", 5, [Part("p", "text", "É", flags=Flag.PRUNED)], "Ann")], 2, False)
    columns = {name: view.tolist() for name, view in gatherer.finish().items()}
    assert gatherer.text == b"\xf8T\xf8\xc3\x89"
    assert (gatherer.folded_text, columns["folded_part"]) == (b"\xf8\xc3\xa9", [1])
    assert (columns["message_time"], columns["message_asked"]) == ([7, 5], [0, 1])
    assert (columns["part_flags"], columns["doc_class"], columns["doc_words"]) == ([2, 18], [0, 17], [1, 1])
    assert (columns["field_start"], columns["part_start"], columns["doc_start"]) == ([0, 2, 5], [0, 2, 5], [0, 2, 5])
    assert gatherer.part_ids.buffers()[0] == b"s:titlep"
    assert len(gatherer) == 2


@pytest.mark.parametrize("time", [0, 1, LAST_TIME, LAST_TIME + 1, -1, 2**63, 2**80, -(2**80)])
def test_a_time_that_no_calendar_has_is_unknown(time: int) -> None:
    assert known_time(time) == reference.known_time(time)


@pytest.mark.slow
def test_every_character_that_folds_is_kept_folded() -> None:
    points = [point for point in range(0x80, sys.maxunicode + 1) if not 0xD800 <= point < 0xE000]
    gatherer = native(longest=2**40)
    gatherer.messages([Message("m", "system", parts=[Part("p", "odd", chr(point)) for point in points])], 0, False)
    folds = [number for number, point in enumerate(points) if fold(chr(point)) != chr(point)]
    assert gatherer.finish()["folded_part"].tolist() == folds


@pytest.mark.parametrize(
    ("part", "error"),
    [
        pytest.param(Part("p", "text", text=5), TypeError, id="a text"),  # type: ignore[arg-type]
        pytest.param(Part("p", "text", output=b"x"), TypeError, id="an output"),  # type: ignore[arg-type]
        pytest.param(Part(5, "text"), (TypeError, AttributeError), id="an id"),  # type: ignore[arg-type]
        pytest.param(Part("p", "text", flags=Flag(65536)), OverflowError, id="flags beyond 16 bits"),
    ],
)
def test_what_is_no_string_is_refused(part: Part, error: type[Exception]) -> None:
    with pytest.raises(error):
        native().messages([Message("m", "user", parts=[part])], 0, False)


@pytest.mark.parametrize("longest", [15, 0, -1])
def test_passages_have_at_least_16_bytes(longest: int) -> None:
    with pytest.raises(ValueError, match=str(longest)):
        gatherers(longest)


def test_finished_columns_take_nothing_more() -> None:
    gatherer = native()
    gatherer.finish()
    with pytest.raises(ValueError, match="finished"):
        gatherer.finish()
    with pytest.raises(ValueError, match="finished"):
        gatherer.title("s:title", "T", None, 0, 0, 4, 0, False)
    with pytest.raises(ValueError, match="finished"):
        gatherer.messages([], 0, False)


@given(seeds)
def test_the_columns_are_those_of_lists(chance: Random) -> None:
    sessions = [some_session(chance) for _ in range(chance.randint(0, 3))]
    ours, slow = gatherers()
    for made in (ours, slow):
        for session in sessions:
            take(made[0], session)
    assert len(ours[0]) == len(slow[0])
    assert gathered(*ours) == gathered(*slow)


@given(seeds)
def test_a_snapshot_equals_the_end_and_more_can_follow(chance: Random) -> None:
    ours, slow = gatherers()
    for _ in range(chance.randint(1, 3)):
        title, messages, flags, talk = some_session(chance)
        cut = chance.randint(0, len(messages))
        for made in (ours, slow):
            take(made[0], (title, messages[:cut], flags, talk))
        early = gathered(*ours, last=False)
        assert early == gathered(*slow, last=False)
        for made in (ours, slow):
            made[0].messages(messages[cut:], flags, talk == 1)
        assert gathered(*ours, last=False) == gathered(*slow, last=False)
    assert gathered(*ours) == gathered(*slow)
    for part in ours[:2]:
        with pytest.raises(ValueError, match="finished"):
            part.snapshot()


def test_messages_added_later_answer_the_user_message_before_them() -> None:
    gatherer = native()
    gatherer.title("s:title", "T", None, 0, 0, 4, 0, False)
    gatherer.messages([Message("m", "user", parts=[Part("p", "text", "why")])], 0, False)
    view = gatherer.snapshot()["message_asked"]
    gatherer.messages([Message("n", "assistant", parts=[Part("q", "text", "so")])], 0, False)
    assert (view.tolist(), gatherer.snapshot()["message_asked"].tolist()) == ([0, 1], [0, 1, 1])
    gatherer.title("t:title", "T", None, 0, 0, 4, 0, False)
    gatherer.messages([Message("o", "assistant")], 0, False)
    assert gatherer.finish()["message_asked"].tolist() == [0, 1, 1, 3, 4]
