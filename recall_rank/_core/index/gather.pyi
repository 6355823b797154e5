from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import disjoint_base

from recall_rank._core.index.builder import SegmentBuilder

def known_time(time: int) -> int: ...

@disjoint_base
class Ids:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def buffers(self) -> tuple[bytes, memoryview]: ...

@disjoint_base
class Gatherer:
    @property
    def text(self) -> bytearray: ...
    @property
    def folded_text(self) -> bytearray: ...
    @property
    def message_ids(self) -> Ids: ...
    @property
    def part_ids(self) -> Ids: ...
    def __init__(
        self,
        builder: SegmentBuilder,
        roles: dict[str, int],
        number: Callable[[str | None], int],
        kind: Callable[[int, str, bool, str, bool], int],
        hidden: Callable[[str], bool],
        said: Callable[[int, bytes, bool], int],
        fold: Callable[[str], str],
        longest: int,
    ) -> None: ...
    def __len__(self) -> int: ...
    def title(
        self,
        key: str,
        title: str | None,
        directory: str | None,
        flags: int,
        time: int,
        role: int,
        kind: int,
        talk: int,
    ) -> None: ...
    def messages(self, messages: Sequence[Any], flags: int, people: bool) -> None: ...
    def finish(self) -> dict[str, memoryview]: ...
    def snapshot(self) -> dict[str, memoryview]: ...
