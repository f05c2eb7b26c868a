#include "store/ingest_mark.h"

#include "base/bits.h"

/* Bytes in a manifest: name, begin and end; then, only if the job is finished, the number 1. */
enum { UNFINISHED_SIZE = ND_INGEST_MARK_SIZE, FINISHED_SIZE = UNFINISHED_SIZE + 8 };

void nd_ingest_mark_write(const nd_ingest_mark *mark, unsigned char to[ND_INGEST_MARK_SIZE]) {
    nd_store_le64(to, mark->batch);
    nd_store_le32(to + 8, mark->begin);
    nd_store_le32(to + 12, mark->end);
}

static nd_ingest_mark load(const unsigned char *from) {
    return (nd_ingest_mark){.batch = nd_load_le64(from),
                            .begin = nd_load_le32(from + 8),
                            .end = nd_load_le32(from + 12)};
}

bool nd_ingest_mark_read(const unsigned char *payload, size_t size, nd_ingest_mark *out) {
    if (size != ND_INGEST_MARK_SIZE) return false;
    *out = load(payload);
    out->finished = true;
    return out->begin <= out->end;
}

nd_ingest_mark nd_ingest_mark_of(const nd_manifest *manifest, uint32_t documents) {
    const nd_ingest_mark none = {0};
    if (manifest->pending_size != UNFINISHED_SIZE && manifest->pending_size != FINISHED_SIZE)
        return none;
    nd_ingest_mark mark = load(manifest->pending);
    mark.finished = manifest->pending_size == FINISHED_SIZE;
    return mark.begin <= mark.end && mark.end <= documents ? mark : none;
}

nd_status nd_ingest_mark_set(nd_manifest *manifest, const nd_ingest_mark *mark, nd_error *error) {
    unsigned char bytes[FINISHED_SIZE];
    if (mark->end == 0) return nd_manifest_set_pending(manifest, NULL, 0, error);
    nd_ingest_mark_write(mark, bytes);
    nd_store_le64(bytes + UNFINISHED_SIZE, 1);
    return nd_manifest_set_pending(manifest, bytes,
                                   mark->finished ? FINISHED_SIZE : UNFINISHED_SIZE, error);
}
