#include "index/document_search.h"

#include "index/document_sketcher.h"

#include "base/radix_sort.h"
#include "job/job.h"
#include "kernel/kernel.h"
#include "sketch/bucket_scan.h"
#include "similarity/shingle_set.h"
#include "similarity/packed_set.h"
#include "sketch/minhash_filter.h"

#include <stdlib.h>
#include <string.h>

/* A match found, with what sorts it; its id is copied, for the store may change before it is looked
 * at. */
typedef struct found {
    nd_match match;
    uint32_t number;
    size_t id; /* place in the searcher's bytes of ids */
} found;

struct nd_searcher {
    nd_allocator allocator;
    nd_index *index; /* whose public searcher it is; NULL: used inside */
    nd_index_settings settings;
    uint32_t max_compare;
    size_t least_equal;
    nd_document_sketcher *sketcher; /* NULL: documents come prepared */
    nd_hash_set set;                /* of the document; made when first needed */
    bool has_set;
    nd_band_lookup *lookups;
    nd_store_probe probe;
    /* Candidates: number << 1 | proposed by a wide bucket only. */
    uint64_t *candidates, *candidate_scratch;
    uint32_t *members;
    size_t candidate_count, candidate_capacity, scratch_capacity, member_capacity;
    uint64_t *unpacked, *shingles;
    size_t unpacked_capacity, shingle_capacity;
    uint64_t *text_shingles; /* the distinct ones of a text, in the sketcher's memory */
    found *found;
    nd_match *matches;
    char *ids;
    size_t found_count, found_capacity, match_capacity, id_size, id_capacity;
    nd_searched result;
};

nd_status nd_searcher_make(const nd_index_settings *settings, uint32_t max_compare,
                           const nd_allocator *allocator, nd_searcher **out, nd_error *error) {
    nd_searcher *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a searcher");
    s->allocator = *allocator;
    s->settings = *settings;
    s->max_compare = max_compare;
    s->least_equal = nd_sketch_least_equal(settings->threshold, settings->perms, !settings->exact);
    nd_hash_set_init(&s->set, allocator);
    nd_store_probe_init(&s->probe, allocator);
    s->lookups = nd_allocate(allocator, settings->bands, sizeof *s->lookups);
    if (!s->lookups) {
        nd_searcher_free(s);
        return nd_fail_memory(error, settings->bands * sizeof *s->lookups, "a searcher");
    }
    *out = s;
    return ND_OK;
}

nd_status nd_searcher_make_for_texts(const nd_index_settings *settings, uint32_t max_compare,
                                     const nd_allocator *allocator, nd_searcher **out,
                                     nd_error *error) {
    nd_searcher *s = NULL;
    ND_TRY(nd_searcher_make(settings, max_compare, allocator, &s, error));
    nd_status status = nd_document_sketcher_create(settings, NULL, allocator, &s->sketcher, error);
    if (status != ND_OK) nd_searcher_free(s);
    else *out = s;
    return status;
}

void nd_searcher_free(nd_searcher *s) {
    if (!s) return;
    nd_allocator a = s->allocator;
    nd_document_sketcher_free(s->sketcher);
    nd_hash_set_free(&s->set);
    nd_store_probe_free(&s->probe);
    void *const parts[] = {
        s->lookups,  s->candidates, s->candidate_scratch, s->members, s->unpacked,
        s->shingles, s->found,      s->matches,           s->ids,     s};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(&a, parts[i]);
}

const nd_searched *nd_searcher_found(const nd_searcher *s) { return &s->result; }
void nd_searcher_bind(nd_searcher *s, nd_index *index) { s->index = index; }
nd_index *nd_searcher_index(const nd_searcher *s) { return s->index; }
uint64_t nd_searcher_left_out(const nd_searcher *s) { return s->result.left_out; }

/* ---- the document */

void nd_searcher_take_document(nd_searcher *s, const nd_stored_document *document) {
    for (uint32_t b = 0; b < s->settings.bands; b++)
        s->lookups[b] = (nd_band_lookup){b, document->keys[b]};
    s->result = (nd_searched){.document = *document};
    s->has_set = false;
}

nd_status nd_searcher_take(nd_searcher *s, const char *text, size_t length, nd_error *error) {
    nd_stored_document document;
    nd_shingles shingles;
    ND_TRY(nd_document_sketcher_sketch(s->sketcher, text, length, &document, &shingles, error));
    nd_searcher_take_document(s, &document);
    if (!s->settings.exact) return ND_OK;
    ND_TRY(nd_hash_set_make(&s->set, shingles.hashes, shingles.count, error));
    s->text_shingles = shingles.hashes;
    s->has_set = true;
    return ND_OK;
}

nd_status nd_searcher_pack(nd_searcher *s, nd_error *error) {
    return nd_document_sketcher_pack(s->sketcher, s->text_shingles, s->set.size,
                                     &s->result.document, error);
}

/* Makes the hash set of a prepared document; most documents meet no candidate that needs it. */
static nd_status make_set(nd_searcher *s, nd_error *error) {
    const nd_stored_document *d = &s->result.document;
    size_t count;
    if (!nd_packed_set_count(d->set, d->set_size, &count))
        return nd_fail(error, ND_ERR_ARGUMENT, "a document's set is not one");
    if (!nd_reserve(&s->allocator, &s->shingles, &s->shingle_capacity, count))
        return nd_fail_memory(error, count * sizeof *s->shingles, "a shingle set");
    if (!nd_packed_set_unpack(d->set, d->set_size, count, s->shingles))
        return nd_fail(error, ND_ERR_ARGUMENT, "a document's set is not one");
    ND_TRY(nd_hash_set_make(&s->set, s->shingles, count, error));
    s->has_set = true;
    return ND_OK;
}

