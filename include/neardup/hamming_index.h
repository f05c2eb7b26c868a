/* An index of fingerprints that grows, on disk or in memory; and joins of fingerprints. */
#ifndef NEARDUP_HAMMING_INDEX_H
#define NEARDUP_HAMMING_INDEX_H

#include "neardup/extract.h"
#include "neardup/hamming.h"
#include "neardup/index.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An index of fingerprints with their ids. A search finds all fingerprints within k bits of a
 * query, exactly; nd_hamming_plan chooses the tables. Durability, processes and threads: as
 * nd_index (neardup/index.h). Thread-safe, except nd_hamming_refresh and nd_hamming_close. */
typedef struct nd_hamming_index nd_hamming_index;

/* Options of a new index. They never change. */
typedef struct nd_hamming_options {
    size_t struct_size;
    uint32_t bits;   /* of a fingerprint: 16, 32, 64 or 128, default 64 */
    uint32_t k;      /* largest distance of the tables: 0 to bits / 4, default 3 */
    uint64_t memory; /* most bytes of the tables of a segment; 0, the default: no bound */
    /* Ids are numbers below 2^32 - 1 that ascend in the order of adding. An id then takes about 1
     * byte instead of about 20. Default false. */
    bool numbered;
    uint8_t reserved[7];
} nd_hamming_options;

ND_API void nd_hamming_options_init(nd_hamming_options *options, size_t struct_size);

/* Makes an empty index in a directory, as nd_index_create. `options` NULL: the defaults. */
ND_API ND_MUST_CHECK nd_status nd_hamming_create(const char *path,
                                                 const nd_hamming_options *options,
                                                 nd_error *error);

/* As nd_index_create_in_memory. nd_hamming_close frees *out. */
ND_API ND_MUST_CHECK nd_status nd_hamming_create_in_memory(const nd_hamming_options *options,
                                                           const nd_allocator *allocator,
                                                           nd_hamming_index **out, nd_error *error);

/* As nd_index_open, _close, _refresh, _set_sync, _sync, _remove, _compact and _check, with the same
 * errors. An index of documents is ND_ERR_ARGUMENT. */
ND_API ND_MUST_CHECK nd_status nd_hamming_open(const char *path, nd_index_mode mode,
                                               const nd_allocator *allocator,
                                               nd_hamming_index **out, nd_error *error);
ND_API void nd_hamming_close(nd_hamming_index *index);
ND_API ND_MUST_CHECK nd_status nd_hamming_refresh(nd_hamming_index *index, nd_error *error);
ND_API void nd_hamming_set_sync(nd_hamming_index *index, nd_sync sync);
ND_API ND_MUST_CHECK nd_status nd_hamming_sync(nd_hamming_index *index, nd_error *error);
ND_API ND_MUST_CHECK nd_status nd_hamming_remove(nd_hamming_index *index, const char *id,
                                                 size_t id_length, bool *found, nd_error *error);
ND_API ND_MUST_CHECK nd_status nd_hamming_compact(nd_hamming_index *index, nd_error *error);
ND_API ND_MUST_CHECK nd_status nd_hamming_check(nd_hamming_index *index, nd_error *error);

typedef struct nd_hamming_info {
    size_t struct_size;                /* set by the caller */
    const nd_hamming_options *options; /* as it was made; valid as long as the handle */
    /* Tables of the largest segment, as nd_hamming_estimate.name; "": there is no segment. */
    char design[40];
    uint64_t table_bytes;   /* size of the tables of all segments */
    uint64_t posting_bytes; /* size of the lists from a fingerprint to its ids */
    uint64_t fingerprints;  /* fingerprints that searches find */
    uint64_t removed;       /* removed fingerprints that still take space */
    uint64_t segments, log_fingerprints, generation;
    uint64_t bytes; /* size of all files, and of what only memory has */
    uint32_t format;
    uint32_t reserved;
} nd_hamming_info;

ND_API ND_MUST_CHECK nd_status nd_hamming_describe(nd_hamming_index *index, nd_hamming_info *out,
                                                   nd_error *error);

/* Adds a fingerprint with an id of `id_length` bytes. ND_ERR_ARGUMENT: the index has the id, or the
 * fingerprint has bits beyond its length. If ids are numbers, `id` NULL takes the next number, one
 * more than the highest; a given id must be higher than all. Other errors: as nd_index_add. Takes
 * some microseconds; but after each 16,384 additions the log becomes a segment, and segments are
 * merged. */
ND_API ND_MUST_CHECK nd_status nd_hamming_add(nd_hamming_index *index, const char *id,
                                              size_t id_length, nd_fingerprint fingerprint,
                                              nd_error *error);

/* As nd_hamming_add, but removes the fingerprint with the same id before. ND_ERR_ARGUMENT: ids are
 * numbers. */
ND_API ND_MUST_CHECK nd_status nd_hamming_replace(nd_hamming_index *index, const char *id,
                                                  size_t id_length, nd_fingerprint fingerprint,
                                                  nd_error *error);

