#include "store/store.h"

#include "io/file.h"
#include "store/store_inside.h"

#include <string.h>
#include <unistd.h>

/* ---- bits of removed documents */

bool nd_removed_bit(const nd_removed_bits *bits, uint32_t number) {
    size_t c = number / ND_REMOVED_CHUNK, bit = number % ND_REMOVED_CHUNK;
    return c < bits->chunk_count && bits->chunks[c] && bits->chunks[c][bit >> 3] >> (bit & 7) & 1;
}

nd_status nd_removed_set(nd_removed_bits *bits, uint32_t number, const nd_allocator *allocator,
                         nd_error *error) {
    size_t c = number / ND_REMOVED_CHUNK, bit = number % ND_REMOVED_CHUNK;
    if (!nd_reserve(allocator, &bits->chunks, &bits->capacity, c + 1))
        return nd_fail_memory(error, (c + 1) * sizeof *bits->chunks, "removed documents");
    for (; bits->chunk_count <= c; bits->chunk_count++) bits->chunks[bits->chunk_count] = NULL;
    if (!bits->chunks[c]) bits->chunks[c] = nd_allocate_zero(allocator, ND_REMOVED_CHUNK / 8, 1);
    if (!bits->chunks[c]) return nd_fail_memory(error, ND_REMOVED_CHUNK / 8, "removed documents");
    bits->chunks[c][bit >> 3] |= (uint8_t)(1u << (bit & 7));
    return ND_OK;
}

void nd_removed_free(nd_removed_bits *bits, const nd_allocator *allocator) {
    for (size_t c = 0; c < bits->chunk_count; c++) nd_release(allocator, bits->chunks[c]);
    nd_release(allocator, bits->chunks);
    *bits = (nd_removed_bits){0};
}

/* A removal that the sealed file holds. One that cannot be read counts as none: opening has read
 * the file's every page. */
static bool removed_before(const nd_store *s, uint32_t number) {
    const unsigned char *byte;
    if (!s->removed) return false;
    return nd_sealed_view(s->removed, &s->removed_bits, number >> 3, 1, &byte, NULL) == ND_OK &&
           *byte >> (number & 7) & 1;
}

bool nd_store_is_removed(const nd_store *s, uint32_t number) {
    uint32_t recent = nd_store_segment_numbers(s);
    if (number >= recent) return nd_memory_table_is_removed(s->recent, number - recent);
    return removed_before(s, number) || nd_removed_bit(&s->removed_since, number);
}

nd_status nd_store_mark_removed(nd_store *s, uint32_t number, nd_error *error) {
    uint32_t recent = nd_store_segment_numbers(s);
    if (number >= recent) {
        nd_memory_table_remove(s->recent, number - recent);
        return ND_OK;
    }
    ND_TRY(nd_removed_set(&s->removed_since, number, &s->allocator, error));
    s->removed_since_count++;
    return ND_OK;
}

/* ---- opening the files of a state */

/* What is open of a state, before it takes the place of what was. */
typedef struct opened {
    nd_segment **segments;
    uint32_t *begins;
    nd_sealed_file *removed;
    nd_section removed_bits;
    uint32_t removed_count;
    nd_memory_table *recent; /* empty */
} opened;

static nd_segment *already_open(const nd_store *s, const nd_manifest_segment *wanted) {
    for (size_t i = 0; i < s->state.segment_count; i++)
        if (s->segments && s->state.segments[i].file == wanted->file) return s->segments[i];
    return NULL;
}

static bool is_of(nd_segment *const *segments, size_t count, const nd_segment *segment) {
    for (size_t i = 0; segments && i < count; i++)
        if (segments[i] == segment) return true;
    return false;
}

/* Closes the segments of one list that are not in another. */
static void close_segments(const nd_allocator *a, nd_segment **segments, size_t count,
                           nd_segment *const *but, size_t but_count) {
    for (size_t i = 0; segments && i < count; i++)
        if (!is_of(but, but_count, segments[i])) nd_segment_close(segments[i]);
    nd_release(a, segments);
}

