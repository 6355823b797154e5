"""Apply scope and filters to the columns of a segment, which makes marks of eligible parts and documents."""

from cpython.array cimport array as Array
from cpython.array cimport clone
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from array import array

cdef enum:
    TITLE_ROLE = 4
    REASONS = 16   # one more than the highest reason
    PASSED = 0     # reasons for which a row is left out; those from 5 on are given by the caller, for sessions
    BY_ROLE = 1
    BY_TIME = 2
    BY_TYPE = 3
    BY_TOOL = 4

cdef Array COUNTS = array("q", [0]) * REASONS


def mark_eligible(columns not None, const uint8_t[::1] session_reasons not None, const uint8_t[::1] role_keep not None,
                  int64_t after, int64_t before, const uint8_t[::1] type_keep not None,
                  const uint8_t[::1] tool_keep not None, bint titles, unsigned char[::1] messages not None,
                  unsigned char[::1] parts not None):
    """Mark the messages and parts that pass the filters of a search, in messages u8 and parts u8.

    Returns (messages, parts), two arrays i64[16] that count the messages and parts by the reason for which they are
    left out, titles not counted: element 0 the marked ones, 1 those with another role, 2 another time, 3 another type,
    4 another tool, and each further one those of the sessions with this reason. The first reason that applies counts,
    in the order session, role, time, type, tool.

    `columns` has the attributes message_session u32, message_role u8, message_time i64 (ms), part_message u32,
    part_type u32 and part_tool u32. session_reasons, u8[sessions], is 0 for a session that passes, and otherwise the
    reason, below 16. role_keep, type_keep and tool_keep are marks u8, indexed by role, type and tool number. A message
    passes if its session passes, its role is marked and after < time < before. A part passes if its message passes and
    its type and its tool are marked. The title of a session passes if `titles` is true and any message of the session
    passes.

    Raises ValueError if columns differ in length or name a row or reason that does not exist; TypeError for a missing
    column. O(messages + parts).
    """
    cdef const uint32_t[::1] message_session = columns.message_session, part_message = columns.part_message
    cdef const uint32_t[::1] part_type = columns.part_type, part_tool = columns.part_tool
    cdef const uint8_t[::1] message_role = columns.message_role
    cdef const int64_t[::1] message_time = columns.message_time
    if (message_session is None or message_role is None or message_time is None or part_message is None
            or part_type is None or part_tool is None):
        raise TypeError("a column is missing")
    cdef Py_ssize_t k, count = message_session.shape[0], part_count = part_message.shape[0], title = -1
    cdef uint32_t session, message
    cdef uint8_t reason
    cdef Array by_message = clone(COUNTS, REASONS, True), by_part = clone(COUNTS, REASONS, True)
    cdef int64_t* message_counts = <int64_t*>by_message.data.as_longlongs
    cdef int64_t* part_counts = <int64_t*>by_part.data.as_longlongs
    cdef bint good = True
    if message_role.shape[0] != count or message_time.shape[0] != count or messages.shape[0] != count:
        raise ValueError("the message columns differ in length")
    if part_type.shape[0] != part_count or part_tool.shape[0] != part_count or parts.shape[0] != part_count:
        raise ValueError("the part columns differ in length")
    with nogil:
        for k in range(count):
            session = message_session[k]
            if (session >= session_reasons.shape[0] or session_reasons[session] >= REASONS
                    or message_role[k] >= role_keep.shape[0]):
                good = False
                break
            messages[k] = 0
            if message_role[k] == TITLE_ROLE:
                title = k
                continue
            reason = left_out(session_reasons[session], role_keep[message_role[k]], after < message_time[k] < before)
            message_counts[reason] += 1
            if reason == PASSED:
                messages[k] = 1
                if titles and title >= 0 and message_session[title] == session:
                    messages[title] = 1
        if good:
            for k in range(part_count):
                message = part_message[k]
                if message >= count or part_type[k] >= type_keep.shape[0] or part_tool[k] >= tool_keep.shape[0]:
                    good = False
                    break
                if message_role[message] == TITLE_ROLE:
                    parts[k] = messages[message]
                    continue
                if messages[message]:
                    reason = (BY_TYPE if not type_keep[part_type[k]] else BY_TOOL if not tool_keep[part_tool[k]]
                              else PASSED)
                else:
                    reason = left_out(session_reasons[message_session[message]], role_keep[message_role[message]],
                                      False)
                parts[k] = reason == PASSED
                part_counts[reason] += 1
    if not good:
        raise ValueError("a column points outside the segment")
    return by_message, by_part


