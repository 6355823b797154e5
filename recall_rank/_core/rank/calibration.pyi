from _typeshed import ReadableBuffer

from recall_rank._core.rank.candidate import Candidate

def signals_of(candidate: Candidate, lead: float, share: float, plenty: float, least: float) -> list[float]: ...
def calibrate(
    candidates: list[Candidate], query: ReadableBuffer, chance: ReadableBuffer, plenty: float, least: float
) -> None: ...
def certainties(
    candidates: list[Candidate],
    leads: ReadableBuffer,
    shares: ReadableBuffer,
    query: ReadableBuffer,
    sure: ReadableBuffer,
    plenty: float,
    least: float,
) -> list[float]: ...
