#include "storage/sealed_file.h"

#include "base/async_task.h"
#include "base/hash.h"
#include "base/limits.h"
#include "io/file.h"
#include "io/memory_limit.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

enum {
    HASHES = ND_SEALED_PAGE / 8, /* in a page */
    ENTRY = 16,                  /* of the table of sections */
    TRAILER = 56,
    TRAILER_HASH = 40,
    VERSION = 1,
    BUFFER_PAGES = ND_LIMIT(256, 3),
    HASH_MEMORY = ND_LIMIT(8 << 20, 0), /* the hashes of 4 GiB; a spool's limit */
    BUFFER = BUFFER_PAGES * ND_SEALED_PAGE
};

static const char MAGIC[] = "ndsealed";

typedef struct tagged_section {
    uint64_t tag;
    nd_section section;
} tagged_section;

uint64_t nd_sealed_page_hash(const void *bytes, size_t size, uint64_t page) {
    const unsigned char *p = bytes;
    uint64_t k = nd_mix64(page + ND_HASH_C0), l = nd_mix64(page + ND_HASH_C1), hash = 0;
    for (size_t i = 0; i < size; i += 16) {
        k += ND_HASH_POLY;
        l += ND_HASH_C2;
        uint64_t a = nd_load_le64(p + i) ^ k, b = nd_load_le64(p + i + 8) ^ l;
        hash += nd_fold_multiply(a, b) + a + b;
    }
    return hash;
}

/* The sum of the hashes of whole pages. */
static uint64_t hash_pages(const unsigned char *bytes, size_t pages, uint64_t first) {
    uint64_t hash = 0;
    for (size_t p = 0; p < pages; p++)
        hash += nd_sealed_page_hash(bytes + p * ND_SEALED_PAGE, ND_SEALED_PAGE, first + p);
    return hash;
}

static uint64_t pages_of(uint64_t bytes) {
    return bytes / ND_SEALED_PAGE + (bytes % ND_SEALED_PAGE != 0);
}

/* ---- writing */

struct nd_sealed_writer {
    nd_allocator allocator;
    char *path;       /* the final name */
    char *unfinished; /* the name until the file is complete */
    char *directory;
    nd_temp_space disk;
    nd_spool hashes;       /* of the pages of the current level; the data are the first level */
    unsigned char *memory; /* holds the buffer, which is aligned */
    unsigned char *buffer;
    size_t used;
    uint64_t written; /* bytes before the buffer's */
    /* The writer has two buffers: a task writes the full one, `other`, while the caller fills the
     * next. Task and second buffer are made when the first buffer is full. */
    nd_async_task *task;
    unsigned char *other_memory, *other;
    uint64_t other_offset;
    bool past_cache; /* writes of whole pages bypass the page cache, until the system rejects one */
    tagged_section *sections;
    size_t count, capacity;
    uint32_t kind;
    int fd;
    bool failed, finished;
};

static void begin_level(nd_sealed_writer *w) {
    nd_spool_init(&w->hashes, &w->allocator, &w->disk, HASH_MEMORY, "hashes of pages");
}

static unsigned char *aligned(unsigned char *memory) {
    return memory + (ND_FILE_BLOCK - (uintptr_t)memory % ND_FILE_BLOCK);
}

nd_status nd_sealed_writer_create(const char *path, uint32_t kind, const nd_allocator *allocator,
                                  nd_sealed_writer **out, nd_error *error) {
    nd_sealed_writer *w = nd_allocate_zero(allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, path);
    w->allocator = *allocator;
    w->kind = kind;
    w->fd = -1;
    w->path = nd_string_join(allocator, path, "", "");
    w->unfinished = nd_string_join(allocator, path, ND_UNFINISHED, "");
    w->directory = nd_path_directory(allocator, path);
    w->disk.directory = w->directory;
    w->memory = nd_allocate(allocator, BUFFER + ND_FILE_BLOCK, 1);
    w->buffer = aligned(w->memory);
    begin_level(w);
    bool all = w->path && w->unfinished && w->directory && w->memory;
    nd_status status = all ? ND_OK : nd_fail_memory(error, BUFFER, path);
    if (status == ND_OK && !nd_name_is_free(path))
        status = nd_fail_os(error, EEXIST, "%s: cannot make it", path);
    if (status == ND_OK) status = nd_file_create(w->unfinished, &w->fd, error);
    if (status != ND_OK) {
        nd_sealed_writer_free(w);
        return status;
    }
    w->past_cache = ND_SEALED_PAGE % ND_FILE_BLOCK == 0;
    if (w->past_cache) nd_file_bypass_cache(w->fd);
    *out = w;
    return ND_OK;
}

