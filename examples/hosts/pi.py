"""pi: its extension, installed into a temporary home folder, run in Node and taken out again."""

from __future__ import annotations

import sys
from typing import Final

from examples.hosts.round_trip import HostExample, in_node, main

HOST: Final = HostExample("pi", ".pi/agent/extensions/recall-rank.ts", in_node("pi"))

if __name__ == "__main__":
    sys.exit(main(HOST))
