"""The tools of the agents: what each of them does, and which of its arguments a line about a call shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Action = Literal["read", "edit", "write", "delete", "run", "search", "fetch", "delegate", "plan", "ask", "other"]

_VERSION: Final = re.compile(r"v\d$")
_SEPARATORS: Final = re.compile(r"[_\-. ]+")


@dataclass(frozen=True, slots=True)
class Slot:
    """One value that a line shows: that of the first of `names` among the arguments of the call."""

    names: tuple[str, ...]
    before: str = ""  # is written in front of the value
    most: int = 200  # characters
    size: Literal["", "chars", "items"] = ""  # show the length of the value instead of the value


@dataclass(frozen=True, slots=True)
class ToolShape:
    """The action of a tool, and the values of its arguments that a line about a call shows, in order."""

    action: Action
    slots: tuple[Slot, ...] = ()


PATHS: Final = (
    *("file_path", "filePath", "absolute_path", "target_file", "targetFile", "relativeWorkspacePath"),
    *("relative_workspace_path", "notebook_path", "notebookPath", "path", "file", "filename", "files", "paths", "uri"),
)
_FOLDERS: Final = ("path", "dir_path", "dirPath", "directory", "folder", "cwd", "target_directory", "targetDirectory")
_BODIES: Final = ("content", "contents", "file_text", "fileText", "text", "code", "new_source")
_PATTERNS: Final = (
    *("pattern", "query", "regex", "searchTerm", "search_term", "glob_pattern", "globPattern", "glob", "name"),
    *("file_pattern", "search"),
)
_COMMANDS: Final = ("command", "cmd", "commands", "script", "code", "input", "query", "action")
_TASKS: Final = (
    *("description", "title", "objective", "goal", "task", "task_description", "prompt", "message", "instructions"),
    *("subject", "tasks", "agents"),
)
_AGENTS: Final = ("subagent_type", "subagentType", "agent", "agent_name", "agentName", "agent_type", "mode", "name")
_IDS: Final = (
    *("bash_id", "shell_id", "shellId", "session_id", "sessionId", "task_id", "taskId", "process_id", "id", "agent_id"),
    *("ids", "pid", "to"),
)
_URLS: Final = ("url", "urls", "uri", "prompt", "query", "path")

_READ: Final = ToolShape(
    "read",
    (
        Slot(PATHS),
        Slot(("offset", "start_line", "startLine", "start_line_one_indexed"), "offset="),
        Slot(("limit", "end_line", "endLine", "end_line_one_indexed_inclusive"), "limit="),
        Slot(("view_range", "viewRange"), "lines "),
        Slot(("pages",), "pages "),
    ),
)
_WRITE: Final = ToolShape("write", (Slot(PATHS), Slot(_BODIES, size="chars")))
_EDIT: Final = ToolShape("edit", (Slot(PATHS), Slot(("edits",), size="items")))
_DELETE: Final = ToolShape("delete", (Slot(PATHS),))
_BACKGROUND: Final = Slot(("run_in_background", "background", "is_background", "async", "detach"), "[background]", 0)
_RUN: Final = ToolShape("run", (Slot(_COMMANDS), _BACKGROUND))
_CONTROL: Final = ToolShape("run", (Slot(("action",)), Slot(_IDS), Slot(("chars", "input", "data"), "input ")))
_SEARCH: Final = ToolShape("search", (Slot(_PATTERNS), Slot((*_FOLDERS, "include", "target_directories"), "in ")))
_LIST: Final = ToolShape("search", (Slot((*_FOLDERS, "relative_workspace_path", "file_path"), ""),))
_FETCH: Final = ToolShape("fetch", (Slot(_URLS),))
_WEB_SEARCH: Final = ToolShape("fetch", (Slot(("query", "search_term", "searchTerm", "queries", "q", "search_query")),))
_BROWSER: Final = ToolShape("fetch", (Slot(("url", "ref", "key", "text", "direction", "question", "expression")),))
_DELEGATE: Final = ToolShape("delegate", (Slot(_AGENTS, "as "), Slot(_TASKS), _BACKGROUND))
_TASK: Final = ToolShape(
    "plan",
    (
        Slot(("subject", "description", "title")),
        Slot(("taskId", "task_id", "id", "shell_id"), "id="),
        Slot(("status",), "status="),
    ),
)
_PLAN: Final = ToolShape(
    "plan",
    (
        Slot(("action", "operation")),
        Slot(("todos", "plan", "steps", "items", "tasks", "todo", "intent", "explanation", "text", "name")),
    ),
)
_ASK: Final = ToolShape("ask", (Slot(("questions", "question", "prompt", "message", "text", "title")),))
_SKILL: Final = ToolShape(
    "other",
    (Slot(("action",)), Slot(("skill", "name", "skill_name", "command", "source")), Slot(("args", "arguments"))),
)
_MEMORY: Final = ToolShape(
    "other", (Slot(("action",)), Slot(("content", "fact", "data", "text", "query", "knowledge_to_store", "category")))
)
_MEDIA: Final = ToolShape("other", (Slot(("prompt", "image_url", "path", "text", "question", "user_prompt")),))

# Agents with tools of equal names give them arguments of equal meaning, so one table serves all of them. Keys are
# lower case, without separators and version.
_NAMED: Final[Mapping[ToolShape, str]] = {
    _READ: "read readfile readmanyfiles readmultiplefiles view viewfile viewimage notebookread readnotebook cat",
    _WRITE: "write writefile create createfile filewrite newfile savefile",
    _EDIT: (
        "edit multiedit editfile strreplace strreplaceeditor texteditor searchreplace replace replaceinfile applypatch "
        "patch applydiff notebookedit editnotebook insert reapply"
    ),
    _DELETE: "delete deletefile removefile",
    _RUN: (
        "bash shell localshell exec execcommand runshellcommand runcommand terminal runterminalcmd runterminalcommand "
        "runinterminal powershell run execute executecode executecommand containerexec jsrepl python userbash bgbash "
        "sql repl"
    ),
    _CONTROL: (
        "bashoutput killshell killbash readbash writebash stopbash listbash writestdin process killprocess awaitshell"
    ),
    _SEARCH: (
        "grep grepsearch ripgrep ripgreprawsearch searchfilecontent grepfiles rg glob globfilesearch filesearch find "
        "searchfiles codebasesearch semanticsearch semanticsearchfull codesearch toolsearch searchtools search "
        "sessionsearch searchhistory listmcpresources listmcpresourcestool"
    ),
    _LIST: "ls list listdir listdirectory listfiles analyze readlints lsp",
    _FETCH: "webfetch fetch webextract webscrape readmcpresource readmcpresourcetool fetchmcpresource openurl",
    _WEB_SEARCH: "websearch googlewebsearch searchweb websearchcall",
    _BROWSER: (
        "browsernavigate browserclick browsertype browsersnapshot browserscroll browserback browserpress browservision "
        "browserconsole browsergetimages browserclose"
    ),
    _DELEGATE: (
        "agent task subagent delegate delegatetask delegatetoagent spawnagent sendinput sendmessage wait waitagent "
        "closeagent resumeagent codebaseinvestigator mixtureofagents teamcreate"
    ),
    _TASK: "taskcreate taskupdate tasklist taskget taskoutput taskstop",
    _PLAN: (
        "todowrite writetodos updateplan todo todos todoread updatetodo readtodos enterplanmode exitplanmode planenter "
        "planexit createplan switchmode reportintent cronjob croncreate crondelete cronlist"
    ),
    _ASK: "askuserquestion askuser askquestion clarify question requestuserinput",
    _SKILL: "skill slashcommand activateskill skillview skillslist skillmanage load fetchrules",
    _MEMORY: "memory savememory storememory updatememory remembermemory retrievememories removememory",
    _MEDIA: "visionanalyze imagegenerate imagegeneration generateimage texttospeech screencapture",
}  # fmt: skip
SHAPES: Final[Mapping[str, ToolShape]] = {name: shape for shape, names in _NAMED.items() for name in names.split()}
_OTHER: Final = ToolShape("other")
_EDITOR_ACTIONS: Final[Mapping[str, ToolShape]] = {  # of editors that are told by `command` what to do
    "view": _READ, "read": _READ, "create": _WRITE, "write": _WRITE,
}  # fmt: skip
_EDITORS: Final = ("strreplaceeditor", "texteditor")


def tool_shape(name: str, command: object = None) -> ToolShape:
    """Return the shape of a tool by its name; the one of "other" for a tool that is not known.

    A name may have the prefix of a server ("developer__shell"). `command` is that argument of the call: an editor with
    several commands reads or writes by it.
    """
    for known in (plain_name(name), plain_name(name.rpartition("__")[2])):
        if known in _EDITORS and isinstance(command, str) and command in _EDITOR_ACTIONS:
            return _EDITOR_ACTIONS[command]
        if known in SHAPES:
            return SHAPES[known]
    return _OTHER


def plain_name(name: str) -> str:
    """Return the name of a tool in lower case, without separators and version: "read_file_v2" is "readfile"."""
    return _VERSION.sub("", _SEPARATORS.sub("", name).casefold())
