#include "repeats/text_cuts.h"

#include <stdlib.h>

void nd_text_cuts_init(nd_text_cuts *cuts, const nd_allocator *allocator, nd_temp_space *disk,
                       size_t memory_limit) {
    nd_spool_init(&cuts->spans, allocator, disk, memory_limit, "what was cut");
    nd_spool_init(&cuts->ends, allocator, disk, memory_limit, "what was cut");
}

void nd_text_cuts_free(nd_text_cuts *cuts) {
    nd_spool_free(&cuts->spans);
    nd_spool_free(&cuts->ends);
}

nd_status nd_text_cuts_add(nd_text_cuts *cuts, const nd_cuts_of_text *spans, nd_error *error) {
    ND_TRY(nd_spool_append(&cuts->spans, spans->spans, spans->count * sizeof *spans->spans, error));
    uint64_t end = cuts->spans.size / sizeof *spans->spans << 1 | spans->left_out;
    return nd_spool_append(&cuts->ends, &end, sizeof end, error);
}

static nd_status reserve(nd_cuts_of_text *cuts, size_t count, const nd_allocator *allocator,
                         nd_error *error) {
    return nd_reserve(allocator, &cuts->spans, &cuts->capacity, count) &&
                   nd_reserve(allocator, &cuts->places, &cuts->place_capacity, count)
               ? ND_OK
               : nd_fail_memory(error, count * sizeof *cuts->spans, "what was cut");
}

static void find_places(nd_cuts_of_text *cuts) {
    size_t cut = 0;
    for (size_t i = 0; i < cuts->count; i++) {
        cuts->places[i] = cuts->spans[i].begin - cut;
        cut += cuts->spans[i].end - cuts->spans[i].begin;
    }
}

nd_status nd_text_cuts_find(const nd_text_cuts *cuts, uint64_t text, nd_cuts_of_text *out,
                            nd_error *error) {
    uint64_t ends[2] = {0, 0}; /* of the text before, and of the text */
    size_t first = text == 0;
    ND_TRY(nd_spool_read(&cuts->ends, ends + first, (2 - first) * sizeof *ends,
                         (text - !first) * sizeof *ends, error));
    uint64_t begin = ends[0] >> 1;
    out->count = (size_t)((ends[1] >> 1) - begin);
    out->left_out = ends[1] & 1;
    ND_TRY(reserve(out, out->count, &cuts->spans.allocator, error));
    ND_TRY(nd_spool_read(&cuts->spans, out->spans, out->count * sizeof *out->spans,
                         begin * sizeof *out->spans, error));
    find_places(out);
    return ND_OK;
}

void nd_cuts_of_text_free(nd_cuts_of_text *cuts, const nd_allocator *allocator) {
    nd_release(allocator, cuts->spans);
    nd_release(allocator, cuts->places);
}

static size_t uncut(const nd_cuts_of_text *cuts, size_t offset) {
    size_t low = 0, high = cuts->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cuts->places[middle] <= offset) low = middle + 1;
        else high = middle;
    }
    return low == 0 ? offset : offset + cuts->spans[low - 1].end - cuts->places[low - 1];
}

nd_text_span nd_uncut_span(const nd_cuts_of_text *cuts, nd_text_span span) {
    return (nd_text_span){uncut(cuts, span.begin), uncut(cuts, span.end - 1) + 1};
}

size_t nd_cut_text(char *text, size_t length, const nd_cuts_of_text *cuts) {
    size_t left = cuts->count > 0 ? cuts->spans[0].begin : length;
    for (size_t i = 0; i < cuts->count; i++) {
        size_t begin = cuts->spans[i].end,
               end = i + 1 < cuts->count ? cuts->spans[i + 1].begin : length;
        memmove(text + left, text + begin, end - begin);
        left += end - begin;
    }
    return left;
}

static int by_begin(const void *a, const void *b) {
    const nd_text_span *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

size_t nd_join_spans(nd_text_span *spans, size_t count) {
    size_t last = 0;
    if (count == 0) return 0;
    qsort(spans, count, sizeof *spans, by_begin);
    for (size_t i = 1; i < count; i++) {
        nd_text_span *before = &spans[last];
        if (spans[i].begin > before->end) spans[++last] = spans[i];
        else if (spans[i].end > before->end) before->end = spans[i].end;
    }
    return last + 1;
}

nd_status nd_cut_more(nd_cuts_of_text *cuts, const nd_text_span *spans, size_t count,
                      const nd_allocator *allocator, nd_error *error) {
    ND_TRY(reserve(cuts, cuts->count + count, allocator, error));
    for (size_t i = 0; i < count; i++) cuts->spans[cuts->count + i] = nd_uncut_span(cuts, spans[i]);
    cuts->count = nd_join_spans(cuts->spans, cuts->count + count);
    find_places(cuts);
    return ND_OK;
}
