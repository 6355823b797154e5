"""A session is condensed by the summarizer that is set; without one, or when it hangs, the rest of it is there."""

from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path

import pytest

from recall_rank.frontends.compaction.condensing import condensed_session
from recall_rank.frontends.compaction.context_file import LARGEST_CONTEXT
from recall_rank.frontends.compaction.switch import plan_on, turn_on
from recall_rank.frontends.transcripts.render import transcript_of
from recall_rank.frontends.transcripts.statistics import estimated_tokens
from recall_rank.model import Message, Part, Session
from tests.frontends.conftest import Run
from tests.support.frontends.claude_machine import FIRST, ClaudeMachine

WORDS = "Words about the quay and its ferries. " * 300


def long_session() -> Session:
    """Return a session of about 150,000 tokens."""
    messages = []
    for at in range(40):
        asked = f"{WORDS} We decided to use amber for tariff {at}."
        messages.append(Message(f"u{at}", "user", 1_700_000_000_000 + at, (Part(f"p{at}", "text", asked),)))
        messages.append(Message(f"a{at}", "assistant", 1_700_000_000_000 + at, (Part(f"q{at}", "text", f"ok {at}."),)))
    return Session("s", tuple(messages), "Ferry")


def command(folder: Path, code: str) -> str:
    """Return the name of a summarizer that runs this Python."""
    script = folder / "summarizer.py"
    script.write_text(code, encoding="utf-8")
    return f"command:{shlex.join([sys.executable, '-S', '-E', str(script)])}"


def test_a_short_session_is_kept_whole() -> None:
    messages = (Message("u", "user", 1, (Part("p", "text", "the tariff is amber"),)),)
    found = condensed_session(transcript_of(Session("s", messages)), (), environ={})
    assert "> the tariff is amber" in found.markdown
    assert found.problem == ""


def test_a_long_session_gets_a_summary(tmp_path: Path) -> None:
    name = command(tmp_path, "import sys\nsys.stdin.read()\nprint('In short: amber.')\n")
    found = condensed_session(transcript_of(long_session()), (), environ={"RECALL_RANK_SUMMARIZER": name})
    assert found.problem == ""
    assert "> In short: amber." in found.markdown
    assert "> ok 39." in found.markdown
    assert "> ok 1." not in found.markdown
    assert 15_000 <= estimated_tokens(found.markdown) <= 20_000 < LARGEST_CONTEXT // 3


def test_without_a_summarizer_the_rest_is_there() -> None:
    found = condensed_session(transcript_of(long_session()), (), environ={"PATH": ""})
    assert "no summarizer is set" in found.problem
    assert "> ok 39." in found.markdown
    assert "We decided to use amber for tariff" in found.markdown
    assert estimated_tokens(found.markdown) <= 20_000


def test_a_summarizer_that_hangs_is_left(tmp_path: Path) -> None:
    environ = {"RECALL_RANK_SUMMARIZER": command(tmp_path, "import time\ntime.sleep(60)\n")}
    started = time.monotonic()
    found = condensed_session(transcript_of(long_session()), (), seconds=0.2, environ=environ)
    assert time.monotonic() - started < 50
    assert "did not answer" in found.problem
    assert "> ok 39." in found.markdown


def test_a_compaction_asks_the_summarizer_that_is_set(
    claude: ClaudeMachine, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    claude.session(FIRST, f"my token is {secret}", *[WORDS] * 11, "now the lamp", "it is indigo")
    seen = tmp_path / "seen.json"
    code = (
        "import json, os, sys\n"
        f"json.dump([sys.stdin.read(), os.environ.get('RECALL_RANK_CURATING')], open({str(seen)!r}, 'w'))\n"
        f"print('The token was {secret}. Read @~/notes.md next.')\n"
    )
    monkeypatch.setenv("RECALL_RANK_SUMMARIZER", command(tmp_path, code))
    turn_on(plan_on(claude.project))
    done = run("compact", "hook", "pre-compact", input=claude.before(FIRST))
    assert (done.exit_code, done.output) == (0, "")
    prompt, curating = json.loads(seen.read_text())
    assert curating == "1"  # hooks of what the summarizer starts do nothing
    assert WORDS[:60] in prompt
    assert secret not in prompt
    text = claude.context.read_text()
    assert "The token was [redacted github]." in text
    assert "> it is indigo" in text
    fence = next(line for line in text.splitlines() if line.startswith("```"))
    assert text.index(fence) < text.index("@~/notes.md") < text.rindex(fence)
