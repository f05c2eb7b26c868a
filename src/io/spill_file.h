/* The temporary file of a sorter: small pieces are collected into large writes, and read back by
 * their offsets. The file has no name. */
#ifndef ND_IO_SPILL_FILE_H
#define ND_IO_SPILL_FILE_H

#include "base/alloc.h"
#include "base/status.h"
#include "io/temp_space.h"

typedef struct nd_spill_file {
    nd_allocator allocator;
    nd_temp_space *disk; /* outlives the file */
    const char *what;    /* for messages; static */
    char *buffer;        /* between begin and end */
    size_t used;         /* of the buffer */
    uint64_t size;       /* of the file */
    int fd;              /* -1: nothing was written yet */
} nd_spill_file;

void nd_spill_init(nd_spill_file *file, const nd_allocator *allocator, nd_temp_space *disk,
                   const char *what);
void nd_spill_free(nd_spill_file *file);

/* Begins to write behind what is in the file. */
nd_status nd_spill_begin(nd_spill_file *file, nd_error *error);
nd_status nd_spill_write(nd_spill_file *file, const void *bytes, size_t size, nd_error *error);
/* Ends writing: all bytes are in the file. */
nd_status nd_spill_end(nd_spill_file *file, nd_error *error);

/* The offset of the next byte that is written. */
static inline uint64_t nd_spill_position(const nd_spill_file *file) {
    return file->size + file->used;
}

/* Reads bytes of the file. Any number of threads, while none writes. */
nd_status nd_spill_read(const nd_spill_file *file, void *to, size_t size, uint64_t offset,
                        nd_error *error);

#endif
