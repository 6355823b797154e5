"""Substring search in raw UTF-8 text, with ASCII letters folded to lower case, and counts of code points.

The search compares the two rarest bytes of the needle first, by SIMD where the processor has it
(simd/substring_scan.h). Arguments that recur: `text` is a buffer of bytes; `needle` has its ASCII letters in lower
case and is not empty; `use_simd` = False chooses the scalar code, which gives equal answers. The GIL is released for
more than 64 KiB of text.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from recall_rank._core.runtime.prefetch cimport prefetch_passage
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
                       int use_simd) noexcept nogil
    Py_ssize_t rr_count_code_points(const unsigned char* text, Py_ssize_t start, Py_ssize_t size,
                                    int use_simd) noexcept nogil

cdef enum:
    DEADLINE_STRIDE = 1048576  # bytes between two readings of the clock
    MIN_NOGIL_BYTES = 65536    # up to this size a search ends before another thread could take the GIL

# How common each byte is in code, logs and English prose, letters folded: 250 for the commonest, 20 for the rarest.
cdef uint8_t[256] BYTE_FREQUENCY


cdef void load_byte_frequencies():
    """Fill the table BYTE_FREQUENCY, by which the rarest bytes of a needle are chosen."""
    cdef bytes order = b" etaoinsrlhdcu\nmpfgywb.,v-_k0/1\"'2()=:x3;j5q4z6798{}[]<>*#+$|&@!%?\\`~^\t"
    cdef int k
    for k in range(256):
        BYTE_FREQUENCY[k] = 20 if k < 0x80 else 60
    for k in range(len(order)):
        BYTE_FREQUENCY[order[k]] = 250 - 2 * k


load_byte_frequencies()


cdef void prepare_needle(rr_needle* needle, const unsigned char* data, Py_ssize_t size) noexcept nogil:
    """Set *needle to search for data[0:size], size > 0, by its two rarest bytes; `data` is borrowed."""
    cdef Py_ssize_t k
    needle.bytes = data
    needle.size = size
    needle.first = 0
    for k in range(size):
        if BYTE_FREQUENCY[data[k]] < BYTE_FREQUENCY[data[needle.first]]:
            needle.first = k
    needle.second = 0 if needle.first else size - 1
    for k in range(size):
        if k != needle.first and BYTE_FREQUENCY[data[k]] < BYTE_FREQUENCY[data[needle.second]]:
            needle.second = k
    needle.fold_first = 0x20 if c"a" <= data[needle.first] <= c"z" else 0
    needle.fold_second = 0x20 if c"a" <= data[needle.second] <= c"z" else 0


def find(const unsigned char[::1] text not None, bytes needle not None, Py_ssize_t start=0, bint use_simd=True):
    """Return the byte offset in `text` of the first occurrence of `needle` that begins at or behind `start`, or -1.

    The needle is in lower case; ASCII capitals of the text match it, too. Raises IndexError for a start outside the
    text, ValueError for an empty needle. O(len(text)) as a rule.
    """
    cdef rr_needle prepared
    cdef Py_ssize_t size = text.shape[0], found
    if not 0 <= start <= size:
        raise IndexError(start)
    if len(needle) == 0:
        raise ValueError("the needle is empty")
    if len(needle) > size - start:
        return -1
    prepare_needle(&prepared, needle, len(needle))
    if size - start <= MIN_NOGIL_BYTES:
        return rr_find(&prepared, &text[0], start, size, use_simd)
    with nogil:
        found = rr_find(&prepared, &text[0], start, size, use_simd)
    return found


cdef bint is_name_byte(unsigned char byte) noexcept nogil:
    """Return whether a byte can be part of a name or path: an ASCII letter or digit, _ - . / or \\."""
    return (rr_is_lowercase(byte | 0x20) or 0x30 <= byte <= 0x39 or byte == c"_" or byte == c"-" or byte == c"."
            or byte == c"/" or byte == c"\\")


cdef Py_ssize_t standalone_place(const rr_needle* needle, const unsigned char* text, Py_ssize_t start, Py_ssize_t end,
                                 Py_ssize_t most, bint use_simd, bint* alone) noexcept nogil:
    """Return the offset in `text` of an occurrence of the needle in text[start:end], or -1; set alone[0].

    alone[0] tells whether the occurrence stands alone, that is, no byte of a name or path (is_name_byte) directly
    precedes or follows it in the range. Of the first `most` occurrences, the first that stands alone is taken, else the
    first of all.
    """
    cdef Py_ssize_t at = start, first = -1, looked = 0
    alone[0] = False
    while looked < most and not alone[0] and end - at >= needle.size:
        at = rr_find(needle, text, at, end, use_simd)
        if at < 0:
            break
        alone[0] = not (at > start and is_name_byte(text[at - 1])
                        or at + needle.size < end and is_name_byte(text[at + needle.size]))
        if alone[0] or first < 0:
            first = at
        at += needle.size
        looked += 1
    return first


def first_standalone(const unsigned char[::1] text not None, const uint64_t[::1] starts not None,
                     const uint64_t[::1] ends not None, bytes needle not None, Py_ssize_t most,
                     bint use_simd=True):
    """Return (offset, alone) for each range text[starts[k]:ends[k]], a list: where `needle` occurs, and whether alone.

    An occurrence stands alone if no byte of a name or path (is_name_byte) directly precedes or follows it in the range.
    Of the first `most` occurrences, which do not overlap, the first that stands alone is taken, else the first of all.
    offset is in bytes of `text`, -1 without an occurrence. starts, ends: u64[n]. Raises ValueError for ranges outside
    the text, an empty needle, and arrays that differ in length.
    """
    cdef rr_needle prepared
    cdef Py_ssize_t k, first
    cdef bint alone = False
    if ends.shape[0] != starts.shape[0]:
        raise ValueError("starts and ends must be equally long")
    if len(needle) == 0:
        raise ValueError("the needle is empty")
    prepare_needle(&prepared, needle, len(needle))
    found = []
    for k in range(starts.shape[0]):
        if not starts[k] <= ends[k] <= <uint64_t>text.shape[0]:
            raise ValueError(f"range {k} is not within the text")
        if ends[k] - starts[k] < <uint64_t>prepared.size:
            first, alone = -1, False
        elif ends[k] - starts[k] <= MIN_NOGIL_BYTES:
            first = standalone_place(&prepared, &text[0], starts[k], ends[k], most, use_simd, &alone)
        else:
            with nogil:
                first = standalone_place(&prepared, &text[0], starts[k], ends[k], most, use_simd, &alone)
        found.append((first, alone))
    return found


def mark_parts(const unsigned char[::1] text not None, const uint64_t[::1] starts not None, bytes needle not None,
               unsigned char[::1] marks not None, eligible=None, int64_t deadline_ns=0, bint use_simd=True):
    """Set marks[p] to 1 for every part p whose text contains `needle`; return how many parts were searched.

    starts: u64[parts + 1], ascending byte offsets of the parts in `text`. marks: u8[parts]. eligible: u8[parts] or
    None; parts with 0 are not marked, but count as searched. deadline_ns: a time.monotonic_ns() at which the search
    stops, 0 for none; only the first parts, as many as the number returned, have been searched then. The clock is read
    once a MiB. Raises ValueError for an empty needle, columns of wrong length, and starts out of order or outside the
    text.
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
    prepare_needle(&prepared, needle, len(needle))
    with nogil:
        at = starts[0]
        while part < parts and good:
            if deadline_ns and rr_monotonic_ns() >= deadline_ns:
                break
            limit = at + DEADLINE_STRIDE
            while part < parts and at < limit:
                # one call for many parts: no match can cross two parts, because each part begins with a field's byte
                end = limit + prepared.size if limit + prepared.size < size else size
                found = rr_find(&prepared, &text[0], at, end, use_simd)
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
                good = False  # a part ends behind the text: the loop would not end
    if not good:
        raise ValueError("starts are out of order")
    return part


