"""Collect the text of sessions, and the columns of their messages, parts, fields and documents, for a segment."""

from array import array

from cpython.array cimport array as Array
from cpython.array cimport resize_smart
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE, PyByteArray_Resize
from cpython.unicode cimport Py_UNICODE_TOLOWER
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from recall_rank._core.index.builder cimport SegmentBuilder
from recall_rank._core.text.fields cimport TEXT, part_fields
from recall_rank._core.text.passages cimport passage_end
from recall_rank._core.text.utf8 cimport encode_code_point
from recall_rank._core.text.token_coverage cimport splits_alnum_run

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_UCS4 PyUnicode_READ(int kind, void* data, Py_ssize_t at)

cdef enum:
    TOOL_TAG = 1       # first bytes of terms of fields, which are not in the text of a part
    AUTHOR_TAG = 2
    DIRECTORY_TAG = 3
    ERROR_FLAG = 128   # model.Flag.ERROR
    UNSEARCHED = 512   # model.Flag.UNSEARCHED
    USER = 1           # model.Kind.USER
    TALK = 9           # model.Kind.TALK
    KINDS = 15         # mask of the kind in a class
    OTHER_ROLE = 2     # role number of unknown roles

cdef int64_t LAST_TIME = 253_402_300_799_999  # the end of the year 9999, ms


cdef Py_ssize_t one_more(Array column) except -1:
    """Grow an array by one element, whose value is undefined; return the index of that element."""
    cdef Py_ssize_t at = len(column)
    resize_smart(column, at + 1)
    return at


cdef int push8(Array column, uint8_t value) except -1:
    """Append a value to a column of u8."""
    cdef Py_ssize_t at = one_more(column)
    column.data.as_uchars[at] = value
    return 0


cdef int push16(Array column, uint16_t value) except -1:
    """Append a value to a column of u16."""
    cdef Py_ssize_t at = one_more(column)
    column.data.as_ushorts[at] = value
    return 0


cdef int push32(Array column, uint32_t value) except -1:
    """Append a value to a column of u32."""
    cdef Py_ssize_t at = one_more(column)
    column.data.as_uints[at] = value
    return 0


cdef int push64(Array column, int64_t value) except -1:
    """Append a value to a column of i64 or u64."""
    cdef Py_ssize_t at = one_more(column)
    (<int64_t*>column.data.as_voidptr)[at] = value
    return 0


cpdef known_time(time):
    """Return `time`, ms since 1970, or 0 (unknown) for one before 1970 or after the year 9999, as in a damaged record.
    """
    return time if 0 <= time <= LAST_TIME else 0


cdef bint append_text(bytearray to, value) except -1:
    """Append the string `value` to `to` as UTF-8, with U+FFFD for a lone surrogate.

    Return whether it has a letter beyond ASCII that changes by folding to lower case. Raises TypeError if `value` is
    not a string.
    """
    cdef Py_ssize_t place = PyByteArray_GET_SIZE(to), length, k
    cdef bint folds = False
    cdef int kind
    cdef void* data
    cdef unsigned char* out
    cdef Py_UCS4 point
    if not isinstance(value, str):
        raise TypeError(f"a text must be a string, not {type(value).__name__}")
    length = PyUnicode_GET_LENGTH(value)
    data = PyUnicode_DATA(value)
    if PyUnicode_IS_ASCII(value):
        PyByteArray_Resize(to, place + length)
        memcpy(PyByteArray_AS_STRING(to) + place, data, length)
        return False
    kind = PyUnicode_KIND(value)
    PyByteArray_Resize(to, place + length * (2 if kind == 1 else kind + (kind == 2)))
    out = <unsigned char*>PyByteArray_AS_STRING(to) + place
    for k in range(length):
        point = PyUnicode_READ(kind, data, k)
        if point < 0x80:
            out[0] = point
            out += 1
            continue
        if 0xD800 <= point < 0xE000:
            point = 0xFFFD
        if not folds:
            folds = point == 0x3C2 or Py_UNICODE_TOLOWER(point) != point
        out += encode_code_point(point, out)
    PyByteArray_Resize(to, out - <unsigned char*>PyByteArray_AS_STRING(to))
    return folds


