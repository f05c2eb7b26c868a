/* An index of documents that grows, on disk or in memory. */
#ifndef NEARDUP_INDEX_H
#define NEARDUP_INDEX_H

#include "neardup/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An index of documents, on disk a directory (doc/internals/index.md). It keeps documents that are
 * pairwise no duplicates, each with the data that comparisons need. One process writes at a time;
 * any number read, each the state at its opening. Acknowledged changes survive a crash of the
 * process or of the machine. The files are the same on every machine. Adding documents one by one,
 * in batches (nd_index_use) or all at once, in one order, keeps the same documents.
 *
 * Thread-safe, except nd_index_refresh and nd_index_close: these require that no other thread uses
 * the handle. Changes run one after the other; searches go on meanwhile. */
typedef struct nd_index nd_index;

/* What an index keeps of a document.
 *
 * ND_CONTENT_SKETCHES  Its sketch, and its shingle set: near-duplicates are found.
 * ND_CONTENT_HASHES    The 128-bit hash of its text: identical documents are found, by nd_exact
 *                      alone. Such an index takes about 40 bytes a document besides its ids. It is
 *                      never searched by a text: nd_index_searcher_create, nd_index_query,
 *                      nd_passages and nd_dedup refuse it with ND_ERR_ARGUMENT. */
typedef enum nd_index_content { ND_CONTENT_SKETCHES = 0, ND_CONTENT_HASHES } nd_index_content;

/* Options of a new index. They never change. */
typedef struct nd_index_options {
    size_t struct_size;
    const nd_analyzer_options *analyzer; /* NULL: the defaults; neither ND_SEGMENT nor stems */
    double threshold; /* least Jaccard similarity of a duplicate: (0, 1], default 0.8 */
    double recall;    /* probability to find a pair at the threshold: (0, 1), default 0.999 */
    uint32_t perms;   /* 1 to 1024, default 128 */
    /* Store no shingle sets: half the bytes, but similarities are estimates. Default false. */
    bool sketch_only;
    uint8_t reserved[3];
    nd_index_content content; /* default ND_CONTENT_SKETCHES */
    /* ND_CONTENT_HASHES: which texts are identical, default ND_EQUAL_BYTES. Of the other options
     * only the analyzer has an effect then, and that with ND_EQUAL_TOKENS alone, as in
     * nd_exact_options. */
    nd_equal by;
} nd_index_options;

ND_API void nd_index_options_init(nd_index_options *options, size_t struct_size);

/* Makes an empty index in a directory of its own, `path`. The directory may be missing, be empty,
 * or have only the files of a call that died there. ND_ERR_IO: it has other files; the message
 * names a stream, an index or the first entry, and nothing changes. A failed call leaves the
 * directory as it was, missing if it was missing. nd_hamming_create, nd_hamming_build, and
 * nd_stream_open for a new stream do the same. `options` NULL: the defaults. */
ND_API ND_MUST_CHECK nd_status nd_index_create(const char *path, const nd_index_options *options,
                                               nd_error *error);

/* Makes an empty index in memory alone, open for writing. Nothing is durable: nd_index_sync does
 * nothing, and nd_index_close drops all documents. `options` NULL: the defaults. `allocator` NULL:
 * malloc. nd_index_close frees *out. */
ND_API ND_MUST_CHECK nd_status nd_index_create_in_memory(const nd_index_options *options,
                                                         const nd_allocator *allocator,
                                                         nd_index **out, nd_error *error);

/* When changes of an index become durable. A new segment is always synced, together with all
 * changes before it. */
typedef enum nd_sync {
    ND_SYNC_EACH = 0, /* before the call returns; concurrent calls share a sync */
    ND_SYNC_BATCH,    /* by nd_index_sync; changes of a job before the job returns */
    ND_SYNC_OFF /* when the system writes them; a machine crash may lose the last whole changes */
} nd_sync;

/* Files of an index are read through mapped memory. If another program truncates or overwrites a
 * file of an open index, or the disk fails, a read of the lost bytes cannot return an error: the
 * system ends the process by SIGBUS (as with LMDB, and with SQLite's mapped files). This library
 * never does so: it never writes to a mapped file, and a removed file stays readable for its
 * readers. So never truncate, edit or copy over files of an index in use. To restore a copy, close
 * the index first, or restore into another directory. nd_index_check reads every page by calls
 * first, and returns such damage as ND_ERR_CORRUPT or ND_ERR_IO. */