void nd_sealed_keep_cached(nd_sealed_writer *w) {
    if (w->past_cache) nd_file_use_cache(w->fd);
    w->past_cache = false;
}

void nd_sealed_writer_free(nd_sealed_writer *w) {
    if (!w) return;
    nd_async_task_free(w->task);
    if (w->fd >= 0 && !w->finished) nd_file_remove(w->unfinished, NULL);
    nd_file_close(w->fd);
    nd_spool_free(&w->hashes);
    nd_allocator allocator = w->allocator;
    nd_release(&allocator, w->sections);
    nd_release(&allocator, w->memory);
    nd_release(&allocator, w->other_memory);
    nd_release(&allocator, w->directory);
    nd_release(&allocator, w->unfinished);
    nd_release(&allocator, w->path);
    nd_release(&allocator, w);
}

nd_temp_space *nd_sealed_writer_disk(nd_sealed_writer *w) { return &w->disk; }

/* A failed write past the cache decides nothing: a file system may accept the flag and reject the
 * write. The write through the cache then reports what is wrong. */
static nd_status write_pages(nd_sealed_writer *w, const unsigned char *pages, size_t size,
                             uint64_t offset, nd_error *error) {
    nd_error ignored;
    if (w->past_cache && nd_file_write_at(w->fd, pages, size, offset, w->path, &ignored) == ND_OK)
        return ND_OK;
    if (w->past_cache) nd_file_use_cache(w->fd);
    w->past_cache = false;
    ND_TRY(nd_file_write_at(w->fd, pages, size, offset, w->path, error));
    nd_file_write_back(w->fd, offset, size);
    return ND_OK;
}

/* The task; `context` is the writer. */
static nd_status write_other(void *context, nd_error *error) {
    nd_sealed_writer *w = context;
    return write_pages(w, w->other, BUFFER, w->other_offset, error);
}

static nd_status await_other(nd_sealed_writer *w, nd_error *error) {
    return w->task ? nd_async_task_wait(w->task, error) : ND_OK;
}

/* Appends the hashes of the buffer's pages to those of the level. */
static nd_status add_hashes(nd_sealed_writer *w, nd_error *error) {
    unsigned char hashes[BUFFER_PAGES * 8];
    size_t pages = w->used / ND_SEALED_PAGE;
    for (size_t p = 0; p < pages; p++) {
        uint64_t hash = nd_sealed_page_hash(w->buffer + p * ND_SEALED_PAGE, ND_SEALED_PAGE,
                                            w->written / ND_SEALED_PAGE + p);
        nd_store_le64(hashes + p * 8, hash);
    }
    return nd_spool_append(&w->hashes, hashes, pages * 8, error);
}

static nd_status make_other(nd_sealed_writer *w, nd_error *error) {
    w->other_memory = nd_allocate(&w->allocator, BUFFER + ND_FILE_BLOCK, 1);
    if (!w->other_memory) return nd_fail_memory(error, BUFFER, w->path);
    w->other = aligned(w->other_memory);
    return nd_async_task_create(&w->allocator, &w->task, error);
}

/* Starts to write the full buffer, and goes on with the other one. */
static nd_status pass_on(nd_sealed_writer *w, nd_error *error) {
    if (!w->task) ND_TRY(make_other(w, error));
    ND_TRY(add_hashes(w, error));
    ND_TRY(await_other(w, error));
    unsigned char *full = w->buffer;
    w->buffer = w->other;
    w->other = full;
    w->other_offset = w->written;
    w->written += w->used;
    w->used = 0;
    nd_async_task_start(w->task, write_other, w);
    return ND_OK;
}

