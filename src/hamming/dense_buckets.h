/* Dense buckets: runs of thousands of keys of a table that all agree in the table's window.
 *
 * A query with that window would be compared with every key of such a *dense run*. To avoid this, a
 * dense run is searched as a set of its own. The bits outside of the window are cut in two halves,
 * and all keys of the table's dense runs stand in two more Elias-Fano tables, one for each half,
 * ordered by (number of the run, the half, the other half). If a query's window differs from the
 * run's in e bits, k' = k - e errors are left for the other bits. By the pigeonhole principle, a
 * fingerprint within k' has in at least one half no more errors than a design of two windows
 * allows there for k'.
 *
 * Each half gets half of the bits that vary in the runs, and its table begins with these: bits that
 * all keys share would not tell the keys apart.
 *
 * ("Bucket" alone means a bucket of an Elias-Fano table. Several dense runs may lie in one.)
 *
 * Sections, with tags from a base tag on; a table without dense runs has none of them
 * (doc/internals/formats.md, "Files of an index"):
 *   +0  64 bits: number of keys in all runs; 128 bits: the bits that vary; then 16 bytes for each
 *       run, ascending: window, left-aligned (64 bits), first entry of the table (32 bits), number
 *       of keys (32 bits)
 *   +4  (4 tags) Elias-Fano table of r + f - w bits: number of the run, first half, second half;
 *       r: bits of the greatest number of a run; f: bits of a fingerprint; w: bits of the window
 *   +8  (4 tags) the same with the second half before the first */
#ifndef ND_HAMMING_DENSE_BUCKETS_H
#define ND_HAMMING_DENSE_BUCKETS_H

#include "base/limits.h"
#include "io/temp_space.h"
#include "hamming/elias_fano_table.h"
#include "hamming/hamming_planner.h"

enum { ND_DENSE_TAGS = 12 };

/* A run of at least so many keys is dense. */
enum { ND_DENSE_LEAST = ND_LIMIT(2048, 8) };

/* Whether a table with a window of `width` bits may have dense runs. Its buckets must not be finer
 * than the window. The window must lie in the first word of a key, and must leave two bits to cut
 * in halves. */
static inline bool nd_dense_applies(uint32_t bits, uint32_t width, unsigned bucket_bits) {
    return width >= 1 && width <= 64 && width >= bucket_bits && width + 2 <= bits;
}

typedef struct nd_dense_run {
    uint64_t window;     /* left-aligned, as in the head of a key */
    uint64_t first, end; /* entries of the table */
} nd_dense_run;

/* ---- writing */

/* The run of the last key that was put, and the keys that wait: the whole run while it may still be
 * too short to be dense, else a part of it. */
typedef struct nd_dense_current {
    uint64_t mask; /* of the window in a key's head */
    nd_dense_run run;
    size_t waiting;
    nd_key keys[ND_DENSE_LEAST];
} nd_dense_current;

typedef struct nd_dense_writer nd_dense_writer;

typedef struct nd_dense_writer_settings {
    nd_sealed_writer *file;
    uint32_t tag;  /* base of the sections */
    uint32_t bits; /* of a fingerprint */
    nd_fingerprint window;
    nd_temp_space *disk;
    size_t memory_limit; /* bytes for sorting; what exceeds them goes to `disk` */
} nd_dense_writer_settings;
/* For a table to which nd_dense_applies. Until nd_dense_finish, keys of dense runs wait in memory,
 * and beyond some MB on the disk. */
nd_status nd_dense_writer_create(const nd_dense_writer_settings *settings,
                                 const nd_allocator *allocator, nd_dense_writer **out,
                                 nd_error *error);
nd_dense_current *nd_dense_current_of(nd_dense_writer *writer);
/* Steps of nd_dense_put. */
nd_status nd_dense_end_run(nd_dense_writer *writer, nd_error *error);
nd_status nd_dense_flush(nd_dense_writer *writer, nd_error *error);
/* Puts the keys of the table, distinct, in the table's order. `current` is nd_dense_current_of the
 * writer: the caller keeps it at hand, because this is called for every key. */
