/* Decode frames of postings; index/posting_frames.pxd describes their bytes. */
#ifndef RECALL_RANK_POSTING_FRAMES_H
#define RECALL_RANK_POSTING_FRAMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { RR_RUN = 256, RR_ROOM = RR_RUN + 16, RR_SPARE = 8 };

static uint16_t rr_bits_of[256][8];  /* the set bits of every byte, in front */
static uint8_t rr_bit_counts[256];   /* their number */
static inline void rr_fill_bits(void) {
    for (int set = 0; set < 256; set++) {
        int at = 0;
        for (int bit = 0; bit < 8; bit++)
            if (set >> bit & 1) rr_bits_of[set][at++] = (uint16_t)bit;
        rr_bit_counts[set] = (uint8_t)at;
    }
}
/* Write the places of the first `count` set bits of `size` bytes; returns 0 when fewer bits are set. Up to 15 elements
   behind the count are written. Without a branch on the gaps, which cannot be predicted. */
static inline int rr_places(const uint8_t* at, ptrdiff_t size, ptrdiff_t count, uint16_t* restrict out) {
    const uint16_t* stop = out + count;
    const uint8_t* end = at + size;
    for (uint16_t base = 0; at < end; at++, base = (uint16_t)(base + 8)) {
        const uint16_t* lane = rr_bits_of[*at];
        for (int k = 0; k < 8; k++) out[k] = (uint16_t)(base + lane[k]);
        out += rr_bit_counts[*at];
        if (out >= stop) return 1;
    }
    return 0;
}
static inline uint32_t rr_low(const uint8_t* lows, uint32_t bit, uint32_t mask) {
    const uint8_t* at = lows + (bit >> 3);
    uint32_t four = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return four >> (bit & 7) & mask;  /* compilers merge the four loads */
}
/* Decode the frame at *next into docs and tfs, each with room for RR_ROOM, and move *next to the term's next frame, or
   to NULL behind the last. Returns the number of postings; 0 when the bytes are no frame, or the documents do not
   ascend from *least on. `end` is the end of all frames; up to RR_SPARE bytes behind it are read. */
static inline ptrdiff_t rr_read_frame(const uint8_t** next, const uint8_t* end, uint32_t* least,
                                      uint16_t* restrict docs, uint8_t* restrict tfs) {
    const uint8_t* at = *next;
    uint16_t places[RR_ROOM];
    ptrdiff_t count, low_bits, high_size = 0, tf_size = 0;
    int counted, follows;
    uint16_t base = (uint16_t)*least, back = 0;
    const uint8_t *lows, *highs, *frequencies;
    *next = NULL;
    if (at >= end) return 0;
    count = at[0] + 1;
    low_bits = at[1] & 15;
    counted = at[1] >> 4 & 1;
    follows = at[1] >> 5 & 1;
    at += 2;
    if (counted | follows) high_size = *at++;
    if (counted & follows) {
        tf_size = at[0] | at[1] << 8;
        at += 2;
    }
    lows = at;
    highs = lows + ((count * low_bits + 7) >> 3);
    frequencies = highs + high_size;
    if (frequencies > end || !rr_places(highs, end - highs < 255 ? end - highs : 255, count, places)) return 0;
    if (low_bits == 0) {
        for (ptrdiff_t k = 0; k < count; k++) docs[k] = (uint16_t)(base + places[k]);
    } else if (low_bits == 8) {
        for (ptrdiff_t k = 0; k < count; k++)
            docs[k] = (uint16_t)(base + k + ((places[k] - k) << 8) + lows[k]);
    } else if (low_bits == 4) {
        for (ptrdiff_t k = 0; k < count; k += 2) {
            docs[k] = lows[k >> 1] & 15;
            docs[k + 1] = lows[k >> 1] >> 4;
        }
        for (ptrdiff_t k = 0; k < count; k++) docs[k] = (uint16_t)(base + k + ((places[k] - k) << 4) + docs[k]);
    } else {
        uint32_t mask = ((uint32_t)1 << low_bits) - 1, bit = 0;
        for (ptrdiff_t k = 0; k < count; k++, bit += (uint32_t)low_bits)
            docs[k] = (uint16_t)(base + k + ((places[k] - k) << low_bits) + rr_low(lows, bit, mask));
    }
    for (ptrdiff_t k = 1; k < count; k++) back |= (uint16_t)(docs[k] <= docs[k - 1]);
    if (back || docs[0] < *least) return 0;
    if (counted) {
        ptrdiff_t left = end - frequencies;
        if (!rr_places(frequencies, left < 8192 ? left : 8192, count, places)) return 0;
        tfs[0] = (uint8_t)(places[0] < 255 ? places[0] + 1 : 255);
        for (ptrdiff_t k = 1; k < count; k++) {
            uint16_t tf = (uint16_t)(places[k] - places[k - 1]);
            tfs[k] = (uint8_t)(tf < 255 ? tf : 255);
        }
    } else {
        memset(tfs, 1, (size_t)count);
    }
    *least = (uint32_t)docs[count - 1] + 1;
    if (follows) *next = frequencies + tf_size;
    return count;
}

#endif
