"""What a person would miss without a weight that no labelled query needs: small histories in which it decides.

Each search is asked twice, as it is and with the weight switched off, so that the order is known to rest on the weight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recall_rank.corpus import Index
from recall_rank.model import Flag, Message, Session
from recall_rank.weights import DEFAULT, Weights
from tests.support.search.samples import HOUR_MS, NOW, ask, message, part, parts, session

BEFORE = NOW - 9 * HOUR_MS  # of equal hits the newer one is first, so the one that is to win is the older one
OTHERS = (session("calm", "calm"), session("sea", "sea"))


def without(**kinds: float) -> Weights:
    """Return the default weights with other factors of kinds of documents."""
    return replace(DEFAULT, kind=DEFAULT.kind._replace(**kinds))


def said(text: str, key: str, time: int = NOW, **fields: Any) -> Message:
    return message(f"of-{key}", part(key, text), **{"role": "assistant", "time": time, **fields})


def called(output: str, key: str, time: int = NOW, tool: str = "bash") -> Message:
    return message(f"of-{key}", part(key, tool=tool, output=output), role="assistant", time=time)


def first(query: str, *sessions: Session, weights: Weights | None = None) -> str:
    return parts(ask(Index.build([*sessions, *OTHERS]), query, weights=weights))[0]


def decides(query: str, winner: str, off: Weights, *sessions: Session) -> bool:
    """Whether `winner` is the first hit, and is not with the weights `off`."""
    return first(query, *sessions) == winner != first(query, *sessions, weights=off)


def test_the_place_itself_comes_before_a_summary_that_repeats_it() -> None:
    line = "pump valve stuck at seven bar"
    place = called(line, "place", BEFORE)
    summary = said(line, "told", flags=Flag.SUMMARY)
    assert decides("valve stuck", "place", without(agent=1.0), session("a", place), session("b", summary))


def test_what_was_said_comes_before_what_the_program_injects() -> None:
    rule = "run the linter before each commit"
    answer, reminder = said(rule, "answer", BEFORE), said(rule, "reminder", role="user", flags=Flag.SYNTHETIC)
    assert decides("linter commit", "answer", without(aside=1.0), session("a", answer), session("b", reminder))


def test_the_answer_to_who_named_the_subject_comes_before_a_mention() -> None:
    asked = said("why does the weir gate stick at high water", "asked", BEFORE, role="user")
    solved = said("silt fills the groove, rinse it", "solved", BEFORE + 1)
    work = session("a", called("level 3", "ran", BEFORE), asked, solved)
    mention = session("b", said("silt fills the groove, the groove is full of silt", "mention"))

    def order(weights: Weights | None = None) -> list[str]:
        return parts(ask(Index.build([work, mention, *OTHERS]), "weir gate silt groove", weights=weights))

    assert order().index("solved") < order().index("mention")
    off = order(replace(DEFAULT, echo=0.0))
    assert off.index("solved") > off.index("mention")


def test_what_a_person_pastes_weighs_as_what_a_tool_gives_out() -> None:
    """A person's words are few. What follows their first passage stands where a file or a log was pasted."""
    log = "pump valve stuck at seven bar" + " calm water" * 80
    place = session("a", called(log, "place", BEFORE))
    typed = session("b", said(log, "typed", BEFORE - 1, role="user"))
    pasted = session("c", said("\n\n".join(["calm water " * 130, log]), "pasted", BEFORE - 1, role="user"))
    assert first("valve stuck", place, typed) == "typed"
    assert first("valve stuck", place, pasted) == "place"


def test_a_standing_order_is_one_wherever_it_stands() -> None:
    order = "always close the valve before the pump is stopped." + " calm water" * 80
    work = session("a", said("\n\n".join(["calm water " * 130, order]), "rules", BEFORE, role="user"))
    place = session("b", called(f"{order} stop the pump, the valve", "place"))
    assert first("how can I stop the pump and the valve", work, place) == "rules"


def test_the_main_conversation_comes_before_a_subagent_that_says_as_much() -> None:
    text = "the gauge froze at noon"
    main = session("main", said(text, "asked", BEFORE))
    subagent = session("subagent", said(text, "ordered"), flags=Flag.SUBAGENT)
    assert decides("gauge froze", "asked", without(agent=1.0), main, subagent)