static inline nd_status nd_dense_put(nd_dense_writer *writer, nd_dense_current *current, nd_key key,
                                     nd_error *error) {
    uint64_t window = key.head & current->mask, end = current->run.end;
    if (window != current->run.window) {
        if (end - current->run.first >= ND_DENSE_LEAST) ND_TRY(nd_dense_end_run(writer, error));
        current->run = (nd_dense_run){window, end, end};
        current->waiting = 0;
    }
    current->run.end = end + 1;
    current->keys[current->waiting++] = key;
    return current->waiting == ND_DENSE_LEAST ? nd_dense_flush(writer, error) : ND_OK;
}
/* Writes the sections, behind those of the table. */
nd_status nd_dense_finish(nd_dense_writer *writer, nd_error *error);
/* NULL is accepted. */
void nd_dense_writer_free(nd_dense_writer *writer);

/* ---- reading */

/* How a dense run is searched for some k'. */
typedef struct nd_dense_plan {
    nd_probe_plan halves[2]; /* their depth counts the number of the run, which has no errors */
    uint64_t least; /* keys; a shorter run is compared key by key, because that is faster */
} nd_dense_plan;

/* The dense runs of one open table. Constant: any number of threads may read it. */
typedef struct nd_dense_runs {
    uint64_t count; /* of runs; 0: there are none, and nothing else is set */
    const nd_sealed_file *file;
    nd_section list;
    uint64_t keys;       /* in all runs */
    uint64_t table_keys; /* of the table */
    uint32_t width;      /* of the window */
    unsigned run_bits;
    nd_fingerprint half;    /* the bits of the first half */
    nd_bit_order orders[2]; /* of fingerprints: window, one half, the other */
    nd_ef_table tables[2];
    nd_dense_plan *plans; /* for each k' from 0 to k */
} nd_dense_runs;

typedef struct nd_dense_source {
    const nd_sealed_file *file;
    uint32_t tag;  /* base of the sections */
    uint32_t bits; /* of a fingerprint */
    nd_fingerprint window;
    uint64_t keys; /* of the table */
    uint32_t k;    /* of the design */
} nd_dense_source;
/* On failure there is nothing to close. The file must stay open. */
nd_status nd_dense_open(const nd_dense_source *source, const nd_allocator *allocator,
                        nd_dense_runs *out, nd_error *error);
void nd_dense_close(nd_dense_runs *runs, const nd_allocator *allocator);

/* Run `number`, below the count. ND_ERR_CORRUPT: its entries are outside of the table. */
nd_status nd_dense_run_at(const nd_dense_runs *runs, uint64_t number, nd_dense_run *out,
                          nd_error *error);
/* The number of the first run that begins at `entry` or behind it; the count: there is none. */
nd_status nd_dense_find(const nd_dense_runs *runs, uint64_t entry, uint64_t *number,
                        nd_error *error);
/* The end of a bucket of the table. For buckets with thousands of keys before them since the last
 * sample: the directory is read from the end of the last run before the bucket's end on, or from
 * the sample, which says `before`. */
nd_status nd_dense_bucket_end(const nd_dense_runs *runs, const nd_ef_table *table, uint64_t bucket,
                              uint64_t before, uint64_t *end, nd_error *error);

/* A fingerprint of run `number` as a key of a half's table, and back. */
nd_key nd_dense_key(const nd_dense_runs *runs, unsigned half, uint64_t number,
                    nd_fingerprint fingerprint);
nd_fingerprint nd_dense_fingerprint(const nd_dense_runs *runs, unsigned half,
                                    const nd_dense_run *run, nd_key key);

/* Bytes of the sections. */
uint64_t nd_dense_bytes(const nd_dense_runs *runs);

/* Checks that the entries of each run have its window, and that the tables of the halves have
 * exactly these keys. O(n log n). */
nd_status nd_dense_check(const nd_dense_runs *runs, const nd_ef_table *table,
                         const nd_bit_order *order, nd_error *error);

#endif
