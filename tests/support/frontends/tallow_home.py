"""A home of tallow with invented sessions: two projects, a fork, branches, a compaction, and damaged files."""

from __future__ import annotations

from pathlib import Path

from tests.fixtures.make_fixtures import lines
from tests.fixtures.make_pi import Tree, call, file_name, text

BEACON, RACE, COPY, TREE, LONG = (f"019e0000-0000-7000-8000-0000000000a{n}" for n in range(5))
BRICK, LAMP = "/srv/boats/brick-kiln", "/srv/boats/lamp-room"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def exchange(tree: Tree, *said: str) -> None:
    """Append messages of the user and the assistant in turn."""
    for at, words in enumerate(said):
        tree.said("assistant" if at % 2 else "user", [text(words)])


def race(session: str = RACE, **more: str) -> Tree:
    """A conversation in five turns; the root cause stands in the third, the error line in a tool's output."""
    tree = Tree(session, BRICK, **more)
    exchange(tree, "The kiln job hangs at night.", "What have you tried?")
    exchange(tree, "Raising the timeout did not help.", "Let me read the log.")
    tree.said("user", [text("yes, go on")])
    tree.said("assistant", [call("r1", "bash", command="tail kiln.log")])
    tree.result("r1", "KilnError: wait cycle between furnace 4121 and damper")
    tree.said("assistant", [text("The root cause: furnaces were locked in delivery order.")])
    tree.said("assistant", [text("Decision: sort furnace ids before locking them.")])
    exchange(tree, "write it down", "Written to docs/locks.md.")
    exchange(tree, "thanks, ship it", "Shipped.")
    return tree


def fork() -> Tree:
    """A fork of race(): copies of all its entries under a new id, and a turn of its own."""
    tree = race(COPY, parentSession=f"/elsewhere/sessions/--srv-boats-brick-kiln--/{file_name(RACE)}")
    own = race()
    tree.records[1:], tree.last = own.records[1:], own.last
    exchange(tree, "In this fork, try optimistic dampers instead", "Optimistic dampers are slower.")
    return tree


def branching() -> Tree:
    """A session whose user went back twice: of three answers to one question only the last one stayed."""
    tree = Tree(TREE, LAMP)
    exchange(tree, "Which lens suits the lamp room?", "It depends on the range.")
    asked = tree.last
    tree.said("user", [text("Try the quartz lens")], parent=asked)
    tree.said("assistant", [text("The quartz lens cracked in frost.")])
    tree.said("user", [text("Try the resin lens")], parent=asked)
    tree.said("assistant", [text("The resin lens yellowed.")])
    tree.said("user", [text("Try the fresnel lens")], parent=asked)
    tree.said("assistant", [text("The fresnel lens reaches nine miles.")])
    return tree


def compacted() -> Tree:
    """A long session: a compaction took its first turn out of the model's context."""
    tree = Tree(LONG, LAMP)
    exchange(tree, "Why is the heliograph mirror misaligned?", "The heliograph gimbal has play, shim it by 0.2 mm.")
    kept = tree.said("user", [text("And the heliograph tripod?")])
    tree.said("assistant", [text("The heliograph tripod is fine.")])
    tree.add("compaction", summary="The gimbal was shimmed.", firstKeptEntryId=kept, tokensBefore=9)
    exchange(tree, "Now oil the heliograph hinge", "The heliograph hinge is oiled.")
    return tree


def write_home(home: Path, *, damaged: bool = False) -> Path:
    """Write `.tallow` as tallow lays it out today, one folder a project; with `damaged`, with files that are none."""
    trees = {BEACON: beacon(), RACE: race(), COPY: fork(), TREE: branching(), LONG: compacted()}
    for session, tree in trees.items():
        folder = home / ".tallow" / "sessions" / f"--{tree.records[0]['cwd'].strip('/').replace('/', '-')}--"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file_name(session)).write_bytes(lines(tree.records))
    if damaged:
        (folder / file_name("019e0000-0000-7000-8000-0000000000b0")).write_bytes(b'[{"type": "session"}, 1, "x"]\n')
        torn = lines(race("019e0000-0000-7000-8000-0000000000b1").records)
        (folder / file_name("019e0000-0000-7000-8000-0000000000b1")).write_bytes(torn[: len(torn) // 2] + b"\xff{")
    return home / ".tallow"


def beacon() -> Tree:
    """A session with a secret, and with words in other scripts."""
    tree = Tree(BEACON, BRICK)
    exchange(
        tree,
        f"Deploy the beacon with the token {SECRET}",
        "The beacon is deployed with C++ at 100% duty; src/beacon/main.cpp, error[E0502], what's next?",
        "灯台の点滅を直して 🚨",
        "灯台の点滅を直しました。",
    )
    return tree
