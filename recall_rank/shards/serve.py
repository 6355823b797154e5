"""Serve one shard over standard input and output: `python -m recall_rank.shards.serve FOLDER`, for ProcessShard."""

from __future__ import annotations

import signal
import sys
from time import monotonic_ns
from typing import IO, Final

from recall_rank.index.errors import MissingIndexError, UnusableIndexError
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.shards.questions import ShardReply
from recall_rank.shards.contract import folder_contents
from recall_rank.shards.process_shard import HEADER, READY, read_frame
from recall_rank.shards.wire import to_bytes
from recall_rank.shards.worker import ShardWorker

TOO_LATE: Final = to_bytes(ShardReply("", None, "the time for an answer was over"))


def serve(folder: str, questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer the questions about the index in `folder`, in their order, until there is none.

    A question whose time is over is answered by its problem alone: who asked waits no more.
    """

    def load() -> tuple[str, IndexReader]:
        found = folder_contents(folder)
        return found.generation, found.reader

    worker = ShardWorker(load)
    answers.write(HEADER.pack(READY, 0, 0))
    answers.flush()
    while (frame := read_frame(questions)) is not None:
        number, end_ns, data = frame
        written = TOO_LATE if end_ns and monotonic_ns() >= end_ns else worker.answer_bytes(data)
        answers.write(HEADER.pack(number, 0, len(written)) + written)
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for who asks; its end ends this process, too
    try:
        serve(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer)
    except (MissingIndexError, UnusableIndexError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")  # a later build may have removed it, who asks finds the newer shards
