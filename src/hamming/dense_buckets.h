/* The heavy runs of a table of fingerprints: thousands of keys that agree in the table's whole
 * window, all of which a query with that window would have to be compared with.
 *
 * The other bits of such keys are cut in two halves, and all keys of a table's heavy runs stand in
 * two further packed tables, each in the order of (number of the run, one half, the other half). By
 * the pigeonhole principle a fingerprint of a run that is within k' of a query in these bits has at
 * most as many errors in one of the halves as a design of two windows needs for k'; k' is what is
 * left of k behind the errors in the run's window. So a run is searched as a set of its own. Each
 * half has half of the bits that vary in the runs, and begins with them: what keys have in common
 * beside their window tells none of them from the others.
 *
 * Sections, tags from a base on; none where there is no such run (doc/formats.md, section 9):
 *   +0   64 bits: keys in all runs; 128: the bits that vary; then 16 bytes a run, ascending:
 * window, left-aligned (64 bits), first entry in the table, number of keys (32 bits each) +4   (4
 * tags) fingerprint table of bits r + f - w, one half of the rest before the other; r: bits of the
 * greatest number of a run, w: those of the window +8   (4 tags) the same the other way round */
#ifndef ND_HAMMING_DENSE_BUCKETS_H
#define ND_HAMMING_DENSE_BUCKETS_H

#include "base/limits.h"
#include "io/temp_space.h"
#include "hamming/elias_fano_table.h"
#include "hamming/hamming_planner.h"

enum { ND_DENSE_TAGS = 12 };

/* Keys from which on a run is heavy. */
enum { ND_DENSE_LEAST = ND_LIMIT(2048, 8) };

/* Whether a table with such a window is looked through for heavy runs: one whose even buckets are
 * not finer than the window, which is within the first word of a key and leaves something to cut.
 */
static inline bool nd_dense_applies(uint32_t bits, uint32_t width, unsigned bucket_bits) {
    return width >= 1 && width <= 64 && width >= bucket_bits && width + 2 <= bits;
}

typedef struct nd_dense_run {
    uint64_t window;     /* left-aligned, as in the head of a key */
    uint64_t first, end; /* entries of the table */
} nd_dense_run;

/* ---- writing */

/* Of the run that the last key belongs to. */
typedef struct nd_dense_current {
    uint64_t mask; /* of the window in a key's head */
    nd_dense_run run;
    size_t waiting;
    nd_key keys[ND_DENSE_LEAST]; /* until there are so many it may be none */
} nd_dense_current;

typedef struct nd_dense_writer nd_dense_writer;

/* For a table to which nd_dense_applies. Sorting takes `memory_limit` bytes; what is more, and the
 * keys until then, go to `disk`. */
nd_status nd_dense_writer_create(nd_sealed_writer *file, uint32_t tag, uint32_t bits,
                                 nd_fingerprint window, nd_scratch_disk *disk, size_t memory_limit,
                                 const nd_allocator *allocator, nd_dense_writer **out,
                                 nd_error *error);
/* The table's keys, distinct, as they stand there: nd_dense_put(writer,
 * nd_dense_current_of(writer), key, error). */
nd_dense_current *nd_dense_current_of(nd_dense_writer *writer);
nd_status nd_dense_end_run(nd_dense_writer *writer, nd_error *error);
nd_status nd_dense_flush(nd_dense_writer *writer, nd_error *error);
static inline nd_status nd_dense_put(nd_dense_writer *writer, nd_dense_current *last, nd_key key,
                                     nd_error *error) {
    uint64_t window = key.head & last->mask, end = last->run.end;
    if (window != last->run.window) {
        if (end - last->run.first >= ND_DENSE_LEAST) ND_TRY(nd_dense_end_run(writer, error));
        last->run = (nd_dense_run){window, end, end};
        last->waiting = 0;
    }
    last->run.end = end + 1;
    last->keys[last->waiting++] = key;
    return last->waiting == ND_DENSE_LEAST ? nd_dense_flush(writer, error) : ND_OK;
}
/* Writes the sections, behind those of the table. */
nd_status nd_dense_finish(nd_dense_writer *writer, nd_error *error);
/* NULL is accepted. */
void nd_dense_writer_free(nd_dense_writer *writer);

/* ---- reading */

/* How a run is searched for some k'. */
typedef struct nd_dense_plan {
    nd_probe_plan halves[2]; /* of the depth the number of the run is without errors */
    uint64_t least; /* keys of a run from which on this is faster than to compare them all */
} nd_dense_plan;

typedef struct nd_dense_runs {
    uint64_t count; /* of runs; 0: there are none, and nothing else is set */
    const nd_sealed_file *file;
    nd_section list;
    uint64_t keys, table_keys; /* in all runs; of the table */
    uint32_t width;            /* of the window */
    unsigned run_bits;
    nd_fingerprint half;    /* the first one's bits */
    nd_bit_order orders[2]; /* of fingerprints: window, one half, the other */
    nd_fingerprint_table tables[2];
    nd_dense_plan *ways; /* for each k' from 0 to k */
} nd_dense_runs;

/* `keys`: of the table; k: that of the design. `out` is closed where it fails, too. */
nd_status nd_dense_open(const nd_sealed_file *file, uint32_t tag, uint32_t bits,
                        nd_fingerprint window, uint64_t keys, uint32_t k,
                        const nd_allocator *allocator, nd_dense_runs *out, nd_error *error);
void nd_dense_close(nd_dense_runs *runs, const nd_allocator *allocator);

/* Run number `number`, below the count. ND_ERR_CORRUPT where its entries are none of the table. */
nd_status nd_dense_run_at(const nd_dense_runs *runs, uint64_t number, nd_dense_run *out,
                          nd_error *error);
/* The first run that begins at an entry or behind it; the count: there is none. */
nd_status nd_dense_find(const nd_dense_runs *runs, uint64_t entry, uint64_t *number,
                        nd_error *error);
/* Where a bucket of the table ends that is behind the keys of others in the directory, thousands of
 * them: counted on from the last run that is not behind it, or from the sample before, which says
 * `before`. */
nd_status nd_dense_bucket_end(const nd_dense_runs *runs, const nd_fingerprint_table *table,
                              uint64_t bucket, uint64_t before, uint64_t *end, nd_error *error);

/* A fingerprint as a key of a half's table, in a run; and back. */
nd_key nd_dense_key(const nd_dense_runs *runs, unsigned half, uint64_t number,
                    nd_fingerprint fingerprint);
nd_fingerprint nd_dense_fingerprint(const nd_dense_runs *runs, unsigned half,
                                    const nd_dense_run *run, nd_key key);

uint64_t nd_dense_bytes(const nd_dense_runs *runs);

/* That each run's entries of the table have its window, and that the halves' tables have their
 * keys. O(n log n). */
nd_status nd_dense_check(const nd_dense_runs *runs, const nd_fingerprint_table *table,
                         const nd_bit_order *order, nd_error *error);

#endif
