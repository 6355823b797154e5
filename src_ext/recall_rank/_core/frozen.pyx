"""Frozen records made in one go: their own constructors make a call a field."""

from cpython.object cimport PyCFunction, PyMethodDef, PyObject, PyTypeObject
from cpython.ref cimport Py_TYPE

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
    cdef tuple slots
    cdef tuple names
    cdef Py_ssize_t count

    def __cinit__(self, type cls not None):
        own = vars(cls)
        names = tuple(own.get("__dataclass_fields__", ()))
        if not names or names != own.get("__slots__") or hasattr(cls, "__post_init__"):
            raise TypeError(f"{cls.__name__} is not a dataclass of slots alone")
        self.cls = cls
        self.names = names
        self.slots = tuple([own[name] for name in names])
        self.count = len(names)

    @property
    def make(self):
        """A function: a record of values by place or by name. Raises TypeError when some are missing or too many."""
        return PyCFunction_New(&MAKE, self)


cdef object make(Maker self, PyObject** values, Py_ssize_t placed, PyObject* names):
    """The record of `placed` values and, behind them, one for each of the tuple of `names`, which may be NULL."""
    cdef Py_ssize_t k, place, named = 0 if names == NULL else len(<tuple>names)
    cdef object slot
    if placed + named != self.count:
        raise TypeError(f"{self.cls.__name__} has {self.count} fields, not {placed + named}")
    made = (<PyTypeObject*>self.cls).tp_new(self.cls, <PyObject*>NO_VALUES, NULL)
    for k in range(self.count):
        place = k
        # who names fields in their order, as most do, names the very strings that the class has
        if k >= placed and (<tuple>names)[k - placed] is not self.names[k]:
            place = placed + place_of(self, <tuple>names, self.names[k])
        slot = self.slots[k]
        # past the record's own __setattr__, which refuses
        (<PyTypeObject*>Py_TYPE(slot)).tp_descr_set(slot, made, <object>values[place])
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
