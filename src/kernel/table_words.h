/* The first words that table_probe.h searches, for instruction sets without vector instructions
 * that count bits. */
#include "base/bits.h"

/* Words of the directory in which nearly all buckets between two samples end. */
#define NEAR_WORDS 4

/* The words from a sample on, with the number of 1 bits before each. */
typedef struct near_words {
    uint64_t words[NEAR_WORDS];
    unsigned before[NEAR_WORDS + 1];
} near_words;

/* Loads the words; the first `skip` bits count as 0. */
static inline near_words load_near(const unsigned char *p, unsigned skip) {
    near_words near;
    near.before[0] = 0;
    for (unsigned i = 0; i < NEAR_WORDS; i++) {
        near.words[i] = nd_load_le64(p + i * 8) & (i ? ~UINT64_C(0) : ~UINT64_C(0) << skip);
        near.before[i + 1] = near.before[i] + nd_popcount(near.words[i]);
    }
    return near;
}

static inline unsigned count_near(const near_words *w) { return w->before[NEAR_WORDS]; }

static inline uint64_t select_near(const near_words *w, unsigned rank) {
    unsigned i = (unsigned)(rank >= w->before[1]) + (unsigned)(rank >= w->before[2]) +
                 (unsigned)(rank >= w->before[3]);
    return i * 64 + nd_select_bit(w->words[i], rank - w->before[i]);
}
