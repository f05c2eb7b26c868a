/* The random sample of an audit. Exact copies have the same duplicates, so documents of the sample
 * that are copies of one original make one *probe*, which is compared once. */
#ifndef ND_DEDUP_AUDIT_SAMPLE_H
#define ND_DEDUP_AUDIT_SAMPLE_H

#include "dedup/fates.h"

typedef struct nd_probe {
    uint32_t document; /* no copy */
    uint32_t sampled;  /* documents of the sample that are it or its copies; at least 1 */
    bool itself;       /* it is in the sample, too */
} nd_probe;

typedef struct nd_audit_sample {
    nd_allocator allocator;
    nd_probe *probes; /* ascending */
    size_t count;
    uint64_t sampled; /* documents of the sample */
} nd_audit_sample;

/* Draws min(size, fates->count) documents without replacement. `size` < 2^31. *out is valid for
 * nd_audit_sample_free in any case. O(documents). */
nd_status nd_audit_sample_draw(const nd_fates *fates, uint64_t size, uint64_t seed,
                               nd_audit_sample *out, nd_error *error);
void nd_audit_sample_free(nd_audit_sample *sample);

/* The number of the probe of a document; SIZE_MAX: it is none. O(log probes). */
size_t nd_probe_of(const nd_audit_sample *sample, uint32_t document);

#endif
