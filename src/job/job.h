/* A job: what its stages share. The way of the documents through it:
 *
 *   ingest.c    read      records -> shingles -> sketches, band keys, text hashes, ids
 * (record_pass.c: parallel by block, stored in the order of input) priority.c            the order
 * in which documents are taken, when it is not the order of input exact_copies.c    match documents
 * with the token sequence of an earlier one leave: they share its fate propose_by_bands.c buckets
 * of equal band keys, or of equal sentences, which stand as the keys of one band, -> candidate
 * pairs and wide buckets, by the later document (candidates.c) propose_by_hamming.c        or all
 * pairs of fingerprints within k -> the same; simhash_pass.c: which are made by a second reading
 * where words are counted first decide.c    decide    candidates -> exact comparison -> fate of
 * each document, in the order of priority    (pair_verifier.c compares two documents) report.c
 * write     fates -> kept records (kept_writer.c), tables, callbacks; while deciding goes on where
 * the order of priority is that of input
 *
 * A *rank* is a document's place in the order of priority. Against an index (doc/index.md) its
 * documents come first, a number being a rank, all of them kept; those of the job stand behind,
 * from `base` on. `order` and `rank_of` translate, both NULL when the order of priority is that of
 * input. index_update.c         kept documents -> a new segment */
#ifndef ND_JOB_JOB_H
#define ND_JOB_JOB_H

#include "base/job_progress.h"
#include "base/limits.h"
#include "corpus/document_id.h"
#include "io/output_file.h"
#include "io/external_sort.h"
#include "job/document_table.h"
#include "job/first_neighbours.h"
#include "store/store.h"
#include "terms/count_min.h"

#include <stdatomic.h>

typedef enum nd_task {
    ND_TASK_DEDUP,
    ND_TASK_PAIRS,
    ND_TASK_QUERY,
    ND_TASK_PASS,
    ND_TASK_STREAM
} nd_task;

/* A pair of ranks decided as a duplicate, or why a document was removed. Spools hold very many. */
typedef struct nd_verdict {
    uint32_t earlier, later; /* ranks */
    union {
        struct {
            uint32_t intersection, set_union; /* of the sets of shingles, where counted */
        };
        double score; /* else: the estimate of the Jaccard similarity, or the cosine */
    };
    uint32_t distance; /* of fingerprints */
    uint32_t counted;  /* 1 or 0 */
} nd_verdict;

/* How --memory is divided: shares in percent of what the threads' own buffers leave, and the window
 * of a Zstandard input. */
enum {
    SHARE_BANDS = 40,
    SHARE_SKETCHES = 25,
    SHARE_IDS = 8,
    SHARE_HASHES = 5,
    SHARE_INPUT = 7,
    SHARE_PAIRS = 15
};

typedef struct nd_reporter nd_reporter;

