#include "base/merge_sort.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

/* Elements that one qsort sorts, and that are merged between two checks of the progress. */
enum { RUN = ND_LIMIT(1 << 15, 4) };

typedef struct sorting {
    size_t size;
    nd_compare_fn *compare;
    nd_progress *progress;
} sorting;

/* Merges two adjacent sorted runs, [0, middle) and [middle, end), into `to`. */
static nd_status merge(const sorting *s, const char *from, size_t middle, size_t end, char *to,
                       nd_error *error) {
    size_t a = 0, b = middle;
    for (size_t i = 0; i < end; i++) {
        if (i % RUN == 0) ND_TRY(nd_progress_poll(s->progress, error));
        bool first = b == end ||
                     (a < middle && s->compare(from + a * s->size, from + b * s->size) <= 0);
        memcpy(to + i * s->size, from + (first ? a++ : b++) * s->size, s->size);
    }
    return ND_OK;
}

static nd_status sort(const sorting *s, char *elements, size_t count, char *room, nd_error *error) {
    char *from = elements, *to = room;
    for (size_t i = 0; i < count; i += RUN) {
        ND_TRY(nd_progress_poll(s->progress, error));
        qsort(elements + i * s->size, count - i < RUN ? count - i : RUN, s->size, s->compare);
    }
    for (size_t run = RUN; run < count; run *= 2) {
        for (size_t i = 0; i < count; i += 2 * run) {
            size_t rest = count - i, end = rest < 2 * run ? rest : 2 * run;
            ND_TRY(
                merge(s, from + i * s->size, run < end ? run : end, end, to + i * s->size, error));
        }
        char *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != elements) memcpy(elements, from, count * s->size);
    return ND_OK;
}

nd_status nd_merge_sort(void *elements, size_t count, size_t size, nd_compare_fn *compare,
                        const nd_allocator *allocator, nd_progress *progress, nd_error *error) {
    const sorting s = {.size = size, .compare = compare, .progress = progress};
    if (count < 2) return ND_OK;
    char *room = count > RUN ? nd_allocate(allocator, count, size) : NULL;
    if (count > RUN && !room) return nd_fail_memory(error, count * size, "sorting");
    nd_status status = sort(&s, elements, count, room, error);
    nd_release(allocator, room);
    return status;
}
