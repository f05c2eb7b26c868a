#include "store/store.h"

#include "store/store_inside.h"

const char *nd_store_directory(const nd_store *s) { return s->directory; }
const nd_manifest *nd_store_state(const nd_store *s) { return &s->state; }
uint32_t nd_store_document_count(const nd_store *s) {
    return nd_store_segment_numbers(s) + nd_memtable_count(s->memtable);
}
uint32_t nd_store_log_documents(const nd_store *s) { return nd_memtable_live_count(s->memtable); }

uint32_t nd_store_live_count(const nd_store *s) {
    return nd_store_segment_numbers(s) - s->tombstones.file_count - s->tombstones.added_count +
           nd_memtable_live_count(s->memtable);
}

nd_store_counts nd_store_count_all(const nd_store *s) {
    const nd_manifest *state = nd_store_state(s);
    return (nd_store_counts){.documents = nd_store_live_count(s),
                             .removed = nd_store_document_count(s) - nd_store_live_count(s),
                             .segments = state->segment_count,
                             .log_documents = nd_store_log_documents(s),
                             .generation = state->generation,
                             .bytes = nd_store_bytes(s)};
}

uint64_t nd_store_bytes(const nd_store *s) {
    uint64_t bytes = nd_memtable_count(s->memtable) > 0 ? nd_memtable_bytes(s->memtable) : 0;
    for (size_t i = 0; i < s->state.segment_count; i++) bytes += nd_segment_bytes(s->segments[i]);
    return bytes + s->tombstones.file_size;
}

bool nd_store_is_removed(const nd_store *s, uint32_t number) {
    uint32_t recent = nd_store_segment_numbers(s);
    if (number >= recent) return nd_memtable_is_removed(s->memtable, number - recent);
    return nd_tombstones_has(&s->tombstones, number);
}

/* Finds the segment of a document, and its number there. NULL: it is in the memtable. */
static const nd_segment *segment_of(const nd_store *s, uint32_t number, uint32_t *document) {
    size_t low = 0, high = s->state.segment_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->begins[middle + 1] <= number) low = middle + 1;
        else high = middle;
    }
    *document = number - s->begins[low];
    return low < s->state.segment_count ? s->segments[low] : NULL;
}

nd_status nd_store_document(const nd_store *s, uint32_t number, nd_stored_document *out,
                            nd_error *error) {
    uint32_t d;
    const nd_segment *segment = segment_of(s, number, &d);
    if (segment) return nd_segment_document(segment, d, out, error);
    nd_memtable_document(s->memtable, d, out);
    return ND_OK;
}

void nd_store_prefetch_documents(const nd_store *s, const uint32_t *numbers, size_t count) {
    uint32_t d;
    const nd_segment *segment;
    for (size_t i = 0; i < count; i++)
        if ((segment = segment_of(s, numbers[i], &d))) nd_segment_prefetch_place(segment, d);
    for (size_t i = 0; i < count; i++)
        if ((segment = segment_of(s, numbers[i], &d))) nd_segment_prefetch_row(segment, d);
}

nd_status nd_store_id(const nd_store *s, uint32_t number, nd_id_digits *digits,
                      nd_stored_document *out, nd_error *error) {
    uint32_t d;
    const nd_segment *segment = segment_of(s, number, &d);
    if (segment) return nd_segment_row(segment, d, digits, out, error);
    nd_memtable_document(s->memtable, d, out);
    return ND_OK;
}

nd_status nd_store_numeric_id(const nd_store *s, uint32_t number, uint32_t *id, nd_error *error) {
    uint32_t d;
    nd_stored_document document;
    const nd_segment *segment = segment_of(s, number, &d);
    if (segment) return nd_segment_number(segment, d, id, error);
    nd_memtable_document(s->memtable, d, &document);
    if (nd_id_to_number(document.id, document.id_length, id)) return ND_OK;
    return nd_fail(error, ND_ERR_CORRUPT, "%s: an id is not a number", s->directory);
}

size_t nd_store_segment_count(const nd_store *s) { return s->state.segment_count; }

const nd_segment *nd_store_segment(const nd_store *s, size_t segment, uint32_t *begin) {
    *begin = s->begins[segment];
    return s->segments[segment];
}

const nd_memtable *nd_store_memtable(const nd_store *s, uint32_t *begin) {
    *begin = nd_store_segment_numbers(s);
    return s->memtable;
}

typedef struct id_search {
    const nd_store *store;
    uint32_t begin, number;
} id_search;

static bool accept_id(void *context, uint32_t document) {
    id_search *search = context;
    if (nd_store_is_removed(search->store, search->begin + document)) return false;
    search->number = search->begin + document;
    return true;
}

nd_status nd_store_find_id(const nd_store *s, const char *id, size_t length, uint32_t *number,
                           nd_error *error) {
    uint32_t recent = nd_memtable_find_id(s->memtable, id, length);
    id_search search = {s, 0, UINT32_MAX};
    if (recent != UINT32_MAX) search.number = nd_store_segment_numbers(s) + recent;
    for (size_t i = s->state.segment_count; search.number == UINT32_MAX && i-- > 0;) {
        search.begin = s->begins[i];
        ND_TRY(nd_segment_find_id(s->segments[i], id, length, accept_id, &search, error));
    }
    *number = search.number;
    return ND_OK;
}

void nd_store_set_progress(nd_store *s, nd_progress *progress) { s->disk.progress = progress; }

/* ---- for changes */

nd_status nd_store_check_writable(const nd_store *s, nd_error *error) {
    if (s->failure.status != ND_OK)
        return nd_fail(error, s->failure.status, "%s", s->failure.message);
    return s->mode == ND_STORE_WRITE
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT, "%s: opened for reading", s->directory);
}

nd_status nd_store_end_step(nd_store *s, nd_status status, const nd_error *failure,
                            nd_error *error) {
    if (status == ND_OK) return ND_OK;
    s->failure = *failure;
    return nd_fail(error, status, "%s", failure->message);
}

void nd_store_exclude_readers(nd_store *s) {
    if (s->view) pthread_rwlock_wrlock(s->view);
}

void nd_store_admit_readers(nd_store *s) {
    if (s->view) pthread_rwlock_unlock(s->view);
}