/* Writes the buffer and waits for the one before it. REQUIRES: the buffer holds whole pages. */
static nd_status flush(nd_sealed_writer *w, nd_error *error) {
    ND_TRY(add_hashes(w, error));
    ND_TRY(await_other(w, error));
    ND_TRY(write_pages(w, w->buffer, w->used, w->written, error));
    w->written += w->used;
    w->used = 0;
    return ND_OK;
}

static nd_status append(nd_sealed_writer *w, const void *bytes, size_t size, nd_error *error) {
    const unsigned char *p = bytes;
    while (size > 0) {
        if (w->used == BUFFER) ND_TRY(pass_on(w, error));
        size_t n = size < BUFFER - w->used ? size : BUFFER - w->used;
        memcpy(w->buffer + w->used, p, n);
        w->used += n;
        p += n;
        size -= n;
    }
    return ND_OK;
}

static nd_status append_spool(nd_sealed_writer *w, const nd_spool *spool, nd_error *error) {
    unsigned char piece[4096];
    for (uint64_t at = 0; at < spool->size;) {
        size_t n = spool->size - at < sizeof piece ? (size_t)(spool->size - at) : sizeof piece;
        ND_TRY(nd_spool_read(spool, piece, n, at, error));
        ND_TRY(append(w, piece, n, error));
        at += n;
    }
    return ND_OK;
}

/* Fills the page with zeros to its end. */
static void fill_page(nd_sealed_writer *w) {
    size_t end = (size_t)pages_of(w->used) * ND_SEALED_PAGE;
    memset(w->buffer + w->used, 0, end - w->used);
    w->used = end;
}

static nd_status keep_failure(nd_sealed_writer *w, nd_status status) {
    if (status != ND_OK) w->failed = true;
    return status;
}

static nd_status check_not_failed(const nd_sealed_writer *w, nd_error *error) {
    return w->failed ? nd_fail(error, ND_ERR_IO, "%s: it could not be written before", w->path)
                     : ND_OK;
}

nd_status nd_sealed_begin(nd_sealed_writer *w, uint32_t tag, nd_error *error) {
    ND_TRY(check_not_failed(w, error));
    for (size_t s = 0; s < w->count; s++)
        if (w->sections[s].tag == tag)
            return keep_failure(w, nd_fail(error, ND_ERR_ARGUMENT,
                                           "%s: section %" PRIu32 " is begun twice", w->path, tag));
    if (w->count == ND_SEALED_SECTIONS)
        return keep_failure(w, nd_fail(error, ND_ERR_ARGUMENT, "%s: more than %d sections", w->path,
                                       ND_SEALED_SECTIONS));
    if (!nd_reserve(&w->allocator, &w->sections, &w->capacity, w->count + 1))
        return keep_failure(w, nd_fail_memory(error, sizeof *w->sections, w->path));
    fill_page(w);
    w->sections[w->count++] = (tagged_section){tag, {w->written + w->used, 0}};
    return ND_OK;
}

/* Adds `size` bytes to the current section. */
static nd_status extend_section(nd_sealed_writer *w, uint64_t size, nd_error *error) {
    ND_TRY(check_not_failed(w, error));
    if (w->count == 0)
        return keep_failure(
            w, nd_fail(error, ND_ERR_ARGUMENT, "%s: bytes before the first section", w->path));
    w->sections[w->count - 1].section.size += size;
    return ND_OK;
}

nd_status nd_sealed_write(nd_sealed_writer *w, const void *bytes, size_t size, nd_error *error) {
    ND_TRY(extend_section(w, size, error));
    return keep_failure(w, append(w, bytes, size, error));
}

nd_status nd_sealed_write_spool(nd_sealed_writer *w, const nd_spool *spool, nd_error *error) {
    ND_TRY(extend_section(w, spool->size, error));
    return keep_failure(w, append_spool(w, spool, error));
}

