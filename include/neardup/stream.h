/* A stream of documents, clustered at their arrival. */
#ifndef NEARDUP_STREAM_H
#define NEARDUP_STREAM_H

#include "neardup/index.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Leader clustering (Hartigan 1975): each document joins the nearest cluster within reach, or
 * founds a cluster, which is named by the document's id. The state is a directory. Answers that are
 * synced survive a crash of the process and of the machine, and a resumed stream continues without
 * a difference. One process writes at a time; any number read. Thread-compatible. */
typedef struct nd_stream nd_stream;

/* How the centre of a cluster moves.
 *
 * ND_STREAM_LEADER  Never: it is the first document.
 * ND_STREAM_FOLLOW  Only with ND_SKETCH_SIMHASH: each bit of the centre is the bit of most of its
 *                   documents; at a tie it stays. (It is kept as a 16-bit sum; when a sum reaches
 *                   32,767, all sums of the cluster are halved.) */
typedef enum nd_stream_mode { ND_STREAM_LEADER = 0, ND_STREAM_FOLLOW } nd_stream_mode;

typedef struct nd_stream_options {
    size_t struct_size;
    /* ND_SKETCH_MINHASH, the default: a document joins the cluster of the document that would be
     * its evidence in nd_index_add. ND_SKETCH_SIMHASH: it joins the cluster with the nearest centre
     * within k bits, at a tie the oldest. */
    nd_sketch sketch;
    nd_stream_mode mode; /* default ND_STREAM_LEADER */
    /* NULL: the defaults, but ngram 1 with ND_SKETCH_SIMHASH. Also makes the words of topics (words
     * of ND_WORDS if it is ND_CHARS). Stems only with ND_SKETCH_SIMHASH. A dictionary must stay
     * valid as long as the stream is open. */
    const nd_analyzer_options *analyzer;
    double threshold, recall; /* ND_SKETCH_MINHASH: as in nd_index_options */
    uint32_t perms;
    uint32_t k; /* ND_SKETCH_SIMHASH: largest distance, 0 to bits / 4, default 3 */
    /* ND_SKETCH_SIMHASH. NULL: the defaults. ND_WEIGHTING_COUNTED and ND_WEIGHTING_LEVELS are
     * ND_ERR_ARGUMENT. Stop words are no topics, either. The table and the stop words must stay
     * valid as long as the stream is open. */
    const nd_simhash_options *simhash;
    /* Seconds, by the times of the documents, after which a cluster that does not grow is
     * forgotten: at least 0, below 10^15. 0, the default: never. */
    double expire;
} nd_stream_options;

ND_API void nd_stream_options_init(nd_stream_options *options, size_t struct_size);

/* Opens the stream in the directory `path`; nd_stream_close frees *out. A reader sees the state at
 * the opening, and cannot add. For writing, a missing stream is made with `options` (NULL: the
 * defaults), in a directory as of nd_index_create. `allocator` NULL: malloc.
 *
 * The options of an existing stream must be equal; NULL takes its own. A writer of a stream with a
 * dictionary, stop words or a table of weights must give them in `options`, with the same content;
 * with ND_SEGMENT it must also have the same version of ICU. The version of libstemmer cannot be
 * checked.
 *
 * ND_ERR_ARGUMENT: an option differs, and the message names it; or a newer format. ND_ERR_IO: for
 * reading, there is no stream; or the directory has other files. ND_ERR_BUSY: another process
 * writes. ND_ERR_CORRUPT: damaged. */
ND_API ND_MUST_CHECK nd_status nd_stream_open(const char *path, nd_index_mode mode,
                                              const nd_stream_options *options,
                                              const nd_allocator *allocator, nd_stream **out,
                                              nd_error *error);
/* Reads the options of the stream in a directory, for a program that resumes a stream without
 * knowing them. *out is NULL if there is no stream; nd_stream_options_free frees it. A stream
 * stores only hashes of its dictionary, stop words and table of weights, so these members are NULL.
 * Reads only the settings of the state. ND_ERR_CORRUPT: damaged. `allocator` NULL: malloc. */
ND_API ND_MUST_CHECK nd_status nd_stream_read_options(const char *path,
                                                      const nd_allocator *allocator,
                                                      nd_stream_options **out, nd_error *error);
ND_API void nd_stream_options_free(nd_stream_options *options);
/* Syncs and frees. It cannot report a failed sync: call nd_stream_sync before. With MinHash it
 * waits for a merge of the index that goes on, but not behind a run that was cancelled. NULL is
 * accepted. In a child after fork(): as nd_index_close. */
ND_API void nd_stream_close(nd_stream *stream);

/* A topic: a term that the documents of a cluster have more often than other documents. Its weight
 * is a count times ln((documents + 1) / (df + 1)). The count is how often the documents of the
 * cluster have the term, at least: each cluster has ND_STREAM_TOPICS Space-Saving counters
 * (Metwally et al. 2005), of which the possible error is subtracted; each document offers its ten
 * heaviest words. df is the number of documents of the stream so far that have the term, counted in
 * 32 MiB (Cormode and Muthukrishnan 2005). */
#define ND_STREAM_TOPICS 10
typedef struct nd_stream_topic {
    const char *term; /* folded UTF-8, without a terminator */
    size_t length;
    double weight;
} nd_stream_topic;

/* Sets how many topics later answers have, at most ND_STREAM_TOPICS (a larger number counts as
 * that); 0 after opening. The stored state does not depend on it. */
ND_API void nd_stream_set_topics(nd_stream *stream, uint32_t topics);

