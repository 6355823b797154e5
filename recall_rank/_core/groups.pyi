from typing import Self

from _typeshed import ReadableBuffer
from typing_extensions import disjoint_base

@disjoint_base
class Question:
    def __new__(
        cls,
        starts: ReadableBuffer,
        firsts: ReadableBuffer,
        lasts: ReadableBuffer,
        weights: ReadableBuffer,
        factors: ReadableBuffer,
        joint: ReadableBuffer,
        k1: float,
        norms: ReadableBuffer,
        class_weights: ReadableBuffer,
    ) -> Self: ...