/* Ends the data and writes the levels of hashes, up to the level of one page; *root is the hash of
 * that page, 0 without data. */
static nd_status write_levels(nd_sealed_writer *w, uint64_t *root, nd_error *error) {
    unsigned char hash[8] = {0};
    fill_page(w);
    ND_TRY(flush(w, error));
    while (w->hashes.size > sizeof hash) {
        nd_spool below = w->hashes;
        begin_level(w);
        nd_status status = append_spool(w, &below, error);
        nd_spool_free(&below);
        ND_TRY(status);
        fill_page(w);
        ND_TRY(flush(w, error));
    }
    ND_TRY(nd_spool_read(&w->hashes, hash, (size_t)w->hashes.size, 0, error));
    *root = nd_load_le64(hash);
    return ND_OK;
}

static void fill_table(const nd_sealed_writer *w, uint64_t root, unsigned char *table, size_t pages,
                       nd_seal *seal) {
    for (size_t s = 0; s < w->count; s++) {
        nd_store_le64(table + s * ENTRY, w->sections[s].tag);
        nd_store_le64(table + s * ENTRY + 8, w->sections[s].section.size);
    }
    unsigned char *last = table + (pages - 1) * ND_SEALED_PAGE,
                  *trailer = last + ND_SEALED_PAGE - TRAILER;
    uint64_t first = w->written / ND_SEALED_PAGE;
    seal->size = w->written + pages * ND_SEALED_PAGE;
    nd_store_le64(trailer, root);
    nd_store_le64(trailer + 8, hash_pages(table, pages - 1, first));
    nd_store_le64(trailer + 16, seal->size);
    nd_store_le32(trailer + 24, (uint32_t)w->count);
    nd_store_le32(trailer + 28, w->kind);
    nd_store_le32(trailer + 32, ND_SEALED_PAGE);
    nd_store_le32(trailer + 36, VERSION);
    seal->hash = nd_sealed_page_hash(last, ND_SEALED_PAGE - TRAILER + TRAILER_HASH,
                                     first + pages - 1);
    nd_store_le64(trailer + TRAILER_HASH, seal->hash);
    memcpy(trailer + 48, MAGIC, 8);
}

static nd_status write_table(nd_sealed_writer *w, uint64_t root, nd_seal *seal, nd_error *error) {
    size_t pages = (size_t)pages_of(w->count * ENTRY + TRAILER);
    unsigned char *table = nd_allocate_zero(&w->allocator, pages, ND_SEALED_PAGE);
    if (!table) return nd_fail_memory(error, pages * ND_SEALED_PAGE, w->path);
    fill_table(w, root, table, pages, seal);
    if (w->past_cache) nd_file_use_cache(w->fd); /* the table's memory is not aligned */
    nd_status status = nd_file_write_at(w->fd, table, pages * ND_SEALED_PAGE, w->written, w->path,
                                        error);
    nd_release(&w->allocator, table);
    return status;
}

static nd_status finish(nd_sealed_writer *w, nd_seal *seal, nd_error *error) {
    uint64_t root = 0;
    ND_TRY(write_levels(w, &root, error));
    ND_TRY(write_table(w, root, seal, error));
    ND_TRY(nd_file_sync(w->fd, w->path, error));
    return nd_file_name_finally(w->unfinished, w->path, &w->allocator, error);
}

nd_status nd_sealed_finish(nd_sealed_writer *w, nd_seal *seal, nd_error *error) {
    ND_TRY(check_not_failed(w, error));
    ND_TRY(keep_failure(w, finish(w, seal, error)));
    w->finished = true;
    return ND_OK;
}

/* ---- reading */

typedef struct level {
    uint64_t first, count; /* pages */
} level;

/* Enough for 2^57 pages of 128 bytes with 16 hashes per page: the data and 15 levels above. */
enum { LEVELS = 16 };

typedef struct open_file {
    nd_sealed_file file; /* the first member, so that a pointer to it is one to the whole */
    nd_allocator allocator;
    char *path;
    int fd;
    uint64_t size;
    tagged_section *sections;
    size_t count;
    level levels[LEVELS];
    unsigned level_count;
    uint64_t root, table_hash, hash;
} open_file;