typedef enum nd_index_mode { ND_INDEX_READ = 0, ND_INDEX_WRITE } nd_index_mode;

/* Opens the acknowledged state of the index in the directory `path`; nd_index_close frees *out. A
 * writer removes files that crashed writers have left, known by name or content, and touches no
 * other file. `allocator` NULL: malloc. ND_ERR_BUSY: another writer has the index. ND_ERR_IO: there
 * is no index, or a stream instead, as the message says. ND_ERR_CORRUPT: damaged. ND_ERR_ARGUMENT:
 * an index of fingerprints, of a newer format or of another Unicode version. */
ND_API ND_MUST_CHECK nd_status nd_index_open(const char *path, nd_index_mode mode,
                                             const nd_allocator *allocator, nd_index **out,
                                             nd_error *error);

/* Syncs all changes (not with ND_SYNC_OFF), frees the handle, and lets another process write. It
 * cannot report a failed sync: call nd_index_sync before. Additions may have begun to merge large
 * segments on a thread; closing waits for its end. NULL is accepted. REQUIRES: all searchers are
 * freed.
 *
 * fork(): a handle for writing, of an index or a stream, belongs to the process that opened it.
 * REQUIRES: no other thread uses the handle during fork(). In a child, every call that changes or
 * syncs is ND_ERR_ARGUMENT; searches see the state at the fork; closing only frees memory and
 * descriptors. When the parent closes its handle, another process may write at once. When the
 * parent dies first, everything acknowledged is on disk as usual, but its children still hold the
 * lock: opening for writing is ND_ERR_BUSY until each child has closed its copy of the handle,
 * ended, or started another program (exec). */
ND_API void nd_index_close(nd_index *index);

/* Moves a reader to the newest state; does nothing for a writer. REQUIRES: no other thread uses the
 * handle or its searchers. Errors: as nd_index_open; ND_ERR_ARGUMENT also if the directory now has
 * another index. The handle then keeps its state. */
ND_API ND_MUST_CHECK nd_status nd_index_refresh(nd_index *index, nd_error *error);

typedef struct nd_index_info {
    size_t struct_size;              /* set by the caller */
    const nd_index_options *options; /* as it was made; valid as long as the handle */
    nd_plan plan;                    /* ND_CONTENT_HASHES: zeros */
    uint64_t documents;              /* documents that searches find */
    uint64_t removed;                /* removed documents that still take space */
    uint64_t segments, log_documents, generation;
    uint64_t bytes; /* size of all files, and of what only memory has */
    uint32_t format;
    uint32_t reserved;
} nd_index_info;

ND_API ND_MUST_CHECK nd_status nd_index_describe(nd_index *index, nd_index_info *out,
                                                 nd_error *error);

/* A document of the index that is a duplicate of a text. */
typedef struct nd_match {
    const char *id;
    size_t id_length;
    double jaccard;
    bool estimated; /* `jaccard` is an estimate (sketch_only); the counts are 0 */
    uint64_t intersection, set_union;
} nd_match;

typedef enum nd_search_kind {
    ND_SEARCH_ALL = 0, /* every duplicate, the most similar first, ties in the order of adding */
    ND_SEARCH_BEST,    /* the first of these */
    ND_SEARCH_FIRST    /* the duplicate that was added first: the evidence of nd_index_add */
} nd_search_kind;

/* A search context. Thread-compatible: one per thread. Any number of them search one index, while
 * another thread changes it. The caller frees *out before it closes the index. ND_ERR_ARGUMENT: an
 * index with ND_SEGMENT, which only its stream may use, or of ND_CONTENT_HASHES. */
typedef struct nd_index_searcher nd_index_searcher;
ND_API ND_MUST_CHECK nd_status nd_index_searcher_create(nd_index *index, nd_index_searcher **out,
                                                        nd_error *error);
ND_API void nd_index_searcher_free(nd_index_searcher *searcher);

/* Finds the duplicates of a text of `length` bytes. *matches stays valid until the searcher is used
 * again or freed. A text is compared with at most 1,000 members of large buckets (max_compare of
 * nd_similarity_options); nd_index_searcher_left_out returns how many comparisons the last search
 * left out. ND_ERR_INPUT: not UTF-8, with the byte offset. ND_ERR_CORRUPT: a damaged page. Takes a
 * few microseconds, plus the comparisons. */
