from libc.stdint cimport int64_t

cdef extern from *:
    """
    #if defined(_WIN32)
    #define WIN32_LEAN_AND_MEAN
    #include <windows.h>
    static inline long long rr_now(void) {
        LARGE_INTEGER count, rate;
        QueryPerformanceCounter(&count); QueryPerformanceFrequency(&rate);
        return (long long)((double)count.QuadPart * 1e9 / (double)rate.QuadPart);
    }
    #else
    #include <time.h>
    static inline long long rr_now(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (long long)now.tv_sec * 1000000000LL + now.tv_nsec;
    }
    #endif
    """
    int64_t rr_now() noexcept nogil  # nanoseconds of the clock behind time.monotonic_ns()
