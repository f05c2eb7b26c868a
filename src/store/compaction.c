#include "store/compaction.h"

#include "base/async_task.h"
#include "store/flush.h"
#include "store/segment_merge.h"
#include "store/store_inside.h"
#include "store/store_state.h"

#include <string.h>

/* Segments are merged into one of the next level as a counter carries (the logarithmic method of
 * Bentley and Saxe, 1980). The smaller its base, the fewer segments there are to look a key up in,
 * and the more often a document is merged. The base is 2 where a merge links, which is cheap, and
 * each lookup reads all segments; else 4: where a merge copies, or a filter of keys tells of most
 * of them that no segment has them. */
enum { LINKED = 2, OTHERS = 4 };

/* A segment of n documents has the level floor(log(n)), to the base. */
static unsigned level_of(uint32_t documents, unsigned base) {
    unsigned level = 0;
    for (; documents >= base; documents /= base) level++;
    return level;
}

/* A merge that was begun. */
struct nd_merge_beside {
    nd_segment_merge merge;
    nd_async_task *task;
};

/* The first segment that another merge may take: one behind the segments of a merge that goes on,
 * so that these keep their places. */
static size_t first_free(const nd_store *s) { return s->beside ? s->beside->merge.range.end : 0; }

/* Counts the free segments before `first` that have no higher level than so many documents. */
static size_t count_before(const nd_store *s, size_t first, uint32_t documents, unsigned base) {
    size_t begin = first;
    while (begin > first_free(s) &&
           level_of(s->state.segments[begin - 1].documents, base) <= level_of(documents, base))
        begin--;
    return first - begin;
}

/* The segments that a merge puts into one with the last segment before `end`: as many as the base,
 * or more, of no higher level; and further ones if the result would be due for a merge at once. To
 * the base LINKED only such that a merge links. */
static nd_segment_range range_before(const nd_store *s, size_t end, unsigned base) {
    nd_segment_range range = {end - 1, end};
    uint32_t documents = s->state.segments[range.first].documents;
    for (;;) {
        size_t before = count_before(s, range.first, documents, base);
        const nd_segment_range wider = {range.first - before, end};
        if (before + 1 < base || (base == LINKED && !nd_segment_range_links(s, wider)))
            return range;
        while (range.first > wider.first) documents += s->state.segments[--range.first].documents;
    }
}

/* Finds the last due merge before `end`. False: there is none. */
static bool find_due(const nd_store *s, size_t end, nd_segment_range *out) {
    for (; end >= first_free(s) + 2; end--) {
        *out = range_before(s, end, s->filters_keys ? OTHERS : LINKED);
        if (out->end - out->first < 2) *out = range_before(s, end, OTHERS);
        if (out->end - out->first >= 2) return true;
    }
    return false;
}

/* Finds the last due merge that links its segments, or the last one that copies them. */
static bool find_due_way(const nd_store *s, bool linked, nd_segment_range *out) {
    for (size_t end = s->state.segment_count; find_due(s, end, out); end = out->first)
        if (nd_segment_range_links(s, *out) == linked) return true;
    return false;
}

/* ---- installing a merged segment */

/* The number that a document of the store gets, when removed documents are gone from the merged
 * segments. */
static uint32_t moved_number(const nd_store *s, const nd_segment_merge *m, uint32_t number) {
    uint32_t dropped = 0, all = s->begins[m->range.end], end = number < all ? number : all;
    for (uint32_t n = s->begins[m->range.first]; n < end; n++) dropped += nd_store_is_removed(s, n);
    return number - dropped;
}

/* Puts the copied segment, if it has documents, in place of the segments that it was made of. */
static nd_status make_next(const nd_store *s, const nd_segment_merge *m, nd_manifest *next,
                           nd_error *error) {
    ND_TRY(nd_manifest_copy(&s->state, next, error));
    size_t after = next->segment_count - m->range.end;
    nd_manifest_segment *to = next->segments + m->range.first;
    if (m->merged.documents > 0) *to++ = m->merged;
    memmove(to, next->segments + m->range.end, after * sizeof *to);
    next->segment_count = (size_t)(to - next->segments) + after;
    nd_ingest_mark mark = s->mark;
    mark.begin = moved_number(s, m, mark.begin);
    mark.end = moved_number(s, m, mark.end);
    return nd_ingest_mark_set(next, &mark, error);
}