cdef inline uint8_t left_out(uint8_t of_session, bint role_passes, bint time_passes) noexcept nogil:
    """Return the first reason for which a message is left out, PASSED for none; `of_session` is that of its session."""
    if of_session != PASSED:
        return of_session
    return BY_ROLE if not role_passes else BY_TIME if not time_passes else PASSED


def copy_marks(const unsigned char[::1] marks not None, const uint32_t[::1] owners not None,
               unsigned char[::1] own not None):
    """Copy the mark of each owner to what it owns, the mark of a part to its documents for example.

    own[k] = marks[owners[k]] for every k; own is u8 and owners u32 of one length. Raises ValueError if they differ in
    length or an owner does not exist.
    """
    cdef Py_ssize_t k, count = owners.shape[0], owner_count = marks.shape[0]
    cdef bint good = True
    if own.shape[0] != count:
        raise ValueError("there must be one byte for each owner that is named")
    with nogil:
        for k in range(count):
            if owners[k] >= owner_count:
                good = False
                break
            own[k] = marks[owners[k]]
    if not good:
        raise ValueError("a row names an owner that does not exist")


def count_marks(const unsigned char[::1] marks not None, const unsigned char[::1] also=None):
    """Return the number of bytes of `marks` that are not 0; with `also`, only where `also` is not 0 either.

    Raises ValueError if lengths differ.
    """
    cdef Py_ssize_t k, found = 0
    if also is not None and also.shape[0] != marks.shape[0]:
        raise ValueError("the marks differ in length")
    with nogil:
        for k in range(marks.shape[0]):
            if marks[k] and (also is None or also[k]):
                found += 1
    return found


def clear_first_parts(unsigned char[::1] marks not None, const uint8_t[::1] roles not None, uint8_t role,
                      const uint32_t[::1] first_part not None):
    """Clear the mark of the first part of every message with the role `role`.

    marks u8[parts], roles u8[messages], first_part u32[messages + 1]. Raises ValueError when lengths differ, IndexError
    when a first part does not exist.
    """
    cdef Py_ssize_t k, count = marks.shape[0]
    cdef bint good = True
    if first_part.shape[0] != roles.shape[0] + 1:
        raise ValueError("first_part must have one number more than there are roles")
    with nogil:
        for k in range(roles.shape[0]):
            if roles[k] == role:
                if first_part[k] < count:
                    marks[first_part[k]] = 0
                else:
                    good = False
    if not good:
        raise IndexError("a message begins behind the last part")


def marked_indices(const unsigned char[::1] marks not None):
    """Return a list of the indices of the bytes of `marks` that are not 0, ascending."""
    cdef Py_ssize_t k = 0, size = marks.shape[0]
    cdef const unsigned char* at
    cdef uint64_t eight
    found = []
    if size:
        at = &marks[0]
        while k < size:
            if k + 8 <= size:  # most runs of eight bytes have no mark
                memcpy(&eight, at + k, 8)
                if eight == 0:
                    k += 8
                    continue
            if at[k]:
                found.append(k)
            k += 1
    return found


def keep_marks(unsigned char[::1] marks not None, const unsigned char[::1] others not None, bint wanted):
    """Set marks[k] to 0 where others[k] is 0; or, if `wanted` is false, where others[k] is not 0.

    Raises ValueError if lengths differ.
    """
    cdef Py_ssize_t k
    if others.shape[0] != marks.shape[0]:
        raise ValueError("the marks differ in length")
    with nogil:
        for k in range(marks.shape[0]):
            if (others[k] != 0) != wanted:
                marks[k] = 0


def are_marked(const unsigned char[::1] marks not None, const uint64_t[::1] starts not None,
               const uint64_t[::1] ends not None, uint64_t width):
    """Return whether all blocks that contain a byte of [starts[k], ends[k]), for any k, are marked in `marks`.

    A block has `width` bytes; marks[b], not 0, marks block b. Bytes behind the last block are ignored. Raises
    ValueError if starts and ends differ in length, or for width 0.
    """
    cdef uint64_t last, at, count = marks.shape[0]
    cdef Py_ssize_t k
    if ends.shape[0] != starts.shape[0]:
        raise ValueError("starts and ends differ in length")
    if width == 0:
        raise ValueError("a mark must stand for some bytes")
    for k in range(starts.shape[0]):
        if starts[k] < ends[k]:
            last = (ends[k] - 1) // width
            at = starts[k] // width
            while at <= last and at < count:
                if not marks[at]:
                    return False
                at += 1
    return True