ND_API ND_MUST_CHECK nd_status nd_index_search(nd_index_searcher *searcher, const char *text,
                                               size_t length, nd_search_kind kind,
                                               const nd_match **matches, size_t *count,
                                               nd_error *error);
ND_API uint64_t nd_index_searcher_left_out(const nd_index_searcher *searcher);

/* Sets when later changes become durable. Before the first call, and for an unknown constant:
 * ND_SYNC_EACH. */
ND_API void nd_index_set_sync(nd_index *index, nd_sync sync);

/* Adds a document, unless it is a duplicate of a document of the index. *added: whether it was
 * added. If not, *evidence (`evidence` NULL: not wanted) is the first such document, valid until
 * the searcher is used again; else NULL. `searcher` belongs to the calling thread and to this
 * index. `value` of the document is ignored. ND_ERR_INPUT: the text is not UTF-8. ND_ERR_ARGUMENT:
 * the index has the id, or is open for reading. ND_ERR_BUSY: called in a callback of a call that
 * changes this index, or while nd_dedup adds documents to it. ND_ERR_IO: either a write failed, the
 * document may be there or not, as after a crash, and the index takes no more changes; or earlier
 * changes could not move to a segment (a full disk), and the document was not added. */
ND_API ND_MUST_CHECK nd_status nd_index_add(nd_index *index, nd_index_searcher *searcher,
                                            const nd_record *document, bool *added,
                                            const nd_match **evidence, nd_error *error);

/* As nd_index_add, but removes a document of the index with the same id before. It is removed even
 * if the new document turns out to be a duplicate of another one. */
ND_API ND_MUST_CHECK nd_status nd_index_replace(nd_index *index, nd_index_searcher *searcher,
                                                const nd_record *document, bool *added,
                                                const nd_match **evidence, nd_error *error);

/* Removes the document with an id of `id_length` bytes. *found: whether the index had it. Documents
 * that were not added because they duplicated it do not come back. Errors: as nd_index_add. */
ND_API ND_MUST_CHECK nd_status nd_index_remove(nd_index *index, const char *id, size_t id_length,
                                               bool *found, nd_error *error);

/* Makes all changes durable. After a failure the handle takes no more changes: close it, and open
 * the state on disk again. */
ND_API ND_MUST_CHECK nd_status nd_index_sync(nd_index *index, nd_error *error);

/* Merges everything into one segment, without removed documents. Takes as long as writing it;
 * searches go on meanwhile, changes wait. Errors: as nd_index_add. */
ND_API ND_MUST_CHECK nd_status nd_index_compact(nd_index *index, nd_error *error);

/* Reads every byte and checks every invariant. ND_ERR_CORRUPT: the message names the damage.
 * Changes wait meanwhile. */
ND_API ND_MUST_CHECK nd_status nd_index_check(nd_index *index, nd_error *error);

typedef struct nd_index_query_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    nd_search_kind kind;           /* default ND_SEARCH_ALL */
    uint32_t max_compare;          /* as in nd_similarity_options: at least 1, default 1000 */
    const nd_resources *resources; /* NULL: the defaults */
} nd_index_query_options;

ND_API void nd_index_query_options_init(nd_index_query_options *options, size_t struct_size);

/* The duplicates of a document of an input. All pointers are valid during the call. */
typedef struct nd_answer {
    uint64_t document; /* its number in the order of input, from 0 */
    const char *id;    /* as in nd_record and nd_input_options */
    size_t id_length;
    const nd_match *matches;
    size_t count;
    uint64_t left_out;  /* comparisons that max_compare left out */
    const char *source; /* as in nd_decision; so is the next one */
    uint64_t line;
} nd_answer;

/* Called once per document, in the order of input, from one thread at a time. Return false to
 * cancel. */
typedef bool nd_answer_fn(void *context, const nd_answer *answer);

/* Searches the index for every document of an input, on several threads. Changes nothing. Sets
 * these members of the summary (NULL: not wanted): documents, input_bytes, text_bytes, skipped,
 * pairs (matches), bounded_documents, bounded_comparisons and times. ND_ERR_INPUT: a bad record,
 * without skip_errors. ND_ERR_CANCELLED: a callback stopped it. */
ND_API ND_MUST_CHECK nd_status nd_index_query(nd_index *index,
                                              const nd_index_query_options *options,
                                              nd_answer_fn *fn, void *context,
                                              nd_job_summary *summary, nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