static nd_status install_copy(nd_store *s, const nd_segment_merge *m, nd_error *error) {
    nd_next_state next = {0};
    nd_manifest_init(&next.manifest, &s->allocator);
    nd_status status = make_next(s, m, &next.manifest, error);
    if (status == ND_OK) status = nd_store_install(s, &next, error);
    nd_manifest_free(&next.manifest);
    return status;
}

static nd_status install(nd_store *s, const nd_segment_merge *m, nd_error *error) {
    return m->linked ? nd_store_replace_segments(s, m->range, &m->merged, error)
                     : install_copy(s, m, error);
}

static nd_status merge_now(nd_store *s, nd_segment_range range, bool linked, nd_error *error) {
    nd_segment_merge m;
    nd_status status = nd_segment_merge_init(s, range, linked, &m, error);
    if (status == ND_OK && m.merged.documents > 0) status = nd_segment_merge_run(&m, error);
    if (status == ND_OK) status = install(s, &m, error);
    nd_segment_merge_free(&m);
    return status;
}

/* ---- a merge beside other work */

static void free_beside(nd_store *s) {
    nd_merge_beside *b = s->beside;
    if (!b) return;
    nd_async_task_free(b->task);
    nd_segment_merge_free(&b->merge);
    nd_release(&s->allocator, b);
    s->beside = NULL;
    s->merging = 0;
}

void nd_store_give_up_merge(nd_store *s) {
    if (s->beside) atomic_store(&s->beside->merge.stopped, true);
    free_beside(s);
}

static nd_status begin(nd_store *s, nd_segment_range range, bool beside, nd_error *error) {
    nd_merge_beside *b = s->beside = nd_allocate_zero(&s->allocator, 1, sizeof *b);
    if (!b) return nd_fail_memory(error, sizeof *b, "merging segments");
    nd_status status = nd_segment_merge_init(s, range, true, &b->merge, error);
    s->merging = b->merge.merged.file;
    if (status == ND_OK) status = nd_async_task_create(&s->allocator, &b->task, error);
    if (status == ND_OK && beside) nd_async_task_start(b->task, nd_segment_merge_run, &b->merge);
    else if (status == ND_OK)
        status = nd_async_task_run(b->task, nd_segment_merge_run, &b->merge, error);
    if (status != ND_OK) free_beside(s);
    return status;
}

nd_status nd_store_begin_merge(nd_store *s, bool beside, nd_error *error) {
    nd_segment_range range;
    return find_due_way(s, true, &range) ? begin(s, range, beside, error) : ND_OK;
}

bool nd_store_should_end_merge(const nd_store *s) {
    enum { PART = 10 };
    if (!s->beside) return false;
    const nd_segment_merge *m = &s->beside->merge;
    return nd_store_document_count(s) - s->begins[m->range.end] >= m->merged.documents / PART;
}

nd_status nd_store_end_merge(nd_store *s, nd_error *error) {
    if (!s->beside) return ND_OK;
    nd_status status = nd_store_check_writable(s, error);
    if (status == ND_OK) status = nd_async_task_wait(s->beside->task, error);
    if (status == ND_OK) status = install(s, &s->beside->merge, error);
    nd_store_give_up_merge(s);
    return status;
}

/* ---- all due merges */

nd_status nd_store_end_merges(nd_store *s, nd_error *error) {
    nd_segment_range range;
    ND_TRY(nd_store_end_merge(s, error));
    if (find_due_way(s, false, &range)) ND_TRY(nd_store_flush(s, error));
    while (find_due_way(s, false, &range)) ND_TRY(merge_now(s, range, false, error));
    return ND_OK;
}

nd_status nd_store_compact_levels(nd_store *s, nd_error *error) {
    ND_TRY(nd_store_flush(s, error));
    for (nd_segment_range range; find_due(s, s->state.segment_count, &range);) {
        bool links = nd_segment_range_links(s, range);
        ND_TRY(links && !s->beside ? begin(s, range, true, error)
                                   : merge_now(s, range, links, error));
    }
    return ND_OK;
}

static bool is_compact(const nd_store *s) {
    return s->state.segment_count == 0 ||
           (s->state.segment_count == 1 && s->state.segments[0].removed == 0 &&
            !nd_segment_is_linked(s->segments[0]));
}

nd_status nd_store_compact_all(nd_store *s, nd_error *error) {
    nd_store_give_up_merge(s);
    ND_TRY(nd_store_flush(s, error));
    const nd_segment_range all = {0, s->state.segment_count};
    return is_compact(s) ? ND_OK : merge_now(s, all, false, error);
}
