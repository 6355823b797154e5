from typing import Self

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

@disjoint_base
class Layout:
    @property
    def docs(self) -> int: ...
    @property
    def parts(self) -> int: ...
    @property
    def messages(self) -> int: ...
    @property
    def sessions(self) -> int: ...
    @property
    def ordered(self) -> bool: ...
    def __new__(
        cls,
        doc_part: ReadableBuffer,
        doc_words: ReadableBuffer,
        doc_class: ReadableBuffer,
        part_message: ReadableBuffer,
        message_session: ReadableBuffer,
        message_time: ReadableBuffer,
        session_talk: ReadableBuffer,
        message_asked: ReadableBuffer | None = None,
    ) -> Self: ...
    def averages(self, eligible: ReadableBuffer | None = None) -> tuple[int, int]: ...
    def docs_in(self, starts: ReadableBuffer, ends: ReadableBuffer, eligible: ReadableBuffer | None = None) -> int: ...
    def time_span(self) -> tuple[int, int]: ...
