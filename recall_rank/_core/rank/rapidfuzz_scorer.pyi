from collections.abc import Callable
from typing import Self

from _typeshed import WriteableBuffer
from typing_extensions import disjoint_base

@disjoint_base
class Scorer:
    @property
    def native(self) -> bool: ...
    def __new__(cls, function: Callable[..., float], query: str) -> Self: ...
    def scores(self, texts: list[str], out: WriteableBuffer, deadline_ns: int = 0) -> int: ...
