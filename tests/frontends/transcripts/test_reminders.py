"""Reminders are removed as spans; what a user typed stays, and what a program inserted becomes a note."""

from __future__ import annotations

import pytest

from recall_rank.frontends.transcripts.reminders import said_in, typed_by_user, without_reminders
from recall_rank.model import Flag, Message, Part

SPAN = "<system-reminder>be good</system-reminder>"
REVIEW = (
    "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
    "<command-args>the parser & its `tests`</command-args>"
)
COUNTED = (
    "<task-notification><task-id>a</task-id><status>completed</status><summary>count done</summary></task-notification>"
)


@pytest.mark.parametrize(
    ("text", "left", "count"),
    [
        ("plain", "plain", 0),
        ("<system-reminder>be good</system-reminder>", "", 1),
        ("before <system-reminder>be good</system-reminder> after", "before  after", 1),
        ("before\n\n<system-reminder>\nbe\n\ngood\n</system-reminder>\n\nafter", "before\n\nafter", 1),
        ("a <system-reminder>1</system-reminder> b <system-reminder>2</system-reminder>", "a  b ", 2),
        ("nested <system-reminder>a <system-reminder>b</system-reminder> c</system-reminder> d", "nested  d", 1),
        ("why is there a <system-reminder> in it?", "why is there a <system-reminder> in it?", 0),
        ("why </system-reminder> here?", "why </system-reminder> here?", 0),
        (
            "it mentions <system-reminder> once\n<system-reminder>real</system-reminder>",
            "it mentions <system-reminder> once",
            1,
        ),
        (f"what does `{SPAN}` do?", f"what does `{SPAN}` do?", 0),
        (f"```\n{SPAN}\n```", f"```\n{SPAN}\n```", 0),
        ("```\ncode\n```\n<system-reminder>real</system-reminder>", "```\ncode\n```", 1),
        ("`a`\n`b` c\n<system-reminder>real</system-reminder>d", "`a`\n`b` c\nd", 1),
    ],
)  # fmt: skip
def test_a_reminder_is_a_span(text: str, left: str, count: int) -> None:
    assert without_reminders(text) == (left, count)


@pytest.mark.timeout(60)  # quadratic work would take minutes
@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>" * 100_000 + "</system-reminder>",
        "<system-reminder></system-reminder>`" * 50_000,
        "</system-reminder>" * 100_000,
        "```\n" * 100_000 + "</system-reminder>",
    ],
)
def test_a_long_text_of_tags_is_read_in_little_time(text: str) -> None:
    assert without_reminders(text)


@pytest.mark.parametrize(
    ("text", "typed", "notes"),
    [
        ("<command-name>/model</command-name>\n<command-message>model</command-message>", "/model", ()),
        (
            REVIEW,
            "/review the parser & its `tests`",
            (),
        ),
        ("<bash-input>git status</bash-input>", "! git status", ()),
        ("<user-memory-input>always rebase</user-memory-input>", "# always rebase", ()),
        ("<local-command-stdout>Set model</local-command-stdout>", "", ("Local command stdout: Set model",)),
        ("<local-command-stdout></local-command-stdout>", "", ()),
        ("<bash-stdout>two files</bash-stdout><bash-stderr></bash-stderr>", "", ("Bash stdout: two files",)),
        ("<system-reminder>be good</system-reminder>", "", ()),
        (
            COUNTED,
            "",
            ("Task notification: summary: count done; status: completed",),
        ),
        (
            "Base directory for this skill: /home/mara/.claude/skills/lamp-care\n\n# Lamps\nOil them.",
            "",
            ("Skill loaded: lamp-care (4 words)",),
        ),
        ("[Request interrupted by user]", "", ("Inserted by the program: [Request interrupted by user]",)),
        ("<environment_context>\n<cwd>/lamp", "", ("Inserted by the program: <environment_context> <cwd>/lamp",)),
        ("word " * 100, "", ("Inserted by the program: " + ("word " * 39) + "word… (100 words)",)),
    ],
)  # fmt: skip
def test_what_a_program_inserted_is_a_note_and_what_was_typed_in_it_is_kept(
    text: str, typed: str, notes: tuple[str, ...]
) -> None:
    said = said_in(Part("p", "text", text, flags=Flag.SYNTHETIC), Flag.SYNTHETIC)
    assert (said.typed, said.notes) == (typed, notes)


def test_a_summary_is_a_note() -> None:
    said = said_in(Part("p", "text", "So far: " + "word " * 200), Flag.SUMMARY | Flag.SYNTHETIC)
    assert said.typed == ""
    assert said.notes[0].startswith("Summary of what was said before: So far: word")
    assert said.notes[0].endswith("(202 words)")


def test_what_the_agent_says_is_not_typed() -> None:
    assert typed_by_user(Message("m", "assistant", 0, (Part("p", "text", "words"),))) == []
    assert typed_by_user(Message("m", "user", 0, (Part("p", "text", "words"), Part("q", "file")))) == ["words"]
    assert typed_by_user(Message("m", "user", 0, (Part("p", "text", " \n"),))) == []
    assert typed_by_user(Message("m", "user", 0, (Part("p", "text", "words"),), flags=Flag.SUMMARY)) == []
