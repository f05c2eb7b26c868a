/* A sealed file: written once, from front to back, and never changed; verified page by page as it
 * is read (doc/internals/index.md, invariants 1, 7 and 8; doc/internals/formats.md for the bytes).
 *
 * FORMAT. All numbers are little-endian. The file is a sequence of pages of ND_SEALED_PAGE bytes:
 *
 *   data      sections, one behind the other; each begins on a new page, and zeros fill its last
 *   level 1   hashes of the data pages, 512 per page, and zeros behind the last hash
 *   level 2   hashes of the pages of level 1, and so on, until a level has one page
 *   table     16 bytes per section: tag and size, 64 bits each, in the order of the sections;
 *             then zeros up to the trailer, the last 56 bytes of the file
 *
 *   trailer    0  hash of the one page of the top level; of the data page if there is only one;
 *                 0 if there is none
 *              8  hash of the table: the sum of the hashes of its pages, except the last page
 *             16  size of the file
 *             24  number of sections, 28 kind, 32 size of a page, 36 version: 32 bits each
 *             40  hash of the last page up to this offset
 *             48  "ndsealed"
 *
 * The hash of a page is keyed with the page's number in the file, so that a page at a wrong place
 * is found.
 *
 * READING maps the file. The first time that a handle reads a page, the page is verified: compared
 * with its hash, together with the pages of hashes above it that are not verified yet. If another
 * program truncates a mapped file, or the disk fails under it, the system ends the process
 * (SIGBUS), as with every mapped file. nd_sealed_check reads without the map, so a failing disk is
 * an error there.
 *
 * THREADS. Any number of threads may read one handle. A writer belongs to one thread. */
#ifndef ND_STORAGE_SEALED_FILE_H
#define ND_STORAGE_SEALED_FILE_H

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "io/spool.h"

#include <stdatomic.h>

enum { ND_SEALED_PAGE = ND_LIMIT(4096, 128) };

enum { ND_SEALED_SECTIONS = 1100 }; /* the most of a file */

/* ---- writing */

typedef struct nd_sealed_writer nd_sealed_writer;

/* Creates a file. An existing one is an error (ND_ERR_IO). Until the file is complete its name ends
 * with ND_UNFINISHED. `kind` names the meaning of the sections. */
nd_status nd_sealed_writer_create(const char *path, uint32_t kind, const nd_allocator *allocator,
                                  nd_sealed_writer **out, nd_error *error);

/* Leaves the file in the page cache, for reading soon. Otherwise writes bypass it where they can,
 * which takes less of the processor's time. REQUIRES: no section has begun. */
void nd_sealed_keep_cached(nd_sealed_writer *writer);

/* Begins a section, to which the following bytes belong. Each tag is used once. After one of these
 * functions has failed, all of them fail. */
nd_status nd_sealed_begin(nd_sealed_writer *writer, uint32_t tag, nd_error *error);
nd_status nd_sealed_write(nd_sealed_writer *writer, const void *bytes, size_t size,
                          nd_error *error);
/* Writes all bytes of a spool. */
nd_status nd_sealed_write_spool(nd_sealed_writer *writer, const nd_spool *spool, nd_error *error);

/* Temporary space in the file's own directory, for bytes that must wait until earlier sections are
 * written. Valid as long as the writer. */
nd_temp_space *nd_sealed_writer_disk(nd_sealed_writer *writer);

/* Identifies a finished file. The manifest keeps it, so that opening another file under the same
 * name fails. */
typedef struct nd_seal {
    uint64_t size; /* of the file, bytes */
    uint64_t hash; /* of its last page */
} nd_seal;

/* Writes the hashes and the table, makes the file durable, and gives it its name, durably. */
nd_status nd_sealed_finish(nd_sealed_writer *writer, nd_seal *seal, nd_error *error);

/* Frees the writer. A file that was not finished is removed. NULL is accepted. */
void nd_sealed_writer_free(nd_sealed_writer *writer);

/* ---- reading */

typedef struct nd_sealed_file nd_sealed_file;

/* Whether a file ends like a sealed file of that kind, and has the size that its trailer gives.
 * False if it cannot be read. */
bool nd_sealed_is(const char *path, uint32_t kind);

/* Opens a file by reading its table of sections only, so that time and memory do not grow with the
 * file. `seal` NULL: any. ND_ERR_IO: the file is missing, or cannot be read. ND_ERR_CORRUPT: it has
 * another kind, version or seal, or is cut off or damaged. */
nd_status nd_sealed_open(const char *path, uint32_t kind, const nd_seal *seal,
                         const nd_allocator *allocator, nd_sealed_file **out, nd_error *error);
/* NULL is accepted. */
void nd_sealed_close(nd_sealed_file *file);
const char *nd_sealed_path(const nd_sealed_file *file);

/* The bytes of a section in the file, without the zeros behind them. ND_ERR_CORRUPT: there is no
 * such section. */
typedef struct nd_section {
    uint64_t offset, size;
} nd_section;
nd_status nd_sealed_section(const nd_sealed_file *file, uint32_t tag, nd_section *out,
                            nd_error *error);