/* The trailer of the last page, without what is constant. */
typedef struct trailer {
    uint64_t root, table_hash, size, hash;
    uint32_t count, kind;
} trailer;

static nd_status damaged_page(const open_file *f, uint64_t page, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT,
                   "%s: damaged: the page at byte %" PRIu64 " does not fit its hash", f->path,
                   page * ND_SEALED_PAGE);
}

/* Reads the last page into `page`. */
static nd_status read_trailer(const open_file *f, unsigned char *page, trailer *out,
                              nd_error *error) {
    uint64_t last = f->size / ND_SEALED_PAGE - 1;
    const unsigned char *t = page + ND_SEALED_PAGE - TRAILER;
    ND_TRY(nd_file_read_at(f->fd, page, ND_SEALED_PAGE, last * ND_SEALED_PAGE, f->path, error));
    if (memcmp(t + 48, MAGIC, 8) != 0)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: cut off, damaged, or no file of an index: its end, at byte %" PRIu64
                       ", is not that of one",
                       f->path, f->size - 8);
    uint32_t version = nd_load_le32(t + 36), page_size = nd_load_le32(t + 32);
    if (version != VERSION)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: of version %" PRIu32 ", and this library reads version %d", f->path,
                       version, VERSION);
    if (page_size != ND_SEALED_PAGE)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: pages of %" PRIu32 " bytes, not %d", f->path,
                       page_size, ND_SEALED_PAGE);
    *out = (trailer){.root = nd_load_le64(t),
                     .table_hash = nd_load_le64(t + 8),
                     .size = nd_load_le64(t + 16),
                     .hash = nd_load_le64(t + TRAILER_HASH),
                     .count = nd_load_le32(t + 24),
                     .kind = nd_load_le32(t + 28)};
    if (nd_sealed_page_hash(page, ND_SEALED_PAGE - TRAILER + TRAILER_HASH, last) != out->hash)
        return damaged_page(f, last, error);
    return ND_OK;
}

static nd_status check_trailer(const open_file *f, const trailer *t, uint32_t kind,
                               const nd_seal *seal, nd_error *error) {
    if (t->kind != kind)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: another kind of file: %08" PRIx32 ", not %08" PRIx32, f->path, t->kind,
                       kind);
    if (t->size != f->size)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: has %" PRIu64 " bytes, and was written with %" PRIu64, f->path, f->size,
                       t->size);
    if (seal && t->hash != seal->hash)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: another file is expected here: its last page has the hash %016" PRIx64
                       ", not %016" PRIx64,
                       f->path, t->hash, seal->hash);
    if (t->count > ND_SEALED_SECTIONS ||
        pages_of((uint64_t)t->count * ENTRY + TRAILER) > f->size / ND_SEALED_PAGE)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %" PRIu32 " sections", f->path,
                       t->count);
    return ND_OK;
}

/* Computes where the sections of the table and the levels above them lie. Together with the table
 * they must fill the whole file. */
static nd_status locate_pages(open_file *f, const unsigned char *table, uint64_t table_pages,
                              nd_error *error) {
    uint64_t pages = f->size / ND_SEALED_PAGE - table_pages, next = 0;
    bool fits = true;
    for (size_t s = 0; s < f->count && fits; s++) {
        uint64_t size = nd_load_le64(table + s * ENTRY + 8);
        f->sections[s] = (tagged_section){nd_load_le64(table + s * ENTRY),
                                          {next * ND_SEALED_PAGE, size}};
        fits = pages_of(size) <= pages - next;
        next += pages_of(size);
    }
    uint64_t first = 0;
    for (uint64_t count = next; fits && count > 0; count = count > 1 ? pages_of(count * 8) : 0) {
        fits = f->level_count < LEVELS && count <= pages - first;
        if (fits) f->levels[f->level_count++] = (level){first, count};
        first += count;
    }
    if (fits && first == pages) return ND_OK;
    return nd_fail(error, ND_ERR_CORRUPT,
                   "%s: damaged: the sections in its table at byte %" PRIu64
                   " do not fit its size of %" PRIu64 " bytes",
                   f->path, pages * ND_SEALED_PAGE, f->size);
}

