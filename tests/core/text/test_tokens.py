"""The tokeniser gives the words, joined forms and special forms that its contract names."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall_rank._core.text.tokens import query_tokens, tokens
from tests.reference.text import tokens as reference
from tests.support.kernels.inputs import strings, texts

WORD, JOINED, SPECIAL = 0, 1, 2
STOP = [b"the", b"is", b"a", b"b"]


def forms(text: str) -> list[str]:
    return [token[0] for token in tokens(text.encode())]


ROWS = [
    pytest.param("", [], id="nothing"),
    pytest.param(" \t\n!?", [], id="separators only"),
    pytest.param("The quick fox", ["the", "quick", "fox"], id="case"),
    pytest.param("rateLimit", ["rate", "limit", "ratelimit"], id="camel case"),
    pytest.param("XMLParser", ["xml", "parser", "xmlparser"], id="the last capital belongs to the next word"),
    pytest.param("getHTTPResponse", ["get", "http", "response", "gethttpresponse"], id="capitals inside"),
    pytest.param("URLs IDs", ["urls", "ids"], id="a lone s belongs to the capitals"),
    pytest.param("URLset", ["ur", "lset", "urlset"], id="an s that goes on does not"),
    pytest.param("rate_limit", ["rate", "limit", "ratelimit"], id="underscore"),
    pytest.param("rate-limit", ["rate", "limit", "ratelimit"], id="hyphen"),
    pytest.param("a__b", ["a", "b"], id="two separators part words"),
    pytest.param("_a- b", ["a", "_a", "b"], id="separators at the edge join nothing"),
    pytest.param("os.path", ["os", "path", "ospath"], id="dotted name"),
    pytest.param("a_b.c-d", ["a", "b", "c", "d", "ab", "cd", "abcd"], id="identifiers of a dotted name, and all of it"),
    pytest.param("1.2.3", ["1", "2", "3", "1.2.3"], id="numbers keep their separators"),
    pytest.param("2026-11-21", ["2026", "11", "21", "2026-11-21"], id="dates too"),
    pytest.param("v1.2", ["v1", "2", "v12"], id="a number with a letter does not"),
    pytest.param("error404", ["error", "404", "error404"], id="digits behind three letters are apart"),
    pytest.param("404error", ["404", "error", "404error"], id="digits before three letters too"),
    pytest.param("E0502 utf8 x86", ["e0502", "utf", "8", "utf8", "x86"], id="fewer letters stay with their digits"),
    pytest.param("a1bcd2", ["a1bcd2"], id="every run of letters must have three"),
    pytest.param("ошибка404", ["ошибка", "404", "ошибка404"], id="letters are counted, not bytes"),
    pytest.param("щщ1", ["щщ1"], id="two letters of four bytes stay"),
    pytest.param("café404", ["cafe", "404", "cafe404"], id="accents hinder no cut"),
    pytest.param("x" * 31 + "12", ["x" * 31 + "12"], id="long words stay whole"),
    pytest.param("x" * 30 + "12", ["x" * 30, "12", "x" * 30 + "12"], id="32 bytes are still cut"),
    pytest.param("don't rock'n'roll", ["dont", "rocknroll"], id="apostrophes inside"),
    pytest.param("Ada's o\u2019clock", ["ada", "oclock"], id="possessive s and curly apostrophe"),
    pytest.param("ABC's x", ["abc", "x"], id="possessive behind capitals"),
    pytest.param("c++ C# #4410 100%", ["c", "c++", "c", "c#", "4410", "#4410", "100", "100%"], id="special forms"),
    pytest.param("abc++ ab# a%", ["abc", "ab", "a"], id="what is none"),
    pytest.param("é++", ["e"], id="special forms are ASCII"),
    pytest.param(
        "CAFÉ cafe\u0301 Straße ﬁle İ", ["cafe", "cafe", "strasse", "file", "i"], id="accents, ligatures, case"
    ),
    pytest.param("ς Σ", ["σ", "σ"], id="both forms of sigma"),
    pytest.param("ＡＢ１２ ٣٤", ["ab12", "34"], id="wide letters, digits of other scripts"),
    pytest.param("so\u00adft k\u200dj", ["soft", "kj"], id="invisible characters"),
    pytest.param("हिन्दी", ["हिन्दी"], id="Indic signs are letters"),
    pytest.param("日本語", ["日", "本", "日本", "語", "本語"], id="characters and pairs"),
    pytest.param("版本v2号", ["版", "本", "版本", "v2", "号"], id="glued to ASCII"),
    pytest.param("カ\u3099 ｶﾞ ガ", ["ガ", "ガ", "ガ"], id="voice marks and half width"),
    pytest.param(
        "は\u309a は\u3099 か\u309a", ["ぱ", "ば", "か", "\u309a", "か\u309a"], id="half-voiced where it can be"
    ),
    pytest.param("う\u3099 つ\u3099 ヲ\u3099 ヽ\u3099", ["ゔ", "づ", "ヺ", "ヾ"], id="voice marks on other kana"),
    pytest.param("\ufa11 \U0002f800", ["\ufa11", "\u4e3d"], id="compatibility ideographs"),
    pytest.param("\u1112\u1161\u11ab 한", ["한", "한"], id="conjoining jamo"),
    pytest.param("각\u11a8", ["각", "\u11a8", "각\u11a8"], id="a syllable ends once"),
    pytest.param("ทำ", ["ทํา"], id="the vowel am is its sign and its vowel"),
    pytest.param("เกาะ", ["เกาะ"], id="vowels before and behind one consonant"),
    pytest.param("าก", ["า", "ก", "าก"], id="a vowel without its consonant"),
    pytest.param("កម្ពុ", ["ក", "ម្ពុ", "កម្ពុ"], id="a stacked consonant belongs to the one above"),
    pytest.param("မြန်", ["မြ", "န်", "မြန်"], id="medial consonants and the mark that silences a vowel"),
    pytest.param("مدرسة على", ["مدرسه", "علي"], id="Arabic letters that stand for each other"),
    pytest.param("ไทย", ["ไท", "ย", "ไทย"], id="Thai has no spaces; a vowel before its consonant belongs to it"),
    pytest.param("🙂🏽 a👩\u200d💻", ["🙂", "a", "👩", "💻"], id="emoji without skin tone and joiner"),
    pytest.param("a" * 70, ["a" * 64], id="a form has at most 64 bytes"),
    pytest.param("a" * 63 + "щb", ["a" * 63], id="cut on a character, and nothing behind the cut"),
    pytest.param("a" * 32 + "_" + "b" * 32, ["a" * 32, "b" * 32, "a" * 32 + "b" * 32], id="joined to 64 bytes"),
    pytest.param("a" * 32 + "_" + "b" * 33, ["a" * 32, "b" * 33], id="not to 65"),
    pytest.param("_".join("a" * 12), [*"a" * 12, "a" * 12], id="twelve pieces are joined"),
    pytest.param("_".join("a" * 13), [*"a" * 13], id="thirteen are not"),
    pytest.param("_".join("a" * 30 + "bcd"), [*"a" * 30, "b", "c", "d"], id="a compound has 32 pieces"),
    pytest.param("#" + "1" * 64, ["1" * 64], id="a special form has at most 64 bytes too"),
    # names with marks at their edges
    pytest.param("_x a_ _at", ["x", "_x", "a", "a_", "at", "_at"], id="an underscore at an edge"),
    pytest.param("__init__.py", ["init", "__init__", "py"], id="two underscores at both edges"),
    pytest.param("'_x' `_x`,(_x)", ["x", "_x"] * 3, id="quotes and brackets end a name"),
    pytest.param(
        "\u201c_x\u201d \u4ee5_x", ["x", "_x", "\u4ee5", "x", "_x"], id="curly quotes, a script without blanks"
    ),
    pytest.param("self._x foo_{bar}", ["self", "x", "_x", "foo", "foo_", "bar"], id="any separator ends an identifier"),
    pytest.param(
        "_privateName _private_name _PRIVATE_NAME",
        ["private", "name", "privatename", "_privatename"] * 3,
        id="the joined form keeps its marks",
    ),
    pytest.param("_a.b_", ["a", "b", "ab", "_a", "b_"], id="a dotted name: marks of its first and last identifier"),
    pytest.param("_1_2 _Щит", ["1", "2", "1_2", "_1_2", "щит", "_щит"], id="numbers, letters that are not ASCII"),
    pytest.param("a__b é__b ____ x____ ___x", ["a", "b", "e", "b", "x", "x"], id="no edge: inside a word, and rules"),
    pytest.param("e\u0301__b a_\u0301", ["e", "b", "a", "a_"], id="accents"),
    pytest.param("--flag '--no-cache=1'", ["flag", "--flag", "no", "cache", "nocache", "--nocache", "1"], id="flags"),
    pytest.param("--no_Cache", ["no", "cache", "nocache", "--nocache"], id="a flag is joined, too"),
    pytest.param("-x `-rf` -name -O2", ["x", "-x", "rf", "-rf", "name", "-name", "o2", "-o2"], id="short flags"),
    pytest.param("-names a-x (-x) -a-b =-x", ["names", "a", "x", "ax", "x", "a", "b", "ab", "x"], id="no short flags"),
    pytest.param("---x -- x-- a--b ---", ["x", "x", "a", "b"], id="rules and dashes are no flags"),
    pytest.param(".env src/.gitignore", ["env", ".env", "src", "gitignore", ".gitignore"], id="hidden files"),
    pytest.param(".eslintrc.json", ["eslintrc", "json", "eslintrcjson", ".eslintrc"], id="and their suffixes"),
    pytest.param("a.b ...so end. So .5 x().y", ["a", "b", "ab", "so", "end", "so", "5", "x", "y"], id="other dots"),
    pytest.param('@validate "@types/node"', ["validate", "@validate", "types", "@types", "node"], id="decorators"),
    pytest.param("ada@example.org @2x x@", ["ada", "example", "org", "exampleorg", "2x", "x"], id="other at signs"),
    pytest.param("#define (#main)", ["define", "#define", "main", "#main"], id="directives"),
    pytest.param("ab#define # define ##x #2a", ["ab", "define", "define", "x", "2a"], id="other number signs"),
    pytest.param("_c++ #_x --_y", ["c", "_c", "c++", "x", "_x", "y", "_y"], id="several marks: the underscore counts"),
    pytest.param("_" + "_".join("a" * 12), [*"a" * 12, "a" * 12, "_" + "a" * 12], id="twelve pieces with a mark"),
    pytest.param("_" + "_".join("a" * 13), [*"a" * 13], id="thirteen pieces with a mark"),
    pytest.param("_" + "a" * 63, ["a" * 63, "_" + "a" * 63], id="with its marks a form has at most 64 bytes"),
    pytest.param("_" + "a" * 64, ["a" * 64], id="and is not cut"),
]


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_rows(text: str, expected: list[str]) -> None:
    assert forms(text) == expected
    assert tokens(text.encode()) == reference.tokens(text.encode())


def test_a_token_tells_kind_place_position_and_span() -> None:
    assert tokens("é_C++ 日本 #12".encode()) == [
        ("e", WORD, 0, 2, 0, 1, False),
        ("c", WORD, 3, 4, 1, 1, False),
        ("ec", JOINED, 0, 4, 0, 2, False),
        ("日", WORD, 7, 10, 2, 1, True),
        ("本", WORD, 10, 13, 3, 1, True),
        ("日本", JOINED, 7, 13, 2, 2, True),
        ("12", WORD, 15, 17, 4, 1, False),
        ("#12", SPECIAL, 14, 17, 4, 1, False),
    ]
    assert tokens(b"x._a_b c_") == [
        ("x", WORD, 0, 1, 0, 1, False),
        ("a", WORD, 3, 4, 1, 1, False),
        ("b", WORD, 5, 6, 2, 1, False),
        ("ab", JOINED, 3, 6, 1, 2, False),
        ("_ab", SPECIAL, 2, 6, 1, 2, False),
        ("c", WORD, 7, 8, 3, 1, False),
        ("c_", SPECIAL, 7, 9, 3, 1, False),
    ]


def test_the_special_form_of_a_stop_word_is_a_word_of_the_query() -> None:
    words, compounds = query_tokens(b"the _at i++ _x", frozenset({b"the", b"at", b"i"}))
    assert words == [
        (b"the", "the", False, False),
        (b"_at", "_at", True, False),
        (b"i++", "i++", True, False),
        (b"x", "x", True, False),
    ]
    assert compounds == [(b"_x", "_x", 3, 1, False)]


@pytest.mark.parametrize(
    "text", [b"\xff", b"\xc3", b"\xe0\x81\x81", b"\xed\xa0\x80", b"\xf0\x80\x81\x81", b"\xf4\x90\x80\x80"]
)
def test_bytes_that_are_not_utf8_separate(text: bytes) -> None:
    assert [token[0] for token in tokens(b"a" + text + b"b" + text)] == ["a", "b"]


@pytest.mark.parametrize("text", [None, "text", bytearray(b"text"), 7])
def test_only_bytes_are_read(text: Any) -> None:
    with pytest.raises(TypeError):
        tokens(text)


@pytest.mark.slow
def test_every_character_below_the_rare_ideographs() -> None:
    # alone, and between letters
    for first in range(0, 0x20100, 256):
        chars = [chr(point) for point in range(first, first + 256) if not 0xD800 <= point < 0xE000]
        text = "\n".join(f"{char}\nab{char}cd" for char in chars).encode()
        assert tokens(text) == reference.tokens(text)


@given(texts.map(lambda text: text.decode("utf-8", "replace").encode()), st.sets(st.sampled_from(STOP)))
@example(b"the is_a", {b"the", b"is", b"a"})
@example(b"the lamp", {b"the", b"a"})
@example(b"the _a++", {b"the", b"a"})
def test_what_is_asked_for_are_the_words_and_what_they_make(text: bytes, stop: set[bytes]) -> None:
    assert query_tokens(text, frozenset(stop)) == reference.query_tokens(text, frozenset(stop))


@given(texts)
@example("щщ1".encode())
@example("1щщ".encode())  # two letters in four bytes, behind digits
@example(b"a" * 63 + "щ".encode() + b"b")
@example("🏽-a \u201c-a --é__ \u0301_x\u0301_ é_x日_x".encode())
@example(b"\xa9_x \xc3\xa9\xa9_x \xf0\x9f\x8f_x \x7f.a")
def test_every_token_is_as_the_rules_say(text: bytes) -> None:
    assert tokens(text) == reference.tokens(text)


@given(strings)
@example("HTTPE\u0301tat's\u0301 URLs\u0301")
@example("ᾳ α\u0345 ो े\u093e क\u093c ゝ\u3099 가\u11a8 \ufa11")
def test_normal_forms_of_unicode_are_one(text: str) -> None:
    composed, decomposed = (tokens(unicodedata.normalize(form, text).encode()) for form in ("NFC", "NFD"))
    assert [token[:2] + token[4:] for token in composed] == [token[:2] + token[4:] for token in decomposed]


@given(texts, texts)
def test_lines_are_read_one_by_one(first: bytes, second: bytes) -> None:
    before, behind = tokens(first), tokens(second)
    shift, words = len(first) + 1, sum(token[1] == WORD for token in before)
    moved = [(f, k, s + shift, e + shift, p + words, n, c) for f, k, s, e, p, n, c in behind]
    assert tokens(first + b"\n" + second) == before + moved


@given(st.characters(exclude_categories=["Cs"]))
def test_a_folded_character_is_its_own_fold(char: str) -> None:
    for form, *_ in tokens(char.encode()):
        assert forms(form) == [form]
