"""Encode ids without the prefix that they share with the id of their owner: a message's owner is its session.

A part's owner is its message. A record, the encoded form of an id, is one byte, the length of the shared prefix,
followed by the rest of the id.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    MAX_SHARED = 255


cdef bint are_offsets(const uint64_t[::1] starts, Py_ssize_t size) noexcept nogil:
    """Return whether `starts` is not empty, ascends, and ends at or before `size` bytes."""
    cdef Py_ssize_t k
    for k in range(starts.shape[0] - 1):
        if starts[k] > starts[k + 1]:
            return False
    return starts.shape[0] > 0 and starts[starts.shape[0] - 1] <= <uint64_t>size


def encode_ids(const uint8_t[::1] names not None, const uint64_t[::1] starts not None,
               const uint32_t[::1] holder not None, const uint8_t[::1] holders not None,
               const uint64_t[::1] holder_starts not None):
    """Return (records, starts): the encoded form of each id, one after the other, and where each begins, u64[ids + 1].

    Id k is names[starts[k]:starts[k + 1]] in UTF-8, and holder[k] the number of its owner. The id of owner n is
    holders[holder_starts[n]:holder_starts[n + 1]]. A record omits the prefix, up to 255 bytes, that id and owner share.
    records is a bytearray, starts a memoryview. Raises ValueError when the columns do not fit together.
    """
    cdef Py_ssize_t k, size, most, same, at = 0, count = holder.shape[0]
    cdef const uint8_t* name
    cdef const uint8_t* begin
    cdef uint8_t* out
    cdef uint64_t* place
    cdef bint good = starts.shape[0] == count + 1
    good = good and are_offsets(starts, names.shape[0]) and are_offsets(holder_starts, holders.shape[0])
    for k in range(count if good else 0):
        good = good and holder[k] + 1 < holder_starts.shape[0]
    if not good:
        raise ValueError("names and their holders do not fit together")
    made, made_starts = bytearray(starts[count] - starts[0] + count), bytearray((count + 1) * 8)
    out = <uint8_t*>PyByteArray_AS_STRING(made)
    place = <uint64_t*>PyByteArray_AS_STRING(made_starts)
    with nogil:
        for k in range(count):
            size = starts[k + 1] - starts[k]
            most = holder_starts[holder[k] + 1] - holder_starts[holder[k]]
            most = min(min(most, size), <Py_ssize_t>MAX_SHARED)
            same = 0
            if most:
                name, begin = &names[starts[k]], &holders[holder_starts[holder[k]]]
                while same < most and name[same] == begin[same]:
                    same += 1
            place[k] = at
            out[at] = <uint8_t>same
            if size > same:
                memcpy(out + at + 1, &names[starts[k] + same], size - same)
            at += 1 + size - same
        place[count] = at
    del made[at:]
    return made, memoryview(made_starts).cast("Q")


def decode_ids(const uint8_t[::1] records not None, const uint64_t[::1] starts not None,
               const uint32_t[::1] holder not None, Py_ssize_t first, const uint8_t[::1] holders not None,
               const uint64_t[::1] holder_starts not None):
    """Return (ids, starts): the ids that records encode, one after the other, and where each begins, u64[ids + 1].

    Record k is records[starts[k]:starts[k + 1]], and holder[k] the number of its owner. holders has, at holder_starts,
    the ids of the owners from number `first` on. ids is a bytearray of UTF-8, starts a memoryview. Raises ValueError
    for records that encode_ids() did not make, and when the columns do not fit together.
    """
    cdef Py_ssize_t k, size, at = 0, count = holder.shape[0]
    cdef uint64_t begin, total = 0
    cdef uint8_t same
    cdef uint8_t* out
    cdef uint64_t* place
    cdef bint good = starts.shape[0] == count + 1
    good = good and are_offsets(starts, records.shape[0]) and are_offsets(holder_starts, holders.shape[0])
    if good:
        with nogil:
            for k in range(count):
                if (starts[k] == starts[k + 1] or holder[k] < first or holder[k] - first + 1 >= holder_starts.shape[0]):
                    good = False
                    break
                same = records[starts[k]]
                begin = holder_starts[holder[k] - first]
                if same > holder_starts[holder[k] - first + 1] - begin:
                    good = False
                    break
                total += starts[k + 1] - starts[k] - 1 + same
    if not good:
        raise ValueError("names and their holders do not fit together")
    made, made_starts = bytearray(total), bytearray((count + 1) * 8)
    out = <uint8_t*>PyByteArray_AS_STRING(made)
    place = <uint64_t*>PyByteArray_AS_STRING(made_starts)
    with nogil:
        for k in range(count):
            same = records[starts[k]]
            place[k] = at
            if same:
                memcpy(out + at, &holders[holder_starts[holder[k] - first]], same)
                at += same
            size = starts[k + 1] - starts[k] - 1
            if size:
                memcpy(out + at, &records[starts[k] + 1], size)
                at += size
        place[count] = at
    return made, memoryview(made_starts).cast("Q")


cdef class IdRecords:
    """Decodes the ids of single records, in the form that encode_ids() returns.

    Record k is records[starts[k]:starts[k + 1]]. verified, u8, is not 0 for each block of `block` bytes of `records`
    whose checksum has been compared; a record that reaches into another block is not read. The buffers are borrowed.
    Raises ValueError when `verified` has fewer elements than `records` has blocks.
    """

    cdef const uint8_t[::1] records
    cdef const uint64_t[::1] starts
    cdef const uint8_t[::1] verified
    cdef Py_ssize_t block

    def __cinit__(self, const uint8_t[::1] records not None, const uint64_t[::1] starts not None,
                  const uint8_t[::1] verified not None, Py_ssize_t block):
        if block < 1 or verified.shape[0] * block < records.shape[0]:
            raise ValueError(f"{verified.shape[0]} blocks of {block} bytes do not hold {records.shape[0]}")
        self.records = records
        self.starts = starts
        self.verified = verified
        self.block = block

    def name(self, Py_ssize_t at, str holder not None):
        """Return the id in record number `at`; `holder` is the id of its owner, whose prefix the record omits.

        None if a block of the record is not verified yet. Lone surrogates are preserved. Raises IndexError for a
        missing record, ValueError for an invalid one.
        """
        cdef Py_ssize_t k
        cdef uint64_t start, end
        cdef uint8_t same
        cdef str own
        if not 0 <= at < self.starts.shape[0] - 1:
            raise IndexError(at)
        start, end = self.starts[at], self.starts[at + 1]
        if not start < end <= <uint64_t>self.records.shape[0]:
            raise ValueError(f"name {at} has no record")
        for k in range(<Py_ssize_t>start // self.block, <Py_ssize_t>(end - 1) // self.block + 1):
            if not self.verified[k]:
                return None
        same = self.records[start]
        if same and not holder.isascii():  # the prefix may end in the middle of a character
            whole = holder.encode("utf-8", "surrogatepass")[:same] + bytes(self.records[start + 1:end])
            return whole.decode("utf-8", "surrogatepass")
        own = PyUnicode_DecodeUTF8(<const char*>&self.records[start] + 1, end - start - 1, "surrogatepass")
        return holder[:same] + own if same else own
