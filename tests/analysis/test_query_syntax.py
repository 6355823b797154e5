"""Operators in a query: which are read, and what stays text, such as pasted commands, URLs and error lines."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.analysis.query_syntax import FIELDS, MAX_CHARS, read_syntax
from recall_rank.analysis.user_vocabulary import forms_of
from tests.support.search.samples import NOW

TEXTS = (
    *("error: foo", "http://x", "https://a.b/c?d=e:f", "file:///etc/hosts is gone", "C++ -O2", "--flag", "std::vector"),
    *("role: admin", "tool::run failed", "project::Model", "agent::new()", "user:group", "file:12 in the trace"),
    *("tar -xzf backup.tar.gz", "ls -la", "rm -rf build", "gcc -O2 -Wall main.c", "find . -name lantern", "a - b"),
    *("git commit -m message", "go test --race", "java -Xmx512m -jar lamp.jar", "foo -> bar", "ssh -p 22 -verbose"),
    *("deploy -staging failed", "-lantern", 'say "a OR b" now', "OR lantern", "lantern OR", "a or b"),
    *('"tool:bash" lantern', '"-wick" lantern', "x(tool:bash)", "Tool:bash lantern", "+lantern wick", '+"" wick'),
    *("lantern\ntool:bash", "lantern tool:", "lantern tool:=x", "lantern -Wick", "lantern in: title", "1:2 a:b"),
)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_no_operator_is_text(text: str) -> None:
    read = read_syntax(text, NOW)
    assert read.plain
    assert read.text == text
    assert not read.warnings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('lantern +"wick holder"', {"text": "lantern", "must": ["wick holder"]}),
        ('lantern -"dry run" wick', {"text": "lantern wick", "must_not": ["dry run"]}),
        ("lantern -wick -oil_lamp", {"text": "lantern", "must_not": ["wick", "oil_lamp"]}),
        ("lantern -größe", {"text": "lantern", "must_not": ["größe"]}),
        ("lantern -wick tool:bash", {"text": "lantern", "must_not": ["wick"], "filters": {"tool": ["bash"]}}),
        ("🚀 tool:bash", {"text": "🚀", "filters": {"tool": ["bash"]}}),
        ('+"wick holder"', {"text": '"wick holder"', "must": ["wick holder"]}),
        ('+"wick" role:user', {"text": '"wick"', "must": ["wick"], "filters": {"role": ["user"]}}),
        ("tool:bash lantern", {"text": "lantern", "filters": {"tool": ["bash"]}}),
        ('project:"my lamp" lantern', {"text": "lantern", "filters": {"project": ["my lamp"]}}),
        ("lantern agent:codex in:title", {"text": "lantern", "filters": {"agent": ["codex"], "in": ["title"]}}),
        ("lantern file:./src/lamp.py", {"text": "lantern", "filters": {"file": ["./src/lamp.py"]}}),
        ("lantern since:2w until:yesterday", {"text": "lantern", "filters": {"since": ["2w"], "until": ["yesterday"]}}),
        ("tool:bash lantern tool:edit", {"text": "lantern", "filters": {"tool": ["bash", "edit"]}}),
        ("lantern OR lamp wick", {"text": "lantern OR lamp wick", "any_of": [["lantern", "lamp"]]}),
        ("a OR b OR c", {"text": "a OR b OR c", "any_of": [["a", "b", "c"]]}),
        ('"oil lamp" OR lantern', {"text": '"oil lamp" OR lantern', "any_of": [['"oil lamp"', "lantern"]]}),
        ("role:user  a OR b", {"text": "a OR b", "any_of": [["a", "b"]], "filters": {"role": ["user"]}}),
    ],
)
def test_operators_are_read(text: str, expected: dict[str, Any]) -> None:
    assert read_syntax(text, NOW).to_dict() == expected


def test_the_places_of_alternatives_are_those_of_the_text() -> None:
    read = read_syntax("dry tool:bash  wick OR  oil in:title a OR b ", NOW)
    assert [read.text[run.start : run.end] for run in read.any_of] == ["wick OR  oil", "a OR b"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lantern -tool:bash", "'-tool:bash' is searched as text: only words and quoted texts can be left out"),
        ("lantern role:admin", "'role:admin' is searched as text: role takes user or assistant"),
        ("lantern in:body", "'in:body' is searched as text: in takes title"),
        ("lantern since:soon", "'since:soon' is searched as text: since takes a date"),
        ("lantern since:1M", "'since:1M' is searched as text: since takes a date"),
        ("tool:bash since:2w", "'tool:bash since:2w' is searched as text: a query needs something to look for"),
        ('-"dry run"', "'-\"dry run\"' is searched as text: a query needs something to look for"),
        ("tool:bash ...", "'tool:bash' is searched as text: a query needs something to look for"),
    ],
)
def test_what_looks_like_an_operator_is_told(text: str, told: str) -> None:
    read = read_syntax(text, NOW)
    assert read.plain
    assert read.text == text
    assert read.warnings[0].startswith(told)


def test_without_alternatives_or_is_text_and_one_phrase_is_its_words() -> None:
    assert read_syntax("lantern OR lamp", NOW, alternatives=False).plain
    assert read_syntax('"oil lamp" tool:bash', NOW, alternatives=False).text == "oil lamp"
    assert read_syntax('"oil lamp"', NOW, alternatives=False).text == '"oil lamp"'


def test_a_long_text_was_pasted() -> None:
    text = "lantern " * (MAX_CHARS // 8) + "tool:bash"
    assert read_syntax(text, NOW).text == text


pieces = st.sampled_from(
    (*"+-:\" '\n/\\.", "OR", "lantern", "tool:", "-wick", '"oil lamp"', *(f"{name}:x" for name in FIELDS))
)


@given(st.lists(pieces | st.text(max_size=3)).map("".join) | st.lists(pieces, max_size=12).map(" ".join))
def test_any_text_can_be_read(text: str) -> None:
    read = read_syntax(text, NOW)
    if read.plain:
        assert read.text == text
    else:
        assert forms_of(read.text)
        assert read_syntax(text.strip(), NOW).to_dict() == read.to_dict() | {"text": read.text.strip()}
    for run in read.any_of:
        assert read.text[run.start : run.end].split("OR")[0].strip() == run.words[0].split("OR")[0]


@pytest.mark.parametrize("text", ['+":"', '-"oil" +"--"', '+"!" agent:x'])
def test_signs_that_must_stand_are_nothing_to_look_for(text: str) -> None:
    read = read_syntax(text, NOW)
    assert read.plain
    assert "a query needs something to look for" in read.warnings[0]


words = st.text(st.characters(categories=("L", "N", "Zs")), min_size=1, max_size=30)


@given(st.lists(words, min_size=1).map(" ".join))
def test_a_text_without_operators_is_read_as_itself(text: str) -> None:
    if " OR " not in f" {' '.join(text.split())} ":
        assert read_syntax(text, NOW).to_dict() == {"text": text}
