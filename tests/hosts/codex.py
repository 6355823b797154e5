"""Codex, installed by our own command: sessions by `codex exec`, with hooks that this run trusts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tests.hosts.harness import (
    CALLS,
    FIRST_ANSWER,
    FIRST_QUESTION,
    LAST_ANSWER,
    SECOND_QUESTION,
    Report,
    Workplace,
    check_gone,
    check_hooks,
    check_project,
    check_store,
    check_tools,
    check_undone,
    check_without_us,
    wait_for_index,
    without_ours,
)
from tests.hosts.stub_model import MODEL

_SETTINGS: Final = """\
model = {model}  # of the person
model_provider = "stub"

[model_providers.stub]
name = "Stub"
base_url = {url}
wire_api = "responses"
"""
_TRUST: Final = """
[projects.{project}]
trust_level = "trusted"
"""
_HOOKS: Final = '{"hooks": {"Stop": [\n\t{"hooks": [{"type": "command", "command": "true"}]}\n]}}'
_TRUSTED: Final = "--dangerously-bypass-hook-trust"  # no person is here who could trust them


def drive(workplace: Workplace, report: Report) -> None:
    """Drive Codex, and add to the report what was seen."""
    program = workplace.npm("@openai/codex", "codex")
    report.version = workplace.run(program, "--version").stdout.strip()
    folder = workplace.home / ".codex"
    folder.mkdir()
    url = json.dumps(f"{workplace.model.url}/v1")
    (folder / "config.toml").write_text(_SETTINGS.format(model=json.dumps(MODEL), url=url), encoding="utf-8")
    (folder / "hooks.json").write_text(_HOOKS, encoding="utf-8")
    check_undone(report, workplace, "codex")
    before = workplace.edited_files("codex")
    command: list[str | Path] = [program, "exec", "--skip-git-repo-check", _TRUSTED]
    model = workplace.model

    model.begin(FIRST_ANSWER)
    done = workplace.run(*command, FIRST_QUESTION)
    report.check("the first session is answered", FIRST_ANSWER in done.stdout, done.stdout + done.stderr)
    report.check("the first session is indexed when it ends", wait_for_index(workplace, "burst of 42"))
    model.begin(*CALLS, LAST_ANSWER)
    done = workplace.run(*command, SECOND_QUESTION)
    report.check("the second session is answered", LAST_ANSWER in done.stdout, done.stdout + done.stderr)
    talk = model.talk()
    check_tools(report, talk)
    check_hooks(report, workplace, talk)
    _check_marks(report, talk[-1].answers[0] if talk and talk[-1].answers else "")
    check_store(report, workplace, "codex", _counts(workplace))

    with without_ours(workplace):
        model.begin(LAST_ANSWER)
        done = workplace.run(*command, SECOND_QUESTION)
        named = "required MCP servers failed to initialize: recall" in done.stderr
        report.check("without our program Codex does not start, and names the server", named, done.stderr)
    workplace.uninstall("codex")
    check_gone(report, workplace, before)
    model.begin(LAST_ANSWER)
    workplace.run(*command, SECOND_QUESTION)
    check_without_us(report, model.talk())
    with (folder / "config.toml").open("a", encoding="utf-8") as settings:
        settings.write(_TRUST.format(project=json.dumps(str(workplace.project))))
    check_project(report, workplace, "codex", command)


def _check_marks(report: Report, answer: str) -> None:
    """Check that the marks around recalled text stand around it in what the model reads, whatever the order of keys in
    our answer was.
    """
    begin, end = answer.find('"recalled_begin"'), answer.find('"recalled_end"')
    first, last = answer.find(FIRST_ANSWER), answer.rfind(FIRST_ANSWER)
    stand_around = 0 <= begin < first <= last < end
    report.check("the marks stand around what is recalled", stand_around, f"{begin} {first} {last} {end}")


def _counts(workplace: Workplace) -> dict[str, int]:
    """The numbers of sessions and messages in the store, counted without our loader: what a tool answered belongs to
    the message that called it.
    """
    rollouts = sorted((workplace.home / ".codex/sessions").rglob("*.jsonl"))
    records = [json.loads(line) for each in rollouts for line in each.read_text("utf-8").splitlines()]
    items = [each["payload"]["type"] for each in records if each["type"] == "response_item"]
    return {"sessions": len(rollouts), "messages": sum(each in ("message", "function_call") for each in items)}
