"""Frozen records made in one go: their own constructors make a call a field."""

from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_TYPE

cdef tuple NO_VALUES = ()


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

    def make(self, *values, **named):
        """A record of these values, by place or by name. Raises TypeError when some are missing or too many."""
        cdef Py_ssize_t k, placed = len(values)
        cdef object slot
        if placed + len(named) != self.count:
            raise TypeError(f"{self.cls.__name__} has {self.count} fields, not {placed + len(named)}")
        for k in range(placed, self.count):
            if self.names[k] not in named:
                raise TypeError(f"{self.cls.__name__} needs {self.names[k]!r}")
        made = (<PyTypeObject*>self.cls).tp_new(self.cls, <PyObject*>NO_VALUES, NULL)
        for k in range(self.count):
            slot = self.slots[k]
            # past the record's own __setattr__, which refuses
            (<PyTypeObject*>Py_TYPE(slot)).tp_descr_set(slot, made, values[k] if k < placed else named[self.names[k]])
        return made
