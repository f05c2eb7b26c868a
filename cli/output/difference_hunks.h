/* Differences of two texts, in groups that are near each other, with words of context. */
#ifndef CLI_DIFFERENCE_HUNKS_H
#define CLI_DIFFERENCE_HUNKS_H

#include "output/pair.h"

/* Two texts and their differences. */
typedef struct differing {
    const char *texts[2];
    size_t lengths[2];
    const nd_difference_list *list;
} differing;

static inline differing pair_differing(const pair *p) {
    return (differing){{p->texts[0].bytes, p->texts[1].bytes},
                       {p->texts[0].length, p->texts[1].length},
                       p->differences};
}

/* Differences `first` to `first + count - 1`, and their bytes in both texts with the context. */
typedef struct difference_hunk {
    size_t first, count;
    piece places[2];
} difference_hunk;

typedef struct difference_hunks {
    const differing *of;
    nd_analyzer *analyzer;
    unsigned words;
    size_t next, most;
} difference_hunks;

/* Begins a walk over the first `most` differences, with up to `words` words before and behind each
 * hunk. False: out of memory. */
bool difference_hunks_open(difference_hunks *h, const differing *of, unsigned words, size_t most);
/* The next hunk. False: there is none. */
bool difference_hunks_next(difference_hunks *h, difference_hunk *out);
void difference_hunks_close(difference_hunks *h);

/* The bytes of a difference in text `side` (0 or 1). */
static inline piece difference_piece(const nd_difference *d, int side) {
    return side == 0 ? (piece){d->a_begin, d->a_end} : (piece){d->b_begin, d->b_end};
}

#endif
