#include "store/tombstones.h"

#include "base/status.h"
#include "store/numbered_names.h"

/* The only section of the file. */
enum { TAG_BITS = 1 };

enum { CHUNK = 1 << 15 }; /* bits */

/* ---- reading */

nd_status nd_tombstones_open(const char *path, const nd_seal *seal, uint32_t documents,
                             uint32_t removed, const nd_allocator *allocator, nd_tombstones *out,
                             nd_error *error) {
    ND_TRY(nd_sealed_open(path, ND_SEALED_TOMBSTONES, seal, allocator, &out->file, error));
    ND_TRY(nd_sealed_check(out->file, error));
    ND_TRY(nd_sealed_section(out->file, TAG_BITS, &out->file_bits, error));
    if (out->file_bits.size != ((uint64_t)documents + 7) / 8)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: its tombstones are not those of %u documents",
                       path, documents);
    out->file_size = seal->size;
    out->file_count = removed;
    return ND_OK;
}

void nd_tombstones_close(nd_tombstones *t, const nd_allocator *allocator) {
    for (size_t c = 0; c < t->chunk_count; c++) nd_release(allocator, t->chunks[c]);
    nd_release(allocator, t->chunks);
    nd_sealed_close(t->file);
    *t = (nd_tombstones){0};
}

bool nd_tombstones_added(const nd_tombstones *t, uint32_t number) {
    size_t c = number / CHUNK, bit = number % CHUNK;
    return c < t->chunk_count && t->chunks[c] && t->chunks[c][bit >> 3] >> (bit & 7) & 1;
}

/* A bit that cannot be read counts as 0: nd_tombstones_open has read every page of the file. */
static bool is_in_file(const nd_tombstones *t, uint32_t number) {
    const unsigned char *byte;
    if (!t->file) return false;
    return nd_sealed_view(t->file, &t->file_bits, number >> 3, 1, &byte, NULL) == ND_OK &&
           *byte >> (number & 7) & 1;
}

bool nd_tombstones_has(const nd_tombstones *t, uint32_t number) {
    return is_in_file(t, number) || nd_tombstones_added(t, number);
}

nd_status nd_tombstones_reserve(nd_tombstones *t, uint32_t number, const nd_allocator *allocator,
                                nd_error *error) {
    size_t c = number / CHUNK;
    if (!nd_reserve(allocator, &t->chunks, &t->chunk_capacity, c + 1))
        return nd_fail_memory(error, (c + 1) * sizeof *t->chunks, "removed documents");
    for (; t->chunk_count <= c; t->chunk_count++) t->chunks[t->chunk_count] = NULL;
    if (!t->chunks[c]) t->chunks[c] = nd_allocate_zero(allocator, CHUNK / 8, 1);
    return t->chunks[c] ? ND_OK : nd_fail_memory(error, CHUNK / 8, "removed documents");
}

nd_status nd_tombstones_add(nd_tombstones *t, uint32_t number, const nd_allocator *allocator,
                            nd_error *error) {
    size_t c = number / CHUNK, bit = number % CHUNK;
    ND_TRY(nd_tombstones_reserve(t, number, allocator, error));
    t->chunks[c][bit >> 3] |= (uint8_t)(1u << (bit & 7));
    t->added_count++;
    return ND_OK;
}

/* ---- writing */

struct nd_tombstone_writer {
    nd_allocator allocator;
    nd_sealed_writer *file;
    uint8_t bits;   /* of the byte that is being filled */
    unsigned count; /* of them */
};

nd_status nd_tombstone_writer_create(const char *path, const nd_allocator *allocator,
                                     nd_tombstone_writer **out, nd_error *error) {
    nd_tombstone_writer *w = nd_allocate_zero(allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "removed documents");
    w->allocator = *allocator;
    nd_status status = nd_sealed_writer_create(path, ND_SEALED_TOMBSTONES, allocator, &w->file,
                                               error);
    if (status == ND_OK) status = nd_sealed_begin(w->file, TAG_BITS, error);
    if (status != ND_OK) {
        nd_tombstone_writer_free(w);
        return status;
    }
    *out = w;
    return ND_OK;
}

void nd_tombstone_writer_free(nd_tombstone_writer *w) {
    if (!w) return;
    nd_sealed_writer_free(w->file);
    nd_allocator allocator = w->allocator;
    nd_release(&allocator, w);
}

static nd_status write_byte(nd_tombstone_writer *w, nd_error *error) {
    uint8_t byte = w->bits;
    w->bits = 0;
    w->count = 0;
    return nd_sealed_write(w->file, &byte, 1, error);
}

nd_status nd_tombstone_writer_put(nd_tombstone_writer *w, bool removed, nd_error *error) {
    w->bits |= (uint8_t)((unsigned)removed << w->count++);
    return w->count == 8 ? write_byte(w, error) : ND_OK;
}

nd_status nd_tombstone_writer_finish(nd_tombstone_writer *w, nd_seal *seal, nd_error *error) {
    if (w->count > 0) ND_TRY(write_byte(w, error));
    return nd_sealed_finish(w->file, seal, error);
}
