from _typeshed import ReadableBuffer, WriteableBuffer

def mark(
    session_keep: ReadableBuffer,
    message_session: ReadableBuffer,
    message_role: ReadableBuffer,
    role_keep: ReadableBuffer,
    message_time: ReadableBuffer,
    after: int,
    before: int,
    part_message: ReadableBuffer,
    part_type: ReadableBuffer,
    type_keep: ReadableBuffer,
    part_tool: ReadableBuffer,
    tool_keep: ReadableBuffer,
    titles: bool,
    messages: WriteableBuffer,
    parts: WriteableBuffer,
) -> tuple[int, int]: ...
def spread(parts: ReadableBuffer, doc_part: ReadableBuffer, docs: WriteableBuffer) -> None: ...
def count_marks(marks: ReadableBuffer, also: ReadableBuffer | None = None) -> int: ...
def unmark(marks: WriteableBuffer, roles: ReadableBuffer, role: int, first_part: ReadableBuffer) -> None: ...
def marked(marks: ReadableBuffer) -> list[int]: ...
def keep_marks(marks: WriteableBuffer, others: ReadableBuffer, wanted: bool) -> None: ...
def are_marked(marks: ReadableBuffer, starts: ReadableBuffer, ends: ReadableBuffer, width: int) -> bool: ...
