"""Run the command line as `python -m recall_rank`, for systems where the script `recall-rank` is not on the path."""

from __future__ import annotations

from recall_rank.frontends.cli.start import main

if __name__ == "__main__":
    main()
