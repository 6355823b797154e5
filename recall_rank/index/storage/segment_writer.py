"""Write a segment to a new file: columns, block hashes, directory and header."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from typing import TypeAlias

import xxhash

from recall_rank._core.index.derived_columns import piece_sizes
from recall_rank._core.index.id_codec import encode_ids
from recall_rank._core.index.packed_columns import pack, run_marks
from recall_rank.index.segment.columns import COLUMNS, POSTINGS, ROW_MARKED
from recall_rank.index.segment.segment import Segment
from recall_rank.index.segment.session_rows import encode_session_row, first_messages
from recall_rank.index.segment.strings import Strings
from recall_rank.index.storage.format import (
    ALIGN,
    ENTRY,
    FORMAT,
    HEADER,
    HEADER_SIZE,
    MAGIC,
    SUM,
    aligned,
    require_little_endian,
)
from recall_rank.index.storage.packed_text import packed_text

Buffer: TypeAlias = "bytes | bytearray | memoryview | array[int]"


def write_segment(segment: Segment, descriptor: int, name: str, *, settled: bool = True) -> bytes:
    """Write `segment` to the empty file `descriptor`, sync it, and return its header, whose hashes cover the file.

    The text of a `settled` segment is packed, if it is worth that. `name` is quoted in errors. Raises OSError when the
    file cannot be written, DamagedIndexError when `segment` is mapped from a damaged file, and IndexFormatError on a
    big-endian machine.
    """
    require_little_endian(name)
    offset = HEADER_SIZE
    os.lseek(descriptor, offset, os.SEEK_SET)
    entries = []
    for column, length, buffer in columns_of(segment, settled=settled):
        offset = _pad(descriptor, offset)
        data = _flat(buffer)
        _write(descriptor, data)
        size = COLUMNS[column].block
        sums = array("Q", [xxhash.xxh3_64_intdigest(data[at : at + size]) for at in range(0, len(data), size)])
        code = COLUMNS[column].code.encode()
        sums_hash = xxhash.xxh3_64_intdigest(sums)
        entries.append(ENTRY.pack(column.encode(), code, offset, len(data), length, sums_hash))
        offset = _pad(descriptor, offset + len(data), sums.itemsize)
        _write(descriptor, _flat(memoryview(sums)))
        offset += len(sums) * sums.itemsize
    offset = _pad(descriptor, offset)
    directory = b"".join(entries)
    _write(descriptor, directory)
    total = offset + len(directory)
    header = HEADER.pack(MAGIC, FORMAT, 0, offset, len(directory), total, xxhash.xxh3_128_digest(directory))
    header += SUM.pack(xxhash.xxh3_64_intdigest(header))
    os.lseek(descriptor, 0, os.SEEK_SET)
    _write(descriptor, header)
    os.fsync(descriptor)
    return header


def columns_of(segment: Segment, *, settled: bool = False) -> Iterator[tuple[str, int, Buffer]]:
    """Yield (name, number of values, file content) of every column, in the order of COLUMNS.

    The text of a `settled` segment is packed, if it is worth that. Another column is packed when it is requested, so
    that one packed copy exists beside that of the text.
    """
    segment.load()
    text = segment.text
    packed = packed_text(text) if settled else None
    dictionary, starts, stored = (b"", array("Q", [0]), text) if packed is None else packed
    derived = _derived(segment) | {"text_dictionary": dictionary, "text_starts": starts, "text": stored}
    marks = array("Q")
    for name, column in COLUMNS.items():
        values = marks if name == "row_marks" else derived[name] if name in derived else getattr(segment, name)
        content = pack(values) if column.packed else values
        if name in ROW_MARKED:
            marks.extend(run_marks(content, len(values)))
        yield name, len(text) if name == "text" else len(values), content


def _derived(segment: Segment) -> dict[str, Buffer]:
    """Return a mapping from name to content, for the columns in a file that are not attributes of a Segment."""
    records = Strings.of_bytes(map(encode_session_row, segment.sessions))
    names = Strings.of(name or "" for name in segment.names.values[1:])
    vocabulary = segment.vocabulary
    session_ids = Strings.of(row.id for row in segment.sessions)
    message_ids = segment.message_ids.buffers()
    part_ids = segment.part_ids.buffers()
    return {
        **_named(records.buffers(), "session_records", "session_record_starts"),
        "session_first_message": memoryview(array("I", first_messages(segment.sessions, segment.messages))),
        **_named(names.buffers(), "name_bytes", "name_starts"),
        "doc_sizes": piece_sizes(segment.doc_start, segment.doc_part),
        "term_arena": memoryview(vocabulary.arena_buffer),
        "term_offsets": memoryview(vocabulary.offsets_buffer),
        "term_starts": memoryview(vocabulary.starts_buffer),
        "term_words": memoryview(vocabulary.word_starts()).cast("I"),
        "term_samples": vocabulary.samples(),
        "term_signatures": memoryview(vocabulary.signatures_buffer),
        **{name: memoryview(buffer) for name, buffer in zip(POSTINGS, segment.postings.buffers, strict=True)},
        **_named(
            encode_ids(*message_ids, segment.message_session, *session_ids.buffers()),
            "message_id_bytes",
            "message_id_starts",
        ),
        **_named(encode_ids(*part_ids, segment.part_message, *message_ids), "part_id_bytes", "part_id_starts"),
    }


def _named(strings: tuple[Buffer, memoryview], data: str, starts: str) -> dict[str, Buffer]:
    return dict(zip((data, starts), strings, strict=True))


def _flat(buffer: Buffer) -> memoryview:
    """Return a view of the bytes of a buffer, u8."""
    view = memoryview(buffer)
    return view.cast("B") if view.nbytes else memoryview(b"")


def _pad(descriptor: int, offset: int, step: int = ALIGN) -> int:
    """Write zeros from `offset` to the next multiple of `step`, and return that offset."""
    end = aligned(offset, step)
    _write(descriptor, bytes(end - offset))
    return end


def _write(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of `data`; a single system call may write less, and never writes more than 2 GiB."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