def test_a_word_comes_before_a_longer_one_that_an_abbreviation_may_mean() -> None:
    crane = session("a", said("the harbour crane was repaired", "word", BEFORE))
    guess = session("b", said("the configuration was repaired", "longer"))
    assert decides("confi crane", "word", replace(DEFAULT, partial=1.0), crane, guess)


def test_a_text_about_a_tool_comes_before_its_calls() -> None:
    text = session("a", said("grep lists old names", "text", BEFORE))
    call = session("b", called("lists old names", "call", tool="grep"))
    assert decides("grep names", "text", replace(DEFAULT, metadata=1.0), text, call)


def test_what_speaks_of_a_subject_comes_before_a_session_that_only_lies_in_a_folder_of_that_name() -> None:
    ledger = session("a", said("the gauge froze", "import", BEFORE, role="user"), title="Ledger import")
    folder = session("b", said("the gauge froze", "fix", role="user"), title="Frozen gauge", directory="/srv/ledger")
    assert decides("ledger gauge", "fix", replace(DEFAULT, metadata=1.0), ledger, folder)


def test_words_in_quotes_stand_together() -> None:
    text = "calm water lay beyond the pier and so nobody at all had seen the lantern"
    together = session("a", said(text, "together", BEFORE, role="user"))
    apart = session("b", said("the lantern stood on calm and shallow water", "apart", role="user"))
    assert decides('lantern "calm water"', "together", replace(DEFAULT, quoted=0.0), together, apart)


def test_characters_of_a_word_that_stand_apart_are_not_the_word() -> None:
    """Both hold the first two of four characters; of the others, one is in "science" and one in "prescription"."""
    image = session("a", said("画像を見た", "image", BEFORE, role="user"))
    apart = session("b", said("画像の理科と処方", "apart", role="user"))
    assert decides("画像処理", "image", replace(DEFAULT, partial=1.0), image, apart)


def test_a_misspelt_name_finds_the_nearest_name_before_a_shorter_one_that_is_everywhere() -> None:
    """No document holds `uf`, and the words of `chat_template` alone are evidence of every other word."""
    wanted = session("a", called("masks follow apply_hf_chat_template(tokenizer) in the harbour", "nearest", BEFORE))
    text = "apply chat_template, apply it again: chat_template must apply"
    shorter = [session(f"b{n}", said(f"{text} {n}", f"shorter{n}", role="user")) for n in range(3)]
    assert decides("apply_uf_chat_template", "nearest", replace(DEFAULT, scorer=0.0), wanted, *shorter)


def test_a_name_that_stands_alone_comes_before_thirty_longer_ones_that_end_with_it() -> None:
    """One long output holds the name itself, once; a person speaks of its test and its words many times."""
    padding = "\n".join(f"line {n}: the harbour crane moves slowly past the quay" for n in range(400))
    text = f"{padding}\nfunc InstallHooks_LocalDev(root string) error {{\n{padding}"
    alone = session("a", called(text, "alone", BEFORE))
    of_test = "TestInstallHooks_LocalDev fails, so install the hooks for local dev. " * 3
    longer = [session(f"b{n}", said(of_test, f"test{n}", role="user")) for n in range(30)]
    assert decides("InstallHooks_LocalDev", "alone", replace(DEFAULT, scorer=0.0), alone, *longer)


def test_a_name_as_it_was_written_comes_before_one_of_other_capitals() -> None:
    value = session("a", called("closed by this.tideController at noon", "value", BEFORE))
    kind = session("b", called("closed by this.TideController at noon", "kind"))
    assert decides("tideController", "value", replace(DEFAULT, scorer=0.0), value, kind)


def test_the_name_among_the_words_of_a_query_is_looked_for_as_a_name() -> None:
    wanted = session("a", called("fixed rateLimit in the gate", "name", BEFORE))
    text = "fixed rate_limit_reached at the rate limit gate, fixed rate_limit_reached in the gate limit rate"
    words = session("b", said(text, "words", role="user"))
    assert decides("fixed rate-limit gate", "name", replace(DEFAULT, scorer=0.0), wanted, words)
