from typing import Final, Self

from typing_extensions import disjoint_base

KEY: Final = 1
NAMED: Final = 2
ADDRESS: Final = 4
HEADER: Final = 8
BLOCK: Final = 16
UNSEEN: Final = 32

@disjoint_base
class SecretPrefilter:
    def __new__(cls, starts: list[str]) -> Self: ...
    def scan(self, text: str, low: int, high: int) -> tuple[int, int, int]: ...
