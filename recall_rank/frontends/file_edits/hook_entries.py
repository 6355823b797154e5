"""Hooks in the settings of a host: put our commands into `{"hooks": {EVENT: [GROUP, ...]}}`, and take them out again.

Claude Code, Codex and Gemini CLI share this form. A group is `{"hooks": [HANDLER, ...]}`, a handler has a "command".
Without later changes, taking out what was added gives the content before, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from recall_rank.frontends.file_edits.json_edits import (
    JsonTextError,
    checked_object,
    elements,
    member,
    with_element,
    without_element,
)
from recall_rank.frontends.file_edits.project_files import EditError
from recall_rank.frontends.file_edits.text_bytes import decoded, encoded

HOOKS_KEY: Final = "hooks"
EMPTY_OBJECT: Final = "{\n}\n"

OurCommand = Callable[[str, str], bool]
"""It takes the name of an event and a command, and returns whether that is a hook of ours for this event."""


@dataclass(frozen=True, slots=True)
class HookFile:
    """A file of settings with hooks: its name in messages, which commands are ours, and whether it may have comments.

    Every method raises EditError for what is no JSON object.
    """

    name: str
    is_ours: OurCommand
    comments: bool = False

    def handlers(self, data: bytes | None) -> dict[str, list[dict[str, Any]]]:
        """Return our handlers by their event."""
        found: dict[str, list[dict[str, Any]]] = {}
        if data is not None:
            settings = parsed_settings(data, self.name, comments=self.comments)
            for event, group_at, handler_at in self._places(settings):
                found.setdefault(event, []).append(settings[HOOKS_KEY][event][group_at][HOOKS_KEY][handler_at])
        return found

    def with_hooks(self, data: bytes | None, groups: Mapping[str, dict[str, Any]]) -> tuple[bytes, tuple[str, ...]]:
        """Return settings with a group added for each event, and the keys that had to be added for them: "hooks" and
        names of events.

        Raises EditError for hooks of a form that the host does not know, and where more than the hooks would change.
        """
        text = EMPTY_OBJECT if data is None else decoded(data, self.name)
        made: list[str] = []
        for event, group in groups.items():
            at, _ = self._checked(text)
            hooks = member(text, at, HOOKS_KEY)
            if hooks is None:
                made += (HOOKS_KEY, *groups)
                text = with_element(text, at, {each: [groups[each]] for each in groups}, HOOKS_KEY)
                break
            if not isinstance(hooks.value, dict):
                raise EditError(f'{self.name}: "hooks" is no object')
            of_event = member(text, hooks.value_at, event)
            if of_event is None:
                made.append(event)
                text = with_element(text, hooks.value_at, [group], event)
            elif isinstance(of_event.value, list):
                text = with_element(text, of_event.value_at, group)
            else:
                raise EditError(f'{self.name}: the hooks of "{event}" are no list')
        before = {} if data is None else self._checked(decoded(data, self.name))[1]
        hooks = before.get(HOOKS_KEY, {})
        added = {event: [*hooks.get(event, ()), group] for event, group in groups.items()}
        if self._checked(text)[1] != {**before, HOOKS_KEY: {**hooks, **added}}:
            raise EditError(f"{self.name} cannot be edited: more than the hooks would change")
        return encoded(text, data), tuple(made)

    def without_hooks(self, data: bytes, made: tuple[str, ...] | None) -> bytes:
        """Return settings without our hooks, and without those of the keys `made` that are then empty; with `made`
        None, without every key that they were in and that is then empty.
        """
        text = decoded(data, self.name)
        settings = self._checked(text)[1]
        ours = dict.fromkeys(event for event, _, _ in self._places(settings))
        hooks = settings.get(HOOKS_KEY)
        events: list[str] = list(hooks) if isinstance(hooks, dict) else []
        emptied = ours if made is None else dict.fromkeys(made)
        for event in reversed(events):
            while (place := next(self._places(self._checked(text)[1], event), None)) is not None:
                text = _without_handler(text, *place)
            at = _member_at(text, HOOKS_KEY)
            of_event = member(text, at, event)
            if of_event is not None and of_event.value == [] and event in emptied:
                text = _without_member(text, at, event)
        if self._checked(text)[1].get(HOOKS_KEY) == {} and (ours if made is None else HOOKS_KEY in made):
            text = _without_member(text, self._checked(text)[0], HOOKS_KEY)
        return encoded(text, data)

    def _checked(self, text: str) -> tuple[int, dict[str, Any]]:
        return _checked(text, self.name, comments=self.comments)

    def _places(self, settings: Mapping[str, Any], only: str | None = None) -> Iterator[tuple[str, int, int]]:
        """Yield (event, index of group, index of handler) of each of our hooks, with `only` of one event."""
        hooks = settings.get(HOOKS_KEY)
        for event, groups in hooks.items() if isinstance(hooks, dict) else ():
            if only is not None and event != only:
                continue
            for group_at, group in enumerate(groups if isinstance(groups, list) else ()):
                handlers = group.get(HOOKS_KEY) if isinstance(group, dict) else None
                for handler_at, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                    command = handler.get("command") if isinstance(handler, dict) else None
                    if isinstance(command, str) and self.is_ours(event, command):
                        yield event, group_at, handler_at


def hooks_disabled(data: bytes | None, name: str) -> bool:
    """Return whether settings of Claude Code turn all hooks off."""
    return data is not None and parsed_settings(data, name).get("disableAllHooks") is True


def parsed_settings(data: bytes, name: str, *, comments: bool = False) -> dict[str, Any]:
    """Return the object of a file, which with `comments` may have some. Raises EditError for anything else."""
    return _checked(decoded(data, name), name, comments=comments)[1]


def _checked(text: str, name: str, *, comments: bool) -> tuple[int, dict[str, Any]]:
    try:
        return checked_object(text, comments=comments)
    except JsonTextError as error:
        raise EditError(f"{name}: {error}") from error


def _without_handler(text: str, event: str, group_at: int, handler_at: int) -> str:
    """Return settings without a handler, or without its group where it is alone in it."""
    groups_at = _member_at(text, HOOKS_KEY, event)
    group = elements(text, groups_at)[group_at]
    handlers = member(text, group.value_at, HOOKS_KEY)
    if handlers is not None and len(handlers.value) > 1:
        return without_element(text, handlers.value_at, handler_at)
    return without_element(text, groups_at, group_at)


def _member_at(text: str, *keys: str) -> int:
    """Return where the value below keys of an object starts; it must be there."""
    at = checked_object(text, comments=True)[0]
    for key in keys:
        found = member(text, at, key)
        assert found is not None  # noqa: S101 - the caller found it in the value of the text
        at = found.value_at
    return at


def _without_member(text: str, at: int, key: str) -> str:
    keys = [each.key for each in elements(text, at)]
    return without_element(text, at, len(keys) - 1 - keys[::-1].index(key))
