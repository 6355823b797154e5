"""Find a literal in raw UTF-8 text, ASCII case folded on the fly: the answer to substring search."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from recall_rank._core.runtime.prefetch cimport ask_for_passage
from recall_rank._core.runtime.clock cimport rr_monotonic_ns

cdef extern from "simd/substring_scan.h":
    ctypedef struct rr_needle:
        const unsigned char* bytes
        Py_ssize_t size
        Py_ssize_t first
        Py_ssize_t second
        unsigned char fold_first
        unsigned char fold_second
    int rr_is_lowercase(unsigned char byte) noexcept nogil
    Py_ssize_t rr_find(const rr_needle* needle, const unsigned char* text, Py_ssize_t start, Py_ssize_t size,
                       int wide) noexcept nogil
    Py_ssize_t rr_count_code_points(const unsigned char* text, Py_ssize_t start, Py_ssize_t size, int wide) noexcept nogil

cdef enum:
    STRIDE = 1048576   # bytes between two looks at the clock
    BRIEF = 65536      # bytes that are looked through before another thread has woken up to take the lock

# How common bytes are in code, logs and English prose, folded: the higher, the commoner. Rare ones filter best.
cdef uint8_t[256] COMMON


cdef void load_common():
    cdef bytes order = b" etaoinsrlhdcu\nmpfgywb.,v-_k0/1\"'2()=:x3;j5q4z6798{}[]<>*#+$|&@!%?\\`~^\t"
    cdef int k
    for k in range(256):
        COMMON[k] = 20 if k < 0x80 else 60
    for k in range(len(order)):
        COMMON[order[k]] = 250 - 2 * k


load_common()


cdef void prepare(rr_needle* needle, const unsigned char* data, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t k
    needle.bytes = data
    needle.size = size
    needle.first = 0
    for k in range(size):
        if COMMON[data[k]] < COMMON[data[needle.first]]:
            needle.first = k
    needle.second = 0 if needle.first else size - 1
    for k in range(size):
        if k != needle.first and COMMON[data[k]] < COMMON[data[needle.second]]:
            needle.second = k
    needle.fold_first = 0x20 if c"a" <= data[needle.first] <= c"z" else 0
    needle.fold_second = 0x20 if c"a" <= data[needle.second] <= c"z" else 0


def find(const unsigned char[::1] text not None, bytes needle not None, Py_ssize_t start=0, bint wide=True):
    """Offset of the first occurrence of `needle` at or behind `start`, or -1.

    `needle` holds its ASCII letters in lower case; those of `text` match in either case. `wide` uses SIMD.
    """
    cdef rr_needle prepared
    cdef Py_ssize_t size = text.shape[0], found
    if not 0 <= start <= size:
        raise IndexError(start)
    if len(needle) == 0:
        raise ValueError("the needle is empty")
    if len(needle) > size - start:
        return -1
    prepare(&prepared, needle, len(needle))
    if size - start <= BRIEF:
        return rr_find(&prepared, &text[0], start, size, wide)
    with nogil:
        found = rr_find(&prepared, &text[0], start, size, wide)
    return found


cdef bint in_name(unsigned char byte) noexcept nogil:
    """Whether a name or a path goes on with it."""
    return (rr_is_lowercase(byte | 0x20) or 0x30 <= byte <= 0x39 or byte == c"_" or byte == c"-" or byte == c"."
            or byte == c"/" or byte == c"\\")


cdef Py_ssize_t stand(const rr_needle* needle, const unsigned char* text, Py_ssize_t start, Py_ssize_t end,
                      Py_ssize_t most, bint wide, bint* alone) noexcept nogil:
    """One of the places of stands()."""
    cdef Py_ssize_t at = start, first = -1, looked = 0
    alone[0] = False
    while looked < most and not alone[0] and end - at >= needle.size:
        at = rr_find(needle, text, at, end, wide)
        if at < 0:
            break
        alone[0] = not (at > start and in_name(text[at - 1])
                        or at + needle.size < end and in_name(text[at + needle.size]))
        if alone[0] or first < 0:
            first = at
        at += needle.size
        looked += 1
    return first


def stands(const unsigned char[::1] text not None, const uint64_t[::1] starts not None,
           const uint64_t[::1] ends not None, bytes needle not None, Py_ssize_t most, bint wide=True):
    """Where `needle` stands in each text[starts[k]:ends[k]], as find() looks for it: (offset in text, by itself).

    By itself is where no name or path goes on before or behind it. Of the first `most` places that do not overlap it is
    the first such, else the first, -1 where there is none.
    """
    cdef rr_needle prepared
    cdef Py_ssize_t k, first
    cdef bint alone = False
    if ends.shape[0] != starts.shape[0]:
        raise ValueError("starts and ends must be equally long")
    if len(needle) == 0:
        raise ValueError("the needle is empty")
    prepare(&prepared, needle, len(needle))
    found = []
    for k in range(starts.shape[0]):
        if not starts[k] <= ends[k] <= <uint64_t>text.shape[0]:
            raise ValueError(f"range {k} is not within the text")
        if ends[k] - starts[k] < <uint64_t>prepared.size:
            first, alone = -1, False
        elif ends[k] - starts[k] <= BRIEF:
            first = stand(&prepared, &text[0], starts[k], ends[k], most, wide, &alone)
        else:
            with nogil:
                first = stand(&prepared, &text[0], starts[k], ends[k], most, wide, &alone)
        found.append((first, alone))
    return found


def mark_parts(const unsigned char[::1] text not None, const uint64_t[::1] starts not None, bytes needle not None,
               unsigned char[::1] marks not None, eligible=None, int64_t deadline_ns=0, bint wide=True):
    """Set marks[p] to 1 for every part p whose text holds `needle`; the number of parts looked at.

    starts u64[parts + 1] are the parts' places in `text`, ascending; what stands before and behind them is not read.
    `eligible` u8[parts] leaves parts out.
    A number below the count of parts means the deadline came first (time.monotonic_ns(), 0 for none).
    """
    cdef rr_needle prepared
    cdef const uint8_t[::1] view
    cdef const uint8_t* keep = NULL
    cdef Py_ssize_t parts = starts.shape[0] - 1, part = 0, at, end, found, limit, size
    cdef bint good = True
    if (parts < 0 or marks.shape[0] != parts
            or not starts[0] <= starts[parts] <= <uint64_t>text.shape[0]):
        raise ValueError("starts and marks do not fit the text")
    if len(needle) == 0:
        raise ValueError("the needle is empty")
    if eligible is not None:
        view = eligible
        if view.shape[0] != parts:
            raise ValueError("eligible must have one byte a part")
        if parts:
            keep = &view[0]
    size = starts[parts]
    if parts == 0 or starts[0] == starts[parts]:
        return parts
    prepare(&prepared, needle, len(needle))
    with nogil:
        at = starts[0]
        while part < parts and good:
            if deadline_ns and rr_monotonic_ns() >= deadline_ns:
                break
            limit = at + STRIDE
            while part < parts and at < limit:
                # whole stretch at once; a match that crosses two parts cannot be: each part begins with a field mark
                end = limit + prepared.size if limit + prepared.size < size else size
                found = rr_find(&prepared, &text[0], at, end, wide)
                if found < 0:
                    at = limit if limit < size else size
                    break
                while starts[part + 1] <= <uint64_t>found:
                    part += 1
                good = starts[part] <= starts[part + 1] <= <uint64_t>size
                if not good:
                    break
                if keep == NULL or keep[part]:
                    marks[part] = 1
                at = starts[part + 1]
                part += 1
            while part < parts and starts[part + 1] <= <uint64_t>at:
                part += 1
            if part < parts and at >= size:
                good = False  # a part ends behind the text: it would be waited for without end
    if not good:
        raise ValueError("starts are out of order")
    return part


def mark_ranges(const unsigned char[::1] text not None, const uint64_t[::1] starts not None,
                const uint64_t[::1] ends not None, bytes needle not None, unsigned char[::1] marks not None,
                bint wide=True):
    """Set marks[k] to 1 for every range text[starts[k]:ends[k]] that holds `needle`; ranges may overlap."""
    cdef rr_needle prepared
    cdef Py_ssize_t count = starts.shape[0], k
    cdef uint64_t size = <uint64_t>text.shape[0], bytes_in_all = 0
    if ends.shape[0] != count or marks.shape[0] != count:
        raise ValueError("starts, ends and marks must be equally long")
    if len(needle) == 0:
        raise ValueError("the needle is empty")
    for k in range(count):
        if not starts[k] <= ends[k] <= size:
            raise ValueError(f"range {k} is not within the text")
        bytes_in_all += ends[k] - starts[k]
    prepare(&prepared, needle, len(needle))
    if bytes_in_all <= BRIEF:
        look_in(&prepared, text, starts, ends, marks, wide)
    else:
        with nogil:
            look_in(&prepared, text, starts, ends, marks, wide)


cdef void look_in(const rr_needle* needle, const unsigned char[::1] text, const uint64_t[::1] starts,
                  const uint64_t[::1] ends, unsigned char[::1] marks, bint wide) noexcept nogil:
    cdef const unsigned char* data = &text[0] if text.shape[0] else NULL
    cdef Py_ssize_t k
    for k in range(starts.shape[0]):
        ask_for_passage(data, &starts[0], &ends[0], starts.shape[0], k)
        if (ends[k] - starts[k] >= <uint64_t>needle.size
                and rr_find(needle, data, <Py_ssize_t>starts[k], <Py_ssize_t>ends[k], wide) >= 0):
            marks[k] = 1


cdef Py_ssize_t points_between(const unsigned char* text, Py_ssize_t start, Py_ssize_t end, bint wide):
    """Code points that begin in text[start:end] of UTF-8. `wide` uses SIMD."""
    cdef Py_ssize_t found
    if end - start <= BRIEF:
        return rr_count_code_points(text, start, end, wide)
    with nogil:
        found = rr_count_code_points(text, start, end, wide)
    return found


def count_points(const unsigned char[::1] text not None, Py_ssize_t start, Py_ssize_t end, bint wide=True):
    """points_between() of bytes that are there."""
    if not 0 <= start <= end <= text.shape[0]:
        raise IndexError(f"no range {start}:{end} in {text.shape[0]} bytes")
    return points_between(&text[0], start, end, wide) if start < end else 0
