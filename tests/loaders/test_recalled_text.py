"""What a hook put into a conversation, and what this package recalled into it, is in the transcript and never a hit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from recall_rank import Index
from recall_rank.frontends.hooks import nudge
from recall_rank.frontends.hooks.prompt_blocks import REMINDER, _block, _Line
from recall_rank.frontends.tools.untrusted_text import NOTICE, untrusted_text
from recall_rank.loaders import open_sources, read_all
from recall_rank.loaders.content.recalled_text import without_recalled_text
from recall_rank.loaders.gemini.parts import without_hook_context
from recall_rank.model import Flag, Message, Part, Session
from recall_rank.model.recalled_text import AUTO_RECALL_TAG, COMPACTION_TAG
from tests.fixtures import make_codex, make_copilot, make_fixtures, make_gemini, make_pi
from tests.fixtures.make_fixtures import lines

WORDS: Final = "Mend the gangway as last time"  # typed by a person
WORD: Final = "ptarmigan"  # only in what was recalled


def block(tag: str) -> str:
    made = _block(
        tag, "Quoted from earlier sessions.", [_Line("- Harbour: ", f"the {WORD} nests", " (message m)")], 900
    )
    assert made is not None
    return made


AUTO: Final = block(AUTO_RECALL_TAG)
COMPACTION: Final = block(COMPACTION_TAG)
ANSWER: Final = untrusted_text({"ok": True, "results": [{"snippet": f"the {WORD} nests"}]})


def opencode(folder: Path) -> None:
    database = make_fixtures.write_opencode(folder / "opencode")
    connection = sqlite3.connect(database)
    parts = [{"type": "text", "text": WORDS}, {"type": "text", "text": AUTO, "synthetic": True}]
    make_fixtures.add_message(connection, "ses_a", "msg_90", {"role": "user"}, parts, 90)
    state = {"status": "completed", "input": {"query": WORD}, "output": ANSWER, "title": WORD}
    call = [{"type": "tool", "tool": "recall-rank_recall", "state": state}, {"type": "text", "text": "Mended."}]
    make_fixtures.add_message(connection, "ses_a", "msg_91", {"role": "assistant"}, call, 91)
    connection.commit()
    connection.close()


def claude(folder: Path) -> None:
    t = make_fixtures.Transcript(make_fixtures.MAIN)
    t.user(WORDS)
    hook = {"type": "hook_additional_context", "hookEvent": "UserPromptSubmit", "content": [AUTO]}
    t.add("attachment", attachment=hook)
    t.user(f"<user-prompt-submit-hook>{AUTO}</user-prompt-submit-hook>")
    t.user(f"{COMPACTION}\n\nGo on then.")
    t.assistant("m1", make_fixtures.call("c1", "mcp__plugin_recall-rank_recall-rank__recall", query=WORD))
    t.result("c1", [make_fixtures.text(ANSWER)])
    t.assistant("m2", make_fixtures.text("Mended."))
    path = folder / ".claude" / "projects" / "-home-mara" / f"{make_fixtures.MAIN}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(t.records))


def codex(folder: Path) -> None:
    r = make_codex.Rollout(make_codex.MAIN)
    r.user("m1", WORDS)
    r.item("message", "m2", role="developer", content=[make_codex.text(AUTO)])
    r.item("message", "m3", role="developer", content=[make_codex.text(f"A hook of another tool: {WORD}")])
    r.user("m4", f"<hook_prompt hook_run_id='1'>{WORD}</hook_prompt>")
    r.call("c1", "recall", query=WORD)
    r.output("c1", f"Wall time: 0.1 seconds\nOutput:\n{ANSWER}")
    r.output("lost", f'Wall time: 0.1 seconds\nOutput:\n{{"ok":true,"notice":"{NOTICE}","hit":"{WORD}"}}')
    r.answer("m5", "Mended.")
    path = folder / ".codex" / "sessions" / f"rollout-2026-05-28T20-26-40-{make_codex.MAIN}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(r.records))


def gemini(folder: Path) -> None:
    c = make_gemini.Chat(make_gemini.MAIN)
    context = f"<hook_context>{AUTO.replace('<', '&lt;')}</hook_context>"
    c.message("g1", "user", [{"text": f"{context}\n\n{WORDS}"}, {"text": context}], displayContent=WORDS)
    output = f"the list\n\n<hook_context>{WORD}</hook_context>"
    calls = [
        make_gemini.call(
            "c1", "mcp_recall-rank_recall", f"<untrusted_context>{ANSWER}</untrusted_context>", query=WORD
        ),
        make_gemini.call("c2", "ls", output, path="."),
    ]
    c.message("g2", "gemini", "Mended.", toolCalls=calls)
    path = folder / ".gemini" / "tmp" / "quay" / "chats" / "session-2026-05-28T20-26-aaaa1111.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(c.records))


def copilot(folder: Path) -> None:
    g = make_copilot.Log(make_copilot.MAIN)
    g.user("u1", WORDS, additionalContext=AUTO)
    g.add("hook.end", {"hookType": "userPromptSubmitted", "output": {"additionalContext": AUTO}, "content": AUTO})
    g.add("system.message", {"role": "system", "content": f"You are careful.\n\n{REMINDER}\n\n{AUTO}"})
    asked = make_copilot.request("c1", "recall-rank-recall", query=WORD)
    g.answer("a1", "Mended.", asked)
    g.done("c1", ANSWER)
    path = folder / ".copilot" / "session-state" / make_copilot.MAIN / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(g.events))


def pi(folder: Path) -> None:
    t = make_pi.Tree(make_pi.FIRST)
    t.said("user", WORDS)
    t.add("custom_message", customType="recall", content=AUTO, display=False)
    t.said("assistant", [make_pi.call("c1", "session_recall", query=WORD)], model="quill-1")
    t.said("toolResult", [make_pi.text(ANSWER)], toolCallId="c1", toolName="session_recall", isError=False)
    t.said("assistant", [make_pi.text("Mended.")], model="quill-1")
    path = folder / ".pi" / "agent" / "sessions" / "--home-mara--" / make_pi.file_name(make_pi.FIRST)
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(t.records))


HOSTS: Final[list[Callable[[Path], None]]] = [opencode, claude, codex, gemini, copilot, pi]


@pytest.mark.parametrize("write", HOSTS, ids=lambda write: write.__name__)
def test_recalled_text_is_no_hit_in_the_store_of_any_host(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(tmp_path)
    sessions, reports = read_all(open_sources(tmp_path))
    assert [(report.malformed, report.errors) for report in reports] == [((), ())]
    index = Index.build(sessions)
    for match in ("literal", "smart"):
        assert [hit.snippet for hit in index.search(WORD, match=match).results] == []
        for words in (WORDS, "Mended."):
            assert [hit for hit in index.search(words, match=match).results if words in hit.snippet]
    assert not index.search("rarest words of it", match="literal").results


def test_a_prompt_before_which_a_hook_put_its_context_is_its_authors(tmp_path: Path) -> None:
    gemini(tmp_path)
    ((session,), _) = read_all(open_sources(tmp_path))
    spoken, added = session.messages[0].parts
    assert (spoken.text, spoken.flags, session.title) == (WORDS, Flag.NONE, WORDS)
    assert added.flags == Flag.SYNTHETIC | Flag.UNSEARCHED
    assert WORD in str(added.text)  # the transcript has it


HOOKED: Final = "<hook_context>a</hook_context>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plain", "plain"),
        (" padded \n", " padded \n"),
        (HOOKED, ""),
        (f"{HOOKED}\n\n{HOOKED} words \n{HOOKED}\n", "words"),
        (f"words {HOOKED}", f"words {HOOKED}"),  # on the line of other words: a quotation
        (f"what is {HOOKED} for?\n", f"what is {HOOKED} for?\n"),
        ("<hook_context>never closed", "<hook_context>never closed"),
        ("never opened</hook_context>", "never opened</hook_context>"),
        ("</hook_context><hook_context>", "</hook_context><hook_context>"),
        ("<hook_context><hook_context>a</hook_context>b", "b"),
        (HOOKED * 20_000 + "b", "b"),
        ("b" + f"\n{HOOKED}" * 20_000, "b"),
    ],
)
def test_contexts_at_the_ends_of_a_text_are_removed(text: str, said: str) -> None:
    assert without_hook_context(text) == said


def checked(part: Part) -> Part:
    session = Session("s", (Message("m", "user", 1, (part,)),))
    new = without_recalled_text(session)
    assert (new is session) == (new.messages[0].parts[0] is part)
    return new.messages[0].parts[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"Before\n\n{AUTO}\n\nafter", "Before\n\nafter"),
        (f"{COMPACTION}\n{AUTO}\nafter", "after"),
        (f"one\n{AUTO}\ntwo\n{AUTO}\nthree", "one\n\ntwo\n\nthree"),
        (f"{REMINDER} And more.", "And more."),
        ("<recall-auto> in a sentence, and </recall-auto>", None),
        ("<recall-auto>\nnever closed", None),
        ("<recall-auto>\nclosed by another\n</recall-compaction>", None),
        ("<recall-other>\nnot ours\n</recall-other>", None),
        ("<recall-auto>\n" * 50_000, None),
    ],
)
def test_blocks_are_removed_and_other_text_stays(text: str, said: str | None) -> None:
    part = Part("p", "text", text)
    if said is None:
        assert checked(part) is part
    else:
        assert checked(part) == Part("p", "text", said)


@pytest.mark.parametrize("text", [AUTO, f"\n{COMPACTION}\n\n{AUTO}\n", REMINDER])
def test_a_part_that_is_recalled_text_is_kept_and_not_searched(text: str) -> None:
    part = checked(Part("p", "text", text, flags=Flag.ERROR))
    assert (part.text, part.flags) == (text, Flag.ERROR | Flag.SYNTHETIC | Flag.UNSEARCHED)


@pytest.mark.parametrize(
    ("output", "flags"), [(ANSWER, Flag.UNSEARCHED), ("x" * 1000 + ANSWER, Flag.UNSEARCHED), ("x" * 1001 + ANSWER, 0)]
)
def test_the_answer_of_a_recall_tool_is_known_by_its_notice(output: str, flags: int) -> None:
    assert checked(Part("p", "tool", tool="call_tool", output=output)).flags == flags


def test_the_marks_that_are_recognised_are_those_that_are_written() -> None:
    system: Any = nudge(["You are careful."])
    assert checked(Part("p", "text", "\n".join(system))).text == "You are careful."
    assert AUTO.startswith("<recall-auto>\n")
    assert COMPACTION.endswith("\n</recall-compaction>")
    assert ANSWER.startswith(NOTICE)
