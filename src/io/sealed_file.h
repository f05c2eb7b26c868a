/* A file written once, from front to back, and never changed: checked page by page as it is read. (doc/index.md, invariants 1, 7 and 8; doc/formats.md for the bytes.)
 *
 *   pages of ND_SEALED_PAGE bytes:  data | hashes of the data pages | hashes of those | ... | one last page
 *
 * Data are sections, each known by a tag and begun on a page of its own; what is left of a section's last page is zeros. The hash of a page is keyed with its number
 * in the file, so that a page in another's place is found out. A page of hashes has 512 of them; levels follow until one page is enough. The last page: magic, version, kind,
 * sizes, the sections' tags and places, the hash of the one page of the top level (of the only data page, where there is one), and a hash of its own. The file's size is
 * a multiple of the page and stands in the last page.
 *
 * Reading maps the file. A page's hash is compared the first time that the handle looks at it, with all above it that have not been looked at. */
#ifndef ND_IO_SEALED_FILE_H
#define ND_IO_SEALED_FILE_H

#include "base/alloc.h"
#include "base/status.h"

#ifdef ND_TINY_LIMITS
enum { ND_SEALED_PAGE = 128 };
#else
enum { ND_SEALED_PAGE = 4096 };
#endif

enum { ND_SEALED_SECTIONS = 1100 }; /* at most; a table of tags and places may take several pages before the last one */

/* ---- writing */

typedef struct nd_sealed_writer nd_sealed_writer;

/* Makes a new file; one that is there is an error (ND_ERR_IO). `kind` says what the sections mean. */
nd_status nd_sealed_writer_create(const char *path, uint32_t kind, const nd_allocator *allocator, nd_sealed_writer **out, nd_error *error);

/* What is written from here on belongs to a section. Tags are given once. */
nd_status nd_sealed_begin(nd_sealed_writer *writer, uint32_t tag, nd_error *error);
nd_status nd_sealed_write(nd_sealed_writer *writer, const void *bytes, size_t size, nd_error *error);

/* What identifies a finished file, for the manifest: another file in its place is found out at opening. */
typedef struct nd_seal {
    uint64_t size; /* of the file, bytes */
    uint64_t hash; /* of its last page */
} nd_seal;

/* Writes the hashes and the last page and makes all durable, the name in its directory too. */
nd_status nd_sealed_finish(nd_sealed_writer *writer, nd_seal *seal, nd_error *error);

/* Frees; a file that was not finished is removed. NULL is accepted. */
void nd_sealed_writer_free(nd_sealed_writer *writer);

/* ---- reading */

typedef struct nd_sealed_file nd_sealed_file;

/* Reads the last page alone, whatever the size. Errors name the file: not there (ND_ERR_IO), another kind, a newer version, cut off, damaged (ND_ERR_CORRUPT), or
 * not the one with that seal (ND_ERR_CORRUPT; NULL: any). */
nd_status nd_sealed_open(const char *path, uint32_t kind, const nd_seal *seal, const nd_allocator *allocator, nd_sealed_file **out, nd_error *error);
void nd_sealed_close(nd_sealed_file *file);
const char *nd_sealed_path(const nd_sealed_file *file);

/* Where a section's bytes are: `size` without the zeros behind. ND_ERR_CORRUPT where there is no such section. */
typedef struct nd_section {
    uint64_t offset, size;
} nd_section;
nd_status nd_sealed_section(const nd_sealed_file *file, uint32_t tag, nd_section *out, nd_error *error);

/* The bytes [offset, offset + size) of a section, checked. Valid until the file is closed, and at least 8 bytes behind them can be read. Outside of the section, or
 * damaged: ND_ERR_CORRUPT with the file's name and the byte. Any number of threads. O(pages). */
nd_status nd_sealed_view(const nd_sealed_file *file, const nd_section *section, uint64_t offset, uint64_t size, const unsigned char **out, nd_error *error);

/* Asks for the cache line at an offset of a section (nothing happens where there is none). */
void nd_sealed_prefetch(const nd_sealed_file *file, const nd_section *section, uint64_t offset);

/* Compares every page with its hash, and the zeros behind the sections. */
nd_status nd_sealed_check(const nd_sealed_file *file, nd_error *error);

#endif
