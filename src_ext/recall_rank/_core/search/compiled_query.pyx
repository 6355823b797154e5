"""A query as arrays of term groups and weights, validated once and read without the GIL."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcmp, memmove

from recall_rank._core.search.doc_scores cimport QueryGroups
from recall_rank._core.index.doc_columns cimport CLASSES, MAX_WORDS


cdef class CompiledQuery:
    """The term groups of one query and the weights of BM25 (Robertson and Zaragoza 2009).

    Each group is an object with `members`, tuples (first, last, weight) for the terms [first, last); `factor`, IDF
    times boost; and `joint`, True when a document must also match the group before it (the halves of a compound word),
    whose own factor is then 0. The frequency of a group is the sum over its members of weight * frequency. Groups with
    equal members are merged into one with the sum of their factors, so that a repeated word is looked up once.

    norms f32[64, 1024] is k1 times the length normalisation, by class and number of words; class_weights f32[64] are
    factors by class. Both buffers are borrowed and must not change. Raises ValueError for buffers of another shape,
    a member with first > last, a negative weight, or a joint group that no single group precedes.
    """

    def __cinit__(self, groups not None, float k1, const float[:, ::1] norms not None,
                  const float[::1] class_weights not None):
        cdef Py_ssize_t count = len(groups), members = 0
        cdef double* factors  # in double precision until equal groups are merged
        if norms.shape[0] != CLASSES or norms.shape[1] != MAX_WORDS or class_weights.shape[0] != CLASSES:
            raise ValueError("norms must be 64 x 1024 and class_weights 64")
        self.norms, self.class_weights = norms, class_weights
        member_lists = [group.members for group in groups]
        for own in member_lists:
            members += len(own)
        self.memory = PyMem_RawMalloc(count * (sizeof(double) + sizeof(float) + 1)
                                      + (count + 1 + 3 * members) * sizeof(uint32_t))
        if self.memory == NULL:
            raise MemoryError
        factors = <double*>self.memory
        self.starts = <uint32_t*>(factors + count)
        self.firsts = self.starts + count + 1
        self.lasts = self.firsts + members
        self.weights = <float*>(self.lasts + members)
        self.factors = self.weights + members
        self.joint = <uint8_t*>(self.factors + count)
        self.starts[0] = 0
        for group, own in zip(groups, member_lists):
            factors[self.groups.count] = group.factor
            self.append_group(own, group.joint)
        self.merge_equal(factors)
        self.groups.starts = self.starts
        self.groups.firsts = self.firsts
        self.groups.lasts = self.lasts
        self.groups.weights = self.weights
        self.groups.factors = self.factors
        self.groups.joint = self.joint
        self.groups.k1 = k1

    def __dealloc__(self):
        PyMem_RawFree(self.memory)

    def __len__(self):
        """The number of term groups; groups with equal members, such as those of a repeated word, count once."""
        return self.groups.count

    cdef int append_group(self, members, bint joint) except -1:
        """Append a group with these `members`, tuples (first, last, weight). Raises ValueError as the constructor does.
        """
        cdef Py_ssize_t group = self.groups.count, at = self.starts[group]
        cdef uint32_t first, last
        cdef float weight
        if joint and (group == 0 or self.joint[group - 1]):
            raise ValueError(f"group {group} is joint, but there is no single group before it")
        for first, last, weight in members:
            if first > last:
                raise ValueError("a member's terms are out of order")
            if not weight >= 0:
                raise ValueError(f"weights must not be negative, not {weight}")
            self.firsts[at], self.lasts[at], self.weights[at] = first, last, weight
            self.term_count = max(self.term_count, last)
            at += 1
        self.joint[group] = joint
        self.starts[group + 1] = at
        self.groups.count = group + 1
        return 0

    cdef void merge_equal(self, double* factors) noexcept nogil:
        """Merge every group into the first group with equal members, adding its factor; halves of compounds stay apart.

        factors[k] is the factor of group k, in double precision; the sums are written to `factors` of the query.
        """
        cdef Py_ssize_t group, target, kept = 0, count = self.groups.count
        cdef uint32_t start, size
        for group in range(count):
            target = kept
            if not self.is_half(group, count):
                target = self.find_equal(group, kept)
            if target < kept:
                factors[target] += factors[group]
                continue
            start, size = self.starts[group], self.starts[group + 1] - self.starts[group]
            memmove(self.firsts + self.starts[kept], self.firsts + start, size * sizeof(uint32_t))
            memmove(self.lasts + self.starts[kept], self.lasts + start, size * sizeof(uint32_t))
            memmove(self.weights + self.starts[kept], self.weights + start, size * sizeof(float))
            factors[kept], self.joint[kept] = factors[group], self.joint[group]
            kept += 1
            self.starts[kept] = self.starts[kept - 1] + size
        for group in range(kept):
            self.factors[group] = <float>factors[group]
        self.groups.count = kept
        self.members = self.starts[kept]

    cdef bint is_half(self, Py_ssize_t group, Py_ssize_t count) noexcept nogil:
        """Return whether group number `group` of `count` is the first or the second half of a compound word."""
        return self.joint[group] or (group + 1 < count and self.joint[group + 1])

    cdef Py_ssize_t find_equal(self, Py_ssize_t group, Py_ssize_t kept) noexcept nogil:
        """Return the number of the first of `kept` groups with the members of `group`, or `kept` if there is none.

        Halves of compound words are skipped.
        """
        cdef uint32_t start = self.starts[group], size = self.starts[group + 1] - start, own
        cdef Py_ssize_t target
        for target in range(kept):
            own = self.starts[target]
            if (self.starts[target + 1] - own == size
                    and memcmp(self.firsts + own, self.firsts + start, size * sizeof(uint32_t)) == 0
                    and memcmp(self.lasts + own, self.lasts + start, size * sizeof(uint32_t)) == 0
                    and memcmp(self.weights + own, self.weights + start, size * sizeof(float)) == 0
                    and not self.is_half(target, kept)):
                return target
        return kept

    cdef int restrict(self, uint32_t first_term, uint32_t last_term, QueryGroups* own, uint32_t** memory) except -1:
        """Write to own[0] the query's groups for one segment, whose terms are [first_term, last_term) of the reader.

        A member of a group is a range of terms. Members in other segments are left out, and terms are renumbered from
        0. memory[0], which must be NULL before, is set to the allocation behind own[0]; the caller frees it with
        PyMem_RawFree(), after an error, too. Raises ValueError if a member begins in this segment and ends in another.
        """
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
