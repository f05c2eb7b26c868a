#include "dedup/shingle_spool.h"

#include "base/limits.h"
#include "io/file.h"

#include <string.h>

/* Shingles of a region, of the largest document that is taken, and of the piece that a reader reads
 * if it goes forward. */
enum {
    REGION = ND_LIMIT(1 << 15, 100),
    MOST_SHINGLES = ND_LIMIT(1 << 14, 60),
    PIECE = ND_LIMIT(1 << 13, 30)
};

/* Documents that share a place in the list of first entries. */
enum { STRETCH = 64 };

/* A document of the table. */
typedef struct entry {
    uint32_t document;
    nd_shingle_range range;
} entry;

struct nd_shingle_spool {
    nd_allocator allocator;
    nd_temp_space *disk;
    int fd;                 /* -1: the file could not be created */
    _Atomic uint64_t end;   /* of the last region, in shingles */
    atomic_bool failed;     /* the file could not be written: nothing is found in it */
    atomic_bool full;       /* the table is, so that writing more is of no use */
    _Atomic uint64_t bytes; /* written */
    entry *entries;         /* ascending */
    size_t count, capacity, most;
    uint32_t *firsts; /* [d / STRETCH]: the first entry of d's stretch or of one behind it */
    size_t stretches, stretch_capacity;
};

nd_status nd_shingle_spool_create(const nd_allocator *allocator, nd_temp_space *disk, size_t memory,
                                  nd_shingle_spool **out, nd_error *error) {
    nd_shingle_spool *s = *out = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "the shingles of documents");
    s->allocator = *allocator;
    s->disk = disk;
    s->most = memory / sizeof *s->entries;
    s->fd = -1;
    nd_error ignored;
    s->failed = nd_file_nameless(disk->directory, &s->fd, &ignored) != ND_OK;
    return ND_OK;
}

void nd_shingle_spool_free(nd_shingle_spool *s) {
    if (!s) return;
    const nd_allocator allocator = s->allocator;
    nd_file_close(s->fd);
    nd_temp_space_subtract(s->disk, s->bytes);
    nd_release(&allocator, s->entries);
    nd_release(&allocator, s->firsts);
    nd_release(&allocator, s);
}

/* ---- writing */

/* Gives the disk back to the other stores of the run. */
static void give_up(nd_shingle_spool *s) {
    nd_error ignored;
    s->failed = true;
    if (nd_file_resize(s->fd, 0, s->disk->directory, &ignored) != ND_OK) return;
}

static void write_region(nd_shingle_writer *w) {
    nd_shingle_spool *s = w->spool;
    nd_error ignored;
    size_t bytes = w->used * sizeof *w->region;
    w->used = w->left = 0;
    if (bytes == 0 || s->failed) return;
    nd_status status = nd_file_write_at(s->fd, w->region, bytes, w->begin * sizeof *w->region,
                                        s->disk->directory, &ignored);
    if (status != ND_OK) give_up(s);
    s->bytes += bytes;
    nd_temp_space_add(s->disk, bytes);
}

/* Begins a region, unless the file is so large that ranges cannot say more, or memory is missing.
 */
static void begin_region(nd_shingle_writer *w) {
    nd_shingle_spool *s = w->spool;
    if (s->end > UINT32_MAX - REGION) return;
    if (!w->region) w->region = nd_allocate(&s->allocator, REGION, sizeof *w->region);
    if (!w->region) return;
    w->begin = atomic_fetch_add(&s->end, REGION);
    w->left = w->begin <= UINT32_MAX - REGION ? REGION : 0;
}

nd_shingle_range nd_shingle_writer_add(nd_shingle_writer *w, const uint64_t *shingles,
                                       size_t count) {
    const nd_shingle_range none = {0};
    if (count > MOST_SHINGLES || w->spool->failed || w->spool->full) return none;
    if (count > w->left) {
        write_region(w);
        begin_region(w);
        if (w->left == 0) return none;
    }
    nd_shingle_range range = {(uint32_t)(w->begin + w->used), (uint32_t)count};
    memcpy(w->region + w->used, shingles, count * sizeof *shingles);
    w->used += count;
    w->left -= count;
    return range;
}

