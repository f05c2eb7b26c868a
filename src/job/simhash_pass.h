/* The fingerprints of a job's documents: what they are made of, and a second reading that makes
 * them where weights are known only when all have been read. */
#ifndef ND_JOB_SIMHASH_PASS_H
#define ND_JOB_SIMHASH_PASS_H

#include "job/job.h"
#include "sketch/text_simhash.h"
#include "text/analyzer.h"

#include <string.h>

/* ND_ERR_ARGUMENT: options of ND_SKETCH_SIMHASH out of range, or that do not go together. */
nd_status nd_job_check_fingerprints(const nd_job_options *options, nd_error *error);

/* What the job's documents are fingerprinted with: the analyzer of their features, and, where the
 * weights are known, the SimHash. For one thread; the caller has set both to NULL and frees them in
 * any case. */
nd_status nd_job_text_simhash(const nd_job *job, nd_analyzer_outputs outputs,
                              nd_analyzer **analyzer, nd_text_simhash **simhash, nd_error *error);

static inline bool nd_counts_words(const nd_job_options *options) {
    return options->simhash.weighting == ND_WEIGHTING_COUNTED;
}

/* Bytes of a fingerprint as it stands in the job's sketches. */
static inline size_t nd_fingerprint_size(uint32_t bits) { return bits > 64 ? 16 : 8; }

/* The fingerprint of a sketch. */
static inline nd_fingerprint nd_fingerprint_of_sketch(const void *sketch, size_t size) {
    nd_fingerprint fingerprint = {0, 0};
    memcpy(&fingerprint, sketch, size); /* the low word comes first */
    return fingerprint;
}

/* Reads the documents once more, now that their words are counted, and makes their sketches; those
 * of exact copies are zeros. */
nd_status nd_job_fingerprint_counted(nd_job *job, nd_error *error);

#endif