/* ---- candidates */

/* The members of the buckets of the text's keys: of small ones all, of wide ones as many as may be
 * compared. */
static nd_status gather(nd_searcher *s, const nd_store *store, nd_error *error) {
    uint32_t bands = s->settings.bands;
    s->candidate_count = 0;
    ND_TRY(nd_store_look_up(store, &s->probe, s->lookups, bands, error));
    for (uint32_t b = 0; b < bands; b++) {
        uint64_t total = s->probe.totals[b];
        bool wide = total > ND_SMALL_BUCKET;
        size_t most = wide ? s->max_compare : (size_t)total, count;
        if (total == 0) continue;
        if (most > total) most = (size_t)total;
        if (!nd_reserve(&s->allocator, &s->members, &s->member_capacity, most) ||
            !nd_reserve(&s->allocator, &s->candidates, &s->candidate_capacity,
                        s->candidate_count + most))
            return nd_fail_memory(error, most * sizeof *s->candidates, "candidates");
        ND_TRY(nd_store_members(store, &s->probe, b, most, s->members, &count, error));
        for (size_t i = 0; i < count; i++)
            s->candidates[s->candidate_count++] = (uint64_t)s->members[i] << 1 | wide;
        if (wide) s->result.left_out += total - count;
    }
    return ND_OK;
}

/* Few as a rule. */
static nd_status sort_candidates(nd_searcher *s, nd_error *error) {
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

static nd_status exact_match(nd_searcher *s, const nd_store *store,
                             const nd_stored_document *document, uint32_t number, bool *duplicate,
                             nd_match *match, nd_error *error) {
    size_t size;
    if (!s->has_set) ND_TRY(make_set(s, error));
    if (!nd_packed_set_count(document->set, document->set_size, &size))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged",
                       nd_store_directory(store), number);
    if (!nd_reserve(&s->allocator, &s->unpacked, &s->unpacked_capacity, size))
        return nd_fail_memory(error, size * sizeof *s->unpacked, "a shingle set");
    if (!nd_packed_set_unpack(document->set, document->set_size, size, s->unpacked))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged",
                       nd_store_directory(store), number);
    size_t least = nd_least_intersection(size, s->set.size, s->settings.threshold);
    nd_overlap overlap = {size, s->set.size,
                          nd_hash_set_overlap(&s->set, s->unpacked, size, least)};
    *match = (nd_match){.jaccard = nd_jaccard(overlap),
                        .intersection = overlap.intersection,
                        .set_union = size + s->set.size - overlap.intersection};
    *duplicate = match->jaccard >= s->settings.threshold;
    return ND_OK;
}

static nd_status compare(nd_searcher *s, const nd_store *store, uint32_t number, bool *duplicate,
                         nd_match *match, nd_error *error) {
    nd_stored_document document;
    ND_TRY(nd_store_document(store, number, &document, error));
    size_t equal = nd_kernel_get()->count_equal(s->result.document.sketch, document.sketch,
                                                s->settings.perms);
    *duplicate = equal >= s->least_equal;
    if (!*duplicate) return ND_OK;
    if (s->settings.exact) return exact_match(s, store, &document, number, duplicate, match, error);
    *match = (nd_match){.jaccard = nd_sketch_estimate(equal, s->settings.perms), .estimated = true};
    return ND_OK;
}

static nd_status keep(nd_searcher *s, const nd_store *store, uint32_t number, const nd_match *match,
                      nd_error *error) {
    nd_stored_document document;
    ND_TRY(nd_store_document(store, number, &document, error));
    size_t length = document.id_length;
    if (!nd_reserve(&s->allocator, &s->found, &s->found_capacity, s->found_count + 1) ||
        !nd_reserve(&s->allocator, &s->ids, &s->id_capacity,
                    s->id_size + length + 1)) /* so that there is a place for an empty id */
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

static nd_status tell(nd_searcher *s, nd_search_kind kind, nd_error *error) {
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

nd_status nd_searcher_search(nd_searcher *s, const nd_store *store, nd_search_kind kind,
                             uint32_t except, nd_error *error) {
    s->found_count = s->id_size = 0;
    s->result.left_out = 0;
    ND_TRY(gather(s, store, error));
    ND_TRY(sort_candidates(s, error));
    uint32_t used = 0, last = UINT32_MAX;
    for (size_t i = 0; i < s->candidate_count; i++) {
        uint32_t number = (uint32_t)(s->candidates[i] >> 1);
        bool only_wide = s->candidates[i] & 1, duplicate;
        nd_match match = {0};
        if (number == last || number == except) continue;
        last = number;
        if (only_wide && used == s->max_compare) {
            s->result.left_out++;
            continue;
        }
        used += only_wide;
        ND_TRY(compare(s, store, number, &duplicate, &match, error));
        if (!duplicate) continue;
        ND_TRY(keep(s, store, number, &match, error));
        if (kind == ND_SEARCH_FIRST) break;
    }
    return tell(s, kind, error);
}
