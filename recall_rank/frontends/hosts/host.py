"""The parts of an install into a host: an entry for the MCP server in a configuration file, and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ENTRY: Final = "recall"  # the name of our server in every host
JSON: Final = "json"
TOML: Final = "toml"
YAML: Final = "yaml"
USER: Final = "user"
PROJECT: Final = "project"


@dataclass(frozen=True, slots=True)
class Launch:
    """The start of recall-rank by a host: the program, its first arguments, and the families of tools it shall offer
    (empty: what the host's description takes by default).
    """

    program: tuple[str, ...]
    families: tuple[str, ...] = ()

    @property
    def server(self) -> tuple[str, ...]:
        """Return the command line of the MCP server."""
        return (*self.program, "mcp", *(("--tools", ",".join(self.families)) if self.families else ()))


@dataclass(frozen=True, slots=True)
class HostPlace:
    """A folder in which an install changes files, and what the names of its files are relative to it.

    Links are followed inside of it. `config` names the configuration file: of several, the first that is there, else
    the last. `hooks` names the file with hooks, which may be the configuration file.
    """

    folder: Path
    config: tuple[str, ...] = ()
    files: str = ""  # the folder of the shipped files
    hooks: str = ""
    scope: str = PROJECT


MOST_SECONDS: Final = 5
"""The limit of a hook that a host waits for before it continues: a program that hangs delays a session by no more. Only
what a model summarises takes longer."""


@dataclass(frozen=True, slots=True)
class ShippedFile:
    """A file that is put at `target` below the host's folder for such files.

    Its content is that of `source` in files/, or, with `written`, that value for a launch and for whether hooks are
    wanted, as JSON. With `is_hook` it is left out where hooks are not wanted, with `scope` it is for that scope only.
    """

    source: str
    target: str
    is_hook: bool = False
    written: Callable[[Launch, bool], dict[str, Any]] | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Host:
    """One program in which agents run.

    `places` gives the place of a scope from the environment, the home folder and the project, None for a scope that
    the host does not have. `entry` gives the value of the MCP entry, below the keys `path`; None for no entry. `hooks`
    are the events for which the file with hooks runs `recall-rank hook NAME EVENT`, with the host's limit of time.
    """

    name: str
    programs: tuple[str, ...]  # one of them is on PATH where the host is installed
    user: Callable[[Mapping[str, str], Path], HostPlace]
    project: Callable[[Path], HostPlace] | None
    syntax: str = JSON
    path: tuple[str, ...] = ("mcpServers",)
    entry: Callable[[Launch], dict[str, Any] | None] = lambda _: None
    hooks: Mapping[str, int] = field(default_factory=dict)
    hook_comments: bool = False  # whether the host reads a file with hooks that has comments
    files: tuple[ShippedFile, ...] = ()
    folder: str = ""  # of the host's settings, below the user's place
    remarks: tuple[str, ...] = ()  # for a person who installs
    project_remarks: tuple[str, ...] = ()  # for a person who installs into a project
    hook_remarks: tuple[str, ...] = ()  # for a person who installs hooks
    notices: Callable[[HostPlace], tuple[str, ...]] = lambda _: ()  # for a person, of what else is at a place

    def place(self, scope: str, environ: Mapping[str, str], home: Path, project: Path) -> HostPlace | None:
        """Return where a scope of this host lies, None when it has no such scope."""
        if scope == USER:
            return self.user(environ, home)
        return None if self.project is None else self.project(project)


def command_and_args(launch: Launch) -> dict[str, Any]:
    """Return the entry that most hosts take: the program, and its arguments."""
    program, *arguments = launch.server
    return {"command": program, "args": arguments}


def below(
    environ: Mapping[str, str], variable: str, home: Path, default: str, *config: str, files: str = "", hooks: str = ""
) -> HostPlace:
    """Return the place of a user's settings: the folder that a variable names, else `default` below the home folder,
    from which links may lead elsewhere in the home folder. `files` may be ".", that folder itself.
    """
    named = environ.get(variable, "")
    if named:
        folder = Path(named.replace("~", str(home), 1) if named.startswith("~") else named).absolute()
        return HostPlace(folder, config, files, hooks, USER)
    at = f"{default}/" if default else ""
    named_files, named_hooks = (f"{at}{name}" if name else "" for name in (files, hooks))
    return HostPlace(home, tuple(f"{at}{name}" for name in config), named_files, named_hooks, USER)
