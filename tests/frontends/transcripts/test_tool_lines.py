"""Each tool of each agent has its line: the name, and the arguments that tell what the call did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.transcripts.homes import HomeFolders
from recall_rank.frontends.transcripts.tool_lines import ERROR_LINES, OUTPUT_LINES, tool_call, tool_lines
from recall_rank.frontends.transcripts.tool_shapes import SHAPES, plain_name, tool_shape
from recall_rank.loaders import open_sources
from recall_rank.loaders.registry import LOADERS
from recall_rank.model import Flag, Part
from tests.support.histories.every_store import STORES

HOME = "/home/mara"
HOMES = HomeFolders([HOME])
PATCH = "*** Begin Patch\n*** Update File: horn.c\n@@\n-loud\n+quiet\n*** End Patch"
TODO = [{"content": "oil the hinge", "status": "pending"}, {"content": "mend the sail", "status": "pending"}]
ASKED = [{"question": "Which bell?", "options": []}, {"question": "Which rope?"}]

# Agent -> (tool, arguments, action, line about the call behind its name).
CLAUDE: list[tuple[str, Any, str, str]] = [
    ("Read", {"file_path": f"{HOME}/horn.py", "offset": 40, "limit": 80}, "read", "~/horn.py offset=40 limit=80"),
    ("NotebookRead", {"notebook_path": "tides.ipynb"}, "read", "tides.ipynb"),
    ("Edit", {"file_path": "horn.py", "old_string": "a", "new_string": "b"}, "edit", "horn.py"),
    ("MultiEdit", {"file_path": "horn.py", "edits": [{}, {}]}, "edit", "horn.py (2 edits)"),
    ("NotebookEdit", {"notebook_path": "tides.ipynb", "new_source": "x"}, "edit", "tides.ipynb"),
    ("Write", {"file_path": "horn.py", "content": "x" * 720}, "write", "horn.py (720 chars)"),
    ("Bash", {"command": f"ls {HOME}/lamp", "run_in_background": True}, "run", "ls ~/lamp [background]"),
    ("Bash", {"command": "ls", "run_in_background": False}, "run", "ls"),
    ("PowerShell", {"command": "dir"}, "run", "dir"),
    ("BashOutput", {"bash_id": "b1"}, "run", "b1"),
    ("KillShell", {"shell_id": "b1"}, "run", "b1"),
    ("KillBash", {"shell_id": "b1"}, "run", "b1"),
    ("Glob", {"pattern": "**/*.rs", "path": "src"}, "search", "**/*.rs in src"),
    ("Grep", {"pattern": "parse_args", "path": "src"}, "search", "parse_args in src"),
    ("LS", {"path": f"{HOME}/lamp"}, "search", "~/lamp"),
    ("LSP", {"operation": "hover", "file_path": "horn.py"}, "search", "horn.py"),
    ("Agent", {"subagent_type": "Explore", "description": "count", "prompt": "p"}, "delegate", "as Explore count"),
    ("Task", {"subagent_type": "Explore", "description": "count", "prompt": "p"}, "delegate", "as Explore count"),
    ("SendMessage", {"to": "horn", "message": "stop"}, "delegate", "stop"),
    ("TeamCreate", {"name": "lamps", "description": "oilers"}, "delegate", "as lamps oilers"),
    ("TaskCreate", {"subject": "oil it"}, "plan", "oil it"),
    ("TaskUpdate", {"taskId": "1", "status": "completed"}, "plan", "id=1 status=completed"),
    ("TaskList", {}, "plan", ""),
    ("TaskGet", {"taskId": "1"}, "plan", "id=1"),
    ("TaskOutput", {"task_id": "b1"}, "plan", "id=b1"),
    ("TaskStop", {"task_id": "b1"}, "plan", "id=b1"),
    ("TodoWrite", {"todos": TODO}, "plan", "oil the hinge; mend the sail"),
    ("TodoRead", {}, "plan", ""),
    ("EnterPlanMode", {}, "plan", ""),
    ("ExitPlanMode", {"plan": "first oil, then sail"}, "plan", "first oil, then sail"),
    ("exit_plan_mode", {"plan": "first oil"}, "plan", "first oil"),
    ("CronCreate", {"name": "tide", "schedule": "0 6 * * *"}, "plan", "tide"),
    ("AskUserQuestion", {"questions": ASKED}, "ask", "Which bell?; Which rope?"),
    ("WebFetch", {"url": "https://docs.example/horn", "prompt": "p"}, "fetch", "https://docs.example/horn"),
    ("WebSearch", {"query": "diaphone valve"}, "fetch", "diaphone valve"),
    ("ToolSearch", {"query": "select:Foo"}, "search", "select:Foo"),
    ("ListMcpResourcesTool", {"server": "quay"}, "search", "quay"),
    ("ReadMcpResourceTool", {"server": "quay", "uri": "quay://1"}, "fetch", "quay://1"),
    ("Skill", {"skill": "rust-review", "args": "--strict"}, "other", "rust-review --strict"),
    ("SlashCommand", {"command": "/review"}, "other", "/review"),
    ("mcp__quay__moor", {"boat": "Petrel", "berth": 4, "day": "May", "d": 1}, "other", "boat=Petrel, berth=4, day=May"),
    ("mcp__files__read_file", {"path": "horn.py"}, "read", "horn.py"),
]  # fmt: skip
CODEX: list[tuple[str, Any, str, str]] = [
    ("exec_command", {"cmd": "cat horn.log", "workdir": "/x"}, "run", "cat horn.log"),
    ("shell", {"command": ["bash", "-lc", "ls lamp"]}, "run", "ls lamp"),
    ("shell", {"command": ["ls", "lamp"]}, "run", "ls lamp"),
    ("local_shell", {"type": "exec", "command": ["/bin/sh", "-c", "ls"]}, "run", "ls"),
    ("container.exec", {"cmd": ["ls"]}, "run", "ls"),
    ("write_stdin", {"session_id": 4, "chars": "y\n"}, "run", "4 input y"),
    ("js_repl", {"code": "1 + 1"}, "run", "1 + 1"),
    ("apply_patch", {"input": PATCH}, "edit", "horn.c"),
    ("read_file", {"file_path": "horn.c", "offset": 1, "limit": 9}, "read", "horn.c offset=1 limit=9"),
    ("view_image", {"path": "horn.png"}, "read", "horn.png"),
    ("list_dir", {"dir_path": "lamp"}, "search", "lamp"),
    ("grep_files", {"pattern": "loud", "path": "lamp"}, "search", "loud in lamp"),
    ("tool_search", {"query": "horn"}, "search", "horn"),
    ("web_search", {"type": "search", "query": "diaphone valve"}, "fetch", "diaphone valve"),
    ("update_plan", {"plan": [{"step": "oil", "status": "pending"}]}, "plan", "oil"),
    ("spawn_agent", {"agent_type": "explorer", "message": "count"}, "delegate", "as explorer count"),
    ("send_input", {"id": "a1", "message": "stop"}, "delegate", "stop"),
    ("wait", {"ids": ["a1"]}, "delegate", "a1"),
    ("close_agent", {"id": "a1"}, "delegate", "a1"),
    ("request_user_input", {"questions": ASKED}, "ask", "Which bell?; Which rope?"),
    ("image_generation", {"prompt": "a lamp"}, "other", "a lamp"),
    ("list_mcp_resources", {"server": "quay"}, "search", "quay"),
    ("read_mcp_resource", {"server": "quay", "uri": "quay://1"}, "fetch", "quay://1"),
]
GEMINI: list[tuple[str, Any, str, str]] = [
    ("read_file", {"absolute_path": f"{HOME}/kiosk/fan.txt"}, "read", "~/kiosk/fan.txt"),
    ("read_many_files", {"paths": ["fan.txt", "vent.txt"]}, "read", "fan.txt vent.txt"),
    ("write_file", {"file_path": "fan.txt", "content": "spin"}, "write", "fan.txt (4 chars)"),
    ("replace", {"file_path": "fan.txt", "old_string": "a", "new_string": "b"}, "edit", "fan.txt"),
    ("list_directory", {"path": "kiosk"}, "search", "kiosk"),
    ("glob", {"pattern": "*.txt"}, "search", "*.txt"),
    ("search_file_content", {"pattern": "spin", "path": "kiosk"}, "search", "spin in kiosk"),
    ("grep_search", {"pattern": "spin"}, "search", "spin"),
    ("run_shell_command", {"command": "listen --fridge"}, "run", "listen --fridge"),
    ("web_fetch", {"prompt": "read https://docs.example/fan"}, "fetch", "read https://docs.example/fan"),
    ("google_web_search", {"query": "fan noise"}, "fetch", "fan noise"),
    ("save_memory", {"fact": "the fan rattles"}, "other", "the fan rattles"),
    ("write_todos", {"todos": [{"description": "oil", "status": "pending"}]}, "plan", "oil"),
    ("delegate_to_agent", {"agent_name": "codebase", "objective": "count"}, "delegate", "as codebase count"),
    ("codebase_investigator", {"objective": "count fans"}, "delegate", "count fans"),
    ("activate_skill", {"name": "vents"}, "other", "vents"),
    ("ask_user", {"questions": ASKED}, "ask", "Which bell?; Which rope?"),
    ("enter_plan_mode", {"reason": "large"}, "plan", "large"),
    ("look", {"file_path": "quay.txt"}, "other", "file_path=quay.txt"),
]
COPILOT: list[tuple[str, Any, str, str]] = [
    ("bash", {"command": "cat gauge.log", "description": "look"}, "run", "cat gauge.log"),
    ("read_bash", {"sessionId": "s1"}, "run", "s1"),
    ("write_bash", {"sessionId": "s1", "input": "y"}, "run", "s1 input y"),
    ("stop_bash", {"sessionId": "s1"}, "run", "s1"),
    ("view", {"path": "gauge.py", "view_range": [1, 20]}, "read", "gauge.py lines 1; 20"),
    ("create", {"path": "gauge.py", "file_text": "drift"}, "write", "gauge.py (5 chars)"),
    ("edit", {"path": "gauge.py", "old_str": "a"}, "edit", "gauge.py"),
    ("str_replace_editor", {"command": "view", "path": "gauge.py"}, "read", "gauge.py"),
    ("str_replace_editor", {"command": "create", "path": "gauge.py", "file_text": "x"}, "write", "gauge.py (1 chars)"),
    ("str_replace_editor", {"command": "str_replace", "path": "gauge.py"}, "edit", "gauge.py"),
    ("grep", {"pattern": "drift", "path": "gauges"}, "search", "drift in gauges"),
    ("glob", {"pattern": "*.py"}, "search", "*.py"),
    ("task", {"agent_type": "explore", "description": "count"}, "delegate", "as explore count"),
    ("task", {"prompt": "count floats"}, "delegate", "count floats"),
    ("report_intent", {"intent": "Fixing drift"}, "plan", "Fixing drift"),
    ("update_todo", {"todos": "- [ ] oil"}, "plan", "- [ ] oil"),
    ("web_fetch", {"url": "https://docs.example/float"}, "fetch", "https://docs.example/float"),
    ("skill", {"skill": "floats"}, "other", "floats"),
    ("ask_user", {"question": "Which float?"}, "ask", "Which float?"),
    ("store_memory", {"fact": "floats stick"}, "other", "floats stick"),
    ("sql", {"query": "SELECT 1"}, "run", "SELECT 1"),
]
CURSOR: list[tuple[str, Any, str, str]] = [
    ("read_file", {"target_file": "sails/jib.md"}, "read", "sails/jib.md"),
    ("read_file_v2", {"target_file": "sails/jib.md"}, "read", "sails/jib.md"),
    ("edit_file", {"target_file": "sails/jib.md", "code_edit": "x"}, "edit", "sails/jib.md"),
    ("edit_file_v2", {"relativeWorkspacePath": "sails/jib.md"}, "edit", "sails/jib.md"),
    ("search_replace", {"file_path": "jib.md", "old_string": "a"}, "edit", "jib.md"),
    ("apply_patch", {"file_path": "jib.md", "patch": "x"}, "edit", "jib.md"),
    ("edit_notebook", {"target_notebook": "jib.ipynb"}, "edit", "jib.ipynb"),
    ("delete_file", {"target_file": "jib.md"}, "delete", "jib.md"),
    ("run_terminal_cmd", {"command": "hoist", "is_background": False}, "run", "hoist"),
    ("run_terminal_command_v2", {"command": "hoist"}, "run", "hoist"),
    ("codebase_search", {"query": "the sails", "target_directories": ["loft"]}, "search", "the sails in loft"),
    ("semantic_search_full", {"query": "sails"}, "search", "sails"),
    ("grep", {"pattern": "sail"}, "search", "sail"),
    ("ripgrep_raw_search", {"pattern": "sail"}, "search", "sail"),
    ("list_dir", {"relative_workspace_path": "loft"}, "search", "loft"),
    ("list_dir_v2", {"targetDirectory": "loft"}, "search", "loft"),
    ("glob_file_search", {"globPattern": "*.md", "targetDirectory": "loft"}, "search", "*.md in loft"),
    ("file_search", {"query": "jib"}, "search", "jib"),
    ("todo_write", {"todos": TODO}, "plan", "oil the hinge; mend the sail"),
    ("create_plan", {"name": "Sails", "plan": "mend"}, "plan", "mend"),
    ("web_search", {"search_term": "sail cloth"}, "fetch", "sail cloth"),
    ("fetch_rules", {"rule_names": ["sails"]}, "other", "sails"),
    ("read_lints", {"paths": ["jib.md"]}, "search", "jib.md"),
    ("task_v2", {"description": "count sails"}, "delegate", "count sails"),
    ("ask_question", {"questions": ASKED}, "ask", "Which bell?; Which rope?"),
]  # fmt: skip
CURSOR_CLI: list[tuple[str, Any, str, str]] = [
    ("Read", {"path": "hull/seams.md"}, "read", "hull/seams.md"),
    ("Shell", {"command": "caulk"}, "run", "caulk"),
    ("Write", {"path": "hull.md", "contents": "tar"}, "write", "hull.md (3 chars)"),
    ("StrReplace", {"path": "hull.md", "old_string": "a"}, "edit", "hull.md"),
    ("Glob", {"glob_pattern": "*.md"}, "search", "*.md"),
    ("Grep", {"pattern": "seam"}, "search", "seam"),
    ("Delete", {"path": "hull.md"}, "delete", "hull.md"),
    ("TodoWrite", {"todos": TODO}, "plan", "oil the hinge; mend the sail"),
    ("WebSearch", {"search_term": "tar"}, "fetch", "tar"),
    ("Task", {"description": "count seams"}, "delegate", "count seams"),
]
OPENCODE: list[tuple[str, Any, str, str]] = [
    ("bash", {"command": "oil --hinge", "description": "Oil"}, "run", "oil --hinge"),
    ("read", {"filePath": f"{HOME}/lamp/gone.py", "offset": 3}, "read", "~/lamp/gone.py offset=3"),
    ("write", {"filePath": "lamp.py", "content": "glow"}, "write", "lamp.py (4 chars)"),
    ("edit", {"filePath": "lamp.py", "oldString": "a"}, "edit", "lamp.py"),
    ("multiedit", {"filePath": "lamp.py", "edits": [{}]}, "edit", "lamp.py (1 edits)"),
    ("patch", {"patchText": PATCH}, "edit", "horn.c"),
    ("apply_patch", {"patchText": PATCH}, "edit", "horn.c"),
    ("glob", {"pattern": "*.py", "path": "lamp"}, "search", "*.py in lamp"),
    ("grep", {"pattern": "glow"}, "search", "glow"),
    ("list", {"path": "lamp"}, "search", "lamp"),
    ("lsp", {"operation": "hover", "filePath": "lamp.py"}, "search", "hover"),
    ("webfetch", {"url": "https://docs.example/wick"}, "fetch", "https://docs.example/wick"),
    ("websearch", {"query": "wick"}, "fetch", "wick"),
    ("codesearch", {"query": "wick trimming"}, "search", "wick trimming"),
    ("task", {"subagent_type": "explore", "description": "count"}, "delegate", "as explore count"),
    ("todowrite", {"todos": TODO}, "plan", "oil the hinge; mend the sail"),
    ("todoread", {}, "plan", ""),
    ("skill", {"name": "wicks"}, "other", "wicks"),
    ("question", {"questions": ASKED}, "ask", "Which bell?; Which rope?"),
    ("plan_exit", {}, "plan", ""),
]
PI: list[tuple[str, Any, str, str]] = [
    ("bash", {"command": "pytest -k lamp"}, "run", "pytest -k lamp"),
    ("read", {"path": "lamp/wiring.py", "offset": 2}, "read", "lamp/wiring.py offset=2"),
    ("write", {"path": "lamp.py", "content": "glow"}, "write", "lamp.py (4 chars)"),
    ("edit", {"path": "lamp.py", "oldText": "a"}, "edit", "lamp.py"),
    ("grep", {"pattern": "glow", "path": "lamp"}, "search", "glow in lamp"),
    ("find", {"pattern": "*.py", "path": "lamp"}, "search", "*.py in lamp"),
    ("ls", {"path": "lamp"}, "search", "lamp"),
]
TALLOW: list[tuple[str, Any, str, str]] = [
    *PI,
    ("subagent", {"agent": "scout", "task": "count lamps"}, "delegate", "as scout count lamps"),
    ("web_fetch", {"url": "https://docs.example/wax"}, "fetch", "https://docs.example/wax"),
    ("bg_bash", {"command": "melt"}, "run", "melt"),
    ("todo", {"action": "add", "text": "melt wax"}, "plan", "add melt wax"),
]
HERMES: list[tuple[str, Any, str, str]] = [
    ("terminal", {"command": "vent --test", "background": True}, "run", "vent --test [background]"),
    ("process", {"action": "poll", "session_id": "p1"}, "run", "poll p1"),
    ("execute_code", {"code": "print(1)"}, "run", "print(1)"),
    ("read_file", {"path": "vents.md", "offset": 1, "limit": 5}, "read", "vents.md offset=1 limit=5"),
    ("write_file", {"path": "vents.md", "content": "air"}, "write", "vents.md (3 chars)"),
    ("patch", {"path": "vents.md", "old_string": "a", "mode": "replace"}, "edit", "vents.md"),
    ("search_files", {"pattern": "air", "path": "vents"}, "search", "air in vents"),
    ("session_search", {"query": "vents"}, "search", "vents"),
    ("web_search", {"query": "vents"}, "fetch", "vents"),
    ("web_extract", {"urls": ["https://docs.example/vent"]}, "fetch", "https://docs.example/vent"),
    ("browser_navigate", {"url": "https://docs.example/vent"}, "fetch", "https://docs.example/vent"),
    ("browser_click", {"ref": "@e5"}, "fetch", "@e5"),
    ("browser_type", {"ref": "@e5", "text": "air"}, "fetch", "@e5"),
    ("browser_snapshot", {"full": True}, "fetch", "true"),
    ("delegate_task", {"goal": "count vents", "context": "c"}, "delegate", "count vents"),
    ("delegate_task", {"tasks": [{"goal": "count"}, {"goal": "close"}]}, "delegate", "count; close"),
    ("mixture_of_agents", {"user_prompt": "why"}, "delegate", "why"),
    ("todo", {"todos": [{"id": "1", "content": "oil", "status": "pending"}]}, "plan", "oil"),
    ("cronjob", {"action": "create", "name": "vent"}, "plan", "create vent"),
    ("memory", {"action": "add", "content": "vents stick"}, "other", "add vents stick"),
    ("skill_view", {"name": "vents"}, "other", "vents"),
    ("skills_list", {}, "other", ""),
    ("skill_manage", {"action": "create", "name": "vents"}, "other", "create vents"),
    ("clarify", {"question": "Which vent?"}, "ask", "Which vent?"),
    ("vision_analyze", {"image_url": "vent.png", "question": "open?"}, "other", "vent.png"),
    ("image_generate", {"prompt": "a vent"}, "other", "a vent"),
    ("text_to_speech", {"text": "open"}, "other", "open"),
    ("send_message", {"message": "open"}, "delegate", "open"),
    ("look", None, "other", ""),
]
GOOSE: list[tuple[str, Any, str, str]] = [
    ("developer__shell", {"command": "ls barn"}, "run", "ls barn"),
    ("developer__text_editor", {"command": "view", "path": "barn/goat.md"}, "read", "barn/goat.md"),
    ("developer__text_editor", {"command": "write", "path": "g.md", "file_text": "x"}, "write", "g.md (1 chars)"),
    ("developer__text_editor", {"path": "barn/goat.md"}, "edit", "barn/goat.md"),
    ("developer__analyze", {"path": "barn"}, "search", "barn"),
    ("computercontroller__web_scrape", {"url": "https://docs.example/goat"}, "fetch", "https://docs.example/goat"),
    ("memory__remember_memory", {"category": "goats", "data": "they climb"}, "other", "they climb"),
    ("todo__todo_write", {"content": "feed"}, "plan", "feed"),
    ("shell", {"command": "ls"}, "run", "ls"),
    ("write", {"path": "g.md", "content": "x"}, "write", "g.md (1 chars)"),
    ("edit", {"path": "g.md"}, "edit", "g.md"),
    ("tree", {"path": "barn"}, "other", "path=barn"),
    ("load", {"source": "goats"}, "other", "goats"),
    ("delegate", {"instructions": "count goats"}, "delegate", "count goats"),
    ("subagent", {"instructions": "count goats"}, "delegate", "count goats"),
    ("tie", {}, "other", ""),
    ("", {}, "other", ""),
]
MEMO: list[tuple[str, Any, str, str]] = [
    ("Bash", {"command": "mend"}, "run", "mend"),
    ("ReadFile", {"path": "lamp/log.txt"}, "read", "lamp/log.txt"),
    ("WriteFile", {"path": "log.txt", "content": "x"}, "write", "log.txt (1 chars)"),
    ("EditFile", {"path": "log.txt"}, "edit", "log.txt"),
    ("Grep", {"pattern": "dim"}, "search", "dim"),
    ("Glob", {"pattern": "*.txt"}, "search", "*.txt"),
    ("WebFetch", {"url": "https://docs.example/lamp"}, "fetch", "https://docs.example/lamp"),
    ("SearchHistory", {"query": "lamp", "limit": 5}, "search", "lamp"),
]
PRAISON: list[tuple[str, Any, str, str]] = [
    ("read_file", {"path": "dags/daily.py"}, "read", "dags/daily.py"),
    ("run", {"cmd": "ss -ltn"}, "run", "ss -ltn"),
    ("polish", {"path": "lens/front.txt"}, "other", "path=lens/front.txt"),
    ("", None, "other", ""),
]
SPECSTORY: list[tuple[str, Any, str, str]] = [
    ("Bash", {"command": "grease --all"}, "run", "grease --all"),
    ("Read", {"text": "gate/hinge.md"}, "read", "gate/hinge.md"),
]
HISTORY: list[tuple[str, Any, str, str]] = [
    ("bash", {"command": "motorctl --torque"}, "run", "motorctl --torque"),
    ("read", None, "read", ""),
    ("bash", "ls lamp", "run", "ls lamp"),
    ("weigh", ["a", "b"], "other", "input=a b"),
]
AIDER: list[tuple[str, Any, str, str]] = [("", None, "other", "")]
TOOLS = {
    "claude-code": CLAUDE, "codex": CODEX, "gemini-cli": GEMINI, "copilot-cli": COPILOT, "cursor": CURSOR,
    "cursor-cli": CURSOR_CLI, "opencode": OPENCODE, "opencode-json": OPENCODE, "opencode-export": OPENCODE, "pi": PI,
    "tallow": TALLOW, "hermes": HERMES, "goose": GOOSE, "memo-agent": MEMO, "praisonai": PRAISON, "aider": AIDER,
    "specstory": SPECSTORY, "history": HISTORY,
}  # fmt: skip


def line_of(part: Part) -> str:
    return next(tool_lines(part, HOMES))


def part_of(tool: str, given: Any) -> Part:
    files = ("horn.c",) if PATCH in str(given) or (isinstance(given, dict) and PATCH in given.values()) else ()
    return Part("p", "tool", tool=tool or None, input=given, status="completed", files=files)


@pytest.mark.parametrize(
    ("tool", "given", "action", "detail"),
    [pytest.param(*row, id=f"{agent}-{at}-{row[0]}") for agent, rows in TOOLS.items() for at, row in enumerate(rows)],
)
def test_the_line_of_each_tool(tool: str, given: Any, action: str, detail: str) -> None:
    call = tool_call(part_of(tool, given), HOMES)
    assert (call.name, call.action, call.detail) == (tool or "tool output", action, detail)
    line = line_of(part_of(tool, given))
    assert "\n" not in line
    assert line.startswith("- **")
    assert detail in line


def test_every_loader_has_its_tools() -> None:
    assert set(TOOLS) == {loader.name for loader in LOADERS}


def test_every_known_tool_is_the_tool_of_some_agent_or_a_spelling_of_one() -> None:
    tested = {plain_name(tool.rpartition("__")[2]) for rows in TOOLS.values() for tool, *_ in rows}
    actions = {tool_shape(tool).action for rows in TOOLS.values() for tool, *_ in rows}
    assert {shape.action for shape in SHAPES.values()} <= actions
    assert len(tested & SHAPES.keys()) >= 100


@pytest.mark.parametrize("name", STORES)
def test_the_tools_in_the_stores_of_each_loader_are_in_the_table(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    if name in ("opencode-export", "history"):
        home.mkdir()
    STORES[name](home)
    found = {
        (source.name, part.tool or "")
        for source in open_sources(home)
        for unit in source.units()
        for session in source.read(unit).sessions
        for message in session.messages
        for part in message.parts
        if part.type == "tool" or part.tool
    }
    known = {agent: {tool for tool, *_ in rows} for agent, rows in TOOLS.items()}
    assert {(agent, tool) for agent, tool in found if tool not in known[agent]} == set()


# --- errors and outputs ----------------------------------------------------------------------------------------


def test_first_and_last_lines_of_an_output_are_kept() -> None:
    output = "\n".join(f"line {at}" for at in range(1, 21)) + "\n"
    part = Part("p", "tool", tool="bash", input={"command": "ls"}, output=output, status="completed")
    assert list(tool_lines(part, HOMES)) == [
        "- **bash** `ls` · 20 lines",
        "  - `line 1`",
        "  - `line 2`",
        "  - 16 lines left out",
        "  - `line 19`",
        "  - `line 20`",
    ]
    assert OUTPUT_LINES == 2


def test_an_error_is_kept() -> None:
    trace = "\n".join(f"frame {at}" for at in range(2 * ERROR_LINES))
    part = Part("p", "tool", tool="bash", input={"command": "ls"}, error=trace, flags=Flag.ERROR, status="error")
    lines = list(tool_lines(part, HOMES))
    assert lines[0] == "- **bash** `ls` · failed · 40 lines"
    assert lines[1:] == [f"  - `{line}`" for line in trace.split("\n")]
    longer = Part("p", "tool", tool="bash", error=f"{trace}\nthe end", flags=Flag.ERROR)
    assert "  - 1 line left out" in list(tool_lines(longer, HOMES))
    assert list(tool_lines(longer, HOMES))[-1] == "  - `the end`"


def test_an_output_that_is_marked_as_failed_is_an_error() -> None:
    output = "\n".join(map(str, range(30)))
    part = Part("p", "tool", tool="bash", output=output, flags=Flag.ERROR)
    assert len(list(tool_lines(part, HOMES))) == 31


def test_a_running_call_and_a_pruned_output_are_marked() -> None:
    running = Part("p", "tool", tool="bash", input={"command": "ls"}, status="running", flags=Flag.PRUNED)
    assert line_of(running) == "- **bash** `ls` · running · output no longer in the agent's context"


def test_reminders_are_taken_out_of_an_output() -> None:
    output = "real line\n<system-reminder>\nbe good\n</system-reminder>"
    part = Part("p", "tool", tool="bash", output=output)
    assert list(tool_lines(part, HOMES)) == ["- **bash**", "  - `real line`"]


@pytest.mark.parametrize(
    "text",
    [
        "`x`",
        "`<b>x</b>` `*y*`",
        "``",
        "a ``` b",
        "# user",
        "\x1b[2J",
        "\u202eflip",
        "</pre><script>",
        "a\nb\tc",
        "|x|",
        "*b*",
    ],
)
def test_hostile_arguments_and_outputs_stay_in_their_code(text: str) -> None:
    from markdown_it import MarkdownIt

    part = Part("p", "tool", tool=text, input={"command": text, text: text}, output=text, error=text)
    page = "\n".join(tool_lines(part, HOMES))
    found = MarkdownIt("commonmark").parse(page)
    assert {each.type for each in found} <= {
        *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
        *("paragraph_open", "paragraph_close", "inline"),
    }
    inner = [child.type for each in found for child in each.children or ()]
    assert "html_inline" not in inner
    assert "em_open" not in inner
    assert "\x1b" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("/home/mara", "~"),
        ("cat /home/mara/x", "cat ~/x"),
        ("/home/marathon/x", "/home/marathon/x"),
        ("/home/mara-2/x", "/home/mara-2/x"),
        ("/home/mara.old/x", "/home/mara.old/x"),
        ("at /home/mara.", "at ~."),
        ("/mnt/home/mara/x", "/mnt/home/mara/x"),
        ("'/home/mara/x'", "'~/x'"),
        ("--dir=/home/mara/x", "--dir=~/x"),
    ],
)
def test_a_home_folder_is_a_tilde(text: str, short: str) -> None:
    assert HOMES.shortened(text) == short


def test_no_home_is_nothing() -> None:
    assert HomeFolders(["/", ""]).shortened("/home/mara") == "/home/mara"
