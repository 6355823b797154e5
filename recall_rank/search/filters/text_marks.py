"""Find the parts that hold a text, in an index or in its shards."""

from __future__ import annotations

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.literal_scan import mark_literal
from recall_rank.index.shards.shard_reader import ShardReader


def mark_text(reader: IndexReader, text: str, keep: bytearray | None, found: bytearray, deadline_ns: int) -> int:
    """Mark in `found`, u8[parts], the parts of which a field contains `text`; return the first part not reached.

    As mark_literal(), which has the meaning of the arguments; shards are asked at the same time.
    """
    if isinstance(reader, ShardReader):
        return reader.scan(text, keep, found, deadline_ns)
    return mark_literal(reader, text, keep, found, deadline_ns)