typedef struct nd_job {
    nd_task task;
    nd_job_options options;
    nd_allocator allocator;
    nd_progress progress;
    nd_plan plan;
    uint32_t threads;
    uint32_t passes;     /* over the records, that are done */
    uint64_t memory;     /* for shares */
    uint64_t set_memory; /* for `sets`, as much as for all shares */
    nd_scratch_disk disk;
    char *work;
    nd_job_summary summary;
    double stage_began;

    /* read */
    nd_corpus *corpus;
    nd_minhash *minhash;
    nd_document_table documents;
    nd_spool sketches; /* sketch_size bytes a document, by document: low bytes of a signature, or a
                          fingerprint */
    size_t sketch_size;
    nd_feature_counts *counts; /* of the documents' words; NULL: not wanted */
    bool counted;              /* all of them */
    nd_spool hashes;           /* 16 bytes a document: text hash */
    nd_spool ids;              /* a document: 8 bytes line, then the id's bytes */
    nd_spool id_ends;          /* 8 bytes a document: where its entry in ids ends */
    nd_spool priorities; /* 8 bytes a document, only when priority is not the order of input */
    nd_part_sorter
        *bands; /* band_key.h; or hashes of sentences, all in one band; NULL once matched */
    nd_part_sorter *hash_order,
        *id_order; /* high half: bits of the hash; low half: document; part: its top bits */

    /* match */
    uint32_t *order, *rank_of;
    uint8_t *copies;       /* bit d: document d is an exact copy; NULL: none is */
    nd_part_sorter *pairs; /* later rank << 32 | earlier rank; part: later / ND_DECIDE_BLOCK */
    nd_part_sorter *memberships; /* rank << 32 | bucket; part as above */
    uint32_t wide_buckets;
    uint32_t *bucket_sizes;
    size_t bucket_capacity;
    nd_first_neighbours neighbours; /* with fingerprints: for whom pairs were left out */

    /* decide */
    nd_spool verdicts;    /* nd_verdict, one for each removed document that is no copy: its link */
    nd_spool found_pairs; /* nd_verdict, every duplicate pair, by (later, earlier); only where all
                             are wanted */
    nd_reporter *reporter;

    /* against an index */
    nd_store *store;         /* NULL: none */
    nd_spool sets, set_ends; /* of one with exact verification: packed_set.h, by document, and 8
                                bytes behind; 8 bytes a document: where its set ends */
    uint32_t base;           /* its documents, 0 without one */
    uint8_t
        *known; /* bit d: document d is in it, by an earlier run of the same batch; NULL: none is */
    /* Of the numbers that an earlier run of the same batch has added: the document with that id;
     * UINT32_MAX: none. NULL: there was no such run. */
    uint32_t *given_again;
    nd_batch_mark earlier;  /* what that run added */
    uint32_t committed;     /* documents below this have been added */
    uint64_t batch;         /* names the batch: a hash of its input and options */
    double checkpoint;      /* time of the last one */
    uint32_t *wide_indexed; /* of wide buckets: number, documents left out, count, that many
                               documents; and so on */
    size_t wide_indexed_count, wide_indexed_capacity;
} nd_job;

/* Documents that are decided together, in the order of rank. Part of the definition of the counts
 * in the summary, not of the answer. */
enum { ND_DECIDE_BLOCK = ND_LIMIT(8192, 16) };

/* Of a rank from job->base on. */
static inline uint32_t nd_job_document(const nd_job *job, uint32_t rank) {
    return job->order ? job->order[rank - job->base] : rank - job->base;
}
static inline uint32_t nd_job_rank(const nd_job *job, uint32_t document) {
    return job->base + (job->rank_of ? job->rank_of[document] : document);
}
static inline bool nd_job_is_known(const nd_job *job, uint32_t document) {
    return job->known && job->known[document >> 3] >> (document & 7) & 1;
}
/* The rank by which results name a document: one that an earlier run of the same batch has put into
 * the index is still a document of the batch. */
static inline uint32_t nd_job_named_rank(const nd_job *job, uint32_t rank) {
    if (!job->given_again || rank < job->earlier.begin || rank >= job->earlier.end) return rank;
    uint32_t document = job->given_again[rank - job->earlier.begin];
    return document == UINT32_MAX ? rank : nd_job_rank(job, document);
}
static inline bool nd_job_is_indexed(const nd_job *job, uint32_t rank) { return rank < job->base; }
static inline bool nd_job_has_fingerprints(const nd_job *job) {
    return job->options.sketch == ND_SKETCH_SIMHASH;
}
static inline bool nd_job_has_sentences(const nd_job *job) {
    return job->options.sketch == ND_SKETCH_SENTENCES;
}
static inline bool nd_job_is_copy(const nd_job *job, uint32_t document) {
    return job->copies && job->copies[document >> 3] >> (document & 7) & 1;
}

/* What the analyzers of a job are made with, whose shingles have so many tokens. */
nd_analyzer_options nd_job_analyzer(const nd_job_options *options, uint32_t ngram);

