"""Find, from terms and postings, the documents that can contain a run of letters and digits, without reading text."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp

from recall_rank._core.text.token_buffer cimport MAX_TERM
from recall_rank._core.runtime.clock cimport rr_monotonic_ns
from recall_rank._core.index.posting_frames cimport BLOCK, ROOM
from recall_rank._core.index.postings cimport Cursor, Postings
from recall_rank._core.text.utf8 cimport decode_code_points
from recall_rank._core.index.vocabulary cimport Vocabulary, signature

cdef enum:
    CLOCK_TERMS = 4096    # terms between two checks of the deadline
    FIELD_TAGS = 0x20     # the first byte of a field's terms is below this
    MAX_RANGE = 262144   # bytes of a range beyond which no document is merged into it


cdef bint contains(const unsigned char* form, Py_ssize_t size, const unsigned char* run,
                   Py_ssize_t length) noexcept nogil:
    """Return whether form[0:size] contains run[0:length]."""
    cdef const unsigned char* last = form + size - length
    while form <= last:
        form = <const unsigned char*>memchr(form, run[0], last - form + 1)
        if form == NULL:
            return False
        if memcmp(form, run, length) == 0:
            return True
        form += 1
    return False


def terms_containing(Vocabulary vocabulary not None, bytes run not None, Py_ssize_t most, int64_t deadline_ns=0):
    """Return the numbers of the terms that contain `run`, an ascending list; terms tagged with a field are left out.

    Return None instead if there are more than `most` such terms, or if the deadline, a time.monotonic_ns(), 0 for none,
    passed first. Raises ValueError unless `run` consists of lower-case ASCII letters and digits.
    """
    cdef Py_ssize_t misses
    if not run.isalnum() or run != run.lower():
        raise ValueError(f"a run is of small ASCII letters and digits, not {run!r}")
    if len(run) > MAX_TERM:
        return []
    vocabulary.load_signatures(len(run), MAX_TERM)
    while True:
        misses = vocabulary.misses
        found = containing(vocabulary, run, most, deadline_ns)
        if not vocabulary.load(misses):
            return found


cdef object containing(Vocabulary vocabulary, bytes run, Py_ssize_t most, int64_t deadline_ns):
    """Return what terms_containing() returns, once the blocks of the vocabulary that it reads are there."""
    cdef uint32_t points[MAX_TERM]
    cdef uint32_t picked[CLOCK_TERMS]
    cdef const unsigned char* data = run
    cdef Py_ssize_t size = len(run), length, number, end, count, k
    cdef const unsigned char* form
    cdef uint32_t wanted
    found = []
    wanted = signature(points, decode_code_points(data, size, points))
    number = vocabulary.starts[size]
    while number < vocabulary.size:
        if deadline_ns and rr_monotonic_ns() >= deadline_ns:
            return None
        end = min(number + CLOCK_TERMS, vocabulary.size)
        with nogil:
            count = 0
            while number < end:
                picked[count] = number
                count += (vocabulary.signatures[number] & wanted) == wanted
                number += 1
        if vocabulary.marks != NULL:
            count = there(vocabulary, picked, count)
        with nogil:
            end = 0
            for k in range(count):
                form = vocabulary.arena + vocabulary.offsets[picked[k]]
                length = vocabulary.offsets[picked[k] + 1] - vocabulary.offsets[picked[k]]
                if form[0] >= FIELD_TAGS and contains(form, length, data, size):
                    picked[end] = picked[k]
                    end += 1
        if len(found) + end > most:
            return None
        for k in range(end):
            found.append(picked[k])
    return found


cdef Py_ssize_t there(Vocabulary vocabulary, uint32_t* picked, Py_ssize_t count):
    """Move those of the terms picked[0:count] that can be read to the front, and return their number."""
    cdef Py_ssize_t k, found = 0
    for k in range(count):
        if vocabulary.has(vocabulary.offsets[picked[k]], vocabulary.offsets[picked[k] + 1]):
            picked[found] = picked[k]
            found += 1
    return found


def mark_documents(Postings postings not None, terms not None, unsigned char[::1] documents not None):
    """Set documents[d], u8, to 1 for every document d that contains one of `terms`; others keep their value.

    Raises IndexError for a term that does not exist.
    """
    cdef uint16_t docs[ROOM]
    cdef uint8_t tfs[ROOM]
    cdef Py_ssize_t term, block, count, k, limit
    cdef Cursor cursor
    postings.load([(term, term + 1) for term in terms])
    for term in terms:
        if not 0 <= term < postings.term_count:
            raise IndexError(term)
        with nogil:
            for block in range(postings.block_count):
                limit = documents.shape[0] - block * BLOCK
                postings.seek(block, term, term + 1, &cursor)
                while True:
                    count = postings.next_run(&cursor, docs, tfs)
                    if count == 0:
                        break
                    for k in range(count):
                        if docs[k] < limit:
                            documents[block * BLOCK + docs[k]] = 1


def ranges_around(const unsigned char[::1] documents not None, const uint64_t[::1] doc_start not None,
                  const uint32_t[::1] doc_part not None, const uint64_t[::1] part_start not None, Py_ssize_t reach,
                  eligible=None):
    """Return (starts, ends, parts), the byte ranges around marked documents in eligible parts: u64, u64 and u32.

    A range is a document and up to `reach` bytes of its part on both sides. Ranges of a part that overlap are merged,
    up to 256 KiB. parts[k] is the part of range k; parts ascend. documents and eligible are marks u8[docs] and
    u8[parts]; eligible None is all. doc_start, u64[docs + 1], and part_start, u64[parts + 1], are byte offsets;
    doc_part, u32[docs], is the part of each document. Raises ValueError if the columns do not agree.
    """
    cdef Py_ssize_t count = documents.shape[0], parts = part_start.shape[0] - 1, doc, found = 0, marked = 0
    cdef uint64_t start, end, begin, behind, back = reach
    cdef uint32_t part
    cdef const uint8_t[::1] view
    cdef const uint8_t* keep = NULL
    cdef uint64_t* starts
    cdef uint64_t* ends
    cdef uint32_t* owners
    cdef bint good = True
    if reach < 0 or parts < 0 or doc_part.shape[0] != count or doc_start.shape[0] != count + 1:
        raise ValueError("the columns do not fit together")
    if eligible is not None:
        view = eligible
        if view.shape[0] != parts:
            raise ValueError("eligible must have one byte a part")
        if parts:
            keep = &view[0]
    with nogil:
        for doc in range(count):
            marked += documents[doc] != 0
    room = bytearray(marked * 8), bytearray(marked * 8), bytearray(marked * 4)
    starts = <uint64_t*>PyByteArray_AS_STRING(room[0])
    ends = <uint64_t*>PyByteArray_AS_STRING(room[1])
    owners = <uint32_t*>PyByteArray_AS_STRING(room[2])
    with nogil:
        for doc in range(count):
            if documents[doc] == 0:
                continue
            part = doc_part[doc]
            good = part < parts and (found == 0 or part >= owners[found - 1])
            if not good:
                break
            if keep != NULL and not keep[part]:
                continue
            begin, behind = part_start[part], part_start[part + 1]
            start, end = doc_start[doc], doc_start[doc + 1]
            good = begin <= start <= end <= behind
            if not good:
                break
            start = start - back if start - begin > back else begin
            end = end + back if behind - end > back else behind
            if (found and owners[found - 1] == part and start <= ends[found - 1]
                    and end - starts[found - 1] <= MAX_RANGE):
                ends[found - 1] = end
                continue
            starts[found], ends[found], owners[found] = start, end, part
            found += 1
    if not good:
        raise ValueError("a document is outside of its part, or parts are out of order")
    return (memoryview(room[0])[:found * 8].cast("Q"), memoryview(room[1])[:found * 8].cast("Q"),
            memoryview(room[2])[:found * 4].cast("I"))
