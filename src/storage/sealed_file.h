/* A file written once, from front to back, and never changed: checked page by page as it is read.
 * (doc/index.md, invariants 1, 7 and 8; doc/formats.md for the bytes.)
 *
 *   pages of ND_SEALED_PAGE bytes:  data | hashes of the data pages | hashes of those | ... | table
 * of sections, at the end of which is the trailer
 *
 * Data are sections, each known by a tag and begun on a page of its own; what is left of a
 * section's last page is zeros. A page of hashes has 512 of them, the last one of a level zeros
 * behind them; levels follow until one page is enough. The table has 16 bytes a section: tag and
 * size, 64 bits each; the sections lie in its order from the file's beginning. Zeros fill the
 * table's pages up to the trailer, which is the last 56 bytes of the file:
 *
 *    0  hash of the one page of the top level (of the only data page, where there is one; 0 where
 * there is none) 8  hash of the table: the sum of those of its pages but the last 16  size of the
 * file 24  number of sections, kind, size of a page, version: 32 bits each 40  hash of the last
 * page up to here 48  "ndsealed"
 *
 * All numbers are little-endian. A page's hash is keyed with its number in the file, so that a page
 * in another's place is found out.
 *
 * Reading maps the file. A page is compared with its hash the first time that the handle looks at
 * it, with all above it that have not been looked at. A file that others cut off while it is
 * mapped, and a disk that fails under it, end the process (SIGBUS), as with all mapped files;
 * nd_sealed_check reads without the map, and such a disk is an error there. */
#ifndef ND_STORAGE_SEALED_FILE_H
#define ND_STORAGE_SEALED_FILE_H

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "io/spool.h"

#include <stdatomic.h>

enum { ND_SEALED_PAGE = ND_LIMIT(4096, 128) };

enum { ND_SEALED_SECTIONS = 1100 }; /* at most */

/* ---- writing */

typedef struct nd_sealed_writer nd_sealed_writer;

/* Makes a new file; one that is there is an error (ND_ERR_IO). It is written under the name with
 * ND_UNFINISHED behind it, and has its own name once it is whole. `kind` says what the sections
 * mean. */
nd_status nd_sealed_writer_create(const char *path, uint32_t kind, const nd_allocator *allocator,
                                  nd_sealed_writer **out, nd_error *error);

/* What is written from here on belongs to a section. Tags are given once. Once one of these
 * functions has failed, all do. */
nd_status nd_sealed_begin(nd_sealed_writer *writer, uint32_t tag, nd_error *error);
nd_status nd_sealed_write(nd_sealed_writer *writer, const void *bytes, size_t size,
                          nd_error *error);
/* All that a spool holds. */
nd_status nd_sealed_write_spool(nd_sealed_writer *writer, const nd_spool *spool, nd_error *error);

/* For what is to be written behind something else: the disk of the file's own directory. It lives
 * as long as the writer. */
nd_scratch_disk *nd_sealed_writer_disk(nd_sealed_writer *writer);

/* What identifies a finished file, for the manifest: another file in its place is found out at
 * opening. */
typedef struct nd_seal {
    uint64_t size; /* of the file, bytes */
    uint64_t hash; /* of its last page */
} nd_seal;

/* Writes the hashes and the table, makes all durable, and gives the file its name, durable too. */
nd_status nd_sealed_finish(nd_sealed_writer *writer, nd_seal *seal, nd_error *error);

/* Frees; a file that was not finished is removed. NULL is accepted. */
void nd_sealed_writer_free(nd_sealed_writer *writer);

/* ---- reading */

typedef struct nd_sealed_file nd_sealed_file;

/* Whether a file ends as a sealed file of that kind does, and has the size that is told there. What
 * cannot be read is none. */
bool nd_sealed_is(const char *path, uint32_t kind);

/* Reads the table of sections alone, whatever the size; nothing grows with it. Errors name the
 * file: not there (ND_ERR_IO), another kind, a newer version, cut off, damaged (ND_ERR_CORRUPT), or
 * not the one with that seal (ND_ERR_CORRUPT; NULL: any). */
