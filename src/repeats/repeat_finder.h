/* Finds every stretch of symbols (bytes, or tokens) that occurs more than once in a collection of
 * texts: all windows of `least` symbols that are equal to an earlier window, without a suffix
 * array.
 *
 * 1. Texts go to a spool, one behind the other, and their anchors (minimizers.h) to partitions by
 *    hash. Equal windows have equal anchors, so only anchors with a hash that occurs twice matter.
 * 2. A group is the anchors of one hash, in the order of the texts. The windows of each anchor are
 *    compared with those at the first anchor of the group, symbol by symbol, to both sides. These
 *    are first occurrences: an earlier equal window would have an earlier anchor of the group.
 * 3. In a group of three or more, windows that differ from the first ones may be equal to others.
 *    These windows are sorted by 88 bits of a hash of all their symbols, and the ones that agree
 *    are compared.
 *
 * So time is linear in the symbols, also for one byte a million times: a window is hashed at most
 * once, and an anchor compares at most 2 `least` symbols. The result is exact, with one exception:
 * if two different windows of step 3 agree in 88 bits, a repeat may be missed; with 10^9 windows
 * the chance is below 10^-8. Nothing that differs is ever reported.
 *
 * Memory: shares of the run's budget; all data beyond them goes to temporary files. One anchor may
 * be that of most texts (a row of dashes), and any number of ranges may be copies of one, so the
 * part of a sorter may be as large as the sorter; it is read within its share all the same
 * (sorted_parts.h). Beside the shares, in place of the buffers of the threads that read documents:
 * 16 MiB for bits of groups, 1.3 MiB a thread for blocks of the texts and records, 8 bytes a text,
 * and 8 KiB each time that a sorter has filled its share. */
#ifndef ND_REPEATS_REPEAT_FINDER_H
#define ND_REPEATS_REPEAT_FINDER_H

#include "job/run_context.h"
#include "repeats/minimizers.h"

/* Most symbols of all texts together, with one more for each text. */
#define ND_REPEATS_TEXT_MOST (UINT64_C(1) << 40)

typedef struct nd_repeat_finder nd_repeat_finder;

nd_status nd_repeat_finder_create(const nd_run *run, nd_symbols symbols, uint32_t least,
                                  nd_repeat_finder **out, nd_error *error);
void nd_repeat_finder_free(nd_repeat_finder *finder);

/* A text begins, its symbols come in any number of calls, and it ends. No symbol has all bits set;
 * no byte of UTF-8 does. One thread at a time. */
nd_status nd_repeat_finder_begin_text(nd_repeat_finder *finder, nd_error *error);
nd_status nd_repeat_finder_add_symbols(nd_repeat_finder *finder, const void *symbols, size_t count,
                                       nd_error *error);
nd_status nd_repeat_finder_end_text(nd_repeat_finder *finder, nd_error *error);
/* nd_anchors_fn: adds anchors of the last text that has begun, each one once. */
nd_status nd_repeat_finder_add_anchors(void *finder, const nd_anchor *anchors, size_t count,
                                       nd_error *error);

/* Returns where a text begins: the number of symbols before it, with one more for each text. */
uint64_t nd_repeat_finder_begin(const nd_repeat_finder *finder, uint64_t text);

/* From now on only repeats of texts that are added later are reported, and only if the first equal
 * window is in a text that was added before. */
void nd_repeat_finder_begin_targets(nd_repeat_finder *finder);

/* The stretch [begin, end) of text number `text`, from 0. Each window of `least` symbols in it is
 * equal to the window at the same distance from source_begin on. Stretches may overlap. */
typedef struct nd_repeat {
    uint64_t text, begin, end;
    uint64_t source_text, source_begin;
} nd_repeat;

/* Called in ascending order of text and begin. Return a failure to stop. */
typedef nd_status nd_repeat_fn(void *context, const nd_repeat *repeat, nd_error *error);

/* Finds all repeats of the texts that were added. Once. */
nd_status nd_repeat_finder_run(nd_repeat_finder *finder, nd_repeats_kept keep, nd_repeat_fn *fn,
                               void *context, nd_error *error);

#endif
