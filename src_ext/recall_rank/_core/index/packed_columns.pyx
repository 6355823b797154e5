"""Columns of numbers, compressed in runs: each run of 64 numbers takes as few bits as it needs.

A run is stored as its minimum and the difference of each number to it; or, if that is shorter, as the differences of
successive numbers. It begins with a byte (the width of a difference in bits, and the flag STEPS for the second form),
then the minimum, zigzag-encoded in groups of seven bits. SLACK bytes follow the last run, because eight bytes are read
at a time.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    RUN = 64
    STEPS = 0x80
    SLACK = 8
    WIDEST = 56       # widths up to which a number is read at any bit offset; wider numbers take 64 bits
    HEAD = 11         # largest size of the head of a run
    ALL = RUN * 8     # largest size of the numbers of a run
    EVERY = 64        # runs of a group, which can be read without those before it

GROUP = EVERY * RUN

ctypedef fused number:
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    int64_t


cdef int bits_of(uint64_t value) noexcept nogil:
    """Return the width in bits at which numbers up to `value` are stored: their bit length, or 64 above WIDEST."""
    cdef int bits = 0
    while value:
        bits += 1
        value >>= 1
    return bits if bits <= WIDEST else 64


cdef Py_ssize_t write_run(const int64_t* values, int count, int64_t before, uint8_t* out) noexcept nogil:
    """Write a run of `count` numbers, 1 to RUN, to `out`; return the number of bytes written.

    `before` is the number in front of the run, 0 for the first one. Up to 8 bytes behind the run are overwritten.
    """
    cdef int64_t[RUN] steps
    cdef const int64_t* chosen = values
    cdef int64_t least = values[0], most = values[0], least_step, most_step
    cdef int k, width, step_width, used = 0, kind = 0
    cdef uint64_t base, above, left = 0
    cdef Py_ssize_t at = 1
    # arithmetic is modulo 2**64, in which reading reverses any overflow
    steps[0] = <int64_t>(<uint64_t>values[0] - <uint64_t>before)
    least_step = most_step = steps[0]
    for k in range(1, count):
        steps[k] = <int64_t>(<uint64_t>values[k] - <uint64_t>values[k - 1])
        least = min(least, values[k])
        most = max(most, values[k])
        least_step = min(least_step, steps[k])
        most_step = max(most_step, steps[k])
    width = bits_of(<uint64_t>most - <uint64_t>least)
    step_width = bits_of(<uint64_t>most_step - <uint64_t>least_step)
    if step_width < width:
        width, least, chosen, kind = step_width, least_step, steps, STEPS
    out[0] = width | kind
    base = <uint64_t>least << 1 ^ (~<uint64_t>0 if least < 0 else 0)
    while base >= 0x80:
        out[at] = 0x80 | (base & 0x7F)
        base >>= 7
        at += 1
    out[at] = base
    at += 1
    for k in range(count if width else 0):
        above = <uint64_t>chosen[k] - <uint64_t>least
        left |= above << used
        used += width
        if used >= 64:
            memcpy(out + at, &left, 8)
            at += 8
            used -= 64
            left = above >> (width - used) if used else 0
    memcpy(out + at, &left, 8)
    return at + (used + 7) // 8


cdef bytearray packed(const number[::1] values):
    """Return the compressed bytes of a column of one type, as pack() does."""
    cdef Py_ssize_t count = values.shape[0], first, k, size = 0, here
    cdef int64_t[RUN] run
    cdef int64_t before = 0
    cdef uint8_t* out
    made = bytearray((count + RUN - 1) // RUN * (HEAD + ALL + 8) + SLACK)
    out = <uint8_t*>PyByteArray_AS_STRING(made)
    with nogil:
        first = 0
        while first < count:
            here = min(count - first, <Py_ssize_t>RUN)
            for k in range(here):
                run[k] = <int64_t>values[first + k]
            size += write_run(run, <int>here, before, out + size)
            before = run[here - 1]
            first += here
        memset(out + size, 0, SLACK)
    del made[size + SLACK:]
    return made


def pack(values not None):
    """Return the compressed bytes of a column, a bytearray that unpack() reads.

    `values` is a buffer of type B, H, I, Q or q, in the codes of the module struct; TypeError is raised for another.
    The bytes depend on the numbers, not on their type.
    """
    # not a function of a fused type, for which Cython imports numpy to ask whether it is an array
    view = memoryview(values)
    code = view.format
    if code == "B":
        return packed[uint8_t](view)
    if code == "H":
        return packed[uint16_t](view)
    if code == "I":
        return packed[uint32_t](view)
    if code in ("q", "l") and view.itemsize == 8:
        return packed[int64_t](view)
    if code in ("Q", "L") and view.itemsize == 8:
        return packed[uint64_t](view)
    raise TypeError(f"a column has numbers of type B, H, I, Q or q, not {code}")


cdef Py_ssize_t read_run(const uint8_t* data, Py_ssize_t at, Py_ssize_t end, int count, uint64_t before,
                         uint64_t* out) noexcept nogil:
    """Read the run of `count` numbers that begins at data[at] into `out`; return the offset behind the run.

    Return -1 if it is invalid or does not end by `end`. `before` is the number in front of the run, 0 for the first
    one. Reads up to SLACK bytes beyond `end`.
    """
    cdef int k, width, shift = 0
    cdef bint steps
    cdef uint64_t base = 0, mask, word
    cdef Py_ssize_t bit, behind
    if at >= end:
        return -1
    width = data[at] & 0x7F
    steps = data[at] & STEPS
    at += 1
    while at < end and shift < 64:
        base |= <uint64_t>(data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            break
    base = base >> 1 ^ (0 - (base & 1))
    behind = at + (count * width + 7) // 8
    if (width > WIDEST and width != 64) or behind > end:
        return -1
    if width == 64:
        memcpy(out, data + at, count * 8)
        for k in range(count):
            out[k] += base
    else:
        mask = (<uint64_t>1 << width) - 1
        bit = 0
        for k in range(count):
            memcpy(&word, data + at + (bit >> 3), 8)
            out[k] = (word >> (bit & 7) & mask) + base
            bit += width
    if steps:
        for k in range(count):
            before += out[k]
            out[k] = before
    return behind


cdef Py_ssize_t read_runs(const uint8_t[::1] data, Py_ssize_t count, int width, char* out, uint64_t before,
                          bint whole) noexcept nogil:
    """Read `count` numbers into `out`, `width` bytes each; return -1 if the data is invalid or a number too large.

    Otherwise, the offset of the end of the last run is returned. SLACK bytes must follow it in `data`, and, if `whole`,
    nothing else. `before` is the number in front of the first run.
    """
    cdef uint64_t[RUN] run
    cdef uint64_t seen
    cdef Py_ssize_t at = 0, first = 0, end = data.shape[0] - SLACK
    cdef int here, k
    while first < count:
        here = RUN if count - first > RUN else <int>(count - first)
        at = read_run(&data[0], at, end, here, before, run)
        if at < 0:
            return -1
        before = run[here - 1]
        seen = 0
        if width == 1:
            for k in range(here):
                (<uint8_t*>out)[first + k] = <uint8_t>run[k]
                seen |= run[k]
        elif width == 2:
            for k in range(here):
                (<uint16_t*>out)[first + k] = <uint16_t>run[k]
                seen |= run[k]
        elif width == 4:
            for k in range(here):
                (<uint32_t*>out)[first + k] = <uint32_t>run[k]
                seen |= run[k]
        else:
            memcpy(out + first * 8, run, here * 8)
        if width < 8 and seen >> (8 * width):
            return -1
        first += here
    return at if at == end or not whole else -1


def run_marks(const uint8_t[::1] data not None, Py_ssize_t count):
    """Return where each group of GROUP numbers of a packed column of `count` numbers begins: a memoryview of u64.

    There are two for each group: the offset of its first run in `data`, and the number in front of it. Raises
    ValueError when the bytes do not encode so many numbers.
    """
    cdef uint64_t[RUN] run
    cdef uint64_t before = 0
    cdef Py_ssize_t at = 0, first = 0, groups = (count + EVERY * RUN - 1) // (EVERY * RUN)
    cdef uint64_t* marks
    made = bytearray(16 * groups)
    marks = <uint64_t*>PyByteArray_AS_STRING(made)
    while first < count:
        if first % (EVERY * RUN) == 0:
            marks[2 * (first // (EVERY * RUN))] = at
            marks[2 * (first // (EVERY * RUN)) + 1] = before
        here = RUN if count - first > RUN else count - first
        at = read_run(&data[0], at, data.shape[0] - SLACK, here, before, run)
        if at < 0:
            raise ValueError("a packed column is not what pack() makes")
        before = run[here - 1]
        first += here
    return memoryview(made).toreadonly().cast("Q")


def unpack_group(const uint8_t[::1] data not None, Py_ssize_t count, str code not None, uint64_t before):
    """Return the first `count` numbers of `data`, which begins with a run, as unpack() does.

    `before` is the number in front of that run. Bytes of other runs may follow, and SLACK bytes of anything must.
    Raises ValueError for at most 0 or more than GROUP numbers, and for bytes that do not encode so many.
    """
    cdef int width = {"B": 1, "H": 2, "I": 4, "Q": 8, "q": 8}[code]
    cdef Py_ssize_t read
    cdef char* out
    if not 0 < count <= EVERY * RUN or data.shape[0] < SLACK:
        raise ValueError("a group of a packed column is shorter or longer than its numbers")
    made = bytearray(count * width)
    out = PyByteArray_AS_STRING(made)
    with nogil:
        read = read_runs(data, count, width, out, before, False)
    if read < 0:
        raise ValueError("a packed column is not what pack() makes")
    return memoryview(made).toreadonly().cast(code)


def unpack(const uint8_t[::1] data not None, Py_ssize_t count, str code not None):
    """Return the `count` numbers that pack() compressed, as a read-only memoryview of type `code`: B, H, I, Q or q.

    Raises ValueError when the bytes do not encode exactly `count` numbers of that type, KeyError for another code.
    """
    cdef int width = {"B": 1, "H": 2, "I": 4, "Q": 8, "q": 8}[code]
    cdef char* out
    cdef Py_ssize_t read
    # a run has at least two bytes: no memory is allocated for a forged count
    if data.shape[0] < SLACK or not 0 <= count <= (data.shape[0] - SLACK) // 2 * RUN:
        raise ValueError("a packed column is shorter or longer than its numbers")
    made = bytearray(count * width)
    out = PyByteArray_AS_STRING(made)
    with nogil:
        read = read_runs(data, count, width, out, 0, True)
    if read < 0:
        raise ValueError("a packed column is not what pack() makes")
    return memoryview(made).toreadonly().cast(code)