/* Reads and verifies the pages of the table, except the last, which has been read already. */
static nd_status read_table(const open_file *f, uint64_t table_hash, unsigned char *table,
                            size_t pages, nd_error *error) {
    uint64_t first = f->size / ND_SEALED_PAGE - pages;
    ND_TRY(nd_file_read_at(f->fd, table, (pages - 1) * ND_SEALED_PAGE, first * ND_SEALED_PAGE,
                           f->path, error));
    return hash_pages(table, pages - 1, first) == table_hash ? ND_OK
                                                             : damaged_page(f, first, error);
}

static nd_status load_sections(open_file *f, const unsigned char *last, nd_error *error) {
    size_t pages = (size_t)pages_of(f->count * ENTRY + TRAILER);
    unsigned char *table = nd_allocate(&f->allocator, pages, ND_SEALED_PAGE);
    f->sections = nd_allocate(&f->allocator, f->count, sizeof *f->sections);
    nd_status status = table && f->sections
                           ? read_table(f, f->table_hash, table, pages, error)
                           : nd_fail_memory(error,
                                            pages * ND_SEALED_PAGE + f->count * sizeof *f->sections,
                                            f->path);
    if (status == ND_OK) {
        memcpy(table + (pages - 1) * ND_SEALED_PAGE, last, ND_SEALED_PAGE);
        status = locate_pages(f, table, pages, error);
    }
    nd_release(&f->allocator, table);
    return status;
}

static size_t verified_bytes(const open_file *f) {
    return (size_t)(f->size / ND_SEALED_PAGE / 64 + 1) * sizeof *f->file.verified;
}

/* The bits of verified pages are mapped, not allocated: the system provides zeros as they are used,
 * so that opening takes the same time at any size. */
static nd_status map(open_file *f, nd_error *error) {
    ND_TRY(nd_file_map(f->fd, f->size, f->path, &f->file.bytes, error));
    void *bits = mmap(NULL, verified_bytes(f), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bits == MAP_FAILED)
        return nd_fail_os(error, errno, "%s: no memory for %zu bytes of bits", f->path,
                          verified_bytes(f));
    f->file.verified = bits;
    return ND_OK;
}

static nd_status load(open_file *f, uint32_t kind, const nd_seal *seal, nd_error *error) {
    unsigned char last[ND_SEALED_PAGE];
    trailer t = {0};
    ND_TRY(nd_file_open(f->path, ND_OPEN_READ, &f->fd, error));
    ND_TRY(nd_file_size(f->fd, &f->size, f->path, error));
    if (seal && f->size != seal->size)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: cut off, or another file: %" PRIu64 " bytes, not %" PRIu64, f->path,
                       f->size, seal->size);
    if (f->size == 0 || f->size % ND_SEALED_PAGE != 0)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: cut off, or no file of an index: %" PRIu64 " bytes are not pages of %d",
                       f->path, f->size, ND_SEALED_PAGE);
    ND_TRY(read_trailer(f, last, &t, error));
    ND_TRY(check_trailer(f, &t, kind, seal, error));
    f->root = t.root;
    f->table_hash = t.table_hash;
    f->hash = t.hash;
    f->count = t.count;
    ND_TRY(load_sections(f, last, error));
    return map(f, error);
}

bool nd_sealed_is(const char *path, uint32_t kind) {
    unsigned char last[ND_SEALED_PAGE];
    open_file f = {.path = (char *)(uintptr_t)path, .fd = -1};
    trailer t = {0};
    nd_status status = nd_file_open(path, ND_OPEN_READ, &f.fd, NULL);
    if (status == ND_OK) status = nd_file_size(f.fd, &f.size, path, NULL);
    if (status == ND_OK && (f.size == 0 || f.size % ND_SEALED_PAGE != 0)) status = ND_ERR_CORRUPT;
    if (status == ND_OK) status = read_trailer(&f, last, &t, NULL);
    nd_file_close(f.fd);
    return status == ND_OK && t.kind == kind && t.size == f.size;
}

