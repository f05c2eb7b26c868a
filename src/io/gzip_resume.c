#include "io/gzip_resume.h"

#include "base/limits.h"
#include "io/gzip_in.h"

#include <unistd.h>

enum {
    CHUNK = ND_LIMIT(16 << 10, 30), /* bytes that are looked through at a time */
    FIRST = 8 << 10                 /* bytes of a member that show a record */
};

/* Sets the next byte that the source reads. `base`: where its file begins for the descriptor. */
static bool seek(nd_byte_source *source, int64_t base, uint64_t offset) {
    source->begin = source->end = ND_SOURCE_SLACK;
    source->position = offset;
    source->ended = false;
    return lseek(source->fd, (off_t)(base + (int64_t)offset), SEEK_SET) >= 0;
}

/* Whether the member that the source reads next begins with a record. A damage behind the begin is
 * found when it is read. */
static nd_status try_member(nd_byte_source *source, nd_record_begins_fn *begins,
                            const void *context, const nd_allocator *allocator, bool *good,
                            nd_error *error) {
    char first[FIRST];
    size_t got = 0;
    bool ended;
    nd_error ignored;
    nd_gzip_in *gzip = NULL;
    ND_TRY(nd_gzip_in_open(source, allocator, &gzip, error));
    (void)!nd_gzip_in_read_member(gzip, first, sizeof first, &got, &ended, &ignored);
    nd_gzip_in_close(gzip);
    *good = begins(context, first, got);
    return ND_OK;
}

nd_status nd_gzip_resume(nd_byte_source *source, uint64_t from, nd_record_begins_fn *begins,
                         const void *context, const nd_allocator *allocator, bool *found,
                         nd_error *error) {
    unsigned char chunk[CHUNK];
    int64_t here = source->waits ? -1 : (int64_t)lseek(source->fd, 0, SEEK_CUR);
    int64_t base = here - (int64_t)source->position;
    *found = false;
    for (uint64_t offset = from + 1; here >= 0;) {
        ND_TRY(nd_progress_poll(source->progress, error));
        ssize_t size = pread(source->fd, chunk, sizeof chunk, (off_t)(base + (int64_t)offset));
        if (size < ND_GZIP_HEADER) break;
        size_t places = (size_t)size - ND_GZIP_HEADER + 1;
        for (size_t i = 0; i < places; i++) {
            if (!nd_gzip_begins_member(chunk + i)) continue;
            if (!seek(source, base, offset + i)) return ND_OK;
            ND_TRY(try_member(source, begins, context, allocator, found, error));
            if (*found)
                return seek(source, base, offset + i)
                           ? ND_OK
                           : nd_fail(error, ND_ERR_IO, "%s: cannot read", source->name);
        }
        offset += places;
    }
    return ND_OK;
}
