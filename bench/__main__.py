"""`python -m bench`: import the command and run it. Ctrl-C ends it without a traceback, also while it is imported."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from bench.command import main

        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
