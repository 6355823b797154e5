"""A pool of large scratch buffers, so that one search reuses the memory of the search before it.

A fresh page costs a page fault, which takes longer than the work that a search does in it, and returning pages to the
system stops the other threads of the process. All functions are thread-safe and need no GIL: each slot of the pool is
filled and emptied by one atomic compare-and-swap.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t

cdef extern from "simd/atomic_slots.h":
    bint rr_compare_and_swap(void** slot, void* before, void* after) noexcept nogil
    int64_t rr_atomic_add(int64_t* sum, int64_t value) noexcept nogil
    int64_t rr_pooled_bytes
    void* rr_pool_slots[80][64]

cdef enum:
    MIN_POWER = 16         # buffers below 2**MIN_POWER bytes come from malloc(), which reuses them itself
    SIZE_CLASSES = 40      # four to a power of two; buffers of 2**26 bytes or more are not pooled
    ZEROED = 40            # offset of the size classes of zeroed buffers
    SLOTS = 64             # buffers of one size class
    MAX_POOLED = 1 << 26   # bytes of all buffers in the pool


cdef int size_class(size_t* size) noexcept nogil:
    """Return the size class of a buffer of *size bytes and set *size to the size of that class; -1 if it is not pooled.

    There are four classes to each power of two. *size is unchanged where it is below the smallest class; above the
    largest, it is rounded up, too.
    """
    cdef int power = MIN_POWER, number
    cdef size_t step
    if size[0] < <size_t>1 << MIN_POWER:
        return -1
    while power < MIN_POWER + SIZE_CLASSES // 4 and size[0] >> (power + 1):
        power += 1
    step = <size_t>1 << (power - 2)
    size[0] = (size[0] + step - 1) & ~(step - 1)
    number = (power - MIN_POWER) * 4 + <int>(size[0] >> (power - 2)) - 4
    return number if number < SIZE_CLASSES else -1


cdef void* take_pooled(int number, size_t size) noexcept nogil:
    """Take a buffer of size class `number` out of the pool and return it; NULL if the pool has none, or `number` is -1.

    `size` is the size of that class in bytes.
    """
    cdef int k
    cdef void* memory
    for k in range(SLOTS if number >= 0 else 0):
        memory = rr_pool_slots[number][k]
        if memory != NULL and rr_compare_and_swap(&rr_pool_slots[number][k], memory, NULL):
            rr_atomic_add(&rr_pooled_bytes, -<int64_t>size)
            return memory
    return NULL


cdef void store_or_free(void* memory, int number, size_t size) noexcept nogil:
    """Put a buffer of size class `number`, which has `size` bytes, into the pool, or free it when the pool has no room.
    """
    cdef int k
    if rr_atomic_add(&rr_pooled_bytes, <int64_t>size) <= MAX_POOLED:
        for k in range(SLOTS):
            if rr_pool_slots[number][k] == NULL and rr_compare_and_swap(&rr_pool_slots[number][k], NULL, memory):
                return
    rr_atomic_add(&rr_pooled_bytes, -<int64_t>size)
    PyMem_RawFree(memory)


cdef void* acquire(size_t size) noexcept nogil:
    """Return a buffer of at least `size` bytes with undefined content; NULL when memory ran out.

    The caller returns it to the pool by release().
    """
    cdef int number = size_class(&size)
    cdef void* memory = take_pooled(number, size)
    return memory if memory != NULL else PyMem_RawMalloc(size)


cdef void release(void* memory, size_t size) noexcept nogil:
    """Return a buffer (or NULL) of acquire() to the pool; `size` is the number of bytes that was asked for."""
    cdef int number = size_class(&size)
    if memory != NULL and number >= 0:
        store_or_free(memory, number, size)
    else:
        PyMem_RawFree(memory)


cdef void* acquire_zeroed(size_t size) noexcept nogil:
    """Return a buffer of at least `size` zero bytes; NULL when memory ran out.

    The caller sets all bytes to 0 again, and returns it to the pool by release_zeroed().
    """
    cdef int number = size_class(&size)
    cdef void* memory = take_pooled(number + ZEROED if number >= 0 else -1, size)
    return memory if memory != NULL else PyMem_RawCalloc(size, 1)


cdef void release_zeroed(void* memory, size_t size) noexcept nogil:
    """Return a buffer (or NULL) of acquire_zeroed() to the pool; the caller has set every byte to 0 again.

    `size` is the number of bytes that was asked for.
    """
    cdef int number = size_class(&size)
    if memory != NULL and number >= 0:
        store_or_free(memory, number + ZEROED, size)
    else:
        PyMem_RawFree(memory)


def pooled_bytes():
    """Return the total size in bytes of the buffers that the pool keeps for later searches."""
    return rr_pooled_bytes


def clear():
    """Free all buffers of the pool. Buffers in use are not affected."""
    cdef int number
    cdef size_t size
    cdef void* memory
    for number in range(2 * SIZE_CLASSES):
        size = <size_t>(4 + number % 4) << (MIN_POWER + number % SIZE_CLASSES // 4 - 2)
        memory = take_pooled(number, size)
        while memory != NULL:
            PyMem_RawFree(memory)
            memory = take_pooled(number, size)
