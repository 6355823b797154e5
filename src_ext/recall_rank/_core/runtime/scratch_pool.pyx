"""Large memory that goes from one search to the next: a page that the system gives anew costs more than what is done
in it, and giving it back stops the other threads.

Any thread may ask, with the interpreter's lock or without: every place is taken and filled in one step.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stddef.h>
    #if defined(_MSC_VER)
    #include <intrin.h>
    static inline int rr_swap(void* volatile* place, void* before, void* after) {
        return _InterlockedCompareExchangePointer(place, after, before) == before;
    }
    static inline long long rr_add(long long volatile* sum, long long value) {
        return _InterlockedExchangeAdd64(sum, value) + value;
    }
    #else
    static inline int rr_swap(void* volatile* place, void* before, void* after) {
        return __atomic_compare_exchange_n(place, &before, after, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
    static inline long long rr_add(long long volatile* sum, long long value) {
        return __atomic_add_fetch(sum, value, __ATOMIC_RELAXED);
    }
    #endif
    static long long volatile rr_kept;  /* bytes in all places */
    static void* volatile rr_places[80][64];
    """
    bint rr_swap(void** place, void* before, void* after) noexcept nogil
    int64_t rr_add(int64_t* sum, int64_t value) noexcept nogil
    int64_t rr_kept
    void* rr_places[80][64]

cdef enum:
    LEAST = 16    # memory below 2**LEAST bytes comes from the allocator, which keeps it
    SIZES = 40    # sizes that are lent, four to a power of two: nothing of 2**26 bytes and more is kept
    CLEAN = 40    # sizes before those of memory that is all zeros, which are the same again
    EACH = 64     # of a size that are kept, at most
    MOST = 1 << 26  # bytes that are kept in all


cdef int size_of(size_t* size) noexcept nogil:
    """Round a size up to one that is lent, and its number; -1 where it is too small or too large."""
    cdef int power = LEAST, number
    cdef size_t step
    if size[0] < <size_t>1 << LEAST:
        return -1
    while power < LEAST + SIZES // 4 and size[0] >> (power + 1):
        power += 1
    step = <size_t>1 << (power - 2)
    size[0] = (size[0] + step - 1) & ~(step - 1)
    number = (power - LEAST) * 4 + <int>(size[0] >> (power - 2)) - 4
    return number if number < SIZES else -1


cdef void* find(int number, size_t size) noexcept nogil:
    """Memory of this size that was kept; NULL when there is none."""
    cdef int k
    cdef void* memory
    for k in range(EACH if number >= 0 else 0):
        memory = rr_places[number][k]
        if memory != NULL and rr_swap(&rr_places[number][k], memory, NULL):
            rr_add(&rr_kept, -<int64_t>size)
            return memory
    return NULL


cdef void keep(void* memory, int number, size_t size) noexcept nogil:
    """Keep memory of this size for the next search, or give it back to the system."""
    cdef int k
    if rr_add(&rr_kept, <int64_t>size) <= MOST:
        for k in range(EACH):
            if rr_places[number][k] == NULL and rr_swap(&rr_places[number][k], NULL, memory):
                return
    rr_add(&rr_kept, -<int64_t>size)
    PyMem_RawFree(memory)


cdef void* lend(size_t size) noexcept nogil:
    """Memory of at least `size` bytes, whatever stands in it; NULL when there is none."""
    cdef int number = size_of(&size)
    cdef void* memory = find(number, size)
    return memory if memory != NULL else PyMem_RawMalloc(size)


cdef void take_back(void* memory, size_t size) noexcept nogil:
    """What was lent for `size` bytes, NULL too, is not in use any more."""
    cdef int number = size_of(&size)
    if memory != NULL and number >= 0:
        keep(memory, number, size)
    else:
        PyMem_RawFree(memory)


cdef void* lend_clean(size_t size) noexcept nogil:
    """The same, all zeros."""
    cdef int number = size_of(&size)
    cdef void* memory = find(number + CLEAN if number >= 0 else -1, size)
    return memory if memory != NULL else PyMem_RawCalloc(size, 1)


cdef void take_back_clean(void* memory, size_t size) noexcept nogil:
    """What lend_clean() lent is not in use any more, and all zeros again: what was written there was cleared."""
    cdef int number = size_of(&size)
    if memory != NULL and number >= 0:
        keep(memory, number + CLEAN, size)
    else:
        PyMem_RawFree(memory)


def kept():
    """Bytes that wait for the next search."""
    return rr_kept


def forget():
    """Give them back to the system."""
    cdef int number
    cdef size_t size
    cdef void* memory
    for number in range(2 * SIZES):
        size = <size_t>(4 + number % 4) << (LEAST + number % SIZES // 4 - 2)
        memory = find(number, size)
        while memory != NULL:
            PyMem_RawFree(memory)
            memory = find(number, size)
