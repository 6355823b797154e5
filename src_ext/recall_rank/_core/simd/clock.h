/* The monotonic clock behind time.monotonic_ns(), read without the interpreter's lock. */
#ifndef RECALL_RANK_CLOCK_H
#define RECALL_RANK_CLOCK_H

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
/* Nanoseconds since an arbitrary start; comparable only with other values of this process. */
static inline long long rr_monotonic_ns(void) {
    LARGE_INTEGER count, rate;
    QueryPerformanceCounter(&count); QueryPerformanceFrequency(&rate);
    return (long long)((double)count.QuadPart * 1e9 / (double)rate.QuadPart);
}
#else
#include <time.h>
/* Nanoseconds since an arbitrary start; comparable only with other values of this process. */
static inline long long rr_monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000LL + now.tv_nsec;
}
#endif

#endif
