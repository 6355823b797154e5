"""Refresh an index in a process of its own, so that the memory of a large reading ends with it.

What a reading needs is several times the size of the text: a server would keep a part of it, since freed memory lies
between what is still in use, and its searches would wait for the interpreter meanwhile. The process is
`python -m recall_rank.histories.cache.reading_process`; it ends when its parent does.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from recall_rank.histories.cache.refresh import refresh
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.model import RefreshReport, Source
from recall_rank.model.progress import Progress

MODULE: Final = "recall_rank.histories.cache.reading_process"
PROGRESS: Final = "progress"
DONE: Final = "done"
FAILED: Final = "failed"


def refresh_in_process(
    folder: Path, sources: Sequence[Source], rules: RefreshRules, progress: Progress | None
) -> RefreshReport | None:
    """Make the index in `folder` equal to the sources, in a process of its own, and return its report; None when there
    can be no such process, because a source cannot be sent to it or none can be started.

    Raises what the refresh raised, what `progress` raises, which ends the process, and OSError when the process was
    lost or could not write the index.
    """
    try:
        job = pickle.dumps((folder, tuple(sources), rules))
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    command = [sys.executable, "-P", "-m", MODULE]  # -P: nothing of the working folder is imported
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
    except OSError:
        return None
    with process:
        try:
            stdin, stdout = cast("Any", process.stdin), cast("Any", process.stdout)
            with suppress(BrokenPipeError):  # it has ended, as the end of its output shows
                stdin.write(job)
                stdin.flush()
            while True:
                try:
                    kind, value = pickle.load(stdout)  # noqa: S301 - our own process
                except EOFError:
                    raise OSError(f"the process that read the histories ended with {process.wait()}") from None
                if kind == PROGRESS:
                    if progress is not None:
                        progress(*value)
                elif kind == FAILED:
                    raise value
                else:
                    report, problem = value
                    if problem is not None:
                        raise problem
                    return cast("RefreshReport", report)
        finally:
            process.kill()  # it has ended, or nobody wants its answer


def main() -> None:
    """Refresh the index that a parent names on stdin; write the progress and the report to stdout."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a loader might print is among the answers

    def send(kind: str, value: object) -> None:
        pickle.dump((kind, value), answers)
        answers.flush()

    folder, sources, rules = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        done = refresh(folder, sources, rules, lambda *told: send(PROGRESS, told))
    except Exception as error:  # noqa: BLE001 - the parent raises it
        send(FAILED, error)
    else:
        send(DONE, (done.report, done.problem))


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    main()
