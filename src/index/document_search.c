#include "index/document_search.h"

#include "base/radix_sort.h"
#include "kernel/kernel.h"
#include "similarity/packed_set.h"
#include "sketch/bucket_scan.h"
#include "sketch/minhash_filter.h"
#include "store/band_lookup.h"

#include <stdlib.h>
#include <string.h>

/* A match, with the number of its document for sorting. The id is copied, because the store may
 * change before the caller reads it. */
typedef struct found {
    nd_match match;
    uint32_t number;
    size_t id; /* offset in the context's bytes of ids */
} found;

struct nd_document_search {
    nd_allocator allocator;
    nd_index_settings settings;
    uint32_t max_compare;
    size_t least_equal;                   /* equal bytes that two sketches must have */
    const nd_sketched_document *document; /* the document of the search; the caller's */
    nd_band_lookup *lookups;
    nd_lookup_context lookup_context;
    /* Candidates: number << 1, and 1 if only large buckets propose it. */
    uint64_t *candidates, *candidate_scratch;
    uint32_t *members;
    size_t candidate_count, candidate_capacity, scratch_capacity, member_capacity;
    const nd_shingle_set *set; /* set of the document; NULL: not made yet */
    nd_shingle_set own_set;    /* memory for the set of a document that comes without one */
    uint64_t *unpacked;
    size_t unpacked_capacity;
    found *found;
    nd_match *matches;
    char *ids;
    size_t found_count, found_capacity, match_capacity, id_size, id_capacity;
    nd_search_result result;
};

nd_status nd_document_search_create(const nd_index_settings *settings, uint32_t max_compare,
                                    const nd_allocator *allocator, nd_document_search **out,
                                    nd_error *error) {
    nd_document_search *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a searcher");
    s->allocator = *allocator;
    s->settings = *settings;
    s->max_compare = max_compare;
    s->least_equal = nd_sketch_required_matches(settings->threshold, settings->sketch_size,
                                                settings->exact ? ND_SKETCH_FILTERS
                                                                : ND_SKETCH_DECIDES);
    nd_shingle_set_init(&s->own_set, allocator);
    nd_lookup_context_init(&s->lookup_context, allocator);
    s->lookups = nd_allocate(allocator, settings->bands, sizeof *s->lookups);
    if (!s->lookups) {
        nd_document_search_free(s);
        return nd_fail_memory(error, settings->bands * sizeof *s->lookups, "a searcher");
    }
    *out = s;
    return ND_OK;
}

void nd_document_search_free(nd_document_search *s) {
    if (!s) return;
    nd_allocator a = s->allocator;
    nd_shingle_set_free(&s->own_set);
    nd_lookup_context_free(&s->lookup_context);
    void *const parts[] = {s->lookups, s->candidates, s->candidate_scratch,
                           s->members, s->unpacked,   s->found,
                           s->matches, s->ids,        s};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(&a, parts[i]);
}

const nd_search_result *nd_document_search_result(const nd_document_search *s) {
    return &s->result;
}

/* ---- candidates */

/* Collects the documents in the buckets of the document's keys: all of a small bucket, and of a
 * large bucket at most as many as may be compared. */
static nd_status gather(nd_document_search *s, const nd_store *store, nd_error *error) {
    uint32_t bands = s->settings.bands;
    s->candidate_count = 0;
    for (uint32_t b = 0; b < bands; b++)
        s->lookups[b] = (nd_band_lookup){b, s->document->stored.keys[b]};
    ND_TRY(nd_store_look_up(store, &s->lookup_context, s->lookups, bands, error));
    for (uint32_t b = 0; b < bands; b++) {
        uint64_t total = s->lookup_context.totals[b];
        bool large = total > ND_SMALL_BUCKET;
        size_t most = large ? s->max_compare : (size_t)total, count;
        if (total == 0) continue;
        if (most > total) most = (size_t)total;
        if (!nd_reserve(&s->allocator, &s->members, &s->member_capacity, most) ||
            !nd_reserve(&s->allocator, &s->candidates, &s->candidate_capacity,
                        s->candidate_count + most))
            return nd_fail_memory(error, most * sizeof *s->candidates, "candidates");
        ND_TRY(nd_store_bucket_documents(store, &s->lookup_context, b, most, s->members, &count,
                                         error));
        for (size_t i = 0; i < count; i++)
            s->candidates[s->candidate_count++] = (uint64_t)s->members[i] << 1 | large;
        if (count == most) s->result.left_out += total - count;
    }
    return ND_OK;
}

/* Usually there are few candidates, for which a simple sort is faster. */
static nd_status sort_candidates(nd_document_search *s, nd_error *error) {
    if (s->candidate_count > 64) {
        if (!nd_reserve(&s->allocator, &s->candidate_scratch, &s->scratch_capacity,
                        s->candidate_count))
            return nd_fail_memory(error, s->candidate_count * sizeof *s->candidates, "candidates");
        nd_radix_sort(s->candidates, s->candidate_scratch, s->candidate_count, 0);
        return ND_OK;
    }
    for (size_t i = 1; i < s->candidate_count; i++) {
        uint64_t c = s->candidates[i];
        size_t j = i;
        for (; j > 0 && s->candidates[j - 1] > c; j--) s->candidates[j] = s->candidates[j - 1];
        s->candidates[j] = c;
    }
    return ND_OK;
}

/* ---- comparing */

/* Makes the set of a document that comes without one. It is made late, because most documents meet
 * no candidate that needs it. */
