/* The options of nd_dedup, nd_exact, nd_pairs, nd_audit and nd_tune, read once. Every part has
 * every member; members that the caller did not set have their defaults. Const after that. Strings,
 * arrays, tables and callbacks stay the caller's. */
#ifndef ND_DEDUP_DEDUP_PARTS_H
#define ND_DEDUP_DEDUP_PARTS_H

#include "base/status.h"

typedef struct nd_dedup_parts {
    nd_input_options input;
    nd_similarity_options similarity; /* except `analyzer` and `simhash`: the next two members
                                         replace them */
    nd_analyzer_options analyzer;
    nd_simhash_options simhash;
    nd_survivor_options survivors;
    nd_index_use index;
    nd_output_options outputs; /* with nd_pairs only edges and on_pair are set,
                                  with nd_audit and nd_tune none */
    const nd_resources *resources;
    bool exact; /* nd_exact: documents are duplicates if they are identical, by `equal` */
    nd_equal equal;
} nd_dedup_parts;

/* Reads the caller's options. ND_ERR_ARGUMENT: a structure has an unknown size, or a member is out
 * of its own range. */
nd_status nd_dedup_parts_read(const nd_dedup_options *given, nd_dedup_parts *out, nd_error *error);
nd_status nd_dedup_parts_read_exact(const nd_exact_options *given, nd_dedup_parts *out,
                                    nd_error *error);
nd_status nd_dedup_parts_read_pairs(const nd_pairs_options *given, nd_dedup_parts *out,
                                    nd_error *error);
/* *audit has every member, too. */
nd_status nd_dedup_parts_read_audit(const nd_audit_options *given, nd_audit_options *audit,
                                    nd_dedup_parts *out, nd_error *error);

/* *tune has every member, too. */
nd_status nd_dedup_parts_read_tune(const nd_tune_options *given, nd_tune_options *tune,
                                   nd_dedup_parts *out, nd_error *error);

/* Whether kept documents are added to an index. */
static inline bool nd_has_index(const nd_dedup_parts *parts) {
    return parts->index.path || parts->index.index;
}

/* Whether nothing may be written before all documents are decided. */
static inline bool nd_has_limit(const nd_dedup_parts *parts) {
    return parts->survivors.max_removed > 0;
}

#endif
