#include "io/sorted_pieces.h"

#include "base/limits.h"

/* Bytes of a buffer. Smaller ones would take a read for a few records. */
enum { BUFFER_LEAST = ND_LIMIT(1 << 12, 1 << 8) };

/* A piece that is read. */
typedef struct nd_piece_cursor {
    uint64_t *buffer;
    const uint64_t *next, *end; /* in the buffer */
    uint64_t offset, piece_end; /* in the spool: of the part that the buffer has not had */
} cursor;

static void close_cursors(nd_sorted_pieces *p) {
    const nd_allocator *a = &p->settings.allocator;
    nd_release(a, p->cursors);
    nd_release(a, (void *)p->heap);
    nd_release(a, p->buffers);
    p->cursors = NULL;
    p->heap = NULL;
    p->buffers = NULL;
    p->left = 0;
    p->taken = false;
}

void nd_sorted_pieces_free(nd_sorted_pieces *p) {
    close_cursors(p);
    nd_spool_free(&p->records);
    nd_release(&p->settings.allocator, p->ends);
    *p = (nd_sorted_pieces){.settings = p->settings};
}

/* ---- adding */

static void open_spool(const nd_sorted_pieces *p, nd_spool *spool) {
    const nd_sorted_pieces_settings *s = &p->settings;
    nd_spool_init(spool, &s->allocator, s->disk, 0, s->what);
}

static size_t record_size(const nd_sorted_pieces *p) {
    return p->settings.words * sizeof(uint64_t);
}

nd_status nd_sorted_pieces_add(nd_sorted_pieces *p, const uint64_t *records, size_t count,
                               nd_error *error) {
    if (p->count == 0) open_spool(p, &p->records);
    if (!nd_reserve(&p->settings.allocator, &p->ends, &p->capacity, p->count + 1))
        return nd_fail_memory(error, p->count * sizeof *p->ends, p->settings.what);
    p->ends[p->count++] = p->records.size + count * record_size(p);
    return nd_spool_append(&p->records, records, count * record_size(p), error);
}

/* ---- merging */

/* Whether the next record of one cursor comes before that of another. */
static bool is_before(const nd_sorted_pieces *p, const cursor *a, const cursor *b) {
    for (unsigned k = 0; k < p->settings.keys; k++)
        if (a->next[k] != b->next[k]) return a->next[k] < b->next[k];
    return a < b;
}

/* Moves a cursor down to its place in the heap. */
static void sift(nd_sorted_pieces *p, size_t at) {
    cursor **heap = p->heap, *moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < p->left; at = child) {
        if (child + 1 < p->left && is_before(p, heap[child + 1], heap[child])) child++;
        if (!is_before(p, heap[child], moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static nd_status fill_buffer(const nd_sorted_pieces *p, cursor *c, nd_error *error) {
    uint64_t left = c->piece_end - c->offset;
    size_t size = left < p->buffer_size ? (size_t)left : p->buffer_size;
    ND_TRY(nd_progress_poll(p->settings.disk->progress, error));
    ND_TRY(nd_spool_read(&p->records, c->buffer, size, c->offset, error));
    c->offset += size;
    c->next = c->buffer;
    c->end = c->buffer + size / sizeof(uint64_t);
    return ND_OK;
}

/* Allocates the cursors of `count` pieces. */
static nd_status create_cursors(nd_sorted_pieces *p, size_t count, nd_error *error) {
    const nd_allocator *a = &p->settings.allocator;
    size_t records = p->settings.memory_limit / count / record_size(p);
    p->buffer_size = (records > 0 ? records : 1) * record_size(p);
    p->cursors = nd_allocate_zero(a, count, sizeof *p->cursors);
    p->heap = nd_allocate_zero(a, count, sizeof *p->heap);
    p->buffers = nd_allocate(a, count, p->buffer_size);
    return p->cursors && p->heap && p->buffers
               ? ND_OK
               : nd_fail_memory(error, count * p->buffer_size, p->settings.what);
}

/* Opens pieces [first, first + count). */
static nd_status open_pieces(nd_sorted_pieces *p, size_t first, size_t count, nd_error *error) {
    close_cursors(p);
    ND_TRY(create_cursors(p, count, error));
    for (size_t i = 0; i < count; i++) {
        cursor *c = p->heap[i] = &p->cursors[i];
        c->buffer = p->buffers + i * (p->buffer_size / sizeof(uint64_t));
        c->offset = first + i > 0 ? p->ends[first + i - 1] : 0;
        c->piece_end = p->ends[first + i];
        ND_TRY(fill_buffer(p, c, error));
    }
    p->left = count;
    for (size_t i = count / 2; i-- > 0;) sift(p, i);
    return ND_OK;
}

/* Goes behind the least record. */
static nd_status pass_least(nd_sorted_pieces *p, nd_error *error) {
    cursor *c = p->heap[0];
    c->next += p->settings.words;
    if (c->next == c->end && c->offset < c->piece_end) ND_TRY(fill_buffer(p, c, error));
    if (c->next == c->end) p->heap[0] = p->heap[--p->left];
    if (p->left > 1) sift(p, 0);
    return ND_OK;
}

nd_status nd_sorted_pieces_next(nd_sorted_pieces *p, const uint64_t **record, nd_error *error) {
    if (p->taken) ND_TRY(pass_least(p, error));
    p->taken = p->left > 0;
    *record = p->taken ? p->heap[0]->next : NULL;
    return ND_OK;
}

/* Merges neighbouring pieces into one, `most` at a time. Records go from one spool to the other in
 * their place, so a merged piece ends where the last of its pieces did. */
static nd_status merge_neighbours(nd_sorted_pieces *p, size_t most, nd_spool *to, nd_error *error) {
    size_t count = 0;
    for (size_t first = 0; first < p->count; first += most) {
        size_t pieces = p->count - first < most ? p->count - first : most;
        const uint64_t *record;
        ND_TRY(open_pieces(p, first, pieces, error));
        ND_TRY(nd_sorted_pieces_next(p, &record, error));
        while (record) {
            ND_TRY(nd_spool_append(to, record, record_size(p), error));
            ND_TRY(nd_sorted_pieces_next(p, &record, error));
        }
        p->ends[count++] = p->ends[first + pieces - 1];
    }
    p->count = count;
    return ND_OK;
}

nd_status nd_sorted_pieces_begin(nd_sorted_pieces *p, nd_error *error) {
    size_t most = p->settings.memory_limit / BUFFER_LEAST;
    if (most < 2) most = 2;
    while (p->count > most) {
        nd_spool merged;
        open_spool(p, &merged);
        nd_status status = merge_neighbours(p, most, &merged, error);
        nd_spool_free(status == ND_OK ? &p->records : &merged);
        if (status != ND_OK) return status;
        p->records = merged;
    }
    return p->count > 0 ? open_pieces(p, 0, p->count, error) : ND_OK;
}
