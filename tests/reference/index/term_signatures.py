"""The signature of a term: one bit for each class of letters."""

from __future__ import annotations


def signature(form: str) -> int:
    """A bit for each letter a-z, one of four bits for a digit, one of two bits for any other character."""
    places = {26 + int(c) % 4 if c in "0123456789" else 30 + ord(c) % 2 for c in form if not "a" <= c <= "z"}
    return sum(1 << place for place in places | {ord(c) - 97 for c in form if "a" <= c <= "z"})