/* Source of a document. */
size_t nd_job_source_of(const nd_job *job, uint32_t document);

/* ND_ERR_ARGUMENT: `memory` is below the least. */
nd_status nd_job_check_memory(const nd_job_options *options, nd_error *error);

/* Every pair of `found_pairs` in their order, read in large pieces. */
typedef nd_status nd_found_pair_fn(void *context, const nd_verdict *pair, nd_error *error);
nd_status nd_found_pairs_each(nd_job *job, nd_found_pair_fn *fn, void *context, nd_error *error);

/* Memory for a share of the budget, at least 1 MiB. */
size_t nd_job_share(const nd_job *job, unsigned percent);

/* Tells of something that does not stop the job, in one printable line. */
void nd_job_warn(nd_job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool nd_job_has_sets(const nd_job *job) {
    return job->store && nd_store_state(job->store)->settings.exact;
}
/* The packed set of a rank, which may be a document of the index; it may be put into *buffer. Any
 * number of threads, each with its buffer. */
nd_status nd_job_set_of_rank(const nd_job *job, uint32_t rank, unsigned char **buffer,
                             size_t *capacity, const unsigned char **packed, size_t *size,
                             nd_error *error);

/* Reads the id of a document, and where it stands. */
nd_status nd_job_id(const nd_job *job, uint32_t document, nd_id_buffer *buffer, nd_error *error);
/* The same of a rank, which may be a document of the index. */
nd_status nd_job_id_of_rank(const nd_job *job, uint32_t rank, nd_id_buffer *buffer,
                            nd_error *error);

/* Checks the options, finds threads, memory and the directory for temporary files. */
nd_status nd_job_find_means(nd_job *job, nd_error *error);
/* The same, and opens the corpus. */
nd_status nd_job_open_input(nd_job *job, nd_error *error);
void nd_job_close_input(nd_job *job);
/* ND_ERR_ARGUMENT: one of the outputs (NULL among them: not wanted) is an input, or two are one
 * file. */
nd_status nd_job_check_outputs(const nd_job *job, nd_output_file *const *outputs, size_t count,
                               nd_error *error);

/* The stages. */
nd_status nd_job_ingest(nd_job *job, nd_error *error);
nd_status nd_job_order_by_priority(nd_job *job, nd_error *error);
nd_status nd_job_find_copies(nd_job *job, nd_error *error);
nd_status nd_job_find_repeated_ids(nd_job *job, nd_error *error);
nd_status nd_job_propose(nd_job *job, nd_error *error);
nd_status nd_job_propose_near(nd_job *job, nd_error *error);
nd_status nd_job_decide(nd_job *job, nd_error *error);

/* Against an index: opens it; looks for the ids of the documents in it; adds what was kept. */
nd_status nd_job_open_index(nd_job *job, nd_error *error);
nd_status nd_job_check_index_ids(nd_job *job, nd_error *error);
nd_status nd_job_extend_index(nd_job *job, nd_error *error);
/* Called while documents are decided, those before `end` for good: adds what was kept of them now
 * and then, so that a run that dies has not worked for nothing. */
nd_status nd_job_checkpoint(nd_job *job, uint32_t end, nd_error *error);

/* The report. nd_job_report_open opens the outputs. nd_job_report_begin: documents are about to be
 * decided. nd_job_report: the documents before `end` that have not been reported yet; their fates
 * are final. nd_job_report_end: all others, and the outputs get their names. nd_job_report_accept:
 * what stood under these names before is dropped; freed without that, it is put back. */
nd_status nd_job_report_open(nd_job *job, nd_error *error);
nd_status nd_job_report_begin(nd_reporter *reporter, nd_error *error);
nd_status nd_job_report(nd_reporter *reporter, uint64_t end, nd_error *error);
nd_status nd_job_report_end(nd_reporter *reporter, nd_error *error);
void nd_job_report_accept(nd_reporter *reporter);
void nd_job_report_free(nd_reporter *reporter);

#endif
