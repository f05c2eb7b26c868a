#include "io/member_resume.h"

#include "base/limits.h"

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

/* Whether the member that the source reads next begins with a record. A damage behind the beginning
 * is found when it is read. */
static nd_status try_member(const nd_resume_request *r, const nd_allocator *allocator, bool *good,
                            nd_error *error) {
    char first[FIRST];
    size_t got = 0;
    ND_TRY(r->kind->read_first(r->kind->decoder, r->source, allocator, first, sizeof first, &got,
                               error));
    *good = r->begins(r->context, first, got);
    return ND_OK;
}

nd_status nd_member_resume(const nd_resume_request *r, const nd_allocator *allocator, bool *found,
                           nd_error *error) {
    nd_byte_source *source = r->source;
    unsigned char chunk[CHUNK];
    int64_t here = source->waits ? -1 : (int64_t)lseek(source->fd, 0, SEEK_CUR);
    int64_t base = here - (int64_t)source->position;
    *found = false;
    for (uint64_t offset = r->from + 1; here >= 0;) {
        ND_TRY(nd_progress_poll(source->progress, error));
        ssize_t size = pread(source->fd, chunk, sizeof chunk, (off_t)(base + (int64_t)offset));
        if (size < (ssize_t)r->kind->head) break;
        size_t places = (size_t)size - r->kind->head + 1;
        for (size_t i = 0; i < places; i++) {
            if (!r->kind->begins(chunk + i)) continue;
            if (!seek(source, base, offset + i)) return ND_OK;
            ND_TRY(try_member(r, allocator, found, error));
            if (*found)
                return seek(source, base, offset + i)
                           ? ND_OK
                           : nd_fail(error, ND_ERR_IO, "%s: cannot read", source->name);
        }
        offset += places;
    }
    return ND_OK;
}
