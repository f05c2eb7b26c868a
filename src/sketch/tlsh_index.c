/* Exact search among TLSH digests. They are sorted by their header: the length class and both
 * ratios. A cell holds the digests of one header. The distance of two headers is exact and the same
 * for a whole cell, so a search scans only the bodies of cells that are near enough, for the rest
 * of the distance. */
#include "base/alloc.h"
#include "base/argument.h"
#include "base/limits.h"
#include "base/status.h"
#include "kernel/kernel.h"
#include "sketch/tlsh.h"

#include <string.h>

#define CELLS 65536 /* class, first ratio, second ratio: 8, 4 and 4 bits */
#define SCAN_BLOCK ND_LIMIT(512, 3)
#define MOST_WORDS 8

struct nd_tlsh_index {
    nd_allocator allocator;
    unsigned variant;
    size_t words, count; /* words of a body; digests */
    uint64_t *bodies;    /* in the order of cells, within a cell in the caller's */
    uint32_t *numbers, *checksums;
    uint32_t starts[CELLS + 1]; /* of each cell, in that order */
};

static uint32_t cell_of(const nd_tlsh *d) {
    return (uint32_t)d->length_class << 8 | (d->ratio1 & 15u) << 4 | (d->ratio2 & 15u);
}

static uint32_t checksum_of(const nd_tlsh *d) {
    return d->checksum[0] | (uint32_t)d->checksum[1] << 8 | (uint32_t)d->checksum[2] << 16;
}

/* ---- building */

static nd_status check_digests(const nd_tlsh *digests, size_t count, nd_error *error) {
    ND_TRY(nd_need_array(digests, count, "digests", error));
    if (count > UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "count must be at most 4294967295, not %zu", count);
    for (size_t i = 0; i < count; i++)
        if (!nd_tlsh_is_variant(digests[i].variant) || digests[i].variant != digests[0].variant)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "digest %zu is of variant %u: all must be of one variant", i,
                           digests[i].variant);
    return ND_OK;
}

static void sort_into_cells(nd_tlsh_index *x, const nd_tlsh *digests) {
    for (size_t i = 0; i < x->count; i++) x->starts[cell_of(&digests[i]) + 1]++;
    for (size_t c = 0; c < CELLS; c++) x->starts[c + 1] += x->starts[c];
    for (size_t i = 0; i < x->count; i++) {
        size_t at = x->starts[cell_of(&digests[i])]++;
        memcpy(x->bodies + at * x->words, digests[i].body, 8 * x->words);
        x->numbers[at] = (uint32_t)i;
        x->checksums[at] = checksum_of(&digests[i]);
    }
    /* Each start has moved to the end of its cell, where the next cell begins. */
    memmove(x->starts + 1, x->starts, CELLS * sizeof *x->starts);
    x->starts[0] = 0;
}

nd_status nd_tlsh_index_create(const nd_tlsh *digests, size_t count, const nd_allocator *allocator,
                               nd_tlsh_index **out, nd_error *error) {
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(check_digests(digests, count, error));
    nd_allocator a = nd_allocator_or_default(allocator);
    nd_tlsh_index *x = nd_allocate_zero(&a, 1, sizeof *x);
    if (!x) return nd_fail_memory(error, sizeof *x, "an index of digests");
    x->allocator = a;
    x->variant = count ? digests[0].variant : ND_TLSH_128_1;
    x->words = nd_tlsh_body_bytes(x->variant) / 8;
    x->count = count;
    x->bodies = nd_allocate(&a, count, 8 * x->words);
    x->numbers = nd_allocate(&a, count, sizeof *x->numbers);
    x->checksums = nd_allocate(&a, count, sizeof *x->checksums);
    if (!x->bodies || !x->numbers || !x->checksums) {
        size_t size = count * (8 * x->words + 8);
        nd_tlsh_index_free(x);
        return nd_fail_memory(error, size, "an index of digests");
    }
    sort_into_cells(x, digests);
    *out = x;
    return ND_OK;
}

void nd_tlsh_index_free(nd_tlsh_index *index) {
    if (!index) return;
    nd_allocator a = index->allocator;
    nd_release(&a, index->bodies);
    nd_release(&a, index->numbers);
    nd_release(&a, index->checksums);
    nd_release(&a, index);
}

/* ---- searching */

typedef struct tlsh_query {
    const nd_tlsh_index *index;
    uint64_t body[MOST_WORDS];
    uint32_t cell, checksum;
    size_t from;    /* positions before it are left out */
    uint32_t below; /* so are digests with this number or a higher one */
    uint32_t most;
    bool with_length;
    nd_tlsh_match_fn *fn;
    void *context;
} tlsh_query;

/* The end of the digests with numbers below q->below: in a cell the numbers ascend. */
static size_t end_below(const tlsh_query *q, size_t begin, size_t end) {
    const uint32_t *numbers = q->index->numbers;
    if (begin >= end || numbers[end - 1] < q->below) return end;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (numbers[middle] < q->below) begin = middle + 1;
        else end = middle;
    }
    return end;
}

