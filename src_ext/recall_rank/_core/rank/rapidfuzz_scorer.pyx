"""Calls a rapidfuzz scorer through its C interface: one preparation of the query, no GIL, and a deadline.

The interface (struct version 3) is declared here because no wheel of rapidfuzz ships its header. For another version,
or a rapidfuzz without the interface, the public function is called: slower, with equal scores.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from libc.stdint cimport int64_t, uint32_t

from recall_rank._core.runtime.clock cimport rr_monotonic_ns

from array import array

cdef extern from *:
    """
    #include <stdbool.h>
    #include <stdint.h>
    typedef struct rr_rf_string {
        void (*dtor)(struct rr_rf_string*);
        int kind;
        void* data;
        int64_t length;
        void* context;
    } rr_rf_string;
    typedef struct rr_rf_kwargs { void (*dtor)(struct rr_rf_kwargs*); void* context; } rr_rf_kwargs;
    typedef struct rr_rf_flags {
        uint32_t flags;
        union { double f64; int64_t i64; size_t size; } best, worst;
    } rr_rf_flags;
    typedef struct rr_rf_call {
        void (*dtor)(struct rr_rf_call*);
        bool (*f64)(const struct rr_rf_call*, const rr_rf_string*, int64_t, double, double, double*);
        void* context;
    } rr_rf_call;
    typedef struct {
        uint32_t version;
        bool (*kwargs_init)(rr_rf_kwargs*, PyObject*);
        bool (*get_flags)(const rr_rf_kwargs*, rr_rf_flags*);
        bool (*call_init)(rr_rf_call*, const rr_rf_kwargs*, int64_t, const rr_rf_string*);
        void* uncached;
    } rr_rf_scorer;
    static inline void rr_rf_borrow(rr_rf_string* to, PyObject* text) {
        to->dtor = NULL; to->context = NULL;
        to->kind = PyUnicode_KIND(text) >> 1;  /* 1, 2, 4 bytes a character: 0, 1, 2 */
        to->data = PyUnicode_DATA(text); to->length = PyUnicode_GET_LENGTH(text);
    }
    static inline bool rr_rf_kwargs_init(const rr_rf_scorer* s, rr_rf_kwargs* k, PyObject* given) {
        return s->kwargs_init(k, given);
    }
    static inline bool rr_rf_get_flags(const rr_rf_scorer* s, const rr_rf_kwargs* k, rr_rf_flags* flags) {
        return s->get_flags(k, flags);
    }
    static inline bool rr_rf_call_init(const rr_rf_scorer* s, rr_rf_call* call, const rr_rf_kwargs* k,
                                       const rr_rf_string* query) {
        return s->call_init(call, k, 1, query);
    }
    static inline bool rr_rf_score(const rr_rf_call* call, const rr_rf_string* text, double* out) {
        return call->f64(call, text, 1, 0.0, 0.0, out);
    }
    """
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
    bint rr_rf_kwargs_init(const rr_rf_scorer* scorer, rr_rf_kwargs* kwargs, PyObject* given) except? False
    bint rr_rf_get_flags(const rr_rf_scorer* scorer, const rr_rf_kwargs* kwargs, rr_rf_flags* flags) except? False
    bint rr_rf_call_init(const rr_rf_scorer* scorer, rr_rf_call* call, const rr_rf_kwargs* kwargs,
                         const rr_rf_string* query) except? False
    bint rr_rf_score(const rr_rf_call* call, const rr_rf_string* text, double* out) noexcept nogil

cdef enum:
    VERSION = 3
    RESULT_F64 = 1 << 5


cdef class Scorer:
    """One rapidfuzz scorer, such as rapidfuzz.fuzz.ratio, and one query. `native`: called through the C interface."""

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
        given = {}
        rr_rf_kwargs_init(scorer, &self.kwargs, <PyObject*>given)
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
        """Fill out f64[n] with the score of each text, 0 to 100; returns how many were scored before the deadline.

        deadline_ns is a time.monotonic_ns(), 0 for none; the clock is read before every text. Raises TypeError for a
        text that is no string, ValueError for a short `out`, RuntimeError when rapidfuzz fails.
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
        # `held` keeps the borrowed texts alive when another thread changes the list
        held = tuple(texts)
        for k in range(count):
            rr_rf_borrow(borrowed + k, <PyObject*>held[k])
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

    def means(self, list rows not None, const double[::1] weights not None, double[::1] out not None,
              int64_t deadline_ns=0):
        """Fill out f64[n] with the weighted mean score of each row's texts, empty texts left out.

        rows are tuples of strings, each at most as long as weights f64[texts]. Equal texts are scored once. The mean of
        a row without texts is 0. False, and `out` unchanged, when the deadline came before all texts were scored.
        """
        cdef Py_ssize_t count = len(rows), k, j
        cdef double share, total
        cdef double[::1] scored
        cdef dict places = {}
        cdef tuple row
        if out.shape[0] < count:
            raise ValueError("out is too short")
        for row in rows:
            if len(row) > weights.shape[0]:
                raise ValueError(f"there are {weights.shape[0]} weights, not {len(row)}")
            for text in row:
                if text not in places:
                    places[text] = len(places)
        scored = array("d", bytes(8 * len(places)))
        if self.scores(list(places), scored, deadline_ns) < len(places):
            return False
        for k in range(count):
            share = total = 0
            row = rows[k]
            for j in range(len(row)):
                if row[j]:
                    share += weights[j]
                    total += weights[j] * scored[<Py_ssize_t>places[row[j]]]
            out[k] = total / share if share else 0
        return True
