/* Prefetch of one cache line. */
#ifndef RECALL_RANK_PREFETCH_H
#define RECALL_RANK_PREFETCH_H

/* A no-op for compilers without the builtin. The address may be invalid: it is not dereferenced. */
#if defined(__GNUC__) || defined(__clang__)
#define rr_prefetch(p) __builtin_prefetch(p)
#else
#define rr_prefetch(p) ((void)(p))
#endif

#endif