/* False: the callback stopped the search. `header`: the distance of the headers. */
static bool scan_cell(const tlsh_query *q, uint32_t cell, uint32_t header) {
    const nd_tlsh_index *x = q->index;
    uint64_t hits[SCAN_BLOCK + 1];
    size_t begin = x->starts[cell] > q->from ? x->starts[cell] : q->from,
           end = end_below(q, begin, x->starts[cell + 1]);
    for (; begin < end; begin += SCAN_BLOCK) {
        size_t count = end - begin < SCAN_BLOCK ? end - begin : SCAN_BLOCK;
        size_t found = nd_kernel_get()->near_tlsh(x->bodies + begin * x->words, x->words, count,
                                                  q->body, q->most - header, hits);
        for (size_t h = 0; h < found; h++) {
            size_t at = begin + (uint32_t)hits[h];
            uint32_t distance = header + (uint32_t)(hits[h] >> 32) +
                                (x->checksums[at] != q->checksum);
            if (distance <= q->most && !q->fn(q->context, x->numbers[at], distance)) return false;
        }
    }
    return true;
}

/* Whether cells [first, last) have digests from q->from on. */
static bool has_digests(const tlsh_query *q, uint32_t first, uint32_t last) {
    uint32_t end = q->index->starts[last];
    return end > q->from && q->index->starts[first] < end;
}

static bool scan_class(const tlsh_query *q, uint32_t class_cell, uint32_t length) {
    for (uint32_t r = 0; r < 16; r++) {
        uint32_t row = class_cell + 16 * r,
                 near = length + nd_tlsh_ratio_distance(q->cell >> 4 & 15, r);
        if (near > q->most || !has_digests(q, row, row + 16)) continue;
        for (uint32_t s = 0; s < 16; s++) {
            uint32_t header = near + nd_tlsh_ratio_distance(q->cell & 15, s);
            if (header <= q->most && !scan_cell(q, row + s, header)) return false;
        }
    }
    return true;
}

static bool scan_classes(const tlsh_query *q) {
    for (uint32_t c = 0; c < 256; c++) {
        uint32_t length = q->with_length ? nd_tlsh_length_distance(q->cell >> 8, c) : 0;
        if (length <= q->most && has_digests(q, c << 8, (c + 1) << 8) &&
            !scan_class(q, c << 8, length))
            return false;
    }
    return true;
}

bool nd_tlsh_index_search_below(const nd_tlsh_index *index, const nd_tlsh *query, uint32_t below,
                                uint32_t most, bool with_length, nd_tlsh_match_fn *fn,
                                void *context) {
    tlsh_query q = {.index = index,
                    .cell = cell_of(query),
                    .checksum = checksum_of(query),
                    .below = below,
                    .most = most,
                    .with_length = with_length,
                    .fn = fn,
                    .context = context};
    memcpy(q.body, query->body, 8 * index->words);
    return scan_classes(&q);
}

nd_status nd_tlsh_index_search(const nd_tlsh_index *index, const nd_tlsh *query, uint32_t most,
                               bool with_length, nd_tlsh_match_fn *fn, void *context,
                               nd_error *error) {
    ND_TRY(nd_need(index, "index", error));
    ND_TRY(nd_need(query, "query", error));
    ND_TRY(nd_need(fn, "fn", error));
    if (query->variant != index->variant) return ND_OK;
    return nd_tlsh_index_search_below(index, query, UINT32_MAX, most, with_length, fn, context)
               ? ND_OK
               : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* ---- pairs */

typedef struct pair_finder {
    nd_tlsh_pair_fn *fn;
    void *context;
    uint32_t number;
} pair_finder;

/* nd_tlsh_match_fn */
static bool give_pair(void *context, uint32_t number, uint32_t distance) {
    const pair_finder *p = context;
    bool first = p->number < number;
    return p->fn(p->context, first ? p->number : number, first ? number : p->number, distance);
}

nd_status nd_tlsh_index_pairs(const nd_tlsh_index *index, uint32_t most, bool with_length,
                              nd_tlsh_pair_fn *fn, void *context, nd_error *error) {
    ND_TRY(nd_need(index, "index", error));
    ND_TRY(nd_need(fn, "fn", error));
    pair_finder finder = {.fn = fn, .context = context};
    tlsh_query q = {.index = index,
                    .below = UINT32_MAX,
                    .most = most,
                    .with_length = with_length,
                    .fn = give_pair,
                    .context = &finder};
    for (; q.cell < CELLS; q.cell++)
        for (size_t at = index->starts[q.cell]; at < index->starts[q.cell + 1]; at++) {
            memcpy(q.body, index->bodies + at * index->words, 8 * index->words);
            q.checksum = index->checksums[at];
            q.from = at + 1;
            finder.number = index->numbers[at];
            if (!scan_classes(&q)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
        }
    return ND_OK;
}
