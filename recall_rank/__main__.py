"""`python -m recall_rank`: the command line, for systems where the script is not on the path."""

from __future__ import annotations

from recall_rank.frontends.cli.start import main

if __name__ == "__main__":
    main()