/* Asks for large pages (nd_file_use_large_pages) for a part of the file, which may be several
 * sections, if it takes at most half of the memory that the process may use. NULL: the whole file.
 * For bytes that are read at random and often. */
void nd_sealed_use_large_pages(const nd_sealed_file *file, const nd_section *part);
/* Asks for no pages around those that are used, for a section that is read at random and seldom.
 */
void nd_sealed_expect_random(const nd_sealed_file *file, const nd_section *section);

/* Whether there is a section of that tag. */
bool nd_sealed_has(const nd_sealed_file *file, uint32_t tag);

/* Reads the whole file again, without the map, and verifies every page and the zeros behind
 * sections and hashes. */
nd_status nd_sealed_check(const nd_sealed_file *file, nd_error *error);

/* For the inline functions of this header only. */
struct nd_sealed_file {
    const unsigned char *bytes;      /* the whole file */
    atomic_uint_least64_t *verified; /* one bit per page, 64 per word */
};

static inline bool nd_sealed_page_is_verified(const nd_sealed_file *file, uint64_t page) {
    return atomic_load_explicit(&file->verified[page / 64], memory_order_relaxed) >> page % 64 & 1;
}

/* The slow path of nd_sealed_view and nd_sealed_verify: verifies every page of the range. */
nd_status nd_sealed_view_slowly(const nd_sealed_file *file, const nd_section *section,
                                uint64_t offset, uint64_t size, const unsigned char **out,
                                nd_error *error);

/* Returns the bytes [offset, offset + size) of a section, verified. They are valid until the file
 * is closed, and at least 8 bytes behind them can be read. ND_ERR_CORRUPT with the file's name and
 * the byte: the range is not in the section, or is damaged. O(pages). */
static inline nd_status nd_sealed_view(const nd_sealed_file *file, const nd_section *section,
                                       uint64_t offset, uint64_t size, const unsigned char **out,
                                       nd_error *error) {
    uint64_t begin = section->offset + offset, page = begin / ND_SEALED_PAGE;
    bool one_page = offset < section->size && size <= section->size - offset &&
                    begin % ND_SEALED_PAGE + size <= ND_SEALED_PAGE;
    if (one_page && nd_sealed_page_is_verified(file, page)) {
        *out = file->bytes + begin;
        return ND_OK;
    }
    return nd_sealed_view_slowly(file, section, offset, size, out, error);
}

/* Whether the bytes [begin, end) of a section, begin < end, are known to be verified. Always false
 * for a range of more than two pages. */
static inline bool nd_sealed_is_verified(const nd_sealed_file *file, const nd_section *section,
                                         uint64_t begin, uint64_t end) {
    uint64_t first = (section->offset + begin) / ND_SEALED_PAGE,
             last = (section->offset + end - 1) / ND_SEALED_PAGE;
    unsigned both = (unsigned)nd_sealed_page_is_verified(file, first) &
                    (unsigned)nd_sealed_page_is_verified(file, last);
    return both & (unsigned)(last - first < 2); /* without branches */
}

/* The bytes of a section, not verified. A reader may use them before it verifies them, in order to
 * verify many ranges later at once. It must not report a result until nd_sealed_verify has returned
 * ND_OK for every byte that it used, nor use a byte as an offset without a check of its own. */
static inline const unsigned char *nd_sealed_unverified(const nd_sealed_file *file,
                                                        const nd_section *section) {
    return file->bytes + section->offset;
}

/* Verifies the bytes [begin, end) of a section. Nothing to do if begin >= end. */
static inline nd_status nd_sealed_verify(const nd_sealed_file *file, const nd_section *section,
                                         uint64_t begin, uint64_t end, nd_error *error) {
    const unsigned char *bytes;
    if (begin >= end || nd_sealed_is_verified(file, section, begin, end)) return ND_OK;
    return nd_sealed_view_slowly(file, section, begin, end - begin, &bytes, error);
}

/* Prefetches the cache line at an offset of a section. No effect if the offset is outside. */
static inline void nd_sealed_prefetch(const nd_sealed_file *file, const nd_section *section,
                                      uint64_t offset) {
    /* Without this gcc 12 takes the function for one without effect, and drops calls of it before
     * it inlines them. */
    __asm__ volatile("");
    if (offset < section->size) __builtin_prefetch(file->bytes + section->offset + offset);
}

/* The hash of the page number `page` of a file, or of its first `size` bytes, a multiple of 16;
 * frozen with the format. The 16-byte piece number i, from 1, is two words x, y and adds a term:
 *
 *     a = x ^ (mix(page + C0) + i G)
 *     b = y ^ (mix(page + C1) + i C2)
 *     hash += fold(a, b) + a + b
 *
 * (mix, fold and the constants are in base/hash.h; G is ND_HASH_POLY.)
 *
 * A change goes unnoticed only if the changes of all terms cancel: a chance of one in 2^64, as far
 * as their bits are random. Three properties make that so. The terms are independent; in a chain of
 * steps the chances of the steps would add up. If a product is 0, a + b still has the other word in
 * the sum. And the key of a term depends on its number, for a and b in different ways, so that
 * swapped words and swapped pieces are noticed. */
uint64_t nd_sealed_page_hash(const void *bytes, size_t size, uint64_t page);

#endif