nd_status nd_sealed_open(const char *path, uint32_t kind, const nd_seal *seal,
                         const nd_allocator *allocator, nd_sealed_file **out, nd_error *error) {
    open_file *f = nd_allocate_zero(allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, path);
    f->allocator = *allocator;
    f->fd = -1;
    f->path = nd_string_join(allocator, path, "", "");
    nd_status status = f->path ? load(f, kind, seal, error)
                               : nd_fail_memory(error, strlen(path), "a path");
    if (status != ND_OK) {
        nd_sealed_close(&f->file);
        return status;
    }
    *out = &f->file;
    return ND_OK;
}

void nd_sealed_use_large_pages(const nd_sealed_file *file, const nd_section *part) {
    const nd_section all = {0, ((const open_file *)file)->size};
    if (!part) part = &all;
    if (part->size <= nd_memory_limit() / 2)
        nd_file_use_large_pages(file->bytes + part->offset, part->size);
}

void nd_sealed_expect_random(const nd_sealed_file *file, const nd_section *section) {
    nd_file_expect_random(file->bytes + section->offset, section->size);
}

void nd_sealed_close(nd_sealed_file *file) {
    if (!file) return;
    open_file *f = (open_file *)file;
    if (file->verified) munmap(file->verified, verified_bytes(f));
    if (file->bytes) nd_file_unmap(file->bytes, f->size);
    nd_file_close(f->fd);
    nd_allocator allocator = f->allocator;
    nd_release(&allocator, f->sections);
    nd_release(&allocator, f->path);
    nd_release(&allocator, f);
}

const char *nd_sealed_path(const nd_sealed_file *file) { return ((const open_file *)file)->path; }

nd_status nd_sealed_section(const nd_sealed_file *file, uint32_t tag, nd_section *out,
                            nd_error *error) {
    const open_file *f = (const open_file *)file;
    for (size_t s = 0; s < f->count; s++)
        if (f->sections[s].tag == tag) {
            *out = f->sections[s].section;
            return ND_OK;
        }
    return nd_fail(error, ND_ERR_CORRUPT, "%s: there is no section %" PRIu32, f->path, tag);
}

bool nd_sealed_has(const nd_sealed_file *file, uint32_t tag) {
    const open_file *f = (const open_file *)file;
    for (size_t s = 0; s < f->count; s++)
        if (f->sections[s].tag == tag) return true;
    return false;
}

/* The offset of the hash of page `index` of level l, which lies in the level above. */
static uint64_t hash_offset(const open_file *f, unsigned l, uint64_t index) {
    return f->levels[l + 1].first * ND_SEALED_PAGE + index * 8;
}

/* Verifies page `index` of level l, and before it the page above that has its hash. */
static nd_status verify_page(const open_file *f, unsigned l, uint64_t index, nd_error *error) {
    uint64_t page = f->levels[l].first + index, bit = UINT64_C(1) << page % 64, wanted = f->root;
    if (nd_sealed_page_is_verified(&f->file, page)) return ND_OK;
    if (l + 1 < f->level_count) {
        ND_TRY(verify_page(f, l + 1, index / HASHES, error));
        wanted = nd_load_le64(f->file.bytes + hash_offset(f, l, index));
    }
    if (nd_sealed_page_hash(f->file.bytes + page * ND_SEALED_PAGE, ND_SEALED_PAGE, page) != wanted)
        return damaged_page(f, page, error);
    atomic_fetch_or_explicit(&f->file.verified[page / 64], bit, memory_order_relaxed);
    return ND_OK;
}

