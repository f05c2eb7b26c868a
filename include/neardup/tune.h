/* The job that shows what each threshold of nd_dedup would remove, before one is chosen. */
#ifndef NEARDUP_TUNE_H
#define NEARDUP_TUNE_H

#include "neardup/audit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The document before or behind another one that is most similar to it; of equally similar ones the
 * first in the order of input. */
typedef struct nd_neighbour {
    uint64_t document; /* number in the order of input, from 0 */
    double similarity; /* by `measure`, exact; 0: no document reaches `lowest`, and the other
                          members are 0 */
    uint64_t intersection, set_union;
    nd_named_document named;
} nd_neighbour;

/* A document of the sample, or one whose copies are in the sample. */
typedef struct nd_tuned_document {
    uint64_t document; /* number in the order of input, from 0; it is the first with its tokens */
    nd_named_document named;
    bool sampled;            /* it is in the sample itself */
    uint64_t sampled_copies; /* so many exact copies of it, token by token, are in the sample */
    uint64_t copies;         /* of it in the input, without itself */
    nd_neighbour earlier;    /* among documents before it that have other tokens */
    nd_neighbour later;      /* the same behind it */
} nd_tuned_document;

/* Called once per document, in the order of input, from one thread at a time. All pointers are
 * valid during the call. Return false to cancel. */
typedef bool nd_tuned_fn(void *context, const nd_tuned_document *document);

typedef struct nd_tune_options {
    size_t struct_size;
    const nd_input_options *input;       /* not NULL */
    const nd_analyzer_options *analyzer; /* NULL: the defaults; so is the next one */
    const nd_resources *resources;
    nd_measure measure;       /* default ND_MEASURE_JACCARD */
    uint32_t sample;          /* documents of the sample: 1 to 2^31 - 1, default 1000 */
    double lowest;            /* least threshold: above 0, at most 1; default 0.5 */
    uint64_t seed;            /* of the sample; default 0 */
    nd_tuned_fn *on_document; /* NULL: not wanted */
    void *context;            /* of on_document */
} nd_tune_options;

ND_API void nd_tune_options_init(nd_tune_options *options, size_t struct_size);

/* The thresholds 0.05, 0.10 ... 1. */
enum { ND_TUNE_STEPS = 20 };

typedef struct nd_tune_step {
    double threshold;
    /* Share of all documents that have a duplicate before them, with this threshold. */
    nd_audit_share removed;
    /* Share of all documents that are the first of a group of duplicates. */
    nd_audit_share groups;
    /* Documents of the sample whose most similar document before them, of other tokens, is at least
     * as similar as this threshold, and less than the next one. */
    uint64_t nearest;
} nd_tune_step;

typedef struct nd_tune_result {
    size_t struct_size; /* set by the caller */
    uint64_t documents, sampled;
    uint64_t exact_copies; /* of all documents: every threshold removes them */
    uint64_t sampled_copies;
    uint64_t first; /* index of the first step whose threshold reaches `lowest`; 0 to 19 */
    nd_tune_step steps[ND_TUNE_STEPS]; /* before `first`: only the threshold is set */
} nd_tune_result;

/* Estimates what nd_dedup removes with each threshold, on a random sample: every document of the
 * sample is compared exactly, as sets of shingles, with every document of the input. No sketches
 * and no candidates play a part, so nothing is missed.
 *
 * The sample is drawn as that of nd_audit, and its intervals are made in the same way, for shares
 * of documents. With as many documents as the input has they are the shares themselves.
 *
 * nd_dedup compares with kept documents only, and a document before may have been removed for a
 * third one that is not similar enough. So ND_GROUP_GREEDY removes somewhat fewer documents than
 * `removed` says; ND_GROUP_COMPONENT removes exactly these or more.
 *
 * `result` is not NULL. Sets these members of `summary` (NULL: not wanted): all that nd_dedup sets
 * while it reads, and the time of ND_STAGE_WRITE, which is that of the exact comparison. Errors: as
 * nd_dedup. Time: two passes over the texts, and the comparisons of similar pairs; linear in the
 * documents. If the shingles of the sample take more than 40 percent of the memory, it is one more
 * pass for each such part. */
ND_API ND_MUST_CHECK nd_status nd_tune(const nd_tune_options *options, nd_tune_result *result,
                                       nd_job_summary *summary, nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