/* The cluster of a document. All pointers are valid until the stream is used again. */
typedef struct nd_stream_answer {
    const char *id;
    size_t id_length;
    const char *cluster; /* id of the cluster's first document */
    size_t cluster_length;
    bool is_new; /* the document founded the cluster */
    /* One of the last 1,024 documents had this id. This is its answer, and nothing has changed. So
     * a program can send a document again if it got no answer. */
    bool again;
    /* ND_SKETCH_MINHASH: Jaccard similarity with the cluster's first document. 1 if the document is
     * new, or if it has the first document's id, however old. Otherwise 0. */
    double similarity;
    /* ND_SKETCH_SIMHASH: bits that differ from the centre before this document; 0 if new. */
    uint32_t distance;
    /* Topics of the cluster with this document, as of nd_stream_clusters. `again`: none if the
     * cluster has been forgotten since. */
    const nd_stream_topic *topics;
    size_t topic_count;
    bool last; /* nd_stream_run: the next documents may not have come yet */
    /* nd_stream_run: as in nd_decision. nd_stream_add: "" and 0. */
    const char *source;
    uint64_t line;
} nd_stream_answer;

/* Adds a document. `value` is its time in seconds: finite, or NaN for no time. *answer (NULL: not
 * wanted) is valid until the stream is used again. The change is durable after nd_stream_sync.
 * ND_ERR_INPUT: not UTF-8. ND_ERR_ARGUMENT: an infinite time, an id of 2 GiB or more, or the stream
 * is open for reading. After these errors nothing has changed. After any other error the stream
 * takes no more documents: close it, and open it again. */
ND_API ND_MUST_CHECK nd_status nd_stream_add(nd_stream *stream, const nd_record *document,
                                             const nd_stream_answer **answer, nd_error *error);
/* Makes all added documents durable. After a failure the stream takes no more documents. */
ND_API ND_MUST_CHECK nd_status nd_stream_sync(nd_stream *stream, nd_error *error);

/* Called once per document, in the order of input, from one thread at a time, when the document is
 * durable. The next documents are added meanwhile: REQUIRES: the callback does not use the stream.
 * on_progress and on_warning may run at the same time. All pointers are valid during the call.
 * Return false to cancel. */
typedef bool nd_stream_answer_fn(void *context, const nd_stream_answer *answer);

typedef struct nd_stream_run_options {
    size_t struct_size;
    const nd_input_options *input; /* not NULL */
    /* Field of JSON Lines with the time: a number of seconds, or an ISO 8601 date in a string.
     * Of web archives "WARC-Date". NULL, the default: documents have no times. Records of a
     * callback have `value` instead. */
    const char *time_field;
    const nd_resources *resources; /* NULL: the defaults */
} nd_stream_run_options;

/* Adds the documents of an input, analyzed on several threads. It answers all documents that have
 * come before it waits for more. Sets these members of the summary (NULL: not wanted): documents,
 * input_bytes, text_bytes, skipped and times. Errors: as nd_stream_add; ND_ERR_INPUT: a bad record,
 * without skip_errors; ND_ERR_CANCELLED: a callback stopped it. Documents that were answered stay
 * in the stream after a failure. */
ND_API ND_MUST_CHECK nd_status nd_stream_run(nd_stream *stream,
                                             const nd_stream_run_options *options,
                                             nd_stream_answer_fn *fn, void *context,
                                             nd_job_summary *summary, nd_error *error);

typedef struct nd_stream_info {
    size_t struct_size;               /* set by the caller */
    const nd_stream_options *options; /* valid as long as the stream is open */
    uint64_t documents;               /* documents that have arrived */
    uint64_t clusters;                /* clusters that are not forgotten */
    double clock;                     /* the latest time of a document; NaN: none had one */
    /* Size of all files, without the index that ND_SKETCH_MINHASH keeps. */
    uint64_t bytes;
    /* Bytes of memory of the clusters, and of the index of their centres (0 with ND_SKETCH_MINHASH,
     * whose index is on disk). Word counts take 32 MiB more; the names of topics take further
     * memory. */
    uint64_t cluster_memory, centre_memory;
} nd_stream_info;
ND_API ND_MUST_CHECK nd_status nd_stream_describe(const nd_stream *stream, nd_stream_info *out,
                                                  nd_error *error);

typedef struct nd_stream_member {
    const char *id;
    size_t length;
} nd_stream_member;

typedef struct nd_stream_cluster {
    const char *cluster; /* id of its first document */
    size_t cluster_length;
    /* Id of the document that was nearest to the centre at its arrival; the first one with
     * ND_STREAM_LEADER. */
    const char *central;
    size_t central_length;
    uint64_t size;
    uint64_t founded, grown;         /* numbers of its first and last document, from 1 */
    double founded_time, grown_time; /* the stream's clock then; NaN: no document had a time */
    nd_fingerprint centre;           /* ND_SKETCH_SIMHASH */
    const nd_stream_topic *topics;   /* the heaviest first, ties in bytewise order */
    size_t topic_count;
    const nd_stream_member *members; /* `size` of them, in the order of arrival; NULL: not wanted */
} nd_stream_cluster;

/* Called once per cluster. All pointers are valid during the call. Return false to cancel. */
typedef bool nd_stream_cluster_fn(void *context, const nd_stream_cluster *cluster);

/* Calls `fn` with the clusters of at least `least` documents, the largest first, ties in the order
 * of founding, each with its `topics` heaviest topics (0 to ND_STREAM_TOPICS; more count as that).
 * `members`: with all documents, too, which takes 40 bytes of memory each and the ids.
 * ND_ERR_CANCELLED: `fn` returned false. ND_ERR_CORRUPT: damaged. */
ND_API ND_MUST_CHECK nd_status nd_stream_clusters(nd_stream *stream, uint64_t least,
                                                  uint32_t topics, bool members,
                                                  nd_stream_cluster_fn *fn, void *context,
                                                  nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
