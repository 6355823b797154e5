"""The start of the command line, as `recall-rank` and as `python -m recall_rank`.

Only the interpreter runs before it. Until the modules of the command line are imported, Ctrl-C ends the process at once
and without a traceback: nothing was begun that would have to be undone.
"""

from __future__ import annotations

# The module signal imports enum, which takes longer than all that is done here.
import _signal as signal  # type: ignore[import-not-found]
import os

TYPE_CHECKING = False  # as in recall_rank/__init__.py
if TYPE_CHECKING:
    from typing import Final, NoReturn

# Of output/console.py, which cannot be imported where even the first modules do not fit into memory.
OUT_OF_MEMORY: Final = 6
DEFECT: Final = 7
_NO_MEMORY: Final = ("map segment", "allocate memory")  # of the ImportError of an extension module without memory


def main() -> None:
    """Import the command line, run it and exit."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # else numpy reserves memory for every processor
    if _is_hook():
        _answer_hook()
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where a shell has set another one
    if usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        from recall_rank.frontends.cli.main import main as run
    except (MemoryError, ImportError, OSError) as error:
        _refuse(error)
    if usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _is_hook() -> bool:
    """Return whether the command line is `hook HOST EVENT`, without options and with all standard streams open."""
    import sys

    words = sys.argv[1:]
    is_plain = len(words) == 3 and words[0] == "hook" and not any(word.startswith("-") for word in words)
    return is_plain and None not in (sys.stdin, sys.stdout, sys.stderr)


def _answer_hook() -> NoReturn:
    """Answer a hook of a host, and end with 0 whatever happens. A host waits for it at each message of its user: click
    is not imported, and the process ends without tidying up.
    """
    import gc
    import sys

    gc.set_threshold(200_000)  # collections while modules are imported free nothing, and take a tenth of the time
    try:
        from recall_rank.frontends.hosts.events.hook_command import run_hook

        run_hook(sys.argv[2:])
    except Exception as error:  # noqa: BLE001 - such as a package that is not complete: the host must not fail
        os.write(2, f"recall-rank hook: {type(error).__name__}\n".encode())
    os._exit(0)


def _refuse(error: Exception) -> NoReturn:
    """End the process that cannot import the command line, with one line that says why."""
    if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
        os.write(2, b"recall-rank: there is not enough memory\n")
        os._exit(OUT_OF_MEMORY)
    os.write(2, f"recall-rank: the program is not complete: {error}\n".encode(errors="backslashreplace"))
    os._exit(DEFECT)