/* Formats of a file of fingerprints (doc/internals/formats.md, "Fingerprint files"). */
typedef enum nd_fingerprint_file {
    ND_FINGERPRINTS_HEX = 0, /* lines of id, tab, bits / 4 digits, as of nd_fingerprints */
    ND_FINGERPRINTS_U64,     /* 8 bytes each, little-endian, 16 to 64 bits; id: position, from 0 */
    ND_FINGERPRINTS_U128     /* 16 bytes each, little-endian, 128 bits; id: position, from 0 */
} nd_fingerprint_file;

/* Source of fingerprints. Fills *out (id NULL: its position) and returns 1; returns 0 at the end,
 * -1 to cancel. The id must stay valid until the next call. Called from one thread at a time. */
typedef int nd_fingerprint_source_fn(void *context, nd_fingerprinted *out);

typedef struct nd_fingerprint_source {
    size_t struct_size;
    /* A file; "-": standard input. gzip and Zstandard are recognised by their first bytes.
     * ND_ERR_INPUT: a malformed line or a file that ends inside a fingerprint, with the line or the
     * position. An uncompressed file of numbers is not kept in memory, but read twice for an index.
     */
    const char *path;
    nd_fingerprint_file format;
    uint32_t reserved;
    nd_fingerprint_source_fn *next; /* instead of `path` */
    void *context;                  /* first argument of `next` */
    /* Instead of `path`: `count` fingerprints of one word each, for 128 bits of two words, the low
     * one first. The id is the position, from 0. Read twice for an index. Must stay valid during
     * the call. */
    const uint64_t *words;
    uint64_t count;
} nd_fingerprint_source;

typedef struct nd_hamming_load_options {
    size_t struct_size;
    const nd_resources *resources; /* NULL: the defaults; `threads` is ignored */
    /* A fingerprint replaces the one of the index with the same id. false: a repeated id is
     * ND_ERR_ARGUMENT. */
    bool replace;
    uint8_t reserved[7];
} nd_hamming_load_options;

/* Adds all fingerprints of a source, or, after a failure, none. More than a thousand become a
 * segment of their own. Until the call returns, changes by other threads wait; a callback that
 * changes the index gets ND_ERR_BUSY, and a callback that syncs it may get it. ND_ERR_ARGUMENT: an
 * id comes twice in the source, or is in the index (without `replace`). Positions as ids continue
 * behind the highest number of the index; its ids must be numbers. `options` NULL: the defaults.
 * Sets these members of the summary (NULL: not wanted): documents (fingerprints), work_bytes and
 * times. */
ND_API ND_MUST_CHECK nd_status nd_hamming_load(nd_hamming_index *index,
                                               const nd_fingerprint_source *source,
                                               const nd_hamming_load_options *options,
                                               nd_job_summary *summary, nd_error *error);

/* Makes an index of a source: all of it, or none. As nd_hamming_create and then nd_hamming_load;
 * both NULL: the defaults. */
ND_API ND_MUST_CHECK nd_status nd_hamming_build(const char *path, const nd_hamming_options *options,
                                                const nd_fingerprint_source *source,
                                                const nd_resources *resources,
                                                nd_job_summary *summary, nd_error *error);

/* A found fingerprint. */
typedef struct nd_hamming_match {
    const char *id;
    size_t id_length;
    uint32_t number; /* the id, if ids are numbers; else 0 */
    nd_fingerprint fingerprint;
    uint32_t distance;
} nd_hamming_match;

typedef enum nd_hamming_kind {
    /* All, the nearest first, ties in the order of adding. */
    ND_HAMMING_ALL = 0,
    /* The first `limit` that the search meets, ordered in the same way; then it stops. */
    ND_HAMMING_ANY,
    ND_HAMMING_NEAREST, /* the first `limit` of ND_HAMMING_ALL */
    /* Only their number. Equal fingerprints are counted at once, unless one of them is removed. */
    ND_HAMMING_COUNT
} nd_hamming_kind;

typedef struct nd_hamming_search_options {
    size_t struct_size;
    /* Largest distance, 0 to bits / 4, default 3. Up to the index's own k a search uses the tables,
     * and takes some microseconds in all. Above it, it compares all fingerprints, 1 to 2
     * nanoseconds each. */
    uint32_t k;
    nd_hamming_kind kind; /* default ND_HAMMING_ALL */
    uint64_t limit;       /* ND_HAMMING_ANY, ND_HAMMING_NEAREST: at least 1, default 1 */
} nd_hamming_search_options;

ND_API void nd_hamming_search_options_init(nd_hamming_search_options *options, size_t struct_size);

/* A search context. Thread-compatible: one per thread. Any number of them search one index, while
 * another thread changes it. The caller frees *out before it closes the index. */
typedef struct nd_hamming_searcher nd_hamming_searcher;
ND_API ND_MUST_CHECK nd_status nd_hamming_searcher_create(nd_hamming_index *index,
                                                          nd_hamming_searcher **out,
                                                          nd_error *error);
/* NULL is accepted. */
ND_API void nd_hamming_searcher_free(nd_hamming_searcher *searcher);

