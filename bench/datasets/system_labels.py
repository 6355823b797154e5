"""The session that each recorded query of another system asks for, so that their answers and ours can be counted.

Queries and sessions are named by digests: the recordings are data of others, and no part of this repository. A label
was set by reading the query beside the sessions of its store, before our answer was seen. A query that asks for no one
session has none: empty and blank ones, a word or a project that most sessions share, a word that several sessions say
in as many senses, a prefix of several words, a word that is in none, a date that names no one day. A query with
filters is named by its words and the filters as JSON.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def digest(text: str) -> str:
    """The name of a query or a session in LABELS."""
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def wanted(system: str, query: str, sessions: Collection[str]) -> set[str]:
    """The sessions among `sessions` that the query asks for; empty for a query without a label."""
    named = LABELS[system].get(digest(query), ())
    return {session for session in sessions if digest(session) in named}


# system -> query -> sessions, any of which answers it
LABELS: Final[Mapping[str, Mapping[str, Collection[str]]]] = {
    "praisonai": {
        "014c0c24067f": ("19ba11d2c22d",),
        "114586e490a9": ("de4fd04ca9a0",),
        "1de3fc69ee1e": ("ee3717906283",),
        "2438223a4b23": ("ad0db6f2865f",),
        "2820ac412b9b": ("19ba11d2c22d",),
        "33dcc80bfb1f": ("6e18538e806b",),
        "48d60d25c945": ("335e0eabae7e",),
        "51d65e72285b": ("335e0eabae7e",),
        "52d492127a61": ("e6c0f78d39a8",),
        "54ce88bff4d2": ("de4fd04ca9a0",),
        "59767a7f7640": ("de4fd04ca9a0",),
        "5ea6bb3f5642": ("2088a7ba908e",),
        "6259f49ad700": ("c4f3c7e0cb67",),
        "64e173c6ff95": ("19ba11d2c22d",),
        "6736277ac428": ("19ba11d2c22d",),
        "6802d97c4372": ("19ba11d2c22d",),
        "6df07070fcf1": (
            "724119be2466",
            "bdf2b15186c4",
        ),
        "768d6f639b5f": ("335e0eabae7e",),
        "806fb5f24e60": ("335e0eabae7e",),
        "81a2e580e1cd": ("de4fd04ca9a0",),
        "8dfa4e621727": ("f4fceedd5bb6",),
        "8e924e196a9a": ("ad0db6f2865f",),
        "9735ec9b3636": ("ad0db6f2865f",),
        "9c0e64154fbe": ("19ba11d2c22d",),
        "a26ebf537576": ("c4f3c7e0cb67",),
        "bedde38015ae": ("ad0db6f2865f",),
        "c63a05eae9fb": ("b8b6996db0a0",),
        "e1cad9cedad7": ("e6c0f78d39a8",),
        "f163657ad55b": ("6e18538e806b",),
        "f46dafb2b51b": ("19ba11d2c22d",),
        "f7de724e2c56": ("ad0db6f2865f",),
    },
    "memo-agent": {
        "014c0c24067f": ("19ba11d2c22d",),
        "0f28e0bd7999": ("ad0db6f2865f",),
        "10e8186ce060": (
            "6a1e4ef349f9",
            "e551c29f9aa4",
        ),
        "20ce56974fa4": ("de4fd04ca9a0",),
        "24ab61f14665": ("ad0db6f2865f",),
        "2820ac412b9b": ("19ba11d2c22d",),
        "28488bbf42a0": ("ad0db6f2865f",),
        "319ea3066dd4": ("09cf270dc8af",),
        "48d60d25c945": ("335e0eabae7e",),
        "51d65e72285b": ("335e0eabae7e",),
        "54ce88bff4d2": ("de4fd04ca9a0",),
        "59767a7f7640": ("de4fd04ca9a0",),
        "5ea6bb3f5642": ("2088a7ba908e",),
        "6259f49ad700": ("c4f3c7e0cb67",),
        "62a70be0d77b": ("09cf270dc8af",),
        "6802d97c4372": ("19ba11d2c22d",),
        "768d6f639b5f": ("335e0eabae7e",),
        "7bbf142654dd": ("19ba11d2c22d",),
        "81a2e580e1cd": ("de4fd04ca9a0",),
        "8e924e196a9a": ("ad0db6f2865f",),
        "9c0e64154fbe": ("19ba11d2c22d",),
        "a26ebf537576": ("c4f3c7e0cb67",),
        "af4c55aa0c43": (
            "6a1e4ef349f9",
            "e551c29f9aa4",
        ),
        "c63a05eae9fb": ("b8b6996db0a0",),
        "c6821646ee34": ("09cf270dc8af",),
        "d163c1fc154c": ("e6c0f78d39a8",),
        "d4c7af0c0cd3": ("b8b6996db0a0",),
        "deef9ed69894": ("de4fd04ca9a0",),
        "e1cad9cedad7": ("e6c0f78d39a8",),
        "ea7f49b13a3c": ("19ba11d2c22d",),
        "f46dafb2b51b": ("19ba11d2c22d",),
    },
    "tallow": {
        "014c0c24067f": ("19ba11d2c22d",),
        "11d01ab260cb": ("23837518aaa3",),
        "1c5d64f05798": ("87c15147c3b6",),
        "200fb7812e9b": ("c6dc82c50ef9",),
        "234da089366d": ("ad0db6f2865f",),
        "26d73ba7f248": ("b8b6996db0a0",),
        "3ac7744ed667": ("de4fd04ca9a0",),
        "3f4fb51482a4": ("e6c0f78d39a8",),
        "40da08bae4e6": ("335e0eabae7e",),
        "43ce211cc2ff": ("e6c0f78d39a8",),
        "48d60d25c945": ("335e0eabae7e",),
        "51d65e72285b": ("335e0eabae7e",),
        "5957e309b0c4": ("ad0db6f2865f",),
        "59767a7f7640": ("de4fd04ca9a0",),
        "5a450a8c413c": ("ad0db6f2865f",),
        "5ea6bb3f5642": ("2088a7ba908e",),
        "6259f49ad700": ("c4f3c7e0cb67",),
        "6802d97c4372": ("19ba11d2c22d",),
        "768d6f639b5f": ("335e0eabae7e",),
        "7bbf142654dd": ("19ba11d2c22d",),
        "80fb40fe418d": ("de4fd04ca9a0",),
        "81a2e580e1cd": ("de4fd04ca9a0",),
        "876a359d46eb": ("ad0db6f2865f",),
        "8e924e196a9a": ("ad0db6f2865f",),
        "8f46f3134263": ("de4fd04ca9a0",),
        "98d9844b18df": ("30583f79af71",),
        "9c0e64154fbe": ("19ba11d2c22d",),
        "a26ebf537576": ("c4f3c7e0cb67",),
        "a66e4050618a": ("e6c0f78d39a8", "8cfe8cae209a"),
        "ae871ac8e7f1": ("ad0db6f2865f", "de4fd04ca9a0"),
        "b0e1f7defd69": ("e6c0f78d39a8", "8cfe8cae209a"),
        "b1481f8f765a": ("c6dc82c50ef9",),
        "c63a05eae9fb": ("b8b6996db0a0",),
        "c931c08862df": ("ad0db6f2865f",),
        "dfc7bb53ecca": ("f390978b915e",),
        "e01098f24725": ("f390978b915e",),
        "e1cad9cedad7": ("e6c0f78d39a8", "8cfe8cae209a"),
        "f20636d3833e": ("ad0db6f2865f",),
        "f46dafb2b51b": ("19ba11d2c22d",),
        "fc98b5b6c4d7": ("ad0db6f2865f",),
    },
}
