"""Embedder, the port for a model that makes vectors of texts, and the check of what such a model returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MOST_DIMENSIONS = 65_536


@runtime_checkable
class Embedder(Protocol):
    """Makes vectors of texts: a callable with a name and a dimension.

    Vectors are stored under `name`, so two models, or two versions of a model, must have different names. It may be
    called from several threads at once. `dimension` may take a while when it is read for the first time.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def __call__(self, texts: Sequence[str], /, *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return f32[texts, dimension], one vector for each text, of any length above 0.

        `query` says that the texts are what is searched for, rather than passages: some models want a prefix for
        either. Any exception is reported in place of the vectors.
        """
        ...


class FunctionEmbedder:
    """An Embedder of a function from a list of texts to their vectors, which treats queries as passages."""

    def __init__(self, function: Callable[[list[str]], Any], *, name: str, dimension: int) -> None:
        """Take a function, whose result numpy can make f32[texts, dimension] of.

        Raises TypeError for what cannot be called, and ValueError for an empty name or a dimension below 1.
        """
        if not callable(function):
            raise TypeError(f"an embedder is made of a function from texts to vectors, not of {function!r:.80}")
        if not 0 < dimension <= MOST_DIMENSIONS:
            raise ValueError(f"a vector has 1 to {MOST_DIMENSIONS:,} dimensions, not {dimension!r}")
        self._function = function
        self.name = name
        self.dimension = dimension
        check_embedder(self)

    def __call__(self, texts: Sequence[str], /, *, query: bool = False) -> npt.NDArray[np.float32]:
        import numpy as np

        return np.asarray(self._function(list(texts)), np.float32)


def check_embedder(given: object) -> Embedder:
    """Return `given` as an Embedder; its `dimension` is not read. Raises TypeError or ValueError for anything else."""
    name = getattr(given, "name", None)
    # looked for without reading it: the dimension of a model may be known only once that is loaded
    sized = hasattr(type(given), "dimension") or "dimension" in getattr(given, "__dict__", {})
    if not callable(given) or not isinstance(name, str) or not sized:
        raise TypeError(
            f"an embedder is callable and has a name and a dimension; {given!r:.80} is not: "
            "make one of a function by FunctionEmbedder(function, name=..., dimension=...)"
        )
    if not name:
        raise ValueError("the name of an embedder is not empty: its vectors are stored under it")
    return given  # type: ignore[return-value]


def vectors_of(embedder: Embedder, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
    """Return the vectors of texts, f32[texts, dimension], checked.

    Raises ValueError when the embedder returns another shape, or numbers that are not finite, and what it raises.
    """
    import numpy as np

    if not texts:
        return np.zeros((0, embedder.dimension), np.float32)
    found = np.ascontiguousarray(embedder(texts, query=query), np.float32)
    wanted = (len(texts), embedder.dimension)
    if found.shape != wanted:
        raise ValueError(f"the embedder {embedder.name!r} returned an array of {found.shape}, not of {wanted}")
    if not np.isfinite(found).all():
        raise ValueError(f"the embedder {embedder.name!r} returned numbers that are not finite")
    return found
