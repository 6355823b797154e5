"""Which documents hold a term, and how often: blocks of 65,536 documents, 16-bit local ids."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t


cdef class Postings:
    """Borrowed buffers as SegmentBuilder.finish() gives them; they must not change.

    Raises ValueError when one of them would lead outside another.
    """

    # not __init__: it could run twice, and leave addresses of the first buffers behind
    def __cinit__(self, df not None, block_starts not None, terms not None, pointers not None, docs not None,
                  tfs not None):
        cdef Py_ssize_t k
        cdef bint good = True
        self.buffers = (df, block_starts, terms, pointers, docs, tfs)
        self.df_view = df
        self.starts_view = block_starts
        self.terms_view = terms
        self.pointers_view = pointers
        self.docs_view = docs
        self.tfs_view = tfs
        self.term_count = self.df_view.shape[0]
        self.block_count = self.starts_view.shape[0] - 1
        if self.block_count < 0 or self.pointers_view.shape[0] != self.terms_view.shape[0] + 1:
            raise ValueError("the postings' buffers do not fit together")
        if (self.starts_view[0] != 0 or self.pointers_view[0] != 0
                or self.starts_view[self.block_count] != <uint64_t>self.terms_view.shape[0]
                or self.pointers_view[self.terms_view.shape[0]] != <uint64_t>self.docs_view.shape[0]
                or self.docs_view.shape[0] != self.tfs_view.shape[0]):
            raise ValueError("the postings' buffers do not fit together")
        with nogil:
            for k in range(self.block_count):
                good = good and self.starts_view[k] <= self.starts_view[k + 1]
        if not good:
            raise ValueError("the postings' blocks are out of order")
        with nogil:
            for k in range(self.terms_view.shape[0]):
                good = good and self.pointers_view[k] <= self.pointers_view[k + 1]
        if not good:
            raise ValueError("the postings' pointers are out of order")
        self.starts = &self.starts_view[0]
        self.pointers = &self.pointers_view[0]
        if self.term_count:
            self.df = &self.df_view[0]
        if self.terms_view.shape[0]:
            self.terms = &self.terms_view[0]
        if self.docs_view.shape[0]:
            self.docs = &self.docs_view[0]
            self.tfs = &self.tfs_view[0]

    def __len__(self):
        """Postings in all blocks."""
        return self.docs_view.shape[0]

    cdef uint64_t locate(self, Py_ssize_t block, uint32_t term) noexcept nogil:
        """The first entry of the block whose term is not below `term`."""
        cdef uint64_t first = self.starts[block], last = self.starts[block + 1], middle
        while first < last:
            middle = first + (last - first) // 2
            if self.terms[middle] < term:
                first = middle + 1
            else:
                last = middle
        return first

    cdef uint64_t count(self, uint32_t first, uint32_t last, const uint8_t* eligible,
                        Py_ssize_t documents) noexcept nogil:
        """Sum over the terms [first, last) of the documents that hold them; NULL `eligible` means all."""
        cdef uint64_t found = 0, entry, k
        cdef uint32_t term
        cdef Py_ssize_t block, limit
        cdef const uint8_t* base
        if eligible == NULL:
            for term in range(first, last):
                found += self.df[term]
            return found
        for block in range(self.block_count):
            entry = self.locate(block, first)
            base = eligible + block * 65536
            limit = documents - block * 65536
            while entry < self.starts[block + 1] and self.terms[entry] < last:
                for k in range(self.pointers[entry], self.pointers[entry + 1]):
                    if self.docs[k] < limit:
                        found += base[self.docs[k]] != 0
                entry += 1
        return found

    def frequency(self, Py_ssize_t first, Py_ssize_t last, eligible=None):
        """Documents that hold the terms [first, last), summed over the terms; `eligible` is u8[documents] or None."""
        cdef const uint8_t[::1] view
        cdef const uint8_t* mask = NULL
        cdef uint64_t found
        cdef Py_ssize_t documents = 0
        if not 0 <= first <= last <= self.term_count:
            raise IndexError((first, last))
        if eligible is not None:
            view = eligible
            documents = view.shape[0]
            if documents <= (self.block_count - 1) * 65536:
                raise ValueError(f"{documents} documents are too few for these postings")
            if documents:
                mask = &view[0]
        with nogil:
            found = self.count(first, last, mask, documents)
        return found

    def postings(self, Py_ssize_t term):
        """(document, frequency) of one term, in document order."""
        cdef Py_ssize_t block
        cdef uint64_t entry, k
        if not 0 <= term < self.term_count:
            raise IndexError(term)
        found = []
        for block in range(self.block_count):
            entry = self.locate(block, term)
            if entry < self.starts[block + 1] and self.terms[entry] == <uint32_t>term:
                for k in range(self.pointers[entry], self.pointers[entry + 1]):
                    found.append((block * 65536 + self.docs[k], self.tfs[k]))
        return found