cdef class Ids:
    """A growing list of strings, stored as concatenated UTF-8, which may have lone surrogates, and their offsets."""

    cdef bytearray data
    cdef Array starts

    def __cinit__(self):
        self.data = bytearray()
        self.starts = array("Q", [0])

    cdef int push(self, value) except -1:
        if isinstance(value, str) and PyUnicode_IS_ASCII(value):
            append_text(self.data, value)
        else:
            self.data += value.encode("utf-8", "surrogatepass")
        push64(self.starts, PyByteArray_GET_SIZE(self.data))
        return 0

    def __len__(self):
        return len(self.starts) - 1

    def buffers(self):
        """Return (UTF-8, offsets): all strings concatenated, and the byte at which each starts, u64[strings + 1].

        Both are copies, so more strings can be added.
        """
        return bytes(self.data), memoryview(self.starts[:])


cdef class Gatherer:
    """Takes sessions in the order of the segment, and returns the columns of the segment.

    Each session is added by title(), then messages(). roles is a dict from role to number. number(name) returns a
    number for a part type, tool or author. kind(flags, type, failed, role, people) returns the class of a part's
    documents. hidden(tool) tells whether the parts of a tool are not searchable; nor are parts with the flag
    UNSEARCHED. said(kind, passage, further) returns the exact kind of a passage, UTF-8 bytes, in a part that a person
    wrote; `further` tells that it is not the first of its part. fold(text) returns a text in lower case. A passage has
    at most `longest` bytes, and the last of a part at most a quarter more. Raises ValueError for `longest` below 16.
    """

    cdef SegmentBuilder builder
    cdef dict roles, numbers, hides
    cdef object number, kind, hidden, said, fold
    cdef Py_ssize_t longest
    cdef uint32_t sessions
    cdef int64_t asked  # the user message that the next one answers, -1 for none
    cdef readonly bytearray text, folded_text
    cdef readonly Ids message_ids, part_ids
    cdef bytearray scratch
    cdef bint finished
    cdef Array session_talk, message_session, message_role, message_time, message_author, message_first_part
    cdef Array message_asked, part_message, part_type, part_tool, part_flags, part_start, part_first_doc
    cdef Array part_first_field, field_start, doc_start, doc_part, doc_words, doc_class, folded_part, folded_start

    def __init__(self, SegmentBuilder builder not None, dict roles not None, number, kind, hidden, said, fold,
                 Py_ssize_t longest):
        if longest < 16:
            raise ValueError(f"longest must be at least 16, not {longest}")
        self.builder = builder
        self.roles = roles
        self.number = number
        self.kind = kind
        self.hidden = hidden
        self.said = said
        self.fold = fold
        self.longest = longest
        self.numbers = {}
        self.hides = {}
        self.asked = -1
        self.text = bytearray()
        self.folded_text = bytearray()
        self.scratch = bytearray()
        self.message_ids = Ids()
        self.part_ids = Ids()
        self.session_talk = array("B")
        self.message_session = array("I")
        self.message_role = array("B")
        self.message_time = array("q")
        self.message_author = array("I")
        self.message_first_part = array("I")
        self.message_asked = array("I")
        self.part_message = array("I")
        self.part_type = array("I")
        self.part_tool = array("I")
        self.part_flags = array("H")
        self.part_start = array("Q")
        self.part_first_doc = array("I")
        self.part_first_field = array("I")
        self.field_start = array("Q")
        self.doc_start = array("Q")
        self.doc_part = array("I")
        self.doc_words = array("H")
        self.doc_class = array("B")
        self.folded_part = array("I")
        self.folded_start = array("Q", [0])

    cdef int check(self) except -1:
        """Raise ValueError after finish()."""
        # views of the columns may still exist, and an array with a view cannot grow
        if self.finished:
            raise ValueError("the columns are finished")
        return 0

    def __len__(self):
        """The number of messages added so far."""
        return len(self.message_ids)

    def title(self, key, title, directory, flags, time, int role, int kind, int talk):
        """Begin a session: add a message, a part and a document for its title.

        `key` is the id of that part, `kind` the class of its document, `time` that of the message in ms, and `talk`
        says who talks in the session (model.Talk). Words of `directory` are terms of the document, with a tag. Without
        title and directory, no document is added. Raises ValueError after finish().
        """
        self.check()
        push8(self.session_talk, talk)
        self.sessions += 1
        self.asked = -1
        push32(self.message_asked, len(self.message_ids))
        self.message("", role, time, None)
        self.part(key, "title", None, flags, kind, [(TEXT, title)] if title else [], None, directory or None)

    def messages(self, messages, flags, bint people):
        """Add `messages`, which are model.Message objects, at the end of the session that title() began last.

        `flags` apply to each of them; `people` tells whether people talk with each other in the session. Raises
        ValueError after finish().
        """
        cdef int role
        self.check()
        for message in messages:
            said = message.role
            role = self.roles.get(said, OTHER_ROLE)
            parts = message.parts
            if said == "user":
                for part in parts:
                    if part.type == "text":
                        self.asked = len(self.message_ids)
                        break
            push32(self.message_asked, self.asked if self.asked >= 0 else len(self.message_ids))
            author = message.author
            self.message(message.id, role, message.time, author)
            shared = int(message.flags) | flags
            for part in parts:
                own = int(part.flags)
                both = own | shared
                kind = part.type
                tool = part.tool
                self.part(part.id, kind, tool, both,
                          self.kind(both, kind, bool(part.error) or own & ERROR_FLAG != 0, said, people),
                          [] if own & UNSEARCHED or self.is_hidden(tool) else part_fields(part), author or None,
                          None)

    cdef bint is_hidden(self, tool) except -1:
        """Return whether the parts of a tool are not searchable: hidden(tool), cached; False for None."""
        cdef object known
        if tool is None:
            return False
        known = self.hides.get(tool)
        if known is None:
            known = self.hides[tool] = bool(self.hidden(tool))
        return known

    cdef int64_t numbered(self, name) except -1:
        """Return the number of a part type, tool or author: number(name), cached."""
        cdef object known = self.numbers.get(name)
        if known is None:
            known = self.numbers[name] = self.number(name)
        return known

    cdef int message(self, key, int role, time, author) except -1:
        """Append a row to the columns of messages; `key` is the message's id, `time` is in ms."""
        self.message_ids.push(key)
        push32(self.message_session, self.sessions - 1)
        push8(self.message_role, role)
        push64(self.message_time, known_time(time))
        push32(self.message_author, self.numbered(author))
        push32(self.message_first_part, len(self.part_ids))
        return 0

    cdef int part(self, key, kind, tool, uint16_t flags, int doc_class, list content, author, directory) except -1:
        cdef Py_ssize_t place = PyByteArray_GET_SIZE(self.text), number = len(self.part_ids), size, start = 0, end
        cdef int64_t words
        cdef const unsigned char* data
        cdef int kind_of = doc_class & KINDS, beside = doc_class - kind_of
        cdef bint folds = False, shared = kind_of != USER and kind_of != TALK  # all passages of the part have its class
        cdef unsigned char mark
        self.part_ids.push(key)
        push32(self.part_message, len(self.message_ids) - 1)
        push32(self.part_type, self.numbered(kind))
        push32(self.part_tool, self.numbered(tool))
        push16(self.part_flags, flags)
        push64(self.part_start, place)
        push32(self.part_first_doc, len(self.doc_part))
        push32(self.part_first_field, len(self.field_start))
        for label, value in content:
            size = PyByteArray_GET_SIZE(self.text)
            push64(self.field_start, size)
            mark = label
            PyByteArray_Resize(self.text, size + 1)
            PyByteArray_AS_STRING(self.text)[size] = mark
            folds |= append_text(self.text, value)
        if folds:
            self.keep_folded(number, content)
        # a session without a title is still found by its directory
        if not content and directory is None:
            return 0
        data = <const unsigned char*>PyByteArray_AS_STRING(self.text) + place
        size = PyByteArray_GET_SIZE(self.text) - place
        while True:
            end = passage_end(data, size, start, self.longest)
            with nogil:
                words = self.builder.add_document(data + start, end - start,
                                                  end > start and splits_alnum_run(data, end, size))
            if words < 0:
                raise MemoryError
            if start == 0:
                if author is not None:
                    self.tagged(AUTHOR_TAG, author)
                if directory is not None:
                    self.tagged(DIRECTORY_TAG, directory)
                if tool:
                    self.tagged(TOOL_TAG, tool)
            self.builder.docs += 1
            push64(self.doc_start, place + start)
            push32(self.doc_part, number)
            push16(self.doc_words, min(words, 65535))
            push8(self.doc_class, doc_class if shared else
                  self.said(kind_of, (<const char*>data)[start:end], start > 0) + beside)
            start = end
            if start == size:
                return 0

    cdef int tagged(self, unsigned char tag, value) except -1:
        """Count each word of the string `value` as the term tag + word of the current document."""
        PyByteArray_Resize(self.scratch, 0)
        append_text(self.scratch, value)
        if self.builder.add_field(tag, <const unsigned char*>PyByteArray_AS_STRING(self.scratch),
                                  PyByteArray_GET_SIZE(self.scratch)):
            raise MemoryError
        return 0

    cdef int keep_folded(self, uint32_t part, list content) except -1:
        """Store the lower case of a part's text; called for parts with letters beyond ASCII that folding changes."""
        push32(self.folded_part, part)
        for label, value in content:
            self.folded_text.append(label)
            append_text(self.folded_text, self.fold(value))
        push64(self.folded_start, PyByteArray_GET_SIZE(self.folded_text))
        return 0

    def finish(self):
        """Return a dict from the name of a column to a memoryview of it; no more sessions can be added.

        Raises ValueError for a second call.
        """
        return self.columns(True)

    def snapshot(self):
        """Return the columns that finish() would return now, as copies; more can be added. Raises ValueError after
        finish().
        """
        return self.columns(False)

    cdef dict columns(self, bint last):
        """Return the columns with the ends of their last rows: with `last` these columns themselves, else copies."""
        self.check()
        self.finished = last
        made = {
            "session_talk": self.session_talk,
            "message_session": self.message_session,
            "message_role": self.message_role,
            "message_time": self.message_time,
            "message_author": self.message_author,
            "message_first_part": self.message_first_part,
            "message_asked": self.message_asked,
            "part_message": self.part_message,
            "part_type": self.part_type,
            "part_tool": self.part_tool,
            "part_flags": self.part_flags,
            "part_start": self.part_start,
            "part_first_doc": self.part_first_doc,
            "part_first_field": self.part_first_field,
            "field_start": self.field_start,
            "doc_start": self.doc_start,
            "doc_part": self.doc_part,
            "doc_words": self.doc_words,
            "doc_class": self.doc_class,
            "folded_part": self.folded_part,
            "folded_start": self.folded_start,
        }
        if not last:  # an array of which a view exists must not grow
            made = {name: column[:] for name, column in made.items()}
        push32(made["message_first_part"], len(self.part_ids))
        push64(made["part_start"], len(self.text))
        push32(made["part_first_doc"], len(self.doc_part))
        push32(made["part_first_field"], len(self.field_start))
        push64(made["field_start"], len(self.text))
        push64(made["doc_start"], len(self.text))
        return {name: memoryview(column) for name, column in made.items()}