def mark_ranges(const unsigned char[::1] text not None, const uint64_t[::1] starts not None,
                const uint64_t[::1] ends not None, bytes needle not None, unsigned char[::1] marks not None,
                bint use_simd=True):
    """Set marks[k] to 1 for every k whose range text[starts[k]:ends[k]] contains `needle`; others keep their value.

    starts, ends: u64[n]; ranges may overlap. marks: u8[n]. Raises ValueError for an empty needle, ranges outside the
    text, and arrays that differ in length.
    """
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
    prepare_needle(&prepared, needle, len(needle))
    if bytes_in_all <= MIN_NOGIL_BYTES:
        scan_ranges(&prepared, text, starts, ends, marks, use_simd)
    else:
        with nogil:
            scan_ranges(&prepared, text, starts, ends, marks, use_simd)


cdef void scan_ranges(const rr_needle* needle, const unsigned char[::1] text, const uint64_t[::1] starts,
                      const uint64_t[::1] ends, unsigned char[::1] marks, bint use_simd) noexcept nogil:
    """Set marks[k] to 1 for every k whose range text[starts[k]:ends[k]] contains the needle; ranges are valid."""
    cdef const unsigned char* data = &text[0] if text.shape[0] else NULL
    cdef Py_ssize_t k
    for k in range(starts.shape[0]):
        prefetch_passage(data, &starts[0], &ends[0], starts.shape[0], k)
        if (ends[k] - starts[k] >= <uint64_t>needle.size
                and rr_find(needle, data, <Py_ssize_t>starts[k], <Py_ssize_t>ends[k], use_simd) >= 0):
            marks[k] = 1


cdef Py_ssize_t code_points_between(const unsigned char* text, Py_ssize_t start, Py_ssize_t end, bint use_simd):
    """Return the count of code points that begin in text[start:end] of UTF-8; the range has been checked."""
    cdef Py_ssize_t found
    if end - start <= MIN_NOGIL_BYTES:
        return rr_count_code_points(text, start, end, use_simd)
    with nogil:
        found = rr_count_code_points(text, start, end, use_simd)
    return found


def count_code_points(const unsigned char[::1] text not None, Py_ssize_t start, Py_ssize_t end, bint use_simd=True):
    """Return the count of code points that begin in text[start:end] of UTF-8.

    Raises IndexError for a range outside the text. O(end - start).
    """
    if not 0 <= start <= end <= text.shape[0]:
        raise IndexError(f"no range {start}:{end} in {text.shape[0]} bytes")
    return code_points_between(&text[0], start, end, use_simd) if start < end else 0