nd_status nd_sealed_open(const char *path, uint32_t kind, const nd_seal *seal,
                         const nd_allocator *allocator, nd_sealed_file **out, nd_error *error);
/* nd_file_use_large_pages, for a file that is read here and there. */
void nd_sealed_use_large_pages(const nd_sealed_file *file);
/* NULL is accepted. */
void nd_sealed_close(nd_sealed_file *file);
const char *nd_sealed_path(const nd_sealed_file *file);

/* Where a section's bytes are: `size` without the zeros behind. ND_ERR_CORRUPT where there is no
 * such section. */
typedef struct nd_section {
    uint64_t offset, size;
} nd_section;
nd_status nd_sealed_section(const nd_sealed_file *file, uint32_t tag, nd_section *out,
                            nd_error *error);

/* Whether there is a section of that tag. */
bool nd_sealed_has(const nd_sealed_file *file, uint32_t tag);

/* Compares every page with its hash, read anew, and the zeros behind sections and hashes. */
nd_status nd_sealed_check(const nd_sealed_file *file, nd_error *error);

/* What the functions below look at; only they do. */
struct nd_sealed_file {
    const unsigned char *bytes;      /* the whole file */
    atomic_uint_least64_t *compared; /* a bit a page, 64 of them a word */
};

/* The way of nd_sealed_view where the range is not in one page that has been compared. */
nd_status nd_sealed_view_slowly(const nd_sealed_file *file, const nd_section *section,
                                uint64_t offset, uint64_t size, const unsigned char **out,
                                nd_error *error);

/* The bytes [offset, offset + size) of a section, checked. Valid until the file is closed, and at
 * least 8 bytes behind them can be read. Outside of the section, or damaged: ND_ERR_CORRUPT with
 * the file's name and the byte. Any number of threads. O(pages). */
static inline nd_status nd_sealed_view(const nd_sealed_file *file, const nd_section *section,
                                       uint64_t offset, uint64_t size, const unsigned char **out,
                                       nd_error *error) {
    uint64_t begin = section->offset + offset, page = begin / ND_SEALED_PAGE;
    bool one_page = offset < section->size && size <= section->size - offset &&
                    begin % ND_SEALED_PAGE + size <= ND_SEALED_PAGE;
    if (one_page &&
        (atomic_load_explicit(&file->compared[page / 64], memory_order_relaxed) >> page % 64 & 1)) {
        *out = file->bytes + begin;
        return ND_OK;
    }
    return nd_sealed_view_slowly(file, section, offset, size, out, error);
}

/* Asks for the cache line at an offset of a section (nothing happens where there is none). */
static inline void nd_sealed_prefetch(const nd_sealed_file *file, const nd_section *section,
                                      uint64_t offset) {
    __asm__ volatile(""); /* or gcc 12 takes this for a function without effect and leaves out the
                             calls, before it makes them inline */
    if (offset < section->size) __builtin_prefetch(file->bytes + section->offset + offset);
}

/* The hash of a page, or of its first bytes (`size`: a multiple of 16), in a file's place number
 * `page`; frozen with the format. Of each 16 bytes, numbered from i = 1, as words x, y:
 *
 *     a = x ^ (mix(page + C0) + i G)      b = y ^ (mix(page + C1) + i C2)      hash += fold(a, b) +
 * a + b
 *
 * (mix, fold and the constants: base/hash.h, G is ND_HASH_POLY). Each 16 bytes give a term of their
 * own, so that a change is lost only where the changes of all terms cancel: one chance in 2^64, as
 * far as their bits are random. For that, terms stand alone, not in a chain that would add up the
 * chances of its steps; a product that is 0, or one factor alone, leaves the other word in the sum;
 * and the key of a term depends on its place, a and b on unlike ones, so that words and pieces that
 * change places are found. */
uint64_t nd_sealed_page_hash(const void *bytes, size_t size, uint64_t page);

#endif
