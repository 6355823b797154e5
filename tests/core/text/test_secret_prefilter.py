"""The kernel secret_prefilter reports the kinds of secrets that regular expressions find."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.text.secret_prefilter import ADDRESS, BLOCK, HEADER, KEY, NAMED, UNSEEN, SecretPrefilter
from recall_rank.analysis.unseen_characters import UNSEEN_RANGES
from tests.reference.text import secret_prefilter as reference
from tests.support.kernels.inputs import seeds

STARTS = ["sk-ant-", "ghp_", "SK", "hooks.slack.com/services/", "AccountKey=", "xoxe.xoxb-", "Q~", ":AA", "hf_"]
NATIVE, SLOW = SecretPrefilter(STARTS), reference.SecretPrefilter(STARTS)
RUN = "aB3dE5fG7hJ9aB3dE5fG7"
PIECES = [
    *(*STARTS, RUN, RUN[:15], RUN[:19], "a" * 20, "a-word_of_programs_alone", "1" * 9),
    *("key", "Token", "SECRET", "cred", "authorization", "\u212aEY", "to\u212aen", "passw", "PWD", "passphrase"),
    *("Bearer ", "bearer\t", "basic ", "token ", "://", "me:pa55", "@", ":", "=", ">", "--", "--key ", "- ", "-"),
    *(" ", "  ", "\n", "\t", '"', "'", "`", "\\", "\\n", ".", "/", "~", ",", "x" * 62, "y" * 130, "z" * 250),
    *(
        "://",
        "https://",
        "u:",
        ":443/",
        "@host",
        "\x1b[33m",
        "[0m",
        "[1;",
        "[",
        "m",
        "\u200b",
        "\ufe0f",
        "\u2764\ufe0f",
    ),
    *("é", "中", "٣", "🙂", "\u00a0", "\x1d", "\x7f", "-----BEGIN", "----", "-----BEGI"),
]

NAMES = [*reference.SECRET_WORDS, *reference.PASSWORD_WORDS]
SIGNS = ["=", ": ", ' => "', ">", "\\=", "::::::"]
valued = st.tuples(*map(st.sampled_from, (NAMES, SIGNS, ["aB3dE5fG7hJ9aB3d", "pa55wd", "abcdefgh", "\u0663" * 6])))
texts = st.lists(st.one_of(st.sampled_from(PIECES), valued.map("".join)), max_size=20).map("".join)


@given(texts, st.integers(0, 400), st.integers(0, 400))
def test_signs_are_those_of_the_expressions(text: str, low: int, width: int) -> None:
    low = min(low, len(text))
    high = min(len(text), low + width)
    assert NATIVE.scan(text, low, high) == SLOW.scan(text, low, high)
    assert NATIVE.scan(text, 0, len(text)) == SLOW.scan(text, 0, len(text))


@given(seeds)
def test_of_a_long_text_as_much_is_read(chance: Random) -> None:
    fillers = chance.choices(["x", "x" * 150, "é" * 199, "x" * 3_000, "x" * 9_000, " ", "\n", "-----BEGIN", RUN], k=8)
    text = "".join(fillers)
    low = chance.randint(0, len(text))
    high = min(len(text), low + chance.choice([0, 1, 200, 5_000]))
    assert NATIVE.scan(text, low, high) == SLOW.scan(text, low, high)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("an ordinary line of a log = 12345678", 0, id="ordinary text"),
        pytest.param("sk-ant-" + RUN, KEY, id="a key"),
        pytest.param("sk-ant-" + "a" * 12, 0, id="too short for one"),
        pytest.param("sk-ant-" + "a" * 40, 0, id="small letters alone"),
        pytest.param("xsk-ant-" + RUN, KEY, id="inside other letters: the rule decides"),
        pytest.param("https://hooks.slack.com/services/" + RUN, KEY, id="a beginning in front of the run"),
        pytest.param("a key = aB3dE5fG7hJ9aB3", NAMED, id="a name, a sign and a value"),
        pytest.param("a key = aB3dE5fG7hJ9aB", 0, id="a value too short for what is no password"),
        *(pytest.param(f"{name}=aB3dE5fG7hJ9aB3d", NAMED, id=name) for name in NAMES),
        *(pytest.param(f"{name[:-1]}-=aB3dE5fG7hJ9aB3d", 0, id=f"not {name}") for name in NAMES if name != "passw"),
        pytest.param("pwd: aB3dE5", NAMED, id="a password"),
        pytest.param("pwd: abcdef", 0, id="no digit"),
        pytest.param("pwd" + "x" * 62 + ": aB3dE5", NAMED, id="the name just near enough"),
        pytest.param("pwd" + "x" * 63 + ": aB3dE5", 0, id="the name too far"),
        pytest.param("run --pwd aB3dE5", NAMED, id="a flag"),
        pytest.param("run --pwd-x= --other aB3dE5", NAMED, id="a flag behind another"),
        pytest.param("PAS\u212aEY=\u0663aaaaaaaaaaaaaaaaaaa", NAMED, id="beyond ASCII"),
        pytest.param("db://me:pa55@host", ADDRESS, id="an address"),
        pytest.param("db://me:pa@host", 0, id="too short for a password"),
        pytest.param("db://host:80/x@y", 0, id="a port"),
        pytest.param("db://host:8080808/x@y", ADDRESS, id="no port: too many digits"),
        pytest.param("db://me:p/a@host", ADDRESS, id="a slash in a password"),
        pytest.param("db://me:p@a55@host", ADDRESS, id="an at sign in a password"),
        pytest.param("db://" + "t" * 16 + "@host", ADDRESS, id="a token"),
        pytest.param("db://" + "t" * 15 + "@host", 0, id="too short for a token"),
        pytest.param("db://" + "t" * 16 + ":@host", ADDRESS, id="a token without a password"),
        pytest.param("db://" + "t" * 257 + "@host", 0, id="too long for a token"),
        pytest.param("db://a://me:pa55@host", ADDRESS, id="an address in an address"),
        pytest.param("\x1b[33mred", UNSEEN, id="a colour"),
        pytest.param("[33mred", UNSEEN, id="a colour without its ESC"),
        pytest.param("[" + "1" * 32 + "m", UNSEEN, id="the longest colour"),
        pytest.param("[" + "1" * 33 + "m [m [1 m ", 0, id="no colour"),
        pytest.param("a\u200bb", UNSEEN, id="without width"),
        pytest.param("\u2764\ufe0f \U0001f468\ufe0f", 0, id="the selector of an emoji"),
        pytest.param("a\ufe0f", UNSEEN, id="the selector of a letter"),
        pytest.param("Basic aB3dE5fG7hJ9aB3d", HEADER, id="a header"),
        pytest.param("Basic aB3dE5fG7hJ9aB3", 0, id="too short for a header"),
        pytest.param("BasicaB3dE5fG7hJ9aB3dE5", 0, id="no blank"),
        pytest.param("\n-----BEGIN X", BLOCK, id="a block"),
    ],
)
def test_rows(text: str, signs: int) -> None:
    assert NATIVE.scan(text, 0, len(text)) == (signs, 0, len(text))
    assert SLOW.scan(text, 0, len(text)) == (signs, 0, len(text))


@pytest.mark.slow
def test_unseen_characters_are_those_that_displays_escape() -> None:
    """For every character: what is written out for a display is also what secrets are searched without."""
    unseen = re.compile(f"[{UNSEEN_RANGES}]")
    wrong = []
    for code in range(0x110000):
        text = f"a{chr(code)}"
        wanted = UNSEEN if unseen.match(text, 1) and text[1] not in "\t\n\r" else 0
        if NATIVE.scan(text, 0, 2)[0] != wanted:
            wrong.append(f"{code:x}")
    assert wrong == []


def test_the_block_may_have_begun_far_in_front() -> None:
    text = "-----BEGIN" + "x" * 30_000
    assert NATIVE.scan(text, 16_384, 16_390)[0] == BLOCK
    assert NATIVE.scan(text, 16_385, 16_391)[0] == 0


@pytest.mark.parametrize("starts", [["a"], [""], ["é1"], ["ab"] * 9 + ["b"], [f"{k:04}" for k in range(513)]])
def test_prefixes_are_two_letters_of_ascii_or_more(starts: list[str]) -> None:
    with pytest.raises(ValueError, match=r"prefixes|ascii"):
        SecretPrefilter(starts)


@pytest.mark.parametrize(("low", "high"), [(-1, 2), (2, 1), (0, 4), (4, 4)])
def test_a_range_lies_in_the_text(low: int, high: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        NATIVE.scan("abc", low, high)
