"""Calibrated scores of candidates: logistic functions of signals, that is numbers about query and candidate."""

from libc.math cimport exp, log

from recall_rank._core.rank.candidate cimport COVERAGE, HELD, Candidate

cdef enum:
    SIGNALS = 4  # of a candidate


cdef void fill_signals(Candidate one, double lead, double share, double plenty, double least,
                       double* signals) noexcept nogil:
    """Write the four signals of one candidate, those that signals_of() returns, to signals[0:4]."""
    cdef double held = one.row[HELD] if one.was_read else 1
    signals[0] = log(one.own * held / (one.own * held + plenty) + least)
    signals[1] = lead * one.row[COVERAGE] * held if one.was_read else 0
    signals[2] = share
    signals[3] = one.works


cdef double logistic(const double[::1] coefficients, const double[::1] query, const double* signals) noexcept nogil:
    """Return 1 / (1 + e^-x), where x is the sum of each signal times its coefficient.

    coefficients[k] is for query[k]; those behind the signals of the query are for the candidate's `signals`, in order.
    """
    cdef Py_ssize_t k, first = query.shape[0]
    cdef double total = 0
    for k in range(coefficients.shape[0]):
        total += coefficients[k] * (query[k] if k < first else signals[k - first])
    return 1 / (1 + exp(-total))


cdef int check(const double[::1] coefficients, Py_ssize_t signals) except -1:
    """Raise ValueError if there are more `coefficients` than `signals`, the number of signals."""
    if coefficients.shape[0] > signals:
        raise ValueError(f"there are no more than {signals} signals for coefficients")
    return 0


def signals_of(Candidate candidate not None, double lead, double share, double plenty, double least):
    """Return the four signals of a candidate, list of float, from which certainties() computes a chance.

    They are ln(e / (e + plenty) + least), with e the score of its part before calibration times its feature held; its
    lead (see certainties()) times its features coverage and held: to be ahead with little of the query proves little;
    its share (see there); and 1 where an agent uses tools in its session, else 0. For a passage that was not read, held
    is 1 and coverage 0.
    """
    cdef double[SIGNALS] signals
    fill_signals(candidate, lead, share, plenty, least, signals)
    return [signals[k] for k in range(SIGNALS)]


def calibrate(list candidates not None, const double[::1] query not None, const double[::1] chance not None,
              double plenty, double least):
    """Replace the score of every candidate by the chance that it is relevant.

    The chance is a logistic function of the signals query, f64[n], and ln(raw / (raw + plenty) + least); chance, f64,
    are its coefficients. Signals without a coefficient are left out. A candidate whose raw score is not above 0 is not
    changed. Raises ValueError for more coefficients than signals.
    """
    cdef double signal
    cdef Candidate one
    check(chance, query.shape[0] + 1)
    for each in candidates:
        one = <Candidate?>each
        if one.raw > 0:  # a hit of the text scan alone has no evidence
            signal = log(one.raw / (one.raw + plenty) + least)
            one.score = logistic(chance, query, &signal)


def certainties(list candidates not None, const double[::1] leads not None, const double[::1] shares not None,
                const double[::1] query not None, const double[::1] sure not None, double plenty, double least):
    """Return for every candidate the chance that its session is the right one, list of float.

    The chance is a logistic function of the signals query, f64[n], followed by signals_of() the candidate; sure, f64,
    are its coefficients. Signals without a coefficient are left out. leads, f64[candidates], is by how much each
    candidate is ahead of every other session; shares, f64[candidates], is the share of its session in the scores of all
    reranked candidates. The chance is 0 for a candidate without evidence and for a hit of the
    text scan; for one whose passage there was no time to read, it is the candidate's score. Raises ValueError for more
    coefficients than signals, and unless there are a lead and a share for each candidate.
    """
    cdef double[SIGNALS] signals
    cdef Candidate one
    cdef Py_ssize_t place
    check(sure, query.shape[0] + SIGNALS)
    if leads.shape[0] != len(candidates):
        raise ValueError(f"there are {leads.shape[0]} leads for {len(candidates)} candidates")
    if shares.shape[0] != len(candidates):
        raise ValueError(f"there are {shares.shape[0]} shares for {len(candidates)} candidates")
    found = []
    for place, each in enumerate(candidates):
        one = <Candidate?>each
        if one.evidence <= 0 or one.stage == "scan":
            found.append(0.0)
        elif one.was_read:
            fill_signals(one, leads[place], shares[place], plenty, least, signals)
            found.append(logistic(sure, query, signals))
        else:
            found.append(one.score)
    return found
