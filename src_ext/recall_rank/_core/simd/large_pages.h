/* Transparent huge pages for large tables with random access. */
#ifndef RECALL_RANK_LARGE_PAGES_H
#define RECALL_RANK_LARGE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Advise the kernel to back [memory, memory + size) with pages of 2 MB: a hash table is read at random, and a TLB miss
   costs more than the slot itself. A no-op where there is no madvise(). */
static void rr_large_pages(void* memory, size_t size) {
#if defined(MADV_HUGEPAGE)
    const uintptr_t page = (uintptr_t)1 << 21;
    uintptr_t from = ((uintptr_t)memory + page - 1) & ~(page - 1), to = ((uintptr_t)memory + size) & ~(page - 1);
    if (to > from) (void)madvise((void*)from, to - from, MADV_HUGEPAGE);  /* advice only: a refusal changes nothing */
#else
    (void)memory; (void)size;
#endif
}

#endif
