"""Frozen records made in one go: their own constructors make a call a field."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyCFunction, PyMethodDef, PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF

cdef extern from *:
    """
    #include <structmember.h>

    /* Where the object of a slot stands in its record; -1 for what is no slot. */
    static Py_ssize_t rr_place(PyObject* slot) {
        PyMemberDef* member;
        if (Py_TYPE(slot) != &PyMemberDescr_Type) return -1;
        member = ((PyMemberDescrObject*)slot)->d_member;
        return member->type == T_OBJECT_EX ? member->offset : -1;
    }
    """
    Py_ssize_t rr_place(object slot) noexcept

cdef extern from "Python.h":
    enum:
        METH_FASTCALL
        METH_KEYWORDS

    object PyCFunction_New(PyMethodDef* method, object self)

cdef tuple NO_VALUES = ()
cdef PyMethodDef MAKE


cdef class Maker:
    """Makes records of one frozen dataclass with slots; make() is the constructor, with every field given.

    Raises TypeError for a class whose fields are not slots of its own, or that looks at them when they are set.
    """

    cdef type cls
    cdef tuple names
    cdef Py_ssize_t* places  # of the fields, in bytes from the beginning of a record
    cdef Py_ssize_t count

    def __cinit__(self, type cls not None):
        cdef Py_ssize_t k
        own = vars(cls)
        names = tuple(own.get("__dataclass_fields__", ()))
        if (not names or names != own.get("__slots__") or hasattr(cls, "__post_init__")
                or any([rr_place(own[name]) < 0 for name in names])):
            raise TypeError(f"{cls.__name__} is not a dataclass of slots alone")
        self.cls = cls
        self.names = names
        self.count = len(names)
        self.places = <Py_ssize_t*>PyMem_Malloc(self.count * sizeof(Py_ssize_t))
        if self.places == NULL:
            raise MemoryError
        for k in range(self.count):
            self.places[k] = rr_place(own[names[k]])

    def __dealloc__(self):
        PyMem_Free(self.places)

    cdef object empty(self):
        return (<PyTypeObject*>self.cls).tp_new(self.cls, <PyObject*>NO_VALUES, NULL)

    cdef int put(self, object made, Py_ssize_t field, object value) except -1:
        """Fill an empty slot: past the record's own __setattr__, which refuses."""
        Py_INCREF(value)
        (<PyObject**>(<char*><PyObject*>made + self.places[field]))[0] = <PyObject*>value
        return 0

    @property
    def make(self):
        """A function: a record of values by place or by name. Raises TypeError when some are missing or too many."""
        return PyCFunction_New(&MAKE, self)

    def each(self, list rows not None):
        """A record of the values of every row, in their order. Raises TypeError when a row has too many or too few."""
        cdef Py_ssize_t k
        cdef tuple row
        found = []
        for row in rows:
            if row is None or len(row) != self.count:
                raise TypeError(f"{self.cls.__name__} has {self.count} fields, not those of {row!r}")
            made = self.empty()
            for k in range(self.count):
                self.put(made, k, row[k])
            found.append(made)
        return found


cdef object make(Maker self, PyObject** values, Py_ssize_t placed, PyObject* names):
    """The record of `placed` values and, behind them, one for each of the tuple of `names`, which may be NULL."""
    cdef Py_ssize_t k, place, named = 0 if names == NULL else len(<tuple>names)
    if placed + named != self.count:
        raise TypeError(f"{self.cls.__name__} has {self.count} fields, not {placed + named}")
    made = self.empty()
    for k in range(self.count):
        place = k
        # who names fields in their order, as most do, names the very strings that the class has
        if k >= placed and (<tuple>names)[k - placed] is not self.names[k]:
            place = placed + place_of(self, <tuple>names, self.names[k])
        self.put(made, k, <object>values[place])
    return made


cdef Py_ssize_t place_of(Maker self, tuple names, str name) except -1:
    if name not in names:
        raise TypeError(f"{self.cls.__name__} needs {name!r}")
    return names.index(name)


# takes what a call gives as it lies, values and names in two arrays: a dict of thirty names takes longer than a record
MAKE.ml_name = "make"
MAKE.ml_meth = <PyCFunction><void*>make
MAKE.ml_flags = METH_FASTCALL | METH_KEYWORDS
MAKE.ml_doc = NULL