void nd_shingle_writer_end(nd_shingle_writer *w) {
    if (!w->spool) return;
    write_region(w);
    nd_release(&w->spool->allocator, w->region);
    w->region = NULL;
}

/* A reader may read up to the end of a region that is not full. */
void nd_shingle_spool_finish(nd_shingle_spool *s) {
    nd_error ignored;
    if (s->failed) return;
    nd_status status = nd_file_resize(s->fd, s->end * sizeof(uint64_t), s->disk->directory,
                                      &ignored);
    if (status != ND_OK) give_up(s);
}

nd_status nd_shingle_spool_enter(nd_shingle_spool *s, uint32_t document, nd_shingle_range range,
                                 nd_error *error) {
    if (s->count == s->most) s->full = true;
    if (range.count == 0 || s->full) return ND_OK;
    size_t stretches = document / STRETCH + 1;
    if (!nd_reserve(&s->allocator, &s->entries, &s->capacity, s->count + 1) ||
        !nd_reserve(&s->allocator, &s->firsts, &s->stretch_capacity, stretches))
        return nd_fail_memory(error, sizeof *s->entries, "the shingles of documents");
    while (s->stretches < stretches) s->firsts[s->stretches++] = (uint32_t)s->count;
    s->entries[s->count++] = (entry){document, range};
    return ND_OK;
}

/* ---- reading */

/* Finds a document in the table, among those of its stretch. */
static nd_shingle_range range_of(const nd_shingle_spool *s, uint32_t document) {
    size_t stretch = document / STRETCH;
    if (stretch >= s->stretches) return (nd_shingle_range){0};
    const entry *e = s->entries + s->firsts[stretch], *end = s->entries + s->count;
    while (e < end && e->document < document) e++;
    return e < end && e->document == document ? e->range : (nd_shingle_range){0};
}

/* Reads a piece that begins with the range; just the range, unless it is a little behind the last
 * piece. */
static nd_status read_piece(nd_shingle_reader *r, nd_shingle_range range, nd_error *error) {
    const nd_shingle_spool *s = r->spool;
    bool forward = range.begin >= r->begin && range.begin <= r->end + PIECE;
    uint64_t count = forward && range.count < PIECE ? PIECE : range.count,
             left = s->end - range.begin;
    if (count > left) count = left;
    r->begin = r->end = 0;
    if (!nd_reserve(&s->allocator, &r->piece, &r->capacity, (size_t)count))
        return nd_fail_memory(error, (size_t)count * sizeof *r->piece, "the shingles of documents");
    ND_TRY(nd_file_read_at(s->fd, r->piece, (size_t)count * sizeof *r->piece,
                           range.begin * sizeof *r->piece, s->disk->directory, error));
    r->begin = range.begin;
    r->end = range.begin + count;
    return ND_OK;
}

nd_status nd_shingle_reader_find(nd_shingle_reader *r, uint32_t document, uint64_t **shingles,
                                 size_t *count, nd_error *error) {
    *shingles = NULL;
    if (!r->spool || r->spool->failed) return ND_OK;
    nd_shingle_range range = range_of(r->spool, document);
    if (range.count == 0) return ND_OK;
    if (range.begin < r->begin || range.begin + range.count > r->end)
        ND_TRY(read_piece(r, range, error));
    *shingles = r->piece + (range.begin - r->begin);
    *count = range.count;
    return ND_OK;
}

void nd_shingle_reader_free(nd_shingle_reader *r) {
    if (r->spool) nd_release(&r->spool->allocator, r->piece);
}

void nd_shingle_spool_empty(nd_shingle_spool *s) {
    if (s && !s->failed) give_up(s);
}
