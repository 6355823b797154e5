"""Secrets are found wherever a text is cut, and ordinary text is left unchanged."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets.synthetic_secrets import FAMILIES, FORMS, Planted, make, planted, survives
from recall_rank import Index
from recall_rank._core.text.secret_prefilter import SecretPrefilter
from recall_rank.analysis.text_edits import edited
from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.redaction import key_patterns, redacted_answers
from recall_rank.frontends.redaction import redact as redaction
from recall_rank.frontends.redaction.named_secrets import family_of, named_secrets
from recall_rank.frontends.redaction.redact import Secret, label, redacted, secrets
from recall_rank.frontends.redaction.redacted_answers import hidden, session_without_secrets, without_secrets
from recall_rank.frontends.redaction.secret_formats import NAMED
from recall_rank.frontends.redaction.visible_text import visible_text
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.model import Message, Part, Reading, Session, Unit
from recall_rank.recall import Recall
from tests.support.soak import times

COUNT = times(40, 1_000)
NOW = 1_790_000_000_000
KEY = "aB3dE5fG7hJ9"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_secret_never_survives_the_cut(family: str) -> None:
    drawn = random.Random(family)
    lost = 0
    for one in planted(family, COUNT, seed=1):
        cuts = [(0, len(one.text))]
        for width in (50, 200):
            middle = drawn.randrange(one.start, one.end)
            low = max(0, middle - drawn.randrange(width))
            cuts.append((low, min(len(one.text), low + width)))
        lost += any(survives(one, edited(one.text, hidden(one.text, *cut), *cut).text) for cut in cuts)
    assert lost <= COUNT // 100


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "ask-anthropic-first then sk-ant-... and sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", id="placeholder"
        ),
        pytest.param("AKIAIOSFODNN7EXAMPLE", id="the key of the documentation"),
        pytest.param("commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it", id="a hash"),
        pytest.param("id = 550e8400-e29b-41d4-a716-446655440000", id="a UUID"),
        pytest.param("def get_token_count(tokens: int = 12345678) -> int:", id="tokens that are counted"),
        pytest.param("password = os.environ['DB_PASSWORD_2']", id="a password from elsewhere"),
        pytest.param(
            "postgres://user:password@localhost/db and https://${USER}:${TOKEN}@host.test", id="names of both"
        ),
        pytest.param("Authorization: Bearer $API_TOKEN_FROM_ENV_2", id="a variable"),
        pytest.param("skip-this-very-long-kebab-case-name-2-times", id="a name in kebab case"),
        pytest.param("-----BEGIN PRIVATE KEY----- is how such a block begins", id="the head of a block alone"),
        pytest.param("-----BEGIN CERTIFICATE-----\n" + "A" * 64 + "\n-----END CERTIFICATE-----", id="a certificate"),
        pytest.param("the next_page_token: Ab1Cd2Ef3Gh4Ij5Kl6Mn7", id="a place in a list"),
        pytest.param("http://localhost:4873/@types/node-2 and https://npm.test:443/@a/b", id="a port and a scope"),
        pytest.param("http://[::1]:3000/@vite/client2", id="a port of an address in brackets"),
        pytest.param("https://ana@harborline.test and ssh://git@harborline.test/x", id="a user without a password"),
        pytest.param("mysql://u:$DB_PW_2@host mysql://u:${DB_2}@h mysql://u:$(pw 2)@h mysql://u:$pass2@h", id="gaps"),
        pytest.param("mysql://u:%s@host mysql://u:%(pw2)s@host mysql://u:%DB_PW_2%@host", id="other gaps"),
        pytest.param("https://docs.harborline.test/a:b/how-to-2/@latest and https://x.test/@ana", id="a path"),
        pytest.param("<password>${env.DB_2}</password> <password>{{db2}}</password>", id="gaps in XML"),
        pytest.param("<password></password>harbor2seven <p>aB3dE5fG7</p>", id="text behind an element"),
        pytest.param("- name: HOST_2\n  value: aB3dE5fG7", id="the value of another name"),
        pytest.param("- name: PASSWORD_FILE\n  value: /run/aB3dE5fG7", id="the place of a password"),
        pytest.param("- name: API_TOKEN\n  valueFrom: aB3dE5fG7hI9jK1L", id="where a value is from"),
        pytest.param('Map<String, Password> passwords2 = load("a1b2c3d4e5")', id="a type parameter"),
        pytest.param("\x1b[32mtests\x1b[0m passed: \x1b[1m12345678\x1b[0m \u200bok", id="colours alone"),
    ],
)
def test_ordinary_values_are_unchanged(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("key xai-" + KEY * 7 + " end", "key [redacted xai] end", id="by its beginning"),
        pytest.param("db://me:aB3dE5fG7@host", "db://me:[redacted password]@host", id="in an address"),
        pytest.param('{"password": "c0rrect horse 9!"}', '{"password": "[redacted password]"}', id="with blanks"),
        pytest.param("run --api-key aB3dE5fG7hI9jK1L now", "run --api-key [redacted secret] now", id="of a flag"),
        pytest.param("a ghp_" + KEY + "\n" + KEY * 2 + " b", "a [redacted github] b", id="over two lines"),
        pytest.param("MIT 12:AA" + KEY * 3, "MIT [redacted telegram]", id="by what stands inside"),
        *(
            pytest.param(f"{before}{value}{after}", f"{before}[redacted password]{after}", id=name)
            for name, before, value, after in (
                ("a coloured value", "password: \x1b[33m", "aB3dE5fG7", "\x1b[0m"),
                ("a coloured name", "\x1b[1mpass\x1b[33mword\x1b[0m=", "aB3dE5fG7", " \x1b[0m"),
                ("colours in a value", "pwd: ", "aB3\x1b[38;5;9mdE5\x1b[0mfG7", "\x1b[0m\n"),
                ("24 bits of colour", "pwd: \x1b[38;2;1;2;3m", "aB3dE5fG7", "\x1b[48:2::1:2:3m"),
                ("colours written out", '{"log": "password: \\\\u001b[33m', "aB3dE5fG7", '\\\\u001b[0m"}'),
                ("a link", "\x1b]8;;https://x.test\x07password\x1b]8;;\x07: ", "aB3dE5fG7", ""),
                ("without width", "pass\u200bword: ", "aB\u200d3dE5fG7", "\u200b"),
                ("UTF-16", "p\0w\0d\0=\0", "a\0B\0003\0d\0E\0005\0f\0G\0007", "\0"),
                ("a dollar", "db://me:", "$aB3dE", "@host"),
                ("a percent sign", "db://me:", "%24aB3dE", "@host"),
                ("a percent sign alone", "db://me:", "%aB3dE!", "@host"),
                ("a slash", "db://me:", "aB/3dE", "@host:5432/x"),
                ("an at sign", "db://me:", "aB@3dE", "@db.host/x?a=b@c"),
                ("a slash and an at sign", "db://me:", "pa$$/w@rd", "@localhost"),
                ("an at sign and a slash", "db://me:", "w@rd/pa$$", "@db.host:5432"),
                ("a token", "https://", "aB3dE5fG7hJ9kL1m", "@host.test/x.git"),
                ("a token before a colon", "https://", "aB3dE5fG7hJ9kL1m", ":@host.test"),
                ("an element", "<password>", "aB3dE$(fG7", "</password>"),
                ("an element with attributes", "<a:dbPassword x=\"y\" z='2'>", "aB3dE5fG7", "</a:dbPassword>"),
                ("an element with CDATA", "<Password><![CDATA[", "aB3<dE>5fG7", "]]></Password>"),
                ("a variable of a container", "- name: DB_PASSWORD\n  value: ", "aB3dE5fG7", "\n- name: HOST"),
                ("a setting in XML", '<add key="password" value="', "aB3dE5fG7", '" />'),
                ("a pair in JSON", '{"Name": "db-password",\n "Value": "', "aB3dE5fG7", '"}'),
                ("an attribute with the name", '<entry key="password">', "aB3dE5fG7", "</entry>"),
            )
        ),
        *(
            pytest.param(f"{word} {KEY * 2}", f"{word} [redacted authorization]", id=word)
            for word in ("BEARER", "bEaReR", "BASIC", "TOKEN", "Authorization: Bearer")
        ),
    ],
)
def test_the_label_names_the_family(text: str, shown: str) -> None:
    assert redacted(text) == shown


@pytest.mark.parametrize("family", FAMILIES)
def test_a_secret_never_survives_in_a_snippet(family: str) -> None:
    """Regression: a key longer than the margin of a narrow snippet lost its beginning, and its rest was shown."""
    filler = "The harbor opens at six and the tide turns. " * 300
    for one in planted(family, 5, seed=4):
        end = (one.text + "\n").index("\n", one.end)
        text = f"{filler}\n{one.text[:end]} gauge {one.text[end:]}\n{filler}"
        session = Session("s1", (Message("m1", "user", NOW, (Part("p1", "text", text),)),))
        with Index.build([session]) as index:
            for width in (20, 40, 60):
                result = index.search("gauge", redact=hidden, width=width).results[0]
                assert not survives(one, result.snippet), (width, result.snippet)


def test_a_block_without_end_is_found_behind_a_coloured_head() -> None:
    block = make(random.Random(3), "private key")
    head, *lines = block.split("\n")
    text = "\n".join([f"\x1b[31m{head}\x1b[0m", *lines[:-1]])
    for low in range(100, len(text) - 60, 40):
        assert hidden(text, low, low + 60), low


def test_a_coloured_block_is_found_whole_and_cut() -> None:
    block = make(random.Random(3), "private key")
    for line in ("\x1b[31m-{}\x1b[m", "\x1b[38;2;80;250;123m{}\x1b[0m", "{}\x1b[K", "\u200b{}"):
        lines = [line.format(each) for each in block.split("\n")]
        text = "before\n" + "\n".join(lines) + "\nafter"
        for low in range(0, len(text), 40):
            shown = edited(text, hidden(text, low, low + 60), low, low + 60).text
            assert not any(each[3:40] in shown for each in block.split("\n")[1:-1]), (line, low)


@given(st.text(st.sampled_from("ab=\x1b[3;m\u200b\\xe0K\n]\x07^")), st.integers(0, 40), st.integers(0, 40))
def test_visible_text_knows_its_places(text: str, low: int, width: int) -> None:
    low = min(low, len(text))
    high = min(len(text), low + width)
    found = visible_text(text, low, high)
    if found is None:
        assert not set(text[low:high]) & {"\x1b", "\u200b", "\x07"}
        return
    places = [found.origin(at) for at in range(len(found.text))]
    assert [text[at] for at in places] == list(found.text)
    assert all(before < after for before, after in pairwise(places))
    assert all(low <= at < high for at in places)
    for at in range(low, high + 1):
        assert found.place(at) == sum(place < at for place in places)
    assert all(found.span(at, at + 1) == (place, place + 1) for at, place in enumerate(places))


def test_a_block_is_found_from_its_middle() -> None:
    block = make(random.Random(3), "private key")
    text = f"before\n{block}\nafter"
    assert secrets(text, 200, 210) == [(7, 7 + len(block), "private-key")]
    assert secrets(text, 0, 5) == []
    cut = f"before\n{block[:-40]}"
    assert redacted(cut) == "before\n[redacted private-key]"


@given(st.text(st.sampled_from('aB3_-.:=/"\\ \nsk-ant-ghp_eyJ@')), st.integers(0, 60), st.integers(0, 60))
def test_any_text_gives_edits_in_order(text: str, low: int, width: int) -> None:
    high = min(len(text), low + width)
    found = hidden(text, low, high)
    assert all(start < high and end > low and 0 <= start < end <= len(text) for start, end, _ in found)
    assert all(before[1] <= after[0] for before, after in pairwise(found))


NAMES = [
    "api_key",
    "Token",
    "secret",
    "openai",
    "cohere key",
    "password",
    "pwd",
    "passphrase",
    "Authorization",
    "creds",
]
SIGNS = [": ", "=", ' => "', "':'", " ", ">", "=\\", ":" * 7]
STARTS = ["sk-ant-", "ghp_", "AKIA", "eyJ", "12345:AA", "https://hooks.slack.com/services/T0/", "dp.pt.", "Bearer "]
VALUES = [KEY, KEY * 2, KEY * 4, "c0rrect9!", "\u0663", "x" * 70]
OTHERS = [
    *("--api-key ", "--password", "token ", "Basic ", "postgres://me:c0rrect9@host", "://", "@", "-", ",", "\\n"),
    *(" ", "\n", '"', "'", "\\", "é", "-----BEGIN PRIVATE KEY-----"),
]
pieces = st.one_of(
    st.sampled_from([*NAMES, *SIGNS, *STARTS, *VALUES, *OTHERS]),
    st.tuples(*map(st.sampled_from, (NAMES, SIGNS, VALUES))).map("".join),
    st.tuples(*map(st.sampled_from, (STARTS, VALUES))).map("".join),
)


def by_every_rule(text: str, low: int, high: int) -> list[Secret]:
    """The secrets that the rules find without the prefilter."""
    _, start, end = redaction._PREFILTER.scan(text, low, high)
    run = re.search("[A-Za-z0-9_-]{15}", text[start:end])
    found = [
        *key_patterns.keys(text, start, end),
        *(one for one in named_secrets(text, start, end) if one[2] == "password" or run),
        *key_patterns.url_passwords(text, start, end),
        *key_patterns.headers(text, start, end),
        *key_patterns.blocks(text, max(0, low - key_patterns.BLOCK_REACH), high),
    ]
    return [one for one in redaction._disjoint(found) if one[0] < high and one[1] > low]


def uncovered(text: str, low: int, high: int) -> list[Secret]:
    """The places that the rules find and that the prefilter loses."""
    shown = {place for start, end, _ in secrets(text, low, high) for place in range(start, end)}
    return [one for one in by_every_rule(text, low, high) if not shown.issuperset(range(*one[:2]))]


@given(st.lists(pieces, max_size=12).map("".join), st.integers(0, 300), st.integers(1, 300))
def test_the_prefilter_loses_no_secret(text: str, low: int, width: int) -> None:
    low = min(low, max(0, len(text) - 1))
    high = min(len(text), low + width)
    assert uncovered(text, low, high) == []
    assert uncovered(text, 0, len(text)) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_the_prefilter_loses_no_secret_of_any_family(family: str) -> None:
    drawn = random.Random(family)
    for one in planted(family, COUNT, seed=3):
        low = drawn.randrange(one.end)
        assert uncovered(one.text, low, min(len(one.text), low + 200)) == []


def test_a_prefilter_that_loses_a_key_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"use ghp_{KEY * 3} there"
    assert uncovered(text, 0, len(text)) == []
    monkeypatch.setattr(redaction, "_PREFILTER", SecretPrefilter(["xai-"]))
    assert uncovered(text, 0, len(text)) == [(4, 44, "github")]


WORDS = [word for line in NAMED.strip().splitlines() for word in line.split("|")[1].split()]
WORDS += ["key", "Token", "SECRET", "creds", "credential", "authorization", "passwd", "password", "pwd", "passphrase"]
WORDS += ["api_key", "\u212aey", "to\u212aen", "pa\u017fsword", "cache", "harbour"]


def otherwise_replaced(chance: random.Random) -> int:
    """The number of random values whose replacement differs from the one that the rules of names give."""
    wrong = 0
    for _ in range(4_000):
        name = chance.choice(["", "_", "-", "."]).join(chance.choices(WORDS, k=chance.randint(1, 3)))
        letters = chance.choice(["0123456789abcdef", "ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789"])
        value = "".join(chance.choices(letters, k=chance.choice([9, 16, 17, 24, 32, 40, 46])))
        family = family_of(name, value)
        wrong += redacted_answers._replaced(name, value) != (label(family) if family else redacted(value))
    return wrong


@pytest.mark.slow
def test_the_words_of_names_lose_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    assert otherwise_replaced(random.Random(3)) == 0
    for word in redacted_answers._NAME_WORDS[:5]:
        without = tuple(other for other in redacted_answers._NAME_WORDS if other != word)
        monkeypatch.setattr(redacted_answers, "_NAME_WORDS", without)
        assert otherwise_replaced(random.Random(3)) > 0, word
        monkeypatch.undo()


def test_answers_keep_their_ids_and_numbers() -> None:
    key = make(random.Random(1), "github")
    answer = {
        "session_id": key,
        "total": 3,
        "title": f"use {key}",
        "input": {"password": "aB3dE5fG7"},
        "more": [key, None],
    }
    assert without_secrets(answer) == {
        "session_id": key,
        "total": 3,
        "title": "use [redacted github]",
        "input": {"password": "[redacted password]"},
        "more": ["[redacted github]", None],
    }


LOGIN = {
    "password": "Tr0ub4dor3xyz",
    "api_key": "zq81mmfk2pl0xv93",
    "query": "pwd=Qu4ysideLamp7",  # the name of a field of this package without secrets
    "env": [{"AWS_SECRET_ACCESS_KEY": "abcd1234efgh5678ijkl9012mnop3456qrst7890"}],
    "variables": [{"name": "DB_PASSWORD", "value": "W1nterHarbor9"}, {"key": "region", "value": "W1nterLantern9"}],
    "tries": 3,
}
LOGIN_SECRETS = ("W1nterHarbor9", "Tr0ub4dor3xyz", "zq81mmfk2pl0xv93", "Qu4ysideLamp7", "abcd1234efgh5678")


@pytest.mark.parametrize(
    "given", [LOGIN, [LOGIN], (LOGIN,), MappingProxyType(LOGIN)], ids=lambda each: type(each).__name__
)
def test_a_session_is_redacted_as_an_answer_is(given: object) -> None:
    """Exports, transcripts, pages for a browser, compaction and pushed indexes redact the record of a session."""
    session = Session("s", (Message("m", "assistant", 1, (Part("p", "tool", tool="login", input=given),)),))
    shown = session_without_secrets(session).messages[0].parts[0].input
    answer = without_secrets({"input": json.loads(json.dumps(LOGIN))})["input"]
    assert (shown[0] if isinstance(shown, list) else shown) == answer
    assert [secret for secret in LOGIN_SECRETS if secret in json.dumps(shown)] == []
    assert answer["tries"] == 3
    assert answer["variables"][1] == {"key": "region", "value": "W1nterLantern9"}


class Held:
    """A source of one session with a planted secret in its texts and in the output of a tool."""

    name = "held"
    location = "held"

    def __init__(self, one: Planted) -> None:
        self.one = one

    def units(self) -> list[Unit]:
        return [Unit("all", self.location)]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        one, secret, text = self.one, self.one.secret, self.one.text
        parts = (
            Part("p1", "text", f"the harbor gauge drifts {text}"),
            Part("p2", "tool", tool="bash", input={"command": f"gauge --dump {text}"}, output=text * 9, error=text),
        )
        message = Message("m1", "user", NOW, parts)
        title = f"gauge {secret if one.family in FORMS else 'alone'}"  # others need a name or an address around them
        return Reading([Session("s1", (message,), title, "/home/ana", "quay", updated=NOW)])


def without_words_of(query: str, told: Iterable[str]) -> list[str]:
    """Return suggestions or a trace without the words of the query that they quote: these come from the caller."""
    return [re.sub("'([^']*)'", lambda word: "" if word[1] in query else word[0], text) for text in told]


@pytest.mark.parametrize("family", ["anthropic", "github", "jwt", "private key", "database url", "aws secret"])
def test_no_tool_lets_a_secret_out(family: str) -> None:
    for one in planted(family, 3, seed=2):
        tools = RecallTools(Recall([Held(one)]), options=host_options({"redact": True}))
        ids = {"session_id": "s1", "message_id": "m1"}
        word = one.secret[len(one.secret) // 2 :][:12]
        for name, args in (
            *(
                ("recall", {"query": "gauge", "match": match, "explain": True, "width": 60})
                for match in ("smart", "literal")
            ),
            ("recall", {"query": word, "expand": "message"}),
            ("recall", {"query": word, "match": "fuzzy", "explain": True}),
            ("recall_get", ids),
            ("recall_context", ids),
            ("recall_messages", {"session_id": "s1"}),
            ("recall_sessions", {"scope": "global"}),
        ):
            answer = tools.call(name, args, now=NOW)
            assert answer["ok"], answer
            query = answer.pop("query", "")
            answer.update((name, without_words_of(query, answer.get(name, ()))) for name in ("suggestions", "trace"))
            for result in answer.get("results", ()):
                result.pop("matched_terms", None), result["why"].pop("matched_terms", None)
                assert all(0 <= s["start"] <= s["end"] <= len(result["snippet"]) for s in result["spans"])
            assert not survives(one, str(answer))


def test_the_command_line_redacts_with_its_option(tmp_path: Path) -> None:
    key = make(random.Random(4), "github")
    session = {"t": "session", "id": "s1", "title": f"with {key}", "updated": NOW}
    part = {"id": "p1", "type": "text", "text": f"the gauge takes {key} today"}
    message = {"t": "message", "id": "m1", "session": "s1", "role": "user", "time": NOW, "parts": [part]}
    path = tmp_path / "history.jsonl"
    path.write_text(f"{json.dumps(session)}\n{json.dumps(message)}\n", encoding="utf-8")
    for more in ([], ["--json"]):
        words = ["search", "gauge", "--history", str(path), "--no-cache", *more]
        plain, safe = (CliRunner().invoke(cli, [*words, *redact]).stdout for redact in ([], ["--redact"]))
        assert key in plain
        assert key not in safe
        assert safe.count("[redacted github]") == 2


def test_a_search_takes_a_redact_function() -> None:
    session = Session("s1", (Message("m1", "user", NOW, (Part("p1", "text", "the code is SESAME today, as ever"),)),))
    with Index.build([session]) as index:
        result = index.search("code", redact=lambda *_: [(12, 18, "<it>")], width=20).results[0]
        assert "SESAME" not in result.snippet
        assert [result.snippet[span.start : span.end] for span in result.spans] == ["code"]
        with pytest.raises(TypeError, match="redact must be a function"):
            index.search("code", redact="yes")
