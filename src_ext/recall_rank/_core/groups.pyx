"""What a search asks of the postings: groups of terms and what each is worth, checked once."""

from cpython.mem cimport PyMem_RawMalloc
from libc.stdint cimport uint32_t

from recall_rank._core.accumulate cimport Groups
from recall_rank._core.layout cimport CLASSES, LONGEST


cdef class Question:
    """The groups of one query, and what its words are worth.

    Group g has the members starts[g]:starts[g + 1]; a member is the terms [first, last) with one weight.
    factors f32[groups] holds IDF times boost; joint u8[groups] is 1 where a document must also hold the group before
    (two halves of a word), whose own factor is then 0; norms f32[64, 1024] is k1-scaled length normalisation by class
    and words; class_weights f32[64]. BM25 (Robertson and Zaragoza 2009) with tf = sum over members of
    weight * frequency. The buffers must not change. Raises ValueError when they do not fit together.
    """

    def __cinit__(self, const uint32_t[::1] starts not None, const uint32_t[::1] firsts not None,
                  const uint32_t[::1] lasts not None, const float[::1] weights not None,
                  const float[::1] factors not None, const uint8_t[::1] joint not None, float k1,
                  const float[:, ::1] norms not None, const float[::1] class_weights not None):
        cdef Py_ssize_t count = factors.shape[0], members = firsts.shape[0], k
        if (joint.shape[0] != count or starts.shape[0] != count + 1 or lasts.shape[0] != members
                or weights.shape[0] != members):
            raise ValueError("the groups do not fit together")
        if norms.shape[0] != CLASSES or norms.shape[1] != LONGEST or class_weights.shape[0] != CLASSES:
            raise ValueError("norms must be 64 x 1024 and class_weights 64")
        if count and (starts[0] != 0 or starts[count] != members):
            raise ValueError("the groups do not fit together")
        for k in range(count):
            if starts[k] > starts[k + 1]:
                raise ValueError("the groups are out of order")
            if joint[k] and (k == 0 or joint[k - 1]):
                raise ValueError(f"group {k} is joint, but there is no single group before it")
        for k in range(members):
            if firsts[k] > lasts[k]:
                raise ValueError("a member's terms are out of order")
            if not weights[k] >= 0:
                raise ValueError(f"weights must not be negative, not {weights[k]}")
        self.starts, self.firsts, self.lasts, self.weights = starts, firsts, lasts, weights
        self.factors, self.joint, self.norms, self.class_weights = factors, joint, norms, class_weights
        self.members = members
        for k in range(members):
            self.term_count = max(self.term_count, lasts[k])
        self.groups.count = count
        self.groups.starts = &self.starts[0]
        self.groups.firsts = &self.firsts[0] if members else NULL
        self.groups.lasts = &self.lasts[0] if members else NULL
        self.groups.weights = &self.weights[0] if members else NULL
        self.groups.factors = &self.factors[0] if count else NULL
        self.groups.joint = &self.joint[0] if count else NULL
        self.groups.k1 = k1

    cdef int share(self, uint32_t first_term, uint32_t last_term, Groups* own, uint32_t** memory) except -1:
        """The same groups with those members only that are terms of [first_term, last_term), numbered from 0; they
        stand in `memory`, which is the caller's to free."""
        cdef Py_ssize_t group, k, found = 0, count = self.groups.count
        cdef uint32_t* starts
        cdef uint32_t* firsts
        cdef uint32_t* lasts
        cdef float* weights
        starts = <uint32_t*>PyMem_RawMalloc((count + 1 + 3 * self.members) * sizeof(uint32_t))
        if starts == NULL:
            raise MemoryError
        memory[0] = starts
        firsts = starts + count + 1
        lasts = firsts + self.members
        weights = <float*>(lasts + self.members)
        own[0] = self.groups
        starts[0] = 0
        for group in range(count):
            for k in range(self.starts[group], self.starts[group + 1]):
                if not first_term <= self.firsts[k] < last_term:
                    continue
                if self.lasts[k] > last_term:
                    raise ValueError("a member names terms of two segments")
                firsts[found] = self.firsts[k] - first_term
                lasts[found] = self.lasts[k] - first_term
                weights[found] = self.weights[k]
                found += 1
            starts[group + 1] = found
        own.starts, own.firsts, own.lasts, own.weights = starts, firsts, lasts, weights
        return 0
