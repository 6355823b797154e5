"""ProcessShard: a shard that a process of its own scores and scans."""

from __future__ import annotations

import queue
import struct
import subprocess
import sys
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import IO, Final, cast

from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.shards.contract import refused
from recall_rank.shards.restarted_shard import ENDED, RestartedShard, ShardConnection
from recall_rank.shards.wire import reply_of, to_bytes

HEADER: Final = struct.Struct("<QQQ")  # number of the request, time.monotonic_ns() of its end or 0, bytes that follow
MAX_FRAME: Final = 1 << 31
READY: Final = 0  # the number of the frame by which the process says that the index is open
CLOSE_SECONDS: Final = 2.0
SERVE: Final = "recall_rank.shards.serve"


class ProcessShard(RestartedShard["_ServingProcess"]):
    """A shard of the index in a folder, served by `python -m recall_rank.shards.serve FOLDER` over pipes."""

    start_seconds = 10.0

    def _connected(self) -> _ServingProcess:
        return _ServingProcess(self.folder)

    @property
    def pid(self) -> int | None:
        """The number of the process, None while there is none."""
        return None if self._connection is None else self._connection.pid


class _ServingProcess(ShardConnection):
    """One process that serves a folder, with a thread that writes questions and one that reads answers."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        command = [sys.executable, "-P", "-m", SERVE, folder]  # -P: nothing of the working folder is imported
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self._questions = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self.pid = self._process.pid
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        for work in (self._write, self._read):
            Thread(target=work, name=f"shard {folder}", daemon=True).start()

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        data = to_bytes(request)
        owed = self.owed.add(request)
        if isinstance(owed, str):
            return refused(request, owed)
        self._frames.put(HEADER.pack(owed.number, owed.end_ns, len(data)) + data)
        return owed.future

    def _write(self) -> None:
        with suppress(OSError, ValueError):
            while (frame := self._frames.get()) is not None:
                self._questions.write(frame)
                self._questions.flush()
        with suppress(OSError):
            self._questions.close()

    def _read(self) -> None:
        problem = ENDED
        try:
            while (frame := read_frame(self._answers)) is not None:
                number, _, data = frame
                if number == READY:
                    self.owed.ready.set()
                else:
                    self.owed.deliver(number, reply_of(data))
        except (OSError, ValueError) as error:
            problem = f"its worker sent what is no answer: {error}"
        self._answers.close()
        self.owed.end(problem)
        self._frames.put(None)
        self._process.wait()  # it ends now, as nothing more can be asked: none is left as a zombie

    def close(self) -> None:
        """End the process: it ends by itself when nothing more can be asked, or is killed."""
        self._frames.put(None)
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def abandon(self) -> None:
        self._frames.put(None)
        self._process.kill()


def read_frame(stream: IO[bytes]) -> tuple[int, int, bytes] | None:
    """Return (number, end, data) of the next frame, None at the end of the stream.

    Raises ValueError for a frame that is cut or longer than MAX_FRAME.
    """
    header = stream.read(HEADER.size)
    if not header:
        return None
    if len(header) < HEADER.size:
        raise ValueError("a frame is cut")
    number, end_ns, size = HEADER.unpack(header)
    if size > MAX_FRAME:
        raise ValueError(f"a frame of {size} bytes is too long")
    data = stream.read(size)
    if len(data) < size:
        raise ValueError("a frame is cut")
    return number, end_ns, data
