"""Hermes: its plugin, installed into a temporary home folder, loaded and taken out again."""

from __future__ import annotations

import sys
from typing import Final

from examples.hosts.round_trip import HostExample, in_python, main

HOST: Final = HostExample("hermes", ".hermes/plugins/recall_rank/__init__.py", in_python("Hermes"))

if __name__ == "__main__":
    sys.exit(main(HOST))