static nd_status make_set(nd_document_search *s, nd_error *error) {
    const nd_stored_document *d = &s->document->stored;
    size_t count;
    if (!nd_packed_set_count(d->set, d->set_size, &count))
        return nd_fail(error, ND_ERR_ARGUMENT, "the set of a document is damaged");
    if (!nd_reserve(&s->allocator, &s->unpacked, &s->unpacked_capacity, count))
        return nd_fail_memory(error, count * sizeof *s->unpacked, "a shingle set");
    if (!nd_packed_set_unpack(d->set, d->set_size, count, s->unpacked))
        return nd_fail(error, ND_ERR_ARGUMENT, "the set of a document is damaged");
    ND_TRY(nd_shingle_set_make(&s->own_set, s->unpacked, count, error));
    s->set = &s->own_set;
    return ND_OK;
}

static nd_status exact_match(nd_document_search *s, const nd_store *store,
                             const nd_stored_document *document, uint32_t number, bool *duplicate,
                             nd_match *match, nd_error *error) {
    size_t size;
    if (!s->set) ND_TRY(make_set(s, error));
    if (!nd_packed_set_count(document->set, document->set_size, &size))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged",
                       nd_store_directory(store), number);
    if (!nd_reserve(&s->allocator, &s->unpacked, &s->unpacked_capacity, size))
        return nd_fail_memory(error, size * sizeof *s->unpacked, "a shingle set");
    if (!nd_packed_set_unpack(document->set, document->set_size, size, s->unpacked))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged",
                       nd_store_directory(store), number);
    const nd_shingle_set *set = s->set;
    size_t least = nd_least_intersection(size, set->size, s->settings.threshold);
    nd_overlap overlap = {size, set->size, nd_shingle_set_overlap(set, s->unpacked, size, least)};
    *match = (nd_match){.jaccard = nd_jaccard(overlap),
                        .intersection = overlap.intersection,
                        .set_union = size + set->size - overlap.intersection};
    *duplicate = match->jaccard >= s->settings.threshold;
    return ND_OK;
}

static nd_status compare(nd_document_search *s, const nd_store *store, uint32_t number,
                         bool *duplicate, nd_match *match, nd_error *error) {
    nd_stored_document document;
    ND_TRY(nd_store_document(store, number, &document, error));
    size_t equal = nd_kernel_get()->count_equal(s->document->stored.sketch, document.sketch,
                                                s->settings.sketch_size);
    *duplicate = equal >= s->least_equal;
    if (!*duplicate) return ND_OK;
    if (s->settings.exact) return exact_match(s, store, &document, number, duplicate, match, error);
    *match = (nd_match){.jaccard = nd_sketch_estimate(equal, s->settings.sketch_size),
                        .estimated = true};
    return ND_OK;
}

static nd_status keep_match(nd_document_search *s, const nd_store *store, uint32_t number,
                            const nd_match *match, nd_error *error) {
    nd_stored_document document;
    ND_TRY(nd_store_document(store, number, &document, error));
    size_t length = document.id_length;
    if (!nd_reserve(&s->allocator, &s->found, &s->found_capacity, s->found_count + 1) ||
        !nd_reserve(&s->allocator, &s->ids, &s->id_capacity,
                    s->id_size + length + 1)) /* + 1: an empty id needs an address, too */
        return nd_fail_memory(error, length, "matches");
    if (length > 0) memcpy(s->ids + s->id_size, document.id, length);
    s->found[s->found_count] = (found){*match, number, s->id_size};
    s->found[s->found_count++].match.id_length = length;
    s->id_size += length;
    return ND_OK;
}

static int better(const void *a, const void *b) {
    const found *x = a, *y = b;
    if (x->match.jaccard != y->match.jaccard) return x->match.jaccard > y->match.jaccard ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static nd_status make_result(nd_document_search *s, nd_search_kind kind, nd_error *error) {
    if (s->found_count > 1) qsort(s->found, s->found_count, sizeof *s->found, better);
    size_t count = kind == ND_SEARCH_ALL || s->found_count == 0 ? s->found_count : 1;
    if (!nd_reserve(&s->allocator, &s->matches, &s->match_capacity, count))
        return nd_fail_memory(error, count * sizeof *s->matches, "matches");
    for (size_t i = 0; i < count; i++) {
        s->matches[i] = s->found[i].match;
        s->matches[i].id = s->ids + s->found[i].id;
    }
    s->result.matches = s->matches;
    s->result.count = count;
    return ND_OK;
}

nd_status nd_document_search_find(nd_document_search *s, const nd_store *store,
                                  const nd_sketched_document *document, nd_search_kind kind,
                                  uint32_t except, nd_error *error) {
    s->document = document;
    s->set = document->set;
    s->found_count = s->id_size = 0;
    s->result.left_out = 0;
    ND_TRY(gather(s, store, error));
    ND_TRY(sort_candidates(s, error));
    uint32_t used = 0, last = UINT32_MAX;
    for (size_t i = 0; i < s->candidate_count; i++) {
        uint32_t number = (uint32_t)(s->candidates[i] >> 1);
        bool only_large = s->candidates[i] & 1, duplicate;
        nd_match match = {0};
        if (number == last || number == except) continue;
        last = number;
        if (only_large && used == s->max_compare) {
            s->result.left_out++;
            continue;
        }
        used += only_large;
        ND_TRY(compare(s, store, number, &duplicate, &match, error));
        if (!duplicate) continue;
        ND_TRY(keep_match(s, store, number, &match, error));
        if (kind == ND_SEARCH_FIRST) break;
    }
    s->document = NULL;
    return make_result(s, kind, error);
}
