/* The mark of an ingest job: the job that added documents last, or that is adding them in parts.
 *
 * A job that is run again finds its mark and knows which documents it has added already. A mark is
 * in the manifest (as its pending bytes) and, for a job whose documents went to the write-ahead
 * log, in a record of the log, which takes precedence. */
#ifndef ND_STORE_INGEST_MARK_H
#define ND_STORE_INGEST_MARK_H

#include "store/manifest.h"

/* Numbers [begin, end) are the documents that the job has added, and perhaps documents that others
 * added in between. end 0: no mark. */
typedef struct nd_ingest_mark {
    uint64_t batch; /* the job's name, a hash */
    uint32_t begin, end;
    bool finished;
} nd_ingest_mark;

/* The mark in a manifest. One that does not fit the first `documents` numbers counts as none. */
nd_ingest_mark nd_ingest_mark_of(const nd_manifest *manifest, uint32_t documents);
/* Replaces the mark in a manifest. */
nd_status nd_ingest_mark_set(nd_manifest *manifest, const nd_ingest_mark *mark, nd_error *error);

/* The payload of a log record, whose mark is finished. False: not such a payload. */
enum { ND_INGEST_MARK_SIZE = 16 };
void nd_ingest_mark_write(const nd_ingest_mark *mark, unsigned char to[ND_INGEST_MARK_SIZE]);
bool nd_ingest_mark_read(const unsigned char *payload, size_t size, nd_ingest_mark *out);

#endif
