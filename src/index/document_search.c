#include "index/document_search.h"

#include "base/limits.h"
#include "base/radix_sort.h"
#include "kernel/kernel.h"
#include "similarity/ascending_set.h"
#include "similarity/packed_set.h"
#include "sketch/bucket_scan.h"
#include "sketch/minhash_filter.h"
#include "store/band_lookup.h"

#include <stdlib.h>
#include <string.h>

/* A proposal is a word: the document of the group that it is for, and below that a candidate of it
 * as in nd_document_search, or the band of a large bucket, which is read when its turn comes. */
enum { OWNER_SHIFT = 34 };
#define LARGE_BUCKET (UINT64_C(1) << 33)

/* Candidates whose rows are on their way from memory. */
enum { ROWS_AHEAD = ND_LIMIT(64, 2) };

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
    size_t least_equal; /* equal bytes that two sketches must have */
    /* The documents that are looked up together; the caller's. */
    const nd_sketched_document *documents;
    nd_band_lookup *lookups;
    uint32_t *owners;      /* document of each lookup */
    uint64_t *proposals;   /* of all documents, in their order: see `propose` */
    uint32_t *proposal_at; /* first one of each document; behind the last one, the end */
    uint64_t *sorted, *scratch;
    size_t lookup_capacity, owner_capacity, proposal_count, proposal_capacity, at_capacity,
        sorted_capacity, scratch_capacity;
    nd_lookup_context lookup_context;
    const nd_sketched_document *document; /* the one of the search */
    /* Candidates: number << 1, and 1 if only large buckets propose it. */
    uint64_t *candidates;
    uint32_t *members;
    size_t candidate_count, candidate_capacity, member_capacity;
    nd_shingles shingles; /* of the document */
    bool has_shingles;    /* they have been provided */
    uint64_t *unpacked;   /* shingles of a packed document */
    size_t unpacked_capacity;
    nd_ascending_set set; /* of a candidate */
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
    nd_ascending_set_init(&s->set, allocator);
    nd_lookup_context_init(&s->lookup_context, allocator);
    *out = s;
    return ND_OK;
}

void nd_document_search_free(nd_document_search *s) {
    if (!s) return;
    nd_allocator a = s->allocator;
    nd_ascending_set_free(&s->set);
    nd_lookup_context_free(&s->lookup_context);
    void *const parts[] = {
        s->lookups, s->owners,   s->proposals, s->proposal_at, s->sorted, s->scratch, s->candidates,
        s->members, s->unpacked, s->found,     s->matches,     s->ids,    s};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) nd_release(&a, parts[i]);
}

const nd_search_result *nd_document_search_result(const nd_document_search *s) {
    return &s->result;
}

/* ---- candidates */

static nd_status reserve_lookups(nd_document_search *s, size_t documents, nd_error *error) {
    const nd_allocator *a = &s->allocator;
    size_t count = s->settings.bands > documents ? s->settings.bands : documents;
    if (nd_reserve(a, &s->lookups, &s->lookup_capacity, count) &&
        nd_reserve(a, &s->owners, &s->owner_capacity, count) &&
        nd_reserve(a, &s->proposal_at, &s->at_capacity, documents + 1) &&
        nd_reserve(a, &s->sorted, &s->sorted_capacity, documents) &&
        nd_reserve(a, &s->scratch, &s->scratch_capacity, documents))
        return ND_OK;
    return nd_fail_memory(error, count * sizeof *s->lookups, "looking up band keys");
}

/* Adds to the proposals the documents in the bucket of lookup i, or of a large bucket its band. The
 * documents are read now, as long as the entries are in the processor's cache. */
static nd_status propose(nd_document_search *s, const nd_store *store, size_t i, nd_error *error) {
    uint64_t total = s->lookup_context.totals[i], owner = (uint64_t)s->owners[i] << OWNER_SHIFT;
    uint32_t members[ND_SMALL_BUCKET];
    size_t count = 0;
    if (!nd_reserve(&s->allocator, &s->proposals, &s->proposal_capacity,
                    s->proposal_count + ND_SMALL_BUCKET))
        return nd_fail_memory(error, ND_SMALL_BUCKET * sizeof *s->proposals, "candidates");
    if (total > ND_SMALL_BUCKET) {
        s->proposals[s->proposal_count++] = owner | LARGE_BUCKET | s->lookups[i].band;
        return ND_OK;
    }
    ND_TRY(nd_store_bucket_documents(store, &s->lookup_context, i, (size_t)total, members, &count,
                                     error));
    for (size_t m = 0; m < count; m++)
        s->proposals[s->proposal_count++] = owner | (uint64_t)members[m] << 1;
    return ND_OK;
}

