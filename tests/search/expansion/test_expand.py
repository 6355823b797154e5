"""The terms that match the words of a query, by the hits of smart and fuzzy mode."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.search.expansion.expand import expand
from recall_rank.search.expansion.forms import MAX_FUZZY
from recall_rank.search.filters.eligible import eligible_set
from recall_rank.search.options import Options
from recall_rank.search.query import Query
from recall_rank.weights import DEFAULT
from tests.support.search.samples import ask, found, marked, message, part, parts, session, texts

SMART, FUZZY = {"smart", "fuzzy"}, {"fuzzy"}
NEVER: set[str] = set()

ROWS = [
    pytest.param("lantern", "the lantern is lit", SMART, id="exact"),
    pytest.param("lantern", "the ladder is lit", NEVER, id="another word"),
    pytest.param("LANTERN", "lantern", SMART, id="case"),
    pytest.param("cafe", "the CAF\u00c9 opens", SMART, id="accent, composed"),
    pytest.param("caf\u00e9", "the cafe\u0301 opens", SMART, id="accent, decomposed"),
    pytest.param("strasse", "die Stra\u00dfe", SMART, id="sharp s"),
    pytest.param("ﬁle", "a file", SMART, id="ligature"),
    pytest.param("１２３", "number 123", SMART, id="wide digits"),
    # stems
    pytest.param("connecting", "it connects", SMART, id="stem"),
    pytest.param("migration", "we migrated it", SMART, id="stem of another ending"),
    pytest.param("universe", "the universal joint", {"smart", "fuzzy"}, id="stem, as the stemmer has it"),
    # prefixes
    pytest.param("auth", "authentication", SMART, id="prefix of four"),
    pytest.param("aut", "authentication", SMART, id="prefix of three: the text scan finds it"),
    pytest.param("aut x", "authentication", NEVER, id="prefix of three"),
    pytest.param("authentication", "auth", NEVER, id="a longer word is no prefix"),
    # compounds: any of five spellings finds any other
    *(
        pytest.param(query, text, SMART, id=f"{query} finds {text}")
        for query in ("rateLimit", "rate_limit", "rate-limit", "rate limit", "ratelimit")
        for text in ("rateLimit", "rate_limit", "rate-limit", "rate limit", "ratelimit", "RATELIMIT")
    ),
    pytest.param("getHttpResponse", "get_http_response", SMART, id="three pieces"),
    pytest.param("gethttpresponse", "getHTTPResponse", SMART, id="joined finds camel case"),
    pytest.param("auth.cookie", "authCookie", SMART, id="dots"),
    pytest.param("error 404", "error404", SMART, id="digits join"),
    pytest.param("error404", "error 404", SMART, id="digits split"),
    pytest.param("logfile", "file log", SMART, id="halves of a split word, in any order"),
    pytest.param("logfile", "log of nothing", NEVER, id="one half is not enough"),
    # repairs: words of four characters, one edit; from eight, two
    pytest.param("lantren", "the lantern", SMART, id="swap"),
    pytest.param("lanterm", "the lantern", SMART, id="replaced"),
    pytest.param("lanern", "the lantern", SMART, id="missing"),
    pytest.param("lanttern", "the lantern", SMART, id="doubled"),
    pytest.param("kantern", "the lantern", SMART, id="first letter"),
    pytest.param("wikc", "the wick", SMART, id="four characters"),
    pytest.param("wik", "the wick", NEVER, id="three characters are not repaired"),
    pytest.param("lamtrn", "the lantern", FUZZY, id="two edits in six characters"),
    pytest.param("migratoinn", "the migration", SMART, id="two edits in ten characters"),
    pytest.param("mgratoinn", "the migration", FUZZY, id="three edits in nine characters"),
    pytest.param("mgrtoinn", "the migration", NEVER, id="four edits"),
    pytest.param("4411", "issue 4410", NEVER, id="numbers are not repaired"),
    pytest.param("E0503", "error E0502", SMART, id="codes are words"),
    pytest.param("rate_limitter", "rateLimiter", SMART, id="a compound misspelt"),
    # punctuation that belongs to a word
    pytest.param("C++", "written in c++ and rust", SMART, id="c++"),
    pytest.param("#4410", "see (#4410).", SMART, id="issue number"),
    pytest.param("100%", "at 100% cpu", SMART, id="percent"),
    # scripts without blanks
    pytest.param("制限", "レート制限を超えた", SMART, id="cjk pair"),
    pytest.param("制", "レート制限を超えた", SMART, id="cjk single"),
    pytest.param("限制", "レート制限を超えた", NEVER, id="cjk pair in another order"),
    pytest.param("超過", "レート制限を超えた", NEVER, id="one of two cjk characters"),
    pytest.param("API制限", "このAPI制限", SMART, id="cjk glued to latin"),
    pytest.param("🚀", "deploy 🚀 done", SMART, id="emoji"),
    pytest.param("ограничение", "Ограничение скорости", SMART, id="cyrillic"),
    pytest.param("огранчение", "ограничение скорости", SMART, id="cyrillic misspelt"),
    # stop words
    pytest.param("where is the lantern", "it is where the sea is", NEVER, id="words that only ask are not searched"),
    pytest.param("to be or not to be", "to be is to do", SMART, id="unless there is nothing else"),
    # inside of a word: only the text scan finds it
    pytest.param("natureErr", "InvalidSignatureError", SMART, id="infix"),
    pytest.param("?!", "what?! no", SMART, id="no word at all"),
]  # fmt: skip


@pytest.mark.parametrize("match", ["smart", "fuzzy"])
@pytest.mark.parametrize(("query", "text", "modes"), ROWS)
def test_hits(query: str, text: str, modes: set[str], match: str) -> None:
    index = texts("something else entirely", text)
    assert (found(index, query, match=match) == {"s.1.1"}) is (match in modes)


def test_a_known_word_is_not_repaired_by_smart_but_expanded_by_fuzzy() -> None:
    index = texts("the lantern", "the lanterm", "a ladder")
    assert found(index, "lantern") == {"s.0.1"}
    assert parts(ask(index, "lantern", match="fuzzy")) == ["s.0.1", "s.1.1"]


def test_guesses_of_fuzzy_mode_are_hits_without_evidence() -> None:
    """Near terms of a known word, and terms at three edits; terms at two edits are evidence in fuzzy mode, too."""
    hits = ask(texts("the lantern", "the lanterm", "a ladder"), "lantern", match="fuzzy").results
    assert [hit.stage for hit in hits] == ["score", "scan"]
    index = texts("the migration", "calm water", "nothing else")
    (guess,), (repair,) = (ask(index, word, match="fuzzy").results for word in ("mgratoinn", "mgratoin"))
    assert (guess.part_id, guess.stage) == (repair.part_id, "scan")
    assert repair.stage == "score"


def test_halves_of_a_known_word_come_last_and_both_must_stand_there() -> None:
    index = texts("the face of the inter net", "a calm face", "the interface", "inter alia")
    assert parts(ask(index, "interface")) == ["s.2.1", "s.0.1"]
    assert [hit.stage for hit in ask(index, "interface").results] == ["score", "scan"]


def test_the_nearest_repair_ranks_first() -> None:
    index = texts("the configuration", "the configurations of it", "konfigurattion")
    assert parts(ask(index, "configuratoin"))[0] == "s.0.1"


@pytest.mark.parametrize("match", ["literal", "regex"])
@pytest.mark.parametrize("group", ["part", "session"])
def test_no_repair_is_reported_where_the_text_decides(match: str, group: str) -> None:
    """Terms only rank such hits: every one of them holds the query as it was written."""
    index = texts("xlantrnx stands here, and a lantern", "a lantern")
    response = ask(index, "lantrn", match=match, group=group, explain=True)
    assert response.total == 1
    assert not response.suggestions
    for hit in response.results:
        assert "lantern" not in str(hit.why.matched_forms)
        assert not {"lantern"} & set(hit.matched_terms)


def test_a_repair_is_reported() -> None:
    response = ask(texts("the lantern"), "lantren")
    assert any("lantren" in text and "lantern" in text for text in response.suggestions)
    assert not ask(texts("the lantern"), "lantern").suggestions


def test_the_terms_that_matched_are_the_query_s_own() -> None:
    result = ask(texts("rateLimit of the lanterns"), "Lantern rate_limit absent the").results[0]
    assert list(result.matched_terms) == ["Lantern", "rate", "limit"]
    assert set(marked(result)) >= {"rateLimit", "lanterns"}


def test_an_author_alone_is_a_hit() -> None:
    assert found(Index.build([session("s", message("m", "nothing at all", author="Odile"))]), "odile") == {"m.1"}


def test_a_tool_s_name_and_an_author_are_evidence() -> None:
    index = Index.build(
        [
            session(
                "s",
                message("m", part("p", tool="grep", output="nothing of note")),
                message("n", "nothing at all", author="Odile"),
                directory="/srv",
            )
        ]
    )
    assert found(index, "grep") == {"p"}
    assert found(index, "odile") == {"n.1"}
    assert found(index, "grep", match="literal") == set()
    assert list(ask(index, "grep").results[0].why.matched_fields) == ["tool_name"]
    assert list(ask(index, "odile").results[0].why.matched_fields) == ["author"]
    assert ask(index, "odile").results[0].author == "Odile"


def test_fuzzy_takes_a_bounded_number_of_neighbours_beyond_those_of_smart() -> None:
    near = [f"lanter{chr(97 + n)}" for n in range(26)]
    far = [f"lante{chr(97 + n)}{chr(97 + m)}" for n in range(10) for m in range(10)]
    index = texts(*near, *far)
    smart, fuzzy = found(index, "lanter"), found(index, "lanter", match="fuzzy")
    assert len(smart) == len(near)
    assert smart <= fuzzy
    assert len(smart) < len(fuzzy) <= len(smart) + MAX_FUZZY


FORMS = ("lantern", "lanterns", "lanternfish", "lantren")


def test_the_word_itself_ranks_before_its_other_forms() -> None:
    assert parts(ask(texts(*FORMS), "lantern")) == ["s.0.1", "s.1.1", "s.2.1"]


def test_the_word_itself_ranks_before_its_other_forms_and_misspellings() -> None:
    assert parts(ask(texts(*FORMS), "lantern", match="fuzzy"))[0] == "s.0.1"


def test_options_do_not_change_the_repair_of_a_word() -> None:
    index = texts("the lantern", "a lantren")
    base = found(index, "lantern")
    options: list[dict[str, Any]] = [{"width": 50}, {"explain": True}, {"group": "session"}, {"order": "time"}]
    for option in options:
        assert found(index, "lantern", **option) == base


def test_a_repaired_word_finds_what_the_right_spelling_would_have_found() -> None:
    said = [message("odile", "it came in at dawn", author="Odile"), message("rosa", "nothing came in", author="Rosa")]
    talk = Index.build([session("s", *said)])
    assert parts(ask(talk, "what did Odille say at dawn"))[0] == "odile.1"
    assert found(talk, "Odille") == found(talk, "Odile") == {"odile.1"}
    index = texts("we migrated the ferry tables", "calm water")
    assert found(index, "migarte") == set()  # "migrate" itself was never written: nothing to repair towards
    index = texts("we migrated the ferry tables", "migrate", "calm water")
    assert found(index, "migarte") == {"s.0.1", "s.1.1"}


def test_lengths_of_words_and_names_are_counted_in_characters() -> None:
    """Each of these words has three characters and more bytes, so it is too short for a misspelling."""
    talk = Index.build(
        [session("s", message("m", "nothing at all", author="Łuk"), message("n", "łąk", author="Odile"))]
    )
    assert found(talk, "łuż") == found(talk, "łąż") == set()
    four = Index.build(
        [session("s", message("m", "nothing at all", author="Łukę"), message("n", "łąkę", author="Odile"))]
    )
    assert found(four, "łużę") == {"m.1"}
    assert found(four, "łążę") == {"n.1"}
    # seven characters in eleven bytes: one edit, not two
    long = Index.build([session("s", message("m", "nothing at all", author="Łąśćżół"))])
    assert found(long, "łąśćżók") == {"m.1"}
    assert found(long, "łąśćżkk") == set()


def test_a_repaired_name_is_reported() -> None:
    talk = Index.build([session("s", message("m", "nothing at all", author="Odile"), message("n", "an odille"))])
    wrong = Index.build([session("s", message("m", "nothing at all", author="Odile"))])
    assert [str(each) for each in ask(wrong, "Odille").suggestions] == [
        "nobody wrote 'Odille'; 'odile' was searched instead"
    ]
    assert not ask(talk, "Odille").suggestions  # written, and the author of that name is found besides
    assert not ask(wrong, "Odile").suggestions


def test_a_forgotten_blank_in_a_sentence_is_put_back() -> None:
    index = texts("the harbour is frozen", "a lantern was lost", "the harbour lost a lantern", "calm water")
    # each half counts like the word it is; a lone word must be there as a whole
    assert found(index, "who lost the harbourlantern") == {"s.0.1", "s.1.1", "s.2.1"}
    assert found(index, "harbourlantern") == {"s.2.1"}
    assert parts(ask(index, "who lost the harbourlantern"))[0] == "s.2.1"


def test_a_word_with_a_known_inflection_is_not_repaired() -> None:
    assert found(texts("a stone", "the stores"), "stones") == {"s.0.1"}
    assert found(texts("a ladder", "the stores"), "stones") == {"s.1.1"}
    index = texts("an isolated harbour", "an iso norm", "too late now")
    assert found(index, "isolate the harbour") == {"s.0.1"}


def test_common_words_together_outweigh_one_that_is_a_little_rarer() -> None:
    others = [f"{word} {n} water" for word, count in (("calm", 18), ("tide", 6), ("rope", 6)) for n in range(count)]
    index = texts("rope here tide", "calm", "here a mast", *others)  # a neighbour would lend its evidence
    assert parts(ask(index, "tide mast rope"))[:2] == ["s.0.1", "s.2.1"]


def test_the_characters_of_a_pair_weigh_as_the_pair_does() -> None:
    """Else a word of two characters would count twice beside a word of letters, or as little as a stop word."""
    segment = texts("レート制限を超えた", "lantern", *(f"calm {n}" for n in range(30)))._reader
    parsed = Query.parse("制限 lantern", 1, Options())
    first, second, word = expand(parsed, segment, eligible_set(segment, parsed)).word_weights
    assert first == second == pytest.approx(word / 2)


def test_in_a_sentence_a_hyphen_joins_words_and_no_name() -> None:
    def boosts(query: str) -> set[float]:
        index = texts("a high-speed ferry", "calm water")
        parsed, segment = Query.parse(query, 1, Options()), index._reader
        groups = expand(parsed, segment, eligible_set(segment, parsed)).groups
        return {group.boost for group in groups if group.span == 2}

    assert boosts("high-speed") == boosts("high-speed ferry") == {DEFAULT.joined}
    assert boosts("who saw high-speed ferries cross narrow harbour mouths") == {DEFAULT.partial}
    assert boosts("who saw high_speed ferries cross narrow harbour mouths") == {DEFAULT.joined}
    assert boosts("who saw High-Speed ferries cross narrow harbour mouths") == {DEFAULT.joined}
