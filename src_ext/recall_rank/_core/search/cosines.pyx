"""Cosines of one vector with all vectors of a segment, which are stored as int8."""

from libc.math cimport fabsf, lrintf
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t
from libc.stdlib cimport free, malloc

from recall_rank._core.runtime.clock cimport rr_monotonic_ns

cdef enum:
    STRIDE = 4096     # vectors between two looks at the clock
    FULL = 127        # the largest value of a stored vector
    MOST = 32767      # the largest value of the query


def cosines(const int8_t[::1] values not None, const float[::1] scales not None, const float[::1] query not None,
            float[::1] found not None, int64_t deadline_ns=0):
    """Set found[k] to the dot product of `query` with vector k, which is scales[k] times row k of `values`.

    It is the cosine where both vectors have length 1. `values` is i8[vectors, dimension], flat, with values from -127
    on; `scales` and `found` are f32[vectors], `query` is f32[dimension]. The query is rounded to whole numbers of
    16 bits, or fewer where a sum of int32 could overflow: below 516 dimensions the error is at most 1e-4 of the product
    of both lengths.

    Returns the number of vectors done: all, unless the time.monotonic_ns() `deadline_ns` passed; 0 is none. Raises
    ValueError for lengths that do not fit or a dimension of 0. Runs without the GIL. O(vectors * dimension).
    """
    cdef Py_ssize_t dimension = query.shape[0], count = scales.shape[0], k, j, done = 0
    cdef const int8_t* row
    cdef int16_t* whole
    cdef int32_t total
    cdef float largest = 0, step
    cdef int64_t most
    if dimension == 0 or dimension > (1 << 20):
        raise ValueError("a vector has 1 to 1,048,576 dimensions")
    if values.shape[0] != count * dimension or found.shape[0] != count:
        raise ValueError("values, scales and found differ in length")
    most = min(MOST, ((<int64_t>1 << 31) - 1) // (FULL * dimension))
    whole = <int16_t*>malloc(dimension * sizeof(int16_t))
    if whole == NULL:
        raise MemoryError
    with nogil:
        for j in range(dimension):
            largest = max(largest, fabsf(query[j]))
        step = largest / most if largest > 0 else 1
        for j in range(dimension):
            whole[j] = <int16_t>lrintf(query[j] / step)
        for k in range(count):
            if deadline_ns and k % STRIDE == 0 and rr_monotonic_ns() >= deadline_ns:
                break
            row = &values[0] + k * dimension
            total = 0
            for j in range(dimension):
                total += <int32_t>row[j] * <int32_t>whole[j]
            found[k] = scales[k] * step * total
            done = k + 1
    free(whole)
    return done