static nd_status open_removed(const nd_store *s, const nd_manifest *state, opened *o,
                              nd_error *error) {
    if (!state->removed) return ND_OK;
    char *path = nd_index_path(&s->allocator, s->directory, "removed", state->removed);
    if (!path) return nd_fail_memory(error, strlen(s->directory), "a path");
    nd_status status = nd_sealed_open(path, ND_SEALED_REMOVED, &state->removed_seal, &s->allocator,
                                      &o->removed, error);
    nd_release(&s->allocator, path);
    ND_TRY(status);
    ND_TRY(nd_sealed_check(o->removed, error));
    ND_TRY(nd_sealed_section(o->removed, ND_TAG_REMOVED, &o->removed_bits, error));
    uint32_t numbers = o->begins[state->segment_count];
    if (o->removed_bits.size != ((uint64_t)numbers + 7) / 8)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: not of %u documents", nd_sealed_path(o->removed),
                       numbers);
    for (size_t i = 0; i < state->segment_count; i++)
        o->removed_count += state->segments[i].removed;
    return ND_OK;
}

static nd_status open_files(const nd_store *s, const nd_manifest *state, opened *o,
                            nd_error *error) {
    size_t count = state->segment_count;
    o->segments = nd_allocate_zero(&s->allocator, count + 1, sizeof *o->segments);
    o->begins = nd_allocate_zero(&s->allocator, count + 1, sizeof *o->begins);
    if (!o->segments || !o->begins)
        return nd_fail_memory(error, (count + 1) * sizeof *o->segments, "segments");
    for (size_t i = 0; i < count; i++) {
        const nd_manifest_segment *m = &state->segments[i];
        o->begins[i + 1] = o->begins[i] + m->documents;
        o->segments[i] = already_open(s, m);
        if (o->segments[i]) continue;
        ND_TRY(nd_segment_open(s->directory, m, &state->settings, &s->allocator, &o->segments[i],
                               error));
    }
    return open_removed(s, state, o, error);
}

/* ---- reading the log */

static nd_status replay_add(nd_store *s, const unsigned char *payload, size_t size,
                            nd_error *error) {
    nd_stored_document document;
    const nd_index_settings *set = &s->state.settings;
    if (!nd_stored_read(payload, size, set->perms, set->bands, set->exact != 0, s->keys, &document))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: a document in its log is damaged", s->directory);
    return nd_memory_table_add(s->recent, &document, error);
}

static nd_status replay_batch(nd_store *s, const unsigned char *payload, size_t size,
                              nd_error *error) {
    nd_batch_mark mark;
    if (!nd_store_read_batch(payload, size, &mark) || mark.end > nd_store_numbers(s))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: the mark of a batch in its log is damaged",
                       s->directory);
    s->batch = mark;
    return ND_OK;
}

static nd_status replay(void *context, uint16_t type, const unsigned char *payload, size_t size,
                        nd_error *error) {
    nd_store *s = context;
    if (type == ND_LOG_ADD) return replay_add(s, payload, size, error);
    if (type == ND_LOG_BATCH) return replay_batch(s, payload, size, error);
    if (type != ND_LOG_REMOVE || size != 4)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: a record in its log is of no known type",
                       s->directory);
    uint32_t number = nd_load_le32(payload);
    if (number >= nd_store_numbers(s) || nd_store_is_removed(s, number))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: its log removes document %u, which is not there",
                       s->directory, number);
    return nd_store_mark_removed(s, number, error);
}

static nd_status read_log(nd_store *s, nd_error *error) {
    const nd_index_settings *set = &s->state.settings;
    if (!s->keys) s->keys = nd_allocate(&s->allocator, set->bands, sizeof *s->keys);
    if (!s->keys) return nd_fail_memory(error, set->bands * sizeof *s->keys, "band keys");
    char *path = nd_index_path(&s->allocator, s->directory, "log", s->state.log);
    if (!path) return nd_fail_memory(error, strlen(s->directory), "a path");
    nd_log_tail tail;
    nd_status status = nd_log_read(path, s->state.log, replay, s, &s->allocator, &tail, error);
    if (status == ND_OK && s->mode == ND_STORE_WRITE)
        status = nd_log_open(path, s->state.log, tail, &s->allocator, &s->log, error);
    nd_release(&s->allocator, path);
    return status;
}

