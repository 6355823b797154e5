"""`recall-rank compress`: chat messages in, chat messages out, figures beside them, and clear errors."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.frontends.conftest import Run
from tests.support.frontends.chats import Chat, called, problems, said

REQUEST = said("user", "Please rebuild the quay wall \u202e of basin 3.")


def talk(rounds: int = 70) -> list[Chat]:
    found = [REQUEST, said("assistant", "We decided to use oak.")]
    for number in range(rounds):
        found.append(said("user", f"Go on with step {number}."))
        found += called(f"c{number}", "wave\n" * 700)
        found.append(said("assistant", f"Step {number} is through."))
    return found


def test_an_array_becomes_an_array(run: Run, tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(json.dumps(talk(), indent=1), encoding="utf-8")
    result = run("compress", tmp_path / "chat.json", "--window", "100000", "--prices", "3,15")
    messages = json.loads(result.stdout)
    assert problems(messages) == []
    assert messages[:2] == talk()[:2]
    assert messages[-1] == talk()[-1]
    assert "\u202e" not in result.stdout
    assert result.stderr.splitlines() == [
        "85 % of 100,000 tokens, about 85,149 ($0.2554 to send); compress now",
        "compressed: HEAD 2, MIDDLE 2, TAIL 64 messages, summary by durable findings",
        "19 % of 100,000 tokens, about 19,559 ($0.0587 to send); compress at 85 %",
    ]


def test_lines_become_lines(run: Run) -> None:
    lines = "\n".join(json.dumps(each) for each in talk())
    result = run("compress", "--window", "100000", "-", input="\ufeff" + lines + "\n\n")
    assert [json.loads(line) for line in result.stdout.splitlines()][:2] == talk()[:2]
    assert len(result.stdout.splitlines()) == 68


def test_below_the_threshold_the_messages_stay(run: Run) -> None:
    result = run("compress", "--window", "200000", input=json.dumps(talk()))
    assert json.loads(result.stdout) == talk()
    assert result.stderr.splitlines()[-1] == "unchanged: it fits the window"
    for asked in (["--force"], ["--focus", "the quay"]):
        assert len(json.loads(run("compress", "--window", "200000", *asked, input=json.dumps(talk())).stdout)) == 68


def test_a_window_that_stays_full_is_told_beside_unchanged(run: Run) -> None:
    messages = [{"role": "system", "content": "rule " * 60_000}, REQUEST]
    result = run("compress", "--window", "50000", input=json.dumps(messages))
    assert json.loads(result.stdout) == messages
    assert result.stderr.splitlines()[1:] == [
        "unchanged: there is nothing between the first and the last zone",
        "note: system texts and the last messages alone fill 200 % of the window",
    ]


def test_json_has_zones_and_figures(run: Run) -> None:
    answer = json.loads(run("compress", "--window", "100000", "--json", input=json.dumps(talk())).stdout)
    assert (answer["ok"], answer["changed"], answer["author"]) == (True, True, "durable findings")
    assert answer["zones"] == {"head": 2, "middle": 2, "tail": 64}
    assert len(answer["messages"]) == 68
    assert answer["before"]["state"] == "compress"
    assert answer["after"]["tokens"] < 21_000
    assert answer["model_use"] is None
    assert answer["schema_version"] == 1


def test_a_named_summarizer_writes_the_summary(run: Run) -> None:
    script = "import sys; text = sys.stdin.read(); print('Oak was chosen.' if 'Go on with step 1.' in text else '?')"
    command = f"command:{shlex.join([sys.executable, '-c', script])}"
    result = run("compress", "--window", "100000", "--summarizer", command, "--prices", "1", input=json.dumps(talk()))
    assert "> Oak was chosen." in result.stdout
    assert "the summarizer: about " in result.stderr


def test_a_summarizer_that_fails_is_told_and_no_error(run: Run) -> None:
    result = run("compress", "--window", "100000", "--summarizer", "command:false", input=json.dumps(talk()))
    assert result.exit_code == 0
    assert "note: no summary by a model: " in result.stderr
    assert "the durable findings stand in for it" in result.stderr


@pytest.mark.parametrize(
    ("words", "given", "told"),
    [
        ((), "[]", "Missing option '--window'"),
        (("--window", "0"), "[]", "--window"),
        (("--window", "9", "--prices", "a"), "[]", "dollars for a million tokens, as in 3 or 3,15, not 'a'"),
        (("--window", "9", "--prices", "1,2,3"), "[]", "dollars for a million tokens"),
        (("--window", "9", "--prices", "-1"), "[]", "dollars for a million tokens"),
        (("--window", "9", "--summarizer", "nobody"), "[]", "there is no summarizer 'nobody'"),
        (("--window", "9"), "", "there are no messages"),
        (("--window", "9"), "[{]", "the messages are not JSON"),
        (("--window", "9"), '{"role": "user", "content": "x"}\n{torn', "line 2 is not JSON"),
        (("--window", "9"), '[{"role": "robot", "content": "x"}]', "unknown role 'robot'"),
        (("--window", "9"), '[{"role": "user"}, 7]', "messages[0]"),
        (("--window", "9"), "[1]", "messages[0]"),
        (("--window", "9", "no/such/file"), "", "no/such/file"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_wrong_input_is_wrong_usage(run: Run, words: Any, given: str, told: str, as_json: bool) -> None:
    result = run("compress", *words, *(["--json"] if as_json else []), input=given)
    assert result.exit_code == 2
    shown = result.stdout if as_json else result.stderr
    assert told in " ".join(shown.split())
    assert not as_json or json.loads(result.stdout)["ok"] is False
