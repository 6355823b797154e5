"""Columns that grow by one value: array.array objects with an amortised O(1) append, which needs the GIL."""

from cpython.array cimport array as Array
from cpython.array cimport resize_smart
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t


cdef inline Py_ssize_t append_slot(Array column) except -1:
    """Grow the column by one value, which is not yet written; return its place. Raises MemoryError."""
    cdef Py_ssize_t at = len(column)
    resize_smart(column, at + 1)
    return at


cdef inline int push8(Array column, uint8_t value) except -1:
    """Append a value to a column of u8."""
    cdef Py_ssize_t at = append_slot(column)
    column.data.as_uchars[at] = value
    return 0


cdef inline int push16(Array column, uint16_t value) except -1:
    """Append a value to a column of u16."""
    cdef Py_ssize_t at = append_slot(column)
    column.data.as_ushorts[at] = value
    return 0


cdef inline int push32(Array column, uint32_t value) except -1:
    """Append a value to a column of u32."""
    cdef Py_ssize_t at = append_slot(column)
    column.data.as_uints[at] = value
    return 0


cdef inline int push64(Array column, int64_t value) except -1:
    """Append a value to a column of i64."""
    cdef Py_ssize_t at = append_slot(column)
    (<int64_t*>column.data.as_voidptr)[at] = value
    return 0