/* Looks up the first `count` lookups. */
static nd_status look_up(nd_document_search *s, const nd_store *store, size_t count,
                         nd_error *error) {
    ND_TRY(nd_store_look_up(store, &s->lookup_context, s->lookups, count, error));
    for (size_t i = 0; i < count; i++)
        if (s->lookup_context.totals[i] > 0) ND_TRY(propose(s, store, i, error));
    return ND_OK;
}

static nd_status look_up_one(nd_document_search *s, const nd_store *store, nd_error *error) {
    for (uint32_t b = 0; b < s->settings.bands; b++) {
        s->lookups[b] = (nd_band_lookup){b, s->documents->stored.keys[b]};
        s->owners[b] = 0;
    }
    return look_up(s, store, s->settings.bands, error);
}

/* Looks up the keys that documents have in a band, in their order. */
static nd_status look_up_band(nd_document_search *s, const nd_store *store, uint32_t band,
                              size_t count, nd_error *error) {
    enum { BITS = 64 - ND_BAND_BITS };
    _Static_assert(ND_GROUP_DOCUMENTS <= 1 << BITS, "a word has room for a document");
    for (size_t d = 0; d < count; d++) s->sorted[d] = s->documents[d].stored.keys[band] << BITS | d;
    nd_radix_sort_spread(s->sorted, s->scratch, count, 64);
    for (size_t i = 0; i < count; i++) {
        s->lookups[i] = (nd_band_lookup){band, s->sorted[i] >> BITS};
        s->owners[i] = (uint32_t)s->sorted[i] & ((1u << BITS) - 1);
    }
    return look_up(s, store, count, error);
}

/* Brings the proposals into the order of documents. */
static nd_status sort_proposals(nd_document_search *s, size_t documents, nd_error *error) {
    size_t count = s->proposal_count, at = 0;
    if (!nd_reserve(&s->allocator, &s->scratch, &s->scratch_capacity, count))
        return nd_fail_memory(error, count * sizeof *s->scratch, "candidates");
    nd_radix_sort(s->proposals, s->scratch, count, 0);
    for (size_t d = 0; d <= documents; d++) {
        while (at < count && s->proposals[at] >> OWNER_SHIFT < d) at++;
        s->proposal_at[d] = (uint32_t)at;
    }
    return ND_OK;
}

nd_status nd_document_search_look_up(nd_document_search *s, const nd_store *store,
                                     const nd_sketched_document *documents, size_t count,
                                     nd_error *error) {
    s->documents = documents;
    s->proposal_count = 0;
    ND_TRY(reserve_lookups(s, count, error));
    if (count == 1) ND_TRY(look_up_one(s, store, error));
    else
        for (uint32_t b = 0; b < s->settings.bands; b++)
            ND_TRY(look_up_band(s, store, b, count, error));
    return sort_proposals(s, count, error);
}

/* Collects of a large bucket as many documents as may be compared. */
static nd_status gather_large(nd_document_search *s, const nd_store *store, uint32_t band,
                              nd_error *error) {
    const nd_band_lookup lookup = {band, s->document->stored.keys[band]};
    ND_TRY(nd_store_look_up(store, &s->lookup_context, &lookup, 1, error));
    uint64_t total = s->lookup_context.totals[0];
    size_t most = total < s->max_compare ? (size_t)total : s->max_compare, count;
    if (!nd_reserve(&s->allocator, &s->members, &s->member_capacity, most) ||
        !nd_reserve(&s->allocator, &s->candidates, &s->candidate_capacity,
                    s->candidate_count + most))
        return nd_fail_memory(error, most * sizeof *s->candidates, "candidates");
    ND_TRY(
        nd_store_bucket_documents(store, &s->lookup_context, 0, most, s->members, &count, error));
    for (size_t i = 0; i < count; i++)
        s->candidates[s->candidate_count++] = (uint64_t)s->members[i] << 1 | 1;
    if (count == most) s->result.left_out += total - count;
    return ND_OK;
}

