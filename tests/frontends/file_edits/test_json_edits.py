"""Values that are put into a JSON text and taken out again leave every other character as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_rank.frontends.file_edits.json_edits import (
    JsonTextError,
    checked_object,
    elements,
    member,
    with_element,
    without_element,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
INDENTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@settings(max_examples=40)
@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), INDENTS, st.booleans(), VALUES)
def test_what_is_put_in_and_taken_out_leaves_the_text(
    before: dict[str, object], indent: int | str | None, crlf: bool, value: object
) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=False)
    text = text.replace("\n", "\r\n") if crlf else text
    more = with_element(text, 0, value, "a new key")
    assert json.loads(more) == {**before, "a new key": value}
    assert without_element(more, 0, len(before)) == text
    for each in elements(text, 0):
        if isinstance(each.value, list):
            longer = with_element(text, each.value_at, value)
            assert json.loads(longer)[each.key] == [*each.value, value]
            assert without_element(longer, each.value_at, len(each.value)) == text


@settings(max_examples=40)
@given(st.lists(VALUES, min_size=1, max_size=4), INDENTS, st.data())
def test_any_element_can_go(values: list[object], indent: int | str | None, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(values) - 1))
    text = json.dumps(values, indent=indent)
    assert json.loads(without_element(text, 0, index)) == values[:index] + values[index + 1 :]


def test_what_is_put_in_is_indented_as_its_neighbours() -> None:
    text = '{\n\t"a": [\n\t\t1\n\t]\n}'
    at = elements(text, 0)[0].value_at
    assert with_element(text, at, {"b": 2}) == '{\n\t"a": [\n\t\t1,\n\t\t{\n\t\t\t"b": 2\n\t\t}\n\t]\n}'
    assert with_element('{"a": [1]}', 6, {"b": 2}) == '{"a": [1, {"b": 2}]}'


def test_of_equal_keys_the_last_counts() -> None:
    found = member('{"a": 1, "\\u0061": 2}', 0, "a")
    assert found is not None
    assert found.value == 2
    assert member("{}", 0, "a") is None


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", '{"a": 1} x', '{"a": NaN}', "{'a': 1}", '{"a": 1,}', "// no\n{}", "[" * 100_000]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(JsonTextError):
        checked_object(text)
