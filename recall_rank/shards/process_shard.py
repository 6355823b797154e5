"""ProcessShard: a shard that a process of its own scores and scans."""

from __future__ import annotations

import itertools
import queue
import struct
import subprocess
import sys
from concurrent.futures import Future
from contextlib import suppress
from os import PathLike, fspath
from threading import Event, Lock, Thread
from time import monotonic_ns
from typing import IO, Final, cast

from recall_rank.index.shards.questions import ShardReply, ShardRequest
from recall_rank.shards.contract import ShardContents, folder_contents, refused
from recall_rank.shards.wire import reply_of, to_bytes

HEADER: Final = struct.Struct("<QQQ")  # number of the request, time.monotonic_ns() of its end or 0, bytes that follow
MAX_FRAME: Final = 1 << 31
READY: Final = 0  # the number of the frame by which the process says that the index is open
RESTART_NS: Final = 1_000_000_000  # between two starts of a process that ends by itself
START_SECONDS: Final = 10.0
CLOSE_SECONDS: Final = 2.0
ENDED: Final = "its process ended"
STARTING: Final = "its process was started again and is not ready yet"
BUSY: Final = "it has not answered an earlier question yet"


class ProcessShard:
    """A shard of the index in a folder, served by `python -m recall_rank.shards.serve FOLDER` over pipes.

    contents() starts the process and waits until it has opened the index. A question to a process that has ended starts
    it again, and fails at once, as others do until it is ready. While the process owes an answer whose time is over,
    further questions fail, too, so that a process which hangs costs no search its time twice.
    """

    def __init__(self, folder: str | PathLike[str], name: str = "") -> None:
        self.folder = fspath(folder)
        self.name = name or self.folder
        self._lock = Lock()
        self._process: _ServingProcess | None = None
        self._started_ns = -RESTART_NS

    def contents(self) -> ShardContents:
        found = folder_contents(self.folder)
        process = self._running()
        if process is not None:
            process.ready.wait(START_SECONDS)
        return found

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        process = self._running()
        return refused(request, ENDED) if process is None else process.submit(request)

    def _running(self) -> _ServingProcess | None:
        """Return the process, started if there is none; None where the last one was started less than RESTART_NS ago
        and has ended.
        """
        with self._lock:
            if self._process is not None and self._process.ended:
                self._process.close()
                self._process = None
            if self._process is None and monotonic_ns() - self._started_ns >= RESTART_NS:
                self._started_ns = monotonic_ns()
                self._process = _ServingProcess(self.folder)
            return self._process

    @property
    def pid(self) -> int | None:
        """The number of the process, None while there is none."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.close()
                self._process = None


class _ServingProcess:
    """One process that serves a folder, with a thread that writes questions and one that reads answers."""

    def __init__(self, folder: str) -> None:
        command = [sys.executable, "-m", "recall_rank.shards.serve", folder]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
        self._questions = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self.pid = self._process.pid
        self._numbers = itertools.count(1)
        self._lock = Lock()
        self._waiting: dict[int, tuple[int, Future[ShardReply]]] = {}  # by number, in the order of the questions
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.ended = False
        self.ready = Event()  # set when the index is open, and when the process has ended
        for work in (self._write, self._read):
            Thread(target=work, name=f"shard {folder}", daemon=True).start()

    def submit(self, request: ShardRequest) -> Future[ShardReply]:
        now = monotonic_ns()
        end_ns = now + request.budget_ns if request.budget_ns else 0
        future: Future[ShardReply] = Future()
        with self._lock:
            if self.ended or not self.ready.is_set():
                return refused(request, ENDED if self.ended else STARTING)
            if any(0 < end < now for end, _ in self._waiting.values()):
                return refused(request, BUSY)
            number = next(self._numbers)
            self._waiting[number] = end_ns, future
        data = to_bytes(request)
        self._frames.put(HEADER.pack(number, end_ns, len(data)) + data)
        return future

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
                    self.ready.set()
                    continue
                with self._lock:
                    _, future = self._waiting.pop(number, (0, None))
                if future is not None and future.set_running_or_notify_cancel():
                    future.set_result(reply_of(data))
        except (OSError, ValueError) as error:
            problem = f"its process sent what is no answer: {error}"
        with self._lock:
            self.ended = True
            left = [future for _, future in self._waiting.values()]
            self._waiting.clear()
        for future in left:
            if future.set_running_or_notify_cancel():
                future.set_result(ShardReply("", None, problem))
        self._answers.close()
        self._frames.put(None)
        self.ready.set()

    def close(self) -> None:
        """End the process: it ends by itself when nothing more can be asked, or is killed."""
        self._frames.put(None)
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


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