nd_status nd_sealed_view_slowly(const nd_sealed_file *file, const nd_section *section,
                                uint64_t offset, uint64_t size, const unsigned char **out,
                                nd_error *error) {
    const open_file *f = (const open_file *)file;
    if (offset > section->size || size > section->size - offset)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: damaged: %" PRIu64 " bytes from byte %" PRIu64
                       " on are asked of the section at byte %" PRIu64 ", which has %" PRIu64,
                       f->path, size, offset, section->offset, section->size);
    uint64_t begin = section->offset + offset, end = begin + size;
    for (uint64_t page = begin / ND_SEALED_PAGE; page * ND_SEALED_PAGE < end; page++)
        ND_TRY(verify_page(f, 0, page, error));
    *out = file->bytes + begin;
    return ND_OK;
}

/* ---- checking */

/* Checks that the bytes from `from` to the end of that page are zero. */
static nd_status check_zeros(const open_file *f, uint64_t from, unsigned char *buffer,
                             nd_error *error) {
    size_t size = (size_t)(pages_of(from) * ND_SEALED_PAGE - from);
    ND_TRY(nd_file_read_at(f->fd, buffer, size, from, f->path, error));
    for (size_t i = 0; i < size; i++)
        if (buffer[i] != 0)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: not zero at byte %" PRIu64, f->path,
                           from + i);
    return ND_OK;
}

static nd_status check_table(const open_file *f, unsigned char *buffer, nd_error *error) {
    uint64_t size = 0, pages = pages_of(f->count * ENTRY + TRAILER), hash = 0;
    trailer t = {0};
    ND_TRY(nd_file_size(f->fd, &size, f->path, error));
    ND_TRY(read_trailer(f, buffer, &t, error));
    if (size != f->size || t.hash != f->hash)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: changed since it was opened", f->path);
    for (uint64_t page = f->size / ND_SEALED_PAGE - pages; page < f->size / ND_SEALED_PAGE - 1;
         page++) {
        ND_TRY(
            nd_file_read_at(f->fd, buffer, ND_SEALED_PAGE, page * ND_SEALED_PAGE, f->path, error));
        hash += nd_sealed_page_hash(buffer, ND_SEALED_PAGE, page);
    }
    return hash == f->table_hash ? ND_OK : damaged_page(f, f->size / ND_SEALED_PAGE - pages, error);
}

static nd_status check_level(const open_file *f, unsigned l, unsigned char *buffer,
                             nd_error *error) {
    const level *at = &f->levels[l];
    unsigned char hashes[BUFFER_PAGES * 8];
    nd_store_le64(hashes, f->root);
    for (uint64_t index = 0; index < at->count; index += BUFFER_PAGES) {
        size_t n = at->count - index < BUFFER_PAGES ? (size_t)(at->count - index) : BUFFER_PAGES;
        ND_TRY(nd_file_read_at(f->fd, buffer, n * ND_SEALED_PAGE,
                               (at->first + index) * ND_SEALED_PAGE, f->path, error));
        if (l + 1 < f->level_count)
            ND_TRY(nd_file_read_at(f->fd, hashes, n * 8, hash_offset(f, l, index), f->path, error));
        for (size_t i = 0; i < n; i++) {
            uint64_t page = at->first + index + i;
            if (nd_sealed_page_hash(buffer + i * ND_SEALED_PAGE, ND_SEALED_PAGE, page) !=
                nd_load_le64(hashes + i * 8))
                return damaged_page(f, page, error);
        }
    }
    return l == 0 ? ND_OK
                  : check_zeros(f, hash_offset(f, l - 1, f->levels[l - 1].count), buffer, error);
}

nd_status nd_sealed_check(const nd_sealed_file *file, nd_error *error) {
    const open_file *f = (const open_file *)file;
    unsigned char *buffer = nd_allocate(&f->allocator, BUFFER, 1);
    if (!buffer) return nd_fail_memory(error, BUFFER, f->path);
    nd_status status = check_table(f, buffer, error);
    for (unsigned l = f->level_count; l-- > 0 && status == ND_OK;)
        status = check_level(f, l, buffer, error);
    for (size_t s = 0; s < f->count && status == ND_OK; s++)
        status = check_zeros(f, f->sections[s].section.offset + f->sections[s].section.size, buffer,
                             error);
    nd_release(&f->allocator, buffer);
    return status;
}