/* The new state in place of the old one. */
static void take_opened(nd_store *s, nd_manifest *state, const opened *o) {
    const nd_allocator *a = &s->allocator;
    close_segments(a, s->segments, s->state.segment_count, o->segments, state->segment_count);
    nd_release(a, s->begins);
    nd_sealed_close(s->removed);
    nd_removed_free(&s->removed_since, a);
    nd_memory_table_free(s->recent);
    nd_log_close(s->log);
    nd_manifest_free(&s->state);
    s->state = *state;
    nd_manifest_init(state, a);
    s->segments = o->segments;
    s->begins = o->begins;
    s->removed = o->removed;
    s->removed_bits = o->removed_bits;
    s->removed_before_count = o->removed_count;
    s->removed_since_count = 0;
    s->recent = o->recent;
    s->batch = nd_store_pending(s);
    s->log = NULL;
}

nd_status nd_store_load(nd_store *s, nd_manifest *state, nd_error *error) {
    const nd_allocator *a = &s->allocator;
    opened o = {0};
    const nd_index_settings *set = &state->settings;
    nd_status status = open_files(s, state, &o, error);
    if (status == ND_OK)
        status = nd_memory_table_create(set->perms, set->bands, set->exact != 0, a, &o.recent,
                                        error);
    if (status != ND_OK) {
        close_segments(a, o.segments, state->segment_count, s->segments, s->state.segment_count);
        nd_release(a, o.begins);
        nd_sealed_close(o.removed);
        return status;
    }
    if (s->view) pthread_rwlock_wrlock(s->view);
    take_opened(s, state, &o);
    status = read_log(s, error);
    if (s->view) pthread_rwlock_unlock(s->view);
    return status;
}

void nd_store_share(nd_store *s, pthread_rwlock_t *view) { s->view = view; }

/* ---- opening and closing */

static nd_status take_lock(nd_store *s, nd_error *error) {
    char *path = nd_string_join(&s->allocator, s->directory, "/lock", "");
    if (!path) return nd_fail_memory(error, strlen(s->directory), "a path");
    nd_status status = nd_lock_take(path, &s->lock, error);
    nd_release(&s->allocator, path);
    return status == ND_ERR_BUSY
               ? nd_fail(error, status, "%s: another process writes to this index", s->directory)
               : status;
}

/* Looked for before the lock, so that no lock file comes into being where there is no index. */
static nd_status find_index(const nd_store *s, nd_error *error) {
    nd_manifest state;
    bool unlike;
    nd_manifest_init(&state, &s->allocator);
    nd_status status = nd_manifest_read(s->directory, &s->allocator, &state, &unlike, error);
    nd_manifest_free(&state);
    return status;
}

/* Why there is no index, where a stream is there. */
static nd_status fail_no_index(const nd_store *s, nd_status status, nd_error *error) {
    nd_state_kind kind;
    if (status != ND_ERR_IO || nd_state_find(s->directory, &s->allocator, &kind, NULL) != ND_OK ||
        kind != ND_STATE_STREAM)
        return status;
    return nd_fail(error, ND_ERR_IO, "%s: %s, not an index", s->directory, nd_state_name(kind));
}

/* Opens the newest state; again when files of it have gone, for a writer has then published another
 * one meanwhile. */
static nd_status open_newest(nd_store *s, nd_error *error) {
    for (uint64_t tried = 0;;) {
        nd_manifest state;
        nd_error failure;
        bool repair;
        ND_TRY(nd_manifest_read(s->directory, &s->allocator, &state, &repair, error));
        uint64_t generation = state.generation;
        /* Even where the two mirrors look alike: what a writer wrote before it was killed may be in
         * memory alone. */
        nd_status status = s->mode == ND_STORE_WRITE
                               ? nd_manifest_write(s->directory, &state, &failure)
                               : ND_OK;
        if (status == ND_OK) status = nd_store_load(s, &state, &failure);
        nd_manifest_free(&state);
        if (status == ND_OK) return ND_OK;
        if (status != ND_ERR_IO || generation == tried) return nd_fail_as(error, &failure);
        tried = generation;
    }
}

