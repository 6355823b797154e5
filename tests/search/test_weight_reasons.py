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


def turn(key: str, *texts: str, time: int = NOW) -> tuple[Message, ...]:
    """Return a person's request and the agent's prose for it; the part of texts[n] is called `key`.n."""
    asked = said("look at the gauge", f"{key}.asked", time, role="user")
    return (asked, *(said(text, f"{key}.{n}", time + n + 1) for n, text in enumerate(texts)))


def test_a_summary_comes_before_a_tool_s_output_that_holds_as_much() -> None:
    line = "pump valve stuck at seven bar"
    summary = said(line, "told", BEFORE, flags=Flag.SUMMARY)
    place = called(line, "place")
    assert decides("valve stuck", "told", without(agent=1.0), session("a", summary), session("b", place))


def test_the_end_of_a_turn_comes_before_what_the_agent_said_on_the_way() -> None:
    line = "the needle froze in the salt"
    end = session("a", *turn("end", "calm water", line, time=BEFORE))
    way = session("b", *turn("way", line, "calm water"))
    assert decides("needle salt", "end.1", without(answer=DEFAULT.kind.agent), end, way)


def test_a_question_about_its_asker_finds_what_the_person_told_before_an_agent_s_advice() -> None:
    own = session("a", said("we moor at the ninth quay, me and my old boat", "own", BEFORE, role="user"))
    text = "to moor a boat, ask for a berth; where the berths of a quay are full, moor the boat outside"
    advice = session("b", said(text, "advice"))
    off = replace(DEFAULT, kind_of_asker=DEFAULT.kind)
    assert decides("where do I moor my boat", "own", off, own, advice)
    assert first("where to moor a boat", own, advice) == "advice", "the question of anybody is for the agent's answer"


def test_a_tool_s_output_comes_before_what_the_program_injects() -> None:
    rule = "run the linter before each commit"
    output, reminder = called(rule, "output", BEFORE), said(rule, "reminder", role="user", flags=Flag.SYNTHETIC)
    assert decides("linter commit", "output", without(aside=1.0), session("a", output), session("b", reminder))


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


def test_what_an_agent_ran_for_who_named_the_subject_comes_before_what_it_ran_for_others() -> None:
    """Both sessions hold the same three messages; in one the question about the gate is the one that was answered."""
    gate, level = "why does the weir gate stick", "look at the level"

    def work(key: str, before: str, asked: str, time: int) -> Session:
        requests = said(before, f"{key}.1", time, role="user"), said(asked, f"{key}.2", time + 1, role="user")
        return session(key, *requests, called("silt fills the groove", f"{key}.ran", time + 2))

    sessions = work("gate", level, gate, BEFORE), work("level", gate, level, NOW)

    def order(weights: Weights | None = None) -> list[str]:
        found = parts(ask(Index.build([*sessions, *OTHERS]), "weir gate silt groove", weights=weights))
        return [key for key in found if key.endswith("ran")]

    assert order() == ["gate.ran", "level.ran"]
    assert order(replace(DEFAULT, echo_work=0.0)) == ["level.ran", "gate.ran"]


def test_the_session_of_the_best_message_comes_before_one_of_many_weaker_ones() -> None:
    best = session("a", called("brass of a valve", "best", BEFORE))
    many = session("b", *(called("brass of a valve" + " calm" * 8, f"weaker{n}") for n in range(8)))
    assert decides("brass valve", "best", replace(DEFAULT, best_log=0.0), best, many)


def test_most_of_the_words_come_before_a_short_turn_that_has_only_the_rarest() -> None:
    most = session("a", called("the valve of brass in the bilge" + " calm water" * 2, "most", BEFORE))
    rarest = session("b", said("the pump", "rarest", role="user"))
    others = [session(f"c{n}", called(word, f"c{n}")) for n, word in enumerate(["brass", "valve", "bilge"] * 2)]
    off = replace(DEFAULT, missing=0.0)
    assert decides("brass valve bilge pump", "most", off, most, rarest, *others)


def test_words_apart_in_a_long_answer_are_there_by_chance() -> None:
    """Both answers hold the two words equally far apart; one of them is much longer."""
    apart = "the brass fitting" + " calm water" * 18 + " of the bilge"
    short = session("a", said(apart + " calm water" * 150, "short", BEFORE))
    long = session("b", said(f"{apart}\n\n" + "calm water " * 1200, "long"))
    assert decides("brass bilge", "short", replace(DEFAULT, scattered=0.0), short, long)


def test_a_request_that_is_repeated_comes_before_an_answer_that_speaks_of_it() -> None:
    asked = session("a", said("the valve of brass leaks", "asked", BEFORE, role="user"))
    text = "the valve of brass leaks: where it leaks, the valve has lost its brass"
    assert decides(
        "brass valve leaks", "asked", replace(DEFAULT, repeated=0.0), asked, session("b", said(text, "told"))
    )


def test_a_word_that_carries_the_sentence_is_no_subject() -> None:
    text = "tokens are signed, and so no session is kept" + " calm water" * 20
    choice = session("a", said(text, "choice", BEFORE))
    go = (session("b", said("go ahead", "ahead", role="user")), session("c", said("go on then", "on", role="user")))
    assert decides("why did we go with tokens", "choice", replace(DEFAULT, light=1.0), choice, *go)


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
    assert decides("gauge froze", "asked", without(subagent=1.0), main, subagent)


def test_a_word_comes_before_a_longer_one_that_an_abbreviation_may_mean() -> None:
    crane = session("a", said("the harbour crane was repaired", "word", BEFORE))
    guess = session("b", said("the configuration was repaired", "longer"))
    assert decides("confi crane", "word", replace(DEFAULT, partial=1.0), crane, guess)


def test_a_text_about_a_tool_comes_before_its_calls() -> None:
    text = session("a", called("grep lists old names" + " calm water" * 12, "text", BEFORE))
    call = session("b", called("lists names: names of names", "call", tool="grep"))
    assert decides("grep names", "text", replace(DEFAULT, metadata=1.0), text, call)


def test_what_speaks_of_a_subject_comes_before_a_session_that_only_lies_in_a_folder_of_that_name() -> None:
    ledger = session("a", said("the gauge froze", "import", BEFORE, role="user"), title="Ledger import")
    folder = session("b", said("the gauge froze", "fix", role="user"), directory="/srv/ledger")

    def order(weights: Weights | None = None) -> list[str]:
        found = parts(ask(Index.build([ledger, folder, *OTHERS]), "ledger gauge", weights=weights))
        return [key for key in found if key in {"import", "fix"}]

    assert order() == ["import", "fix"]
    assert order(replace(DEFAULT, metadata=1.0)) == ["fix", "import"]


def test_words_in_quotes_stand_together() -> None:
    text = "calm water lay beyond the pier and so nobody at all had seen the lantern"
    together = session("a", said(text, "together", BEFORE, role="user"))
    apart = session("b", said("the lantern stood on calm and shallow water", "apart", role="user"))
    assert decides('lantern "calm water"', "together", replace(DEFAULT, quoted=0.0), together, apart)


def test_characters_of_a_word_that_stand_apart_are_not_the_word() -> None:
    """Both hold the first two of four characters; of the others, one is in "science" and one in "prescription"."""
    image = session("a", said("画像を見た、画像だ", "image", BEFORE, role="user"))
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
    words = session("b", said(text, "words"))
    assert decides("fixed rate-limit gate", "name", replace(DEFAULT, scorer=0.0), wanted, words)
