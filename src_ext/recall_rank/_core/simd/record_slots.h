/* Offsets of __slots__ fields inside an instance. */
#ifndef RECALL_RANK_RECORD_SLOTS_H
#define RECALL_RANK_RECORD_SLOTS_H

#include <Python.h>
#include <structmember.h>

/* The byte offset of the PyObject* that a slot descriptor reads; -1 for any other object. */
static Py_ssize_t rr_slot_offset(PyObject* slot) {
    PyMemberDef* member;
    if (Py_TYPE(slot) != &PyMemberDescr_Type) return -1;
    member = ((PyMemberDescrObject*)slot)->d_member;
    return member->type == T_OBJECT_EX ? member->offset : -1;
}

#endif
