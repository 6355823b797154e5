"""Calls a rapidfuzz scorer through its C interface: the query is prepared once, and the GIL is released.

The interface (struct version 3) is declared in simd/rapidfuzz_api.h, because no wheel of rapidfuzz ships its header. If
rapidfuzz has no such interface or another version, its public Python function is called: slower, with equal scores.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from libc.stdint cimport int64_t, uint32_t

from recall_rank._core.runtime.clock cimport rr_monotonic_ns

cdef extern from "simd/rapidfuzz_api.h":
    ctypedef struct rr_rf_string:
        pass
    ctypedef struct rr_rf_kwargs:
        void (*dtor)(rr_rf_kwargs*) noexcept
    ctypedef struct rr_rf_flags:
        uint32_t flags
    ctypedef struct rr_rf_call:
        void (*dtor)(rr_rf_call*) noexcept
    ctypedef struct rr_rf_scorer:
        uint32_t version
    void rr_rf_borrow(rr_rf_string* to, PyObject* text) noexcept
    bint rr_rf_kwargs_init(const rr_rf_scorer* scorer, rr_rf_kwargs* kwargs, PyObject* arguments) except? False
    bint rr_rf_get_flags(const rr_rf_scorer* scorer, const rr_rf_kwargs* kwargs, rr_rf_flags* flags) except? False
    bint rr_rf_call_init(const rr_rf_scorer* scorer, rr_rf_call* call, const rr_rf_kwargs* kwargs,
                         const rr_rf_string* query) except? False
    bint rr_rf_score(const rr_rf_call* call, const rr_rf_string* text, double* out) noexcept nogil

cdef enum:
    VERSION = 3
    RESULT_F64 = 1 << 5


cdef class Scorer:
    """One rapidfuzz scorer, such as rapidfuzz.fuzz.ratio, bound to one query.

    `native` is True when the C interface is used, False when `function` is called as a Python function.
    """

    cdef object function
    cdef str query
    cdef rr_rf_kwargs kwargs
    cdef rr_rf_call call
    cdef bint has_kwargs
    cdef bint has_call
    cdef readonly bint native

    def __cinit__(self, function not None, str query not None):
        cdef rr_rf_scorer* scorer
        cdef rr_rf_flags flags
        cdef rr_rf_string borrowed
        self.function = function
        self.query = query
        capsule = getattr(function, "_RF_Scorer", None)
        if capsule is None or not PyCapsule_IsValid(capsule, NULL):
            return
        scorer = <rr_rf_scorer*>PyCapsule_GetPointer(capsule, NULL)
        if scorer.version != VERSION:
            return
        no_arguments = {}
        rr_rf_kwargs_init(scorer, &self.kwargs, <PyObject*>no_arguments)
        self.has_kwargs = True
        rr_rf_get_flags(scorer, &self.kwargs, &flags)
        if not flags.flags & RESULT_F64:
            return
        rr_rf_borrow(&borrowed, <PyObject*>query)
        rr_rf_call_init(scorer, &self.call, &self.kwargs, &borrowed)
        self.has_call = True
        self.native = True

    def __dealloc__(self):
        if self.has_call and self.call.dtor != NULL:
            self.call.dtor(&self.call)
        if self.has_kwargs and self.kwargs.dtor != NULL:
            self.kwargs.dtor(&self.kwargs)

    def scores(self, list texts not None, double[::1] out not None, int64_t deadline_ns=0):
        """Write the score of each text, 0 to 100, to out f64[n]; return how many were scored before the deadline.

        deadline_ns is a time.monotonic_ns(), 0 for none; the clock is read before every text. Raises TypeError for a
        text that is not a str, ValueError when `out` is shorter than `texts`, RuntimeError when rapidfuzz fails.
        """
        cdef Py_ssize_t count = len(texts), k, done = 0
        cdef rr_rf_string* borrowed
        cdef bint good = True
        if out.shape[0] < count:
            raise ValueError("out is too short")
        for text in texts:
            if not isinstance(text, str):
                raise TypeError(f"texts must be strings, not {type(text).__name__}")
        if not self.native:
            for k in range(count):
                if deadline_ns and rr_monotonic_ns() >= deadline_ns:
                    break
                out[k] = self.function(self.query, texts[k])
                done += 1
            return done
        if count == 0:
            return 0
        borrowed = <rr_rf_string*>PyMem_RawMalloc(count * sizeof(rr_rf_string))
        if borrowed == NULL:
            raise MemoryError
        # the tuple keeps the borrowed texts alive when another thread changes the list
        borrowed_from = tuple(texts)
        for k in range(count):
            rr_rf_borrow(borrowed + k, <PyObject*>borrowed_from[k])
        with nogil:
            for k in range(count):
                if deadline_ns and rr_monotonic_ns() >= deadline_ns:
                    break
                good = rr_rf_score(&self.call, borrowed + k, &out[k])
                if not good:
                    break
                done += 1
        PyMem_RawFree(borrowed)
        if not good:
            raise RuntimeError("rapidfuzz failed to score a text")
        return done
