/* Selection without branches: the processor cannot predict whether neighbouring hits belong to one message. */
#ifndef RECALL_RANK_SELECT_H
#define RECALL_RANK_SELECT_H

#include <stdint.h>
#include <string.h>

/* `value` where `wanted` is not 0, else 0.0f. */
static inline float rr_select(int wanted, float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    bits &= 0u - (uint32_t)(wanted != 0);
    memcpy(&value, &bits, 4);
    return value;
}

/* The larger of two floats, neither of which is NaN. */
static inline float rr_max(float one, float other) { return one > other ? one : other; }

#endif
