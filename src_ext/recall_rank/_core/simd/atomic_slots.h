/* A process-wide table of memory blocks that threads store and take without a lock; scratch_pool.pyx is its only user. */
#ifndef RECALL_RANK_ATOMIC_SLOTS_H
#define RECALL_RANK_ATOMIC_SLOTS_H

#include <stddef.h>
#if defined(_MSC_VER)
#include <intrin.h>
/* Set *slot to `after` if it is `before`; returns whether it was. Acquire and release semantics. */
static inline int rr_compare_and_swap(void* volatile* slot, void* before, void* after) {
    return _InterlockedCompareExchangePointer(slot, after, before) == before;
}
/* Add to *sum and return the new sum. */
static inline long long rr_atomic_add(long long volatile* sum, long long value) {
    return _InterlockedExchangeAdd64(sum, value) + value;
}
#else
/* Set *slot to `after` if it is `before`; returns whether it was. Acquire and release semantics. */
static inline int rr_compare_and_swap(void* volatile* slot, void* before, void* after) {
    return __atomic_compare_exchange_n(slot, &before, after, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
/* Add to *sum and return the new sum. */
static inline long long rr_atomic_add(long long volatile* sum, long long value) {
    return __atomic_add_fetch(sum, value, __ATOMIC_RELAXED);
}
#endif

static long long volatile rr_pooled_bytes;  /* total size of the blocks in rr_pool_slots */
static void* volatile rr_pool_slots[80][64];  /* [size class][block]; NULL marks an empty slot */

#endif
