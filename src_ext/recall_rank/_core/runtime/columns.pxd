"""Columns that grow by one number at a time, as arrays of Python."""

from cpython.array cimport array as Array
from cpython.array cimport resize_smart
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t


cdef inline Py_ssize_t one_more(Array column) except -1:
    """Room for a number at the end, and its place."""
    cdef Py_ssize_t at = len(column)
    resize_smart(column, at + 1)
    return at


cdef inline int push8(Array column, uint8_t value) except -1:
    cdef Py_ssize_t at = one_more(column)
    column.data.as_uchars[at] = value
    return 0


cdef inline int push16(Array column, uint16_t value) except -1:
    cdef Py_ssize_t at = one_more(column)
    column.data.as_ushorts[at] = value
    return 0


cdef inline int push32(Array column, uint32_t value) except -1:
    cdef Py_ssize_t at = one_more(column)
    column.data.as_uints[at] = value
    return 0


cdef inline int push64(Array column, int64_t value) except -1:
    cdef Py_ssize_t at = one_more(column)
    (<int64_t*>column.data.as_voidptr)[at] = value
    return 0
