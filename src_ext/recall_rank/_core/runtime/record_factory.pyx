"""Constructors of frozen dataclasses that fill the slots directly.

The generated __init__ of a frozen dataclass calls object.__setattr__ once a field; a search makes thousands of records.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyCFunction, PyMethodDef, PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF

cdef extern from "simd/record_slots.h":
    Py_ssize_t rr_slot_offset(object slot) noexcept

cdef extern from "Python.h":
    enum:
        METH_FASTCALL
        METH_KEYWORDS

    object PyCFunction_New(PyMethodDef* method, object self)

cdef tuple NO_VALUES = ()
cdef PyMethodDef MAKE


cdef class RecordFactory:
    """Makes instances of one frozen dataclass whose fields are its own __slots__; every field must be given.

    Raises TypeError for a class whose fields are not exactly its slots, or that has a __post_init__.
    """

    cdef type cls
    cdef tuple names
    cdef Py_ssize_t* offsets  # bytes from the start of an instance to each field
    cdef Py_ssize_t count

    def __cinit__(self, type cls not None):
        cdef Py_ssize_t k
        namespace = vars(cls)
        names = namespace.get("__match_args__")  # the fields that the constructor takes, in their order
        if (not names or names != namespace.get("__slots__") or hasattr(cls, "__post_init__")
                or any([rr_slot_offset(namespace[name]) < 0 for name in names])):
            raise TypeError(f"{cls.__name__} is not a dataclass of slots alone")
        self.cls = cls
        self.names = names
        self.count = len(names)
        self.offsets = <Py_ssize_t*>PyMem_Malloc(self.count * sizeof(Py_ssize_t))
        if self.offsets == NULL:
            raise MemoryError
        for k in range(self.count):
            self.offsets[k] = rr_slot_offset(namespace[names[k]])

    def __dealloc__(self):
        PyMem_Free(self.offsets)

    cdef object new_record(self):
        """Return a new instance of the class, whose slots are all unset."""
        return (<PyTypeObject*>self.cls).tp_new(self.cls, <PyObject*>NO_VALUES, NULL)

    cdef int set_field(self, object record, Py_ssize_t field, object value) except -1:
        """Set field number `field` of a record, bypassing the __setattr__ of the frozen class; its slot must be unset.
        """
        Py_INCREF(value)
        (<PyObject**>(<char*><PyObject*>record + self.offsets[field]))[0] = <PyObject*>value
        return 0

    @property
    def make(self):
        """A function that makes one record from positional and named values.

        It raises TypeError when a field is missing or given twice, or when there are too many values.
        """
        return PyCFunction_New(&MAKE, self)

    def make_all(self, list rows not None):
        """Return a list of records, one for each tuple of field values in `rows`.

        Raises TypeError when a row has too many or too few values.
        """
        cdef Py_ssize_t k
        cdef tuple row
        records = []
        for row in rows:
            if row is None or len(row) != self.count:
                raise TypeError(f"{self.cls.__name__} has {self.count} fields, not those of {row!r}")
            record = self.new_record()
            for k in range(self.count):
                self.set_field(record, k, row[k])
            records.append(record)
        return records


cdef object make(RecordFactory self, PyObject** values, Py_ssize_t positional, PyObject* names):
    """Return one record; the C function behind RecordFactory.make, in the convention METH_FASTCALL | METH_KEYWORDS.

    `values` holds `positional` positional values, then one value for each of `names`, a tuple of str or NULL for none.
    Raises TypeError when a field is missing or given twice, or when there are too many values.
    """
    cdef Py_ssize_t k, place, named = 0 if names == NULL else len(<tuple>names)
    if positional + named != self.count:
        raise TypeError(f"{self.cls.__name__} has {self.count} fields, not {positional + named}")
    record = self.new_record()
    for k in range(self.count):
        place = k
        # most callers name the fields in their order, by interned strings: identity finds those without a search
        if k >= positional and (<tuple>names)[k - positional] is not self.names[k]:
            place = positional + index_of(self, <tuple>names, self.names[k])
        self.set_field(record, k, <object>values[place])
    return record


cdef Py_ssize_t index_of(RecordFactory self, tuple names, str name) except -1:
    """Return the index of `name` in `names`, the keywords of a call. Raises TypeError when it is missing."""
    if name not in names:
        raise TypeError(f"{self.cls.__name__} needs {name!r}")
    return names.index(name)


# METH_FASTCALL passes values and names as arrays: building a dict of thirty names would take longer than the record
MAKE.ml_name = "make"
MAKE.ml_meth = <PyCFunction><void*>make
MAKE.ml_flags = METH_FASTCALL | METH_KEYWORDS
MAKE.ml_doc = NULL
