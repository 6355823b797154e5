"""Frozen records made in one go: their own constructors make a call a field."""

from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_TYPE

cdef tuple NO_VALUES = ()


cdef class Maker:
    """Makes records of one frozen dataclass with slots; make(*values) is cls(*values), with every field given.

    Raises TypeError for a class whose fields are not slots of its own, or that looks at them when they are set.
    """

    cdef type cls
    cdef tuple slots
    cdef Py_ssize_t count

    def __cinit__(self, type cls not None):
        own = vars(cls)
        names = tuple(own.get("__dataclass_fields__", ()))
        if not names or names != own.get("__slots__") or hasattr(cls, "__post_init__"):
            raise TypeError(f"{cls.__name__} is not a dataclass of slots alone")
        self.cls = cls
        self.slots = tuple([own[name] for name in names])
        self.count = len(names)

    def make(self, *values):
        """A record of these values, in the order of its fields. Raises TypeError when there are more or fewer."""
        cdef Py_ssize_t k
        cdef object slot
        if len(values) != self.count:
            raise TypeError(f"{self.cls.__name__} has {self.count} fields, not {len(values)}")
        made = (<PyTypeObject*>self.cls).tp_new(self.cls, <PyObject*>NO_VALUES, NULL)
        for k in range(self.count):
            slot = self.slots[k]
            # past the record's own __setattr__, which refuses
            (<PyTypeObject*>Py_TYPE(slot)).tp_descr_set(slot, made, values[k])
        return made
