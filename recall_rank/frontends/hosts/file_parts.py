"""Parts of an install inside files that may be another's: the MCP entry, and hooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from recall_rank.frontends.file_edits.hook_entries import HOOKS_KEY, HookFile
from recall_rank.frontends.file_edits.project_files import EditError
from recall_rank.frontends.hosts.config_entries import (
    PLUGIN_ENTRY,
    ConfigSyntax,
    entry_of,
    says_nothing,
    with_entry,
    without_entry,
)
from recall_rank.frontends.hosts.events.hook_settings import MODULE, PROGRAM, hook_command, is_our_hook, runs_us
from recall_rank.frontends.hosts.host import ENTRY, JSON, Host, HostPlace, Launch
from recall_rank.frontends.hosts.install_records import InstallRecord


class FilePart(Protocol):
    """One part of an install in one file. `name` is its name in a record, `what` how a message calls it."""

    name: ClassVar[str]

    @property
    def what(self) -> str: ...

    @property
    def where(self) -> ConfigSyntax:
        """The file, and its syntax."""
        ...

    @property
    def is_wanted(self) -> bool: ...

    def is_there(self, data: bytes | None) -> bool:
        """Return whether something stands in this part's place. Raises EditError for what cannot be read."""
        ...

    def is_current(self, data: bytes | None) -> bool:
        """Return whether exactly what is wanted is there."""
        ...

    def runs_us(self, data: bytes | None) -> bool:
        """Return whether what is there starts recall-rank."""
        ...

    def is_recorded(self, data: bytes | None, record: InstallRecord | None) -> bool:
        """Return whether what is there is that of a recorded install."""
        ...

    def added(self, data: bytes | None) -> tuple[bytes, tuple[str, ...]]:
        """Return the file with this part, and the keys that had to be added above it. Raises EditError."""
        ...

    def removed(self, data: bytes, made: tuple[str, ...] | None) -> bytes:
        """Return the file without this part, and without those of the keys `made` that are then empty; with None,
        without every such key.
        """
        ...


@dataclass(frozen=True, slots=True)
class EntryPart:
    """The MCP entry of a host's configuration; None for no entry."""

    name: ClassVar[str] = "entry"
    where: ConfigSyntax
    wanted: dict[str, Any] | None

    @property
    def what(self) -> str:
        return f'the entry "{ENTRY}"'

    @property
    def is_wanted(self) -> bool:
        return self.wanted is not None

    def is_there(self, data: bytes | None) -> bool:
        return entry_of(data, self.where) is not None

    def is_current(self, data: bytes | None) -> bool:
        return entry_of(data, self.where) == self.wanted

    def runs_us(self, data: bytes | None) -> bool:
        found = entry_of(data, self.where)
        return found is not None and is_our_entry(found)

    def is_recorded(self, data: bytes | None, record: InstallRecord | None) -> bool:
        return record is not None and entry_of(data, self.where) == record.entry

    def added(self, data: bytes | None) -> tuple[bytes, tuple[str, ...]]:
        return (data or b"", ()) if self.wanted is None else with_entry(data, self.wanted, self.where)

    def removed(self, data: bytes, made: tuple[str, ...] | None) -> bytes:
        after = without_entry(data, self.where, made)
        if entry_of(after, self.where) is not None:
            raise EditError(f"{self.where.name}: {self.what} was moved out of its marks: take it out by hand")
        return after


@dataclass(frozen=True, slots=True)
class HooksPart:
    """The hooks of a host: for each event a group that runs `recall-rank hook`; none for no hooks."""

    name: ClassVar[str] = "hooks"
    where: ConfigSyntax
    file: HookFile
    wanted: Mapping[str, dict[str, Any]]

    @property
    def what(self) -> str:
        return "hooks that run recall-rank"

    @property
    def is_wanted(self) -> bool:
        return bool(self.wanted)

    def is_there(self, data: bytes | None) -> bool:
        return bool(self.file.handlers(data))

    def is_current(self, data: bytes | None) -> bool:
        return self.file.handlers(data) == {event: group[HOOKS_KEY] for event, group in self.wanted.items()}

    def runs_us(self, data: bytes | None) -> bool:
        return self.is_there(data)

    def is_recorded(self, data: bytes | None, record: InstallRecord | None) -> bool:
        return record is not None and self.where.name in record.files

    def added(self, data: bytes | None) -> tuple[bytes, tuple[str, ...]]:
        return self.file.with_hooks(data, self.wanted)

    def removed(self, data: bytes, made: tuple[str, ...] | None) -> bytes:
        return self.file.without_hooks(data, made)


def file_parts(
    host: Host, place: HostPlace, configs: Iterable[str], launch: Launch | None, *, hooks: bool = True
) -> Mapping[str, list[FilePart]]:
    """Return the parts that an install puts into each file of a place, in the order in which they are added. `configs`
    are the configuration files. Without `launch` nothing is wanted, without `hooks` no hooks are.
    """
    entry = host.entry(launch) if launch is not None else None
    groups = hook_groups(host, launch) if launch is not None and hooks else {}
    parts: dict[str, list[FilePart]] = {}
    for config in configs:
        parts[config] = [EntryPart(ConfigSyntax(host.syntax, host.path, config), entry)]
    if place.hooks and host.hooks:
        file = HookFile(
            place.hooks, lambda event, command: is_our_hook(command, host.name, event), comments=host.hook_comments
        )
        parts.setdefault(place.hooks, []).append(HooksPart(ConfigSyntax(JSON, (), place.hooks), file, groups))
    return parts


def is_empty(data: bytes, parts: Sequence[FilePart]) -> bool:
    """Return whether the file of some parts says nothing, not even in a comment."""
    return says_nothing(data, parts[0].where)


def hook_groups(host: Host, launch: Launch) -> dict[str, dict[str, Any]]:
    """Return the group of each event of a host that runs our hook."""
    return {
        event: {
            HOOKS_KEY: [
                {"type": "command", "command": hook_command(launch.program, host.name, event), "timeout": limit}
            ]
        }
        for event, limit in host.hooks.items()
    }


def is_our_entry(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry names our plugin, or starts the MCP server of recall-rank, wherever the program lies."""
    if entry == PLUGIN_ENTRY:
        return True
    words = command_of(entry)
    return "mcp" in words and runs_us(words[: words.index("mcp")])


def command_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the command line that an entry starts, empty when it has none."""
    command, arguments = entry.get("command"), entry.get("args", [])
    words = [command] if isinstance(command, str) else command
    if not isinstance(words, list) or not isinstance(arguments, list):
        return ()
    return tuple(each for each in (*words, *arguments) if isinstance(each, str))


def names_us(value: Any) -> bool:
    """Return whether a JSON value has a text that names recall-rank."""
    return any(PROGRAM in each or MODULE[1] in each for each in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
