"""What a result tells of a part besides its text, read in one call: ten columns take ten look-ups each in Python."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef class Facts:
    """Borrowed columns, which must not change; numbers in them are looked at when they are read.

    part_message, part_type, part_tool u32[parts], part_flags u16[parts], part_first_field u32[parts + 1],
    message_session, message_author u32[messages], message_role u8[messages], message_time i64[messages],
    field_start u64[fields + 1], doc_start u64[docs + 1].
    """

    cdef const uint32_t[::1] part_message
    cdef const uint32_t[::1] part_type
    cdef const uint32_t[::1] part_tool
    cdef const uint16_t[::1] part_flags
    cdef const uint32_t[::1] part_first_field
    cdef const uint32_t[::1] message_session
    cdef const uint32_t[::1] message_author
    cdef const uint8_t[::1] message_role
    cdef const int64_t[::1] message_time
    cdef const uint64_t[::1] doc_start
    cdef object field_start  # of which a part's own are lent out

    def __cinit__(self, part_message not None, part_type not None, part_tool not None, part_flags not None,
                  part_first_field not None, message_session not None, message_author not None,
                  message_role not None, message_time not None, field_start not None, doc_start not None):
        self.part_message = part_message
        self.part_type = part_type
        self.part_tool = part_tool
        self.part_flags = part_flags
        self.part_first_field = part_first_field
        self.message_session = message_session
        self.message_author = message_author
        self.message_role = message_role
        self.message_time = message_time
        self.field_start = memoryview(field_start)
        self.doc_start = doc_start
        parts, messages = self.part_message.shape[0], self.message_session.shape[0]
        if (self.part_type.shape[0] != parts or self.part_tool.shape[0] != parts or self.part_flags.shape[0] != parts
                or self.part_first_field.shape[0] != parts + 1):
            raise ValueError("the part columns differ in length")
        if (self.message_author.shape[0] != messages or self.message_role.shape[0] != messages
                or self.message_time.shape[0] != messages):
            raise ValueError("the message columns differ in length")

    def of(self, Py_ssize_t part, Py_ssize_t doc):
        """(message, its session, role, author and time; type, tool and flags of the part; where its fields begin, as
        u64[fields + 1], the end of the last behind them; where `doc` begins and ends).

        Raises IndexError for what is not there.
        """
        cdef Py_ssize_t message, first, last
        if not 0 <= part < self.part_message.shape[0] or not 0 <= doc < self.doc_start.shape[0] - 1:
            raise IndexError((part, doc))
        message = self.part_message[part]
        first = self.part_first_field[part]
        last = self.part_first_field[part + 1]
        if message >= self.message_session.shape[0] or not first <= last < len(self.field_start):
            raise IndexError(part)
        return (message, self.message_session[message], self.message_role[message], self.message_author[message],
                self.message_time[message], self.part_type[part], self.part_tool[part], self.part_flags[part],
                self.field_start[first:last + 1], self.doc_start[doc], self.doc_start[doc + 1])

    def said(self, Py_ssize_t message):
        """(role, author, time) of a message. Raises IndexError for one that is not there."""
        if not 0 <= message < self.message_session.shape[0]:
            raise IndexError(message)
        return self.message_role[message], self.message_author[message], self.message_time[message]
