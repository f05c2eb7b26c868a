#include "repeats/stretch_list.h"

#include "base/limits.h"
#include "base/merge_sort.h"
#include "repeats/sorted_parts.h"

/* Of the budget, in percent. */
enum { STRETCH_SHARE = 4 };

enum { WORDS = sizeof(nd_stretch_record) / sizeof(uint64_t) };

void nd_stretch_list_init(nd_stretch_list *l, const nd_run *run) {
    size_t half = nd_parts_memory(run, STRETCH_SHARE) / 2; /* sorting takes it twice */
    *l = (nd_stretch_list){.progress = run->progress,
                           .pieces.settings = {.allocator = run->allocator,
                                               .disk = run->space,
                                               .memory_limit = half,
                                               .words = WORDS,
                                               .keys = WORDS,
                                               .what = "repeated stretches"},
                           .most = ND_LIMIT(half / sizeof *l->records, 4)};
}

void nd_stretch_list_free(nd_stretch_list *l) {
    nd_release(&l->pieces.settings.allocator, l->records);
    nd_sorted_pieces_free(&l->pieces);
}

void nd_stretch_list_clear(nd_stretch_list *l) {
    if (l->pieces.count > 0) nd_sorted_pieces_free(&l->pieces);
    l->count = 0;
    l->sorted = false;
}

bool nd_stretch_list_is_empty(const nd_stretch_list *l) {
    return l->count == 0 && l->pieces.count == 0;
}

static nd_stretch_record record_of(const nd_stretch *s) {
    return (nd_stretch_record){{s->begin << 32 | s->end, s->source_text, s->source_begin}};
}

static nd_stretch stretch_of(const uint64_t *words) {
    return (nd_stretch){words[0] >> 32, (uint32_t)words[0], words[1], words[2]};
}

/* nd_compare_fn */
static int compare_records(const void *a, const void *b) {
    const nd_stretch_record *x = a, *y = b;
    for (int w = 0; w < WORDS; w++)
        if (x->words[w] != y->words[w]) return x->words[w] < y->words[w] ? -1 : 1;
    return 0;
}

/* ---- adding */

/* Whether the last stretch lies within the one before and the next one, all of the same source.
 * Both still meet when each has lost up to 3 bytes of a character that it has not as a whole. */
static bool covers_last(const nd_stretch_list *l, const nd_stretch *next) {
    enum { BROKEN_BYTES = 2 * 3 };
    if (l->count == 0) return false;
    const nd_stretch last = stretch_of(l->records[l->count - 1].words);
    if (last.source_text != next->source_text || last.end > next->end) return false;
    if (next->begin <= last.begin) return true;
    if (l->count == 1) return false;
    const nd_stretch before = stretch_of(l->records[l->count - 2].words);
    return before.end >= next->begin + BROKEN_BYTES && before.source_text == next->source_text;
}

/* Sorts the first `count` records in memory and writes them to the file. */
static nd_status write_piece(nd_stretch_list *l, size_t count, nd_error *error) {
    ND_TRY(nd_merge_sort(l->records, count, sizeof *l->records, compare_records,
                         &l->pieces.settings.allocator, l->progress, error));
    ND_TRY(nd_sorted_pieces_add(&l->pieces, l->records->words, count, error));
    l->count -= count;
    memmove(l->records, l->records + count, l->count * sizeof *l->records);
    return ND_OK;
}

nd_status nd_stretch_list_add(nd_stretch_list *l, const nd_stretch *stretch, nd_error *error) {
    if (covers_last(l, stretch)) {
        l->records[l->count - 1] = record_of(stretch);
        return ND_OK;
    }
    /* The last two stay: the next one may cover. */
    if (l->count >= l->most) ND_TRY(write_piece(l, l->count - 2, error));
    if (!nd_reserve(&l->pieces.settings.allocator, &l->records, &l->capacity, l->count + 1))
        return nd_fail_memory(error, l->count * sizeof *l->records, "repeated stretches");
    l->records[l->count++] = record_of(stretch);
    return ND_OK;
}

/* ---- reading */

nd_status nd_stretch_list_begin(nd_stretch_list *l, nd_error *error) {
    l->next = 0;
    if (l->pieces.count == 0 && !l->sorted)
        ND_TRY(nd_merge_sort(l->records, l->count, sizeof *l->records, compare_records,
                             &l->pieces.settings.allocator, l->progress, error));
    else if (!l->sorted) ND_TRY(write_piece(l, l->count, error));
    l->sorted = true;
    return l->pieces.count > 0 ? nd_sorted_pieces_begin(&l->pieces, error) : ND_OK;
}

nd_status nd_stretch_list_next(nd_stretch_list *l, nd_stretch *stretch, bool *found,
                               nd_error *error) {
    const uint64_t *words = NULL;
    if (l->pieces.count > 0) ND_TRY(nd_sorted_pieces_next(&l->pieces, &words, error));
    else if (l->next < l->count) words = l->records[l->next++].words;
    *found = words != NULL;
    if (words) *stretch = stretch_of(words);
    return ND_OK;
}
