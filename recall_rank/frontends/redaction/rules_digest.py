"""A digest of the rules of redaction: what was redacted by other rules is redacted anew."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files


@cache
def rules_digest() -> str:
    """Return a digest of the modules of this package, in which the rules are written: 32 hexadecimal digits."""
    found = hashlib.blake2b(digest_size=16)
    for module in sorted(files(__package__).iterdir(), key=lambda each: each.name):
        if module.name.endswith(".py"):
            found.update(module.read_bytes())
    return found.hexdigest()
