/* The C interface of rapidfuzz scorers, struct version 3 (RF_Scorer of rapidfuzz_capi.h), which no wheel ships. */
#ifndef RECALL_RANK_RAPIDFUZZ_API_H
#define RECALL_RANK_RAPIDFUZZ_API_H

#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

/* RF_String: `length` characters of 1, 2 or 4 bytes, told by `kind` 0, 1 or 2. */
typedef struct rr_rf_string {
    void (*dtor)(struct rr_rf_string*);
    int kind;
    void* data;
    int64_t length;
    void* context;
} rr_rf_string;
/* RF_Kwargs: keyword arguments of a scorer in its own form. */
typedef struct rr_rf_kwargs { void (*dtor)(struct rr_rf_kwargs*); void* context; } rr_rf_kwargs;
/* RF_ScorerFlags: the type and the range of the scores. */
typedef struct rr_rf_flags {
    uint32_t flags;
    union { double f64; int64_t i64; size_t size; } best, worst;
} rr_rf_flags;
/* RF_ScorerFunc: a scorer with its first string prepared. */
typedef struct rr_rf_call {
    void (*dtor)(struct rr_rf_call*);
    bool (*f64)(const struct rr_rf_call*, const rr_rf_string*, int64_t, double, double, double*);
    void* context;
} rr_rf_call;
/* RF_Scorer: the content of the capsule at the attribute _RF_Scorer of a scorer. */
typedef struct {
    uint32_t version;
    bool (*kwargs_init)(rr_rf_kwargs*, PyObject*);
    bool (*get_flags)(const rr_rf_kwargs*, rr_rf_flags*);
    bool (*call_init)(rr_rf_call*, const rr_rf_kwargs*, int64_t, const rr_rf_string*);
    void* uncached;
} rr_rf_scorer;

/* Point *to at the characters of a str; valid while the str is alive. */
static inline void rr_rf_borrow(rr_rf_string* to, PyObject* text) {
    to->dtor = NULL; to->context = NULL;
    to->kind = PyUnicode_KIND(text) >> 1;  /* 1, 2, 4 bytes a character: 0, 1, 2 */
    to->data = PyUnicode_DATA(text); to->length = PyUnicode_GET_LENGTH(text);
}
static inline bool rr_rf_kwargs_init(const rr_rf_scorer* s, rr_rf_kwargs* k, PyObject* kwargs) {
    return s->kwargs_init(k, kwargs);
}
static inline bool rr_rf_get_flags(const rr_rf_scorer* s, const rr_rf_kwargs* k, rr_rf_flags* flags) {
    return s->get_flags(k, flags);
}
static inline bool rr_rf_call_init(const rr_rf_scorer* s, rr_rf_call* call, const rr_rf_kwargs* k,
                                   const rr_rf_string* query) {
    return s->call_init(call, k, 1, query);
}
/* Write the score of one text, without a cutoff, to *out; false on an error. Callable without the GIL. */
static inline bool rr_rf_score(const rr_rf_call* call, const rr_rf_string* text, double* out) {
    return call->f64(call, text, 1, 0.0, 0.0, out);
}

#endif