/* Finds the fingerprints within k bits of a query. `options` NULL: the defaults. *matches stays
 * valid until the searcher is used again or freed; ND_HAMMING_COUNT: NULL. ND_ERR_ARGUMENT: the
 * query has bits beyond its length, or an option is out of range. ND_ERR_CORRUPT: a damaged page.
 */
ND_API ND_MUST_CHECK nd_status nd_hamming_search(nd_hamming_searcher *searcher,
                                                 nd_fingerprint query,
                                                 const nd_hamming_search_options *options,
                                                 const nd_hamming_match **matches, uint64_t *count,
                                                 nd_error *error);

typedef struct nd_hamming_query_options {
    size_t struct_size;
    const nd_fingerprint_source *source;     /* the queries; not NULL */
    const nd_hamming_search_options *search; /* NULL: the defaults */
    const nd_resources *resources;           /* NULL: the defaults */
} nd_hamming_query_options;

/* The matches of a query of a source. All pointers are valid during the call. */
typedef struct nd_hamming_answer {
    uint64_t query; /* its position, from 0 */
    const char *id; /* its id; the position if it has none */
    size_t id_length;
    nd_fingerprint fingerprint;
    const nd_hamming_match *matches; /* as of nd_hamming_search */
    uint64_t count;
} nd_hamming_answer;

/* Called once per query, in the order of the source, from one thread at a time. Return false to
 * cancel. */
typedef bool nd_hamming_answer_fn(void *context, const nd_hamming_answer *answer);

/* Searches for every fingerprint of a source, on several threads. Changes nothing. Above the
 * index's own k it compares some hundred queries at a time with all fingerprints, which costs less
 * per query than nd_hamming_search. Sets these members of the summary (NULL: not wanted): documents
 * (queries), pairs (matches) and times. Errors: as nd_hamming_search and nd_fingerprint_source;
 * ND_ERR_CANCELLED: a callback stopped it. */
ND_API ND_MUST_CHECK nd_status nd_hamming_query(nd_hamming_index *index,
                                                const nd_hamming_query_options *options,
                                                nd_hamming_answer_fn *fn, void *context,
                                                nd_job_summary *summary, nd_error *error);

/* One set of a join: an index or a source, exactly one of them. */
typedef struct nd_hamming_side {
    nd_hamming_index *index;
    const nd_fingerprint_source *source; /* ids may be repeated */
} nd_hamming_side;

/* Two fingerprints within k bits. All pointers are valid during the call. */
typedef struct nd_hamming_pair {
    const char *id_a, *id_b;
    size_t id_a_length, id_b_length;
    uint32_t number_a, number_b; /* the ids, if they are numbers; else positions in the sets */
    uint32_t distance;
} nd_hamming_pair;

/* Called once per pair, from one thread at a time. Return false to cancel. */
typedef bool nd_hamming_pair_fn(void *context, const nd_hamming_pair *pair);

/* The pairs of a join.
 *
 * ND_JOIN_PAIRS   Every pair within k.
 * ND_JOIN_GROUPS  Groups of one set: the connected components of the graph of all pairs. Each pair
 *                 is the first member of a group with another member, ascending; its distance is 0.
 *                 Sets with many near fingerprints have far fewer of these pairs. */
typedef enum nd_join_kind { ND_JOIN_PAIRS = 0, ND_JOIN_GROUPS } nd_join_kind;

typedef struct nd_hamming_join_options {
    size_t struct_size;
    uint32_t bits;     /* 16, 32, 64 or 128, default 64; as of an index among the sets */
    uint32_t k;        /* 0 to bits / 4, default 3; may exceed the k of an index */
    nd_join_kind kind; /* default ND_JOIN_PAIRS */
    uint32_t reserved;
    /* NULL: the defaults. The peak may exceed the memory limit by some MB per thread; further data
     * go to `work`. There are no warnings. */
    const nd_resources *resources;
} nd_hamming_join_options;

ND_API void nd_hamming_join_options_init(nd_hamming_join_options *options, size_t struct_size);

/* Finds all pairs within k bits in a set (`b` NULL: each once, a before b in the order of the set)
 * or between two sets, exactly. It sorts and scans instead of searching for each fingerprint. The
 * pairs and their order depend only on the sets, k and the kind. n equal fingerprints are n (n - 1)
 * / 2 pairs. The join reads the state of an index on disk at its beginning, so callbacks and other
 * threads may change the index meanwhile. An index in memory has only one state: until the join
 * returns, calls that change it, and other joins of it, fail with ND_ERR_BUSY. `options` NULL: the
 * defaults. Sets these members of the summary (NULL: not wanted): documents (fingerprints), pairs,
 * work_bytes and times. ND_ERR_ARGUMENT: an option is out of range, ND_JOIN_GROUPS of two sets, or
 * 2^32 - 1 fingerprints or more in a set. ND_ERR_CANCELLED: a callback stopped it. */
ND_API ND_MUST_CHECK nd_status nd_hamming_join(const nd_hamming_side *a, const nd_hamming_side *b,
                                               const nd_hamming_join_options *options,
                                               nd_hamming_pair_fn *fn, void *context,
                                               nd_job_summary *summary, nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
