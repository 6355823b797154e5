from typing import Self

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

@disjoint_base
class Facts:
    def __new__(
        cls,
        part_message: ReadableBuffer,
        part_type: ReadableBuffer,
        part_tool: ReadableBuffer,
        part_flags: ReadableBuffer,
        part_first_field: ReadableBuffer,
        message_session: ReadableBuffer,
        message_author: ReadableBuffer,
        message_role: ReadableBuffer,
        message_time: ReadableBuffer,
        field_start: ReadableBuffer,
        doc_start: ReadableBuffer,
    ) -> Self: ...
    def of(self, part: int, doc: int) -> tuple[int, int, int, int, int, int, int, int, memoryview, int, int]: ...
    def said(self, message: int) -> tuple[int, int, int]: ...
