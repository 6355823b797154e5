"""Hooks in settings: put in beside those of others, known by their commands, and taken out byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_rank.frontends.file_edits.hook_entries import HookFile, hooks_disabled
from recall_rank.frontends.file_edits.project_files import EditError

FILE = HookFile("settings.json", lambda event, command: command == f"ours {event}")
EVENTS = ("SessionStart", "PreCompact")
GROUPS = {event: {"hooks": [{"type": "command", "command": f"ours {event}", "timeout": 5}]} for event in EVENTS}
OTHERS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(st.builds(lambda name: {"command": name}, st.text(max_size=4)), max_size=2)},
        optional={"matcher": st.text(max_size=3)},
    ),
    max_size=2,
)


@settings(max_examples=80, deadline=None)
@given(
    before=st.dictionaries(st.sampled_from(["model", "env", "é"]), st.integers() | st.just({}), max_size=2),
    hooks=st.none() | st.dictionaries(st.sampled_from([*EVENTS, "Stop"]), OTHERS, max_size=3),
    indent=st.sampled_from([None, 2, "\t"]),
    end=st.sampled_from(["", "\n"]),
)
def test_what_was_put_in_is_taken_out(
    before: dict[str, Any], hooks: dict[str, Any] | None, indent: int | str | None, end: str
) -> None:
    value = {**before, **({} if hooks is None else {"hooks": hooks})}
    data = (json.dumps(value, indent=indent, ensure_ascii=False) + end).encode()
    after, made = FILE.with_hooks(data, GROUPS)
    there = json.loads(after)["hooks"]
    for event in EVENTS:
        assert there[event] == [*(hooks or {}).get(event, []), GROUPS[event]]
    assert set(FILE.handlers(after)) == set(EVENTS)
    assert FILE.without_hooks(after, made) == data
    assert FILE.without_hooks(data, None) == data


def test_a_handler_among_others_goes_alone() -> None:
    shared = [{"command": "x"}, {"command": "ours PreCompact"}, {"command": "y"}]
    data = json.dumps({"hooks": {"PreCompact": [{"hooks": shared}]}}).encode()
    left = json.loads(FILE.without_hooks(data, None))
    assert left == {"hooks": {"PreCompact": [{"hooks": [shared[0], shared[2]]}]}}


def test_keys_that_others_made_stay_though_they_are_empty() -> None:
    data = b'{"hooks": {"Stop": [], "PreCompact": []}}'
    after, made = FILE.with_hooks(data, GROUPS)
    assert made == ("SessionStart",)
    assert FILE.without_hooks(after, made) == data
    assert json.loads(FILE.without_hooks(after, None)) == {"hooks": {"Stop": []}}


def test_comments_are_kept_where_the_host_reads_them() -> None:
    data = b'{\n  // mine\n  "a": 1, // why\n}\n'
    with pytest.raises(EditError, match=r"settings.json: it is no valid JSON"):
        FILE.with_hooks(data, GROUPS)
    commented = HookFile(FILE.name, FILE.is_ours, comments=True)
    after, made = commented.with_hooks(data, GROUPS)
    assert after.startswith(b'{\n  // mine\n  "a": 1, // why')
    assert commented.without_hooks(after, made) == data


@pytest.mark.parametrize("text", ["", "[]", '{"hooks": null}', '{"hooks": {"PreCompact": {}}}', '{"hooks": NaN}'])
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(EditError, match=r"settings\.json"):
        FILE.with_hooks(text.encode(), GROUPS)


def test_hooks_can_be_turned_off() -> None:
    assert hooks_disabled(b'{"disableAllHooks": true}', "x")
    assert not hooks_disabled(b"{}", "x")
    assert not hooks_disabled(None, "x")
