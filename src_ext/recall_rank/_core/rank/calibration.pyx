"""Calibrated scores of candidates: logistic functions of signals, that is numbers about query and candidate."""

from libc.math cimport exp, log

from recall_rank._core.rank.candidate cimport COVERAGE, MATCHED, NEAR, WORDS, Candidate

cdef enum:
    SIGNALS = 6  # of a candidate


cdef void fill_signals(Candidate one, double words, double plenty, double least, double* signals) noexcept nogil:
    """Write the six signals of one candidate, described at signals_of(), to `signals`."""
    signals[0] = log(one.raw / (one.raw + plenty) + least)
    signals[1] = one.whole
    signals[2] = one.row[COVERAGE]
    signals[3] = one.row[NEAR]
    signals[4] = log(<double>one.row[WORDS] + 1)
    signals[5] = words - one.row[MATCHED]


cdef double logistic(const double[::1] coefficients, const double[::1] query, const double* signals) noexcept nogil:
    """Return 1 / (1 + e^-x), where x is the weighted sum of the query's signals, then the candidate's `signals`."""
    cdef Py_ssize_t k, first = query.shape[0]
    cdef double total = 0
    for k in range(coefficients.shape[0]):
        total += coefficients[k] * (query[k] if k < first else signals[k - first])
    return 1 / (1 + exp(-total))


def signals_of(Candidate candidate not None, double words, double plenty, double least):
    """Return the six signals of a candidate, list of float; each is an input of the logistic functions.

    In order: ln(raw / (raw + plenty) + least) of its raw score; its attribute `whole`; its features coverage and near;
    ln(1 + words of its passage); and how many of the query's `words` do not match in it.
    """
    cdef double[SIGNALS] signals
    fill_signals(candidate, words, plenty, least, signals)
    return [signals[k] for k in range(SIGNALS)]


def calibrate(list candidates not None, const double[::1] query not None, const double[::1] chance not None,
              const double[::1] sure not None, double words, double plenty, double least):
    """Replace the score of every candidate by the chance that it is relevant, and set `sure`.

    Each is a logistic function of the signals query, f64[n], followed by signals_of() the candidate; chance and sure,
    f64, are their coefficients. Signals without a coefficient are left out. A candidate without a raw score is not
    changed. A candidate whose passage was not read gets its score as `sure`. Raises ValueError for more coefficients
    than signals.
    """
    cdef double[SIGNALS] signals
    cdef Candidate one
    if max(chance.shape[0], sure.shape[0]) > query.shape[0] + SIGNALS:
        raise ValueError(f"there are no more than {query.shape[0] + SIGNALS} signals for coefficients")
    for each in candidates:
        one = <Candidate?>each
        if one.raw > 0:  # a hit of the text scan alone has no evidence
            fill_signals(one, words, plenty, least, signals)
            one.score = logistic(chance, query, signals)
            one.sure = logistic(sure, query, signals) if one.was_read else one.score