nd_status nd_store_open(const char *directory, nd_store_mode mode, const nd_allocator *allocator,
                        nd_store **out, nd_error *error) {
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_store *s = nd_allocate_zero(&memory, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "an index");
    s->allocator = memory;
    s->mode = mode;
    s->lock = ND_LOCK_NONE;
    nd_manifest_init(&s->state, &memory);
    s->directory = nd_string_join(&memory, directory, "", "");
    s->disk.directory = s->directory;
    nd_status status = s->directory ? ND_OK : nd_fail_memory(error, strlen(directory), "an index");
    if (status == ND_OK && mode == ND_STORE_WRITE) status = find_index(s, error);
    if (status == ND_OK && mode == ND_STORE_WRITE) status = take_lock(s, error);
    if (status == ND_OK) status = open_newest(s, error);
    if (status == ND_OK && mode == ND_STORE_WRITE) status = nd_store_remove_waste(s, error);
    if (status != ND_OK) {
        if (s->directory) status = fail_no_index(s, status, error);
        nd_store_close(s);
        return status;
    }
    *out = s;
    return ND_OK;
}

void nd_store_close(nd_store *s) {
    if (!s) return;
    nd_allocator a = s->allocator;
    close_segments(&a, s->segments, s->state.segment_count, NULL, 0);
    nd_release(&a, s->begins);
    nd_sealed_close(s->removed);
    nd_removed_free(&s->removed_since, &a);
    nd_memory_table_free(s->recent);
    nd_log_close(s->log);
    nd_manifest_free(&s->state);
    nd_lock_release(&s->lock);
    nd_release(&a, s->directory);
    nd_release(&a, s->keys);
    nd_release(&a, s->record);
    nd_release(&a, s);
}

/* Without the caller's memory, which may have ended. */
static void remove_all(const char *directory, nd_lock *lock, bool made) {
    char path[ND_PATH_SIZE];
    nd_manifest_remove(directory);
    nd_status status = nd_state_remove_waste(directory, false, NULL, NULL, NULL);
    (void)status; /* what is left is known by whoever makes an index there next */
    if (nd_path_join(path, directory, "lock")) nd_lock_remove(lock, path);
    nd_lock_release(lock);
    if (made) rmdir(directory);
}

nd_status nd_store_create(const char *directory, const nd_index_settings *settings,
                          nd_store_first_fn *first, void *context, const nd_allocator *allocator,
                          nd_error *error) {
    nd_store s = {.allocator = nd_allocator_or_default(allocator), .lock = ND_LOCK_NONE};
    bool made = false, begun = false;
    s.directory = nd_string_join(&s.allocator, directory, "", "");
    if (!s.directory) return nd_fail_memory(error, strlen(directory), "a path");
    nd_manifest state;
    nd_manifest_init(&state, &s.allocator);
    state.settings = *settings;
    nd_status status = nd_state_check_free(directory, false, &s.allocator, error);
    if (status == ND_OK) status = nd_directory_create(directory, &made, &s.allocator, error);
    if (status == ND_OK) status = take_lock(&s, error);
    /* Another process may have made one before the lock was taken. */
    if (status == ND_OK) status = nd_state_check_free(directory, false, &s.allocator, error);
    begun = status == ND_OK;
    if (status == ND_OK) status = nd_store_begin(&s, &state, first, context, error);
    nd_manifest_free(&state);
    if (status != ND_OK && begun) remove_all(directory, &s.lock, made);
    else if (status != ND_OK && made) rmdir(directory);
    nd_lock_release(&s.lock);
    nd_release(&s.allocator, s.directory);
    return status;
}

nd_status nd_store_discard(const char *directory, const nd_allocator *allocator, nd_error *error) {
    nd_store *s;
    ND_TRY(nd_store_open(directory, ND_STORE_WRITE, allocator, &s, error));
    uint32_t documents = nd_store_numbers(s);
    if (documents == 0) remove_all(directory, &s->lock, true);
    nd_store_close(s);
    return documents == 0 ? ND_OK
                          : nd_fail(error, ND_ERR_IO,
                                    "%s: there is an index already, with documents", directory);
}

