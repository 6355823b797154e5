"""Packing: within its budget, what answers first, in the order of the conversation, cuts and gaps marked."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_rank.frontends.transcripts import pack as packing
from recall_rank.frontends.transcripts.exchange_parts import parts_of
from recall_rank.frontends.transcripts.pack import MIN_TOKENS, PACK_TOKENS, Packed, pack
from recall_rank.frontends.transcripts.render import transcript_markdown, transcript_of
from recall_rank.frontends.transcripts.statistics import estimated_tokens
from recall_rank.model import Message, Part, Session
from tests.support.frontends.long_sessions import START, long_session, message, said, with_subagent

TOPICS = ("tide gate", "barge crane", "ledger export", "relay wiring", "quay lamps")
GAP = re.compile(r"^\*([\d,]+) exchanges? left out\*$", re.MULTILINE)
CUT = "*Lines of this exchange are left out here.*"


def talk(count: int = 40, words: int = 40) -> Session:
    """A session whose exchanges are about one topic each, in turns; the seventh names a root cause."""
    messages = []
    for at in range(count):
        topic = TOPICS[at % len(TOPICS)]
        cause = " The float switch jammed, which is the root cause." if at == 6 else ""
        messages.append(message(at, 0, f"Please look at the {topic} of berth {at}."))
        messages.append(message(at, 1, f"The {topic} is checked.{cause} " + " ".join([f"note{at}"] * words)))
    return Session("talk", messages, title="Harbour", created=START, agent="claude-code")


def numbers(page: Packed) -> list[int]:
    return [int(number) for number in re.findall(r"^### Exchange (\d+)", page.text, re.MULTILINE)]


def check(page: Packed, max_tokens: int) -> None:
    """The budget, the order, and that the gaps and the exchanges make up the session."""
    assert page.tokens == estimated_tokens(page.text) <= max_tokens
    assert numbers(page) == sorted(numbers(page))
    assert sum(int(count.replace(",", "")) for count in GAP.findall(page.text)) + len(page.exchanges) == page.total
    for each in page.exchanges:
        assert (CUT in each.lines) == each.cut
        assert each.cut or said(each.lines) == said(each.part.lines())


def test_what_answers_comes_first_and_the_newest_fill_the_page() -> None:
    page = pack(talk(), query="float switch jammed", max_tokens=1_500)
    check(page, 1_500)
    assert page.matched == 1
    assert numbers(page)[0] == 7
    assert numbers(page)[1:] == list(range(42 - len(page.exchanges), 41))
    assert "### Exchange 7 · 2026-05-28 20:36 UTC · answers the query\n" in page.text
    assert page.text.count("· answers the query") == 1
    assert "Exchanges that answer `float switch jammed`: 1 of 40. The newest ones fill the page." in page.text
    assert GAP.findall(page.text)[0] == "6"


def test_without_a_query_the_newest_are_packed() -> None:
    page = pack(talk(), max_tokens=1_500)
    check(page, 1_500)
    assert len(page.exchanges) > 3
    assert numbers(page) == list(range(41 - len(page.exchanges), 41))
    assert [each.cut for each in page.exchanges[1:]] == [False] * (len(page.exchanges) - 1)
    assert "The newest of 40 exchanges." in page.text
    assert pack(talk(), query="  ", max_tokens=1_500).text == page.text


def test_a_query_that_nothing_answers_gives_the_newest() -> None:
    page = pack(talk(), query="zeppelin hangar", max_tokens=1_500)
    check(page, 1_500)
    assert page.matched == 0
    assert numbers(page)[-1] == 40
    assert "Exchanges that answer `zeppelin hangar`: 0 of 40." in page.text


def test_a_short_session_is_packed_whole() -> None:
    read = talk(3)
    page = pack(read)
    check(page, PACK_TOKENS)
    assert [part.part.number for part in page.exchanges] == [1, 2, 3]
    assert not GAP.findall(page.text)
    conversation = transcript_markdown(transcript_of(read)).partition("## Conversation\n")[2]
    assert re.sub(r" · about \d+ tokens", "", conversation) in page.text


def test_a_long_exchange_is_cut_to_what_answers() -> None:
    lines = [f"Entry {n}: the lamp of berth {n} burns." for n in range(4_000)]
    lines[2_345] = "Entry 2345: the float switch jammed because of barnacles."
    read = Session("s", [message(0, 0, "Read the log."), message(0, 1, "\n".join(lines)), message(1, 0, "Thanks.")])
    page = pack(read, query="float switch barnacles", max_tokens=1_200)
    check(page, 1_200)
    assert "> Entry 2345: the float switch jammed because of barnacles." in page.text
    assert "> Entry 2340: the lamp of berth 2340 burns." in page.text, "what stands beside it"
    assert page.text.count(CUT) >= 2
    assert numbers(page) == [1, 2]
    assert page.exchanges[0].cut
    assert "**assistant**" in page.text


def test_a_single_long_line_is_cut_to_what_answers() -> None:
    said = " ".join(["filler"] * 20_000) + " the float switch jammed " + " ".join(["filler"] * 20_000)
    page = pack(Session("s", [message(0, 0, said)]), query="float switch", max_tokens=MIN_TOKENS)
    check(page, MIN_TOKENS)
    assert "float switch jammed" in page.text
    assert all(line.startswith(("> ", "#", "*", "`", "Exch")) or not line for line in page.text.split("\n"))


def test_a_long_newest_exchange_is_cut_to_its_end() -> None:
    page = pack(long_session([[20], [30, 9_000]]), max_tokens=1_000)
    check(page, 1_000)
    assert page.text.rstrip().endswith("e001m001w008999;")
    assert numbers(page) == [2]
    assert "### Exchange 2, continued ·" in page.text


def test_one_answer_leaves_room_for_the_others() -> None:
    texts = ["The crane rail. " + "The crane rail is worn. " * 4_000, "Is the crane rail new?", "Painted the shed."]
    read = Session("s", [message(n, 0, text) for n, text in enumerate(texts)])
    page = pack(read, query="crane rail", max_tokens=3_000)
    check(page, 3_000)
    assert numbers(page)[:2] == [1, 2]
    assert page.tokens > 2_400, "the long one gets the room that is left"


@pytest.mark.parametrize("max_tokens", [MIN_TOKENS, 1_000, 1_200, 2_000])
def test_the_best_answer_is_on_a_small_page(max_tokens: int) -> None:
    """It is longer than a third of the page, and many shorter exchanges answer less well."""
    read = Session("s", [message(n, 0, f"A shard of lamp {n}." + " The lamp burns." * 12) for n in range(60)])
    best = "Check shard 7. " + "The seventh shard was lost twice. " * 35 + "Shard 7 is rebuilt from the shard 7 log."
    read = replace(read, messages=(*read.messages, message(60, 0, best), message(61, 0, "Ok, look at a shard again.")))
    page = pack(read, query="shard 7", max_tokens=max_tokens)
    check(page, max_tokens)
    assert 61 in numbers(page)
    assert "shard 7" in page.text.partition("### Exchange 61")[2].casefold()


def test_the_newest_ones_are_told_only_when_they_are_there() -> None:
    read = Session("s", [message(n, 0, f"The crane rail {n} is worn.") for n in range(120)])
    page = pack(read, query="crane rail", max_tokens=MIN_TOKENS)
    check(page, MIN_TOKENS)
    assert "Exchanges that answer `crane rail`: 120 of 120.\n" in page.text
    assert all(each.answers for each in page.exchanges)


def test_a_number_of_answers_that_the_engine_limits_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Session("s", [message(n, 0, f"The crane rail {n} is worn.") for n in range(30)])
    monkeypatch.setattr(packing, "MAX_RESULTS", 20)
    page = pack(read, query="crane rail", max_tokens=MIN_TOKENS)
    assert "Exchanges that answer `crane rail`: at least 20 of 30." in page.text
    assert (page.matched, page.more_may_match) == (20, True)
    monkeypatch.setattr(packing, "MAX_RESULTS", 30)
    page = pack(read, query="crane rail", max_tokens=MIN_TOKENS)
    assert "Exchanges that answer `crane rail`: 30 of 30." in page.text
    assert not page.more_may_match


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([1, 30, 90, 400, 3_000]), min_size=1, max_size=3), min_size=1, max_size=12),
    st.sampled_from([MIN_TOKENS, 900, 1_700, 5_000]),
    st.sampled_from(["w000000", "w000007 w000025", "tides", "e001m000w000000", "e000m001w000021 w000003"]),
    st.sampled_from([1, 16, 10_000]),
    st.sampled_from(["Tides", "\u6f22" * 90, "\U0001f30a" * 90, "*" * 90]),
)
def test_the_first_ranked_exchange_is_on_every_page(
    sizes: list[list[int]], max_tokens: int, query: str, width: int, name: str
) -> None:
    read = replace(long_session(sizes, width), title=name, directory=f"/{name}", agent=name, id=name)
    side = replace(long_session(sizes[:2], width, letter="s"), title=name)
    query = f"{query} {name}"
    for transcript in (transcript_of(read), with_subagent(read, side)):
        parts = parts_of(transcript, (), redact=False)
        best = packing._ranked(query, [part.messages for part in parts])
        page = pack(transcript, query=query, max_tokens=max_tokens)
        assert page.tokens <= max_tokens
        if best:
            first = parts[best[0]]
            shown = [
                each
                for each in page.exchanges
                if (each.part.session, each.part.number) == (first.session, first.number)
            ]
            assert shown
            assert said(shown[0].lines), "words of it, not only its heading"


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([0, 1, 30, 400, 4_000]), min_size=1, max_size=3), max_size=12),
    st.sampled_from([MIN_TOKENS, 900, 1_700, 5_000, 20_000]),
    st.sampled_from([None, "e003m000w000000", "w000007 w000008", "Estimated tokens", "x" * 5_000, "*\n# `a` \x1b[1m"]),
    st.sampled_from([1, 16, 10_000]),
    st.booleans(),
)
def test_the_budget_is_never_exceeded(
    sizes: list[list[int]], max_tokens: int, query: str | None, width: int, trap: bool
) -> None:
    read = long_session(sizes, width, trap=trap)
    page = pack(read, query=query, max_tokens=max_tokens)
    check(page, max_tokens)
    assert pack(read, query=query, max_tokens=max_tokens) == page
    assert "\x1b" not in page.text


@pytest.mark.parametrize("name", ["\u6f22" * 500, "*" * 1_000, "\U000e0041" * 300])
def test_long_names_leave_the_budget(name: str) -> None:
    read = replace(talk(12), title=name, directory=f"/home/mara/{name}", id=name)
    messages = [replace(each, author=name, model=name) for each in read.messages]
    for each in (read, replace(read, messages=messages)):
        for query in (None, f"gate {name}"):
            check(pack(each, query=query, max_tokens=MIN_TOKENS), MIN_TOKENS)


def test_subagents_are_searched_and_shown_with_their_names() -> None:
    side = Session("side", [Message("s0", "user", START, (Part("p", "text", "Count the pelicans."),))])
    page = pack(with_subagent(talk(), side), query="pelicans", max_tokens=1_500)
    assert page.total == 41
    assert "### Subagent 1 (Count berths, called in exchange 1), exchange 1 · " in page.text
    assert "> Count the pelicans." in page.text


def test_too_small_a_budget_is_refused() -> None:
    with pytest.raises(ValueError, match=f"max_tokens must be {MIN_TOKENS} or more, not {MIN_TOKENS - 1}"):
        pack(talk(), max_tokens=MIN_TOKENS - 1)
