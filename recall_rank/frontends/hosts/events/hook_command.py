"""The command `recall-rank hook HOST EVENT`: stdin to stdout, and always status 0.

The command line calls it without click, whose import takes longer than most answers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

_PREFIX = "recall-rank hook: "


def run_hook(words: Sequence[str]) -> None:
    """Answer the call on stdin for `words`, a host and an event, on stdout, with problems on stderr, each one line.

    Raises nothing but KeyboardInterrupt and SystemExit.
    """
    try:
        problems = _answer(words)
    except Exception as error:  # noqa: BLE001 - the host must not fail, whatever happens here
        problems = [f"{type(error).__name__} while the answer was made or written"]
    try:
        for problem in problems:
            print(f"{_PREFIX}{problem}", file=sys.stderr)
        sys.stderr.flush()
    except OSError:
        return  # stderr is closed: nobody reads it


def _answer(words: Sequence[str]) -> list[str]:
    if len(words) != 2:
        return ["it takes the name of a host and of an event, such as: claude-code SessionStart"]
    from recall_rank.frontends.hosts.events.host_call import STDIN_BYTES
    from recall_rank.frontends.hosts.events.host_hooks import host_answer, host_machine

    host, event = words
    answer = host_answer(host, event, lambda: sys.stdin.buffer.read(STDIN_BYTES + 1), host_machine)
    if answer.stdout:
        sys.stdout.write(answer.stdout + "\n")
        sys.stdout.flush()
    return answer.problems