void nd_store_remove_unused(const char *directory) {
    nd_lock lock = ND_LOCK_NONE;
    char path[ND_PATH_SIZE];
    bool locked = nd_path_join(path, directory, "lock") && nd_lock_take(path, &lock, NULL) == ND_OK;
    if (locked) remove_all(directory, &lock, true);
}

nd_status nd_store_check_process(const nd_store *s, nd_error *error) {
    return nd_lock_check(&s->lock, s->directory, error);
}

/* ---- reading */

const char *nd_store_directory(const nd_store *s) { return s->directory; }
const nd_manifest *nd_store_state(const nd_store *s) { return &s->state; }
uint32_t nd_store_numbers(const nd_store *s) {
    return nd_store_segment_numbers(s) + nd_memory_table_count(s->recent);
}
uint32_t nd_store_log_documents(const nd_store *s) { return nd_memory_table_live(s->recent); }

uint32_t nd_store_live(const nd_store *s) {
    return nd_store_segment_numbers(s) - s->removed_before_count - s->removed_since_count +
           nd_memory_table_live(s->recent);
}

uint64_t nd_store_bytes(const nd_store *s) {
    uint64_t bytes = nd_memory_table_count(s->recent) > 0 ? nd_memory_table_bytes(s->recent) : 0;
    for (size_t i = 0; i < s->state.segment_count; i++) bytes += nd_segment_bytes(s->segments[i]);
    return bytes + (s->removed ? s->state.removed_seal.size : 0);
}

/* The segment of a document's number, and its place there. NULL: the log's. */
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
    nd_memory_table_document(s->recent, d, out);
    return ND_OK;
}

nd_status nd_store_id(const nd_store *s, uint32_t number, nd_id_digits *digits,
                      nd_stored_document *out, nd_error *error) {
    uint32_t d;
    const nd_segment *segment = segment_of(s, number, &d);
    if (segment) return nd_segment_row(segment, d, digits, out, error);
    nd_memory_table_document(s->recent, d, out);
    return ND_OK;
}

nd_status nd_store_id_number(const nd_store *s, uint32_t number, uint32_t *id, nd_error *error) {
    uint32_t d;
    nd_stored_document document;
    const nd_segment *segment = segment_of(s, number, &d);
    if (segment) return nd_segment_number(segment, d, id, error);
    nd_memory_table_document(s->recent, d, &document);
    if (nd_id_to_number(document.id, document.id_length, id)) return ND_OK;
    return nd_fail(error, ND_ERR_CORRUPT, "%s: an id is no number", s->directory);
}

size_t nd_store_segments(const nd_store *s) { return s->state.segment_count; }

const nd_segment *nd_store_segment(const nd_store *s, size_t segment, uint32_t *begin) {
    *begin = s->begins[segment];
    return s->segments[segment];
}

const nd_memory_table *nd_store_recent(const nd_store *s, uint32_t *begin) {
    *begin = nd_store_segment_numbers(s);
    return s->recent;
}

typedef struct id_search {
    const nd_store *store;
    uint32_t begin, number;
} id_search;

static bool take_id(void *context, uint32_t document) {
    id_search *search = context;
    if (nd_store_is_removed(search->store, search->begin + document)) return false;
    search->number = search->begin + document;
    return true;
}

nd_status nd_store_find_id(const nd_store *s, const char *id, size_t length, uint32_t *number,
                           nd_error *error) {
    uint32_t recent = nd_memory_table_find_id(s->recent, id, length);
    id_search search = {s, 0, UINT32_MAX};
    if (recent != UINT32_MAX) search.number = nd_store_segment_numbers(s) + recent;
    for (size_t i = s->state.segment_count; search.number == UINT32_MAX && i-- > 0;) {
        search.begin = s->begins[i];
        ND_TRY(nd_segment_find_id(s->segments[i], id, length, take_id, &search, error));
    }
    *number = search.number;
    return ND_OK;
}

void nd_store_set_progress(nd_store *s, nd_progress *progress) { s->disk.progress = progress; }