/* Collects the candidates of document i, in their order. */
static nd_status gather(nd_document_search *s, const nd_store *store, size_t i, nd_error *error) {
    size_t begin = s->proposal_at[i], end = s->proposal_at[i + 1];
    if (!nd_reserve(&s->allocator, &s->candidates, &s->candidate_capacity, end - begin))
        return nd_fail_memory(error, (end - begin) * sizeof *s->candidates, "candidates");
    s->candidate_count = 0;
    for (; begin < end && !(s->proposals[begin] & LARGE_BUCKET); begin++)
        s->candidates[s->candidate_count++] = s->proposals[begin] & (LARGE_BUCKET - 1);
    if (begin == end) return ND_OK;
    for (; begin < end; begin++)
        ND_TRY(gather_large(s, store, (uint32_t)s->proposals[begin], error));
    if (!nd_reserve(&s->allocator, &s->scratch, &s->scratch_capacity, s->candidate_count))
        return nd_fail_memory(error, s->candidate_count * sizeof *s->candidates, "candidates");
    nd_radix_sort(s->candidates, s->scratch, s->candidate_count, 0);
    return ND_OK;
}

/* ---- comparing */

/* Provides the shingles of the document. A packed set is unpacked late, because most documents meet
 * no candidate that needs it. */
static nd_status provide_shingles(nd_document_search *s, nd_error *error) {
    const nd_sketched_document *d = s->document;
    size_t count;
    s->has_shingles = true;
    s->shingles = (nd_shingles){.hashes = d->shingles, .count = d->shingle_count};
    if (!d->stored.set) return ND_OK;
    if (!nd_packed_set_count(d->stored.set, d->stored.set_size, &count))
        return nd_fail(error, ND_ERR_ARGUMENT, "the set of a document is damaged");
    if (!nd_reserve(&s->allocator, &s->unpacked, &s->unpacked_capacity, count))
        return nd_fail_memory(error, count * sizeof *s->unpacked, "a shingle set");
    if (!nd_packed_set_unpack(d->stored.set, d->stored.set_size, count, s->unpacked))
        return nd_fail(error, ND_ERR_ARGUMENT, "the set of a document is damaged");
    s->shingles = (nd_shingles){.hashes = s->unpacked, .count = count};
    return ND_OK;
}

static nd_status exact_match(nd_document_search *s, const nd_store *store,
                             const nd_stored_document *document, uint32_t number, bool *duplicate,
                             nd_match *match, nd_error *error) {
    nd_overlap overlap;
    bool whole;
    if (!s->has_shingles) ND_TRY(provide_shingles(s, error));
    ND_TRY(nd_ascending_set_unpack(&s->set, document->set, document->set_size, &whole, error));
    if (!whole)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the set of document %u is damaged",
                       nd_store_directory(store), number);
    ND_TRY(
        nd_ascending_set_compare(&s->set, s->shingles.hashes, s->shingles.count, &overlap, error));
    *match = (nd_match){.jaccard = nd_jaccard(overlap),
                        .intersection = overlap.intersection,
                        .set_union = overlap.size_a + overlap.size_b - overlap.intersection};
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

/* Prefetches the rows of the candidates from c on, so that the waits for them overlap: rows are far
 * apart in memory, and a large bucket has hundreds. This may read pages of a disk, so a search for
 * the first duplicate, which often ends soon, begins without it. */
static void prefetch_rows(const nd_document_search *s, const nd_store *store, size_t c) {
    uint32_t rows[ROWS_AHEAD];
    size_t count = 0;
    for (; c < s->candidate_count && count < ROWS_AHEAD; c++)
        rows[count++] = (uint32_t)(s->candidates[c] >> 1);
    nd_store_prefetch_documents(store, rows, count);
}

nd_status nd_document_search_find(nd_document_search *s, const nd_store *store, size_t i,
                                  nd_search_kind kind, uint32_t except, nd_error *error) {
    s->document = &s->documents[i];
    s->has_shingles = false;
    s->found_count = s->id_size = 0;
    s->result.left_out = 0;
    ND_TRY(gather(s, store, i, error));
    uint32_t used = 0, last = UINT32_MAX;
    for (size_t c = 0; c < s->candidate_count; c++) {
        uint32_t number = (uint32_t)(s->candidates[c] >> 1);
        bool only_large = s->candidates[c] & 1, duplicate;
        nd_match match = {0};
        if (c % ROWS_AHEAD == 0 && (c > 0 || kind == ND_SEARCH_ALL)) prefetch_rows(s, store, c);
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
    return make_result(s, kind, error);
}
