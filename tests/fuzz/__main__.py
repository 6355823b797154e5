"""Fuzz one target with atheris: `python -m tests.fuzz TARGET [--seconds N] [--seed N] [--try]`.

The extra `fuzz` installs atheris. It follows which lines of Python an input reaches, of kernels those of the slow
version, and keeps in tests/fuzz/corpus/TARGET what reaches a new one. An input that fails is written to the current
folder, as libFuzzer says; move it to the corpus, which the ordinary suite replays. With --try nothing is kept.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

CORPUS: Final = Path(__file__).resolve().parent / "corpus"
NAMES: Final = ("frames", "jsonl", "redaction", "segment", "tokens")
FOLLOWED: Final = ["recall_rank.frontends.mcp", "recall_rank.frontends.redaction", "recall_rank.loaders.json"]
FOLLOWED += ["recall_rank.index.storage", "recall_rank.index.segment", "tests.reference.text"]


def main(arguments: list[str]) -> None:
    """Fuzz until the time is over or an input fails."""
    import atheris

    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("target", choices=NAMES)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--try", action="store_true", dest="keep_nothing")
    chosen = parser.parse_args(arguments)
    with atheris.instrument_imports(include=FOLLOWED):
        from tests.fuzz.targets import LONGEST, TARGETS
    folder = CORPUS / chosen.target
    if chosen.keep_nothing:
        folder = Path(shutil.copytree(folder, Path(tempfile.mkdtemp()) / chosen.target))
    options = [
        f"-max_total_time={chosen.seconds}",
        f"-seed={chosen.seed}",
        f"-max_len={LONGEST}",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(folder)], TARGETS[chosen.target])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
