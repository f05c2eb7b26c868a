/* The state of an index: its settings, and the files that it consists of at the moment
 * (doc/internals/index.md, invariants 1 and 2; doc/internals/formats.md for the bytes).
 *
 * It is kept in two files, manifest-0 and manifest-1, which are written one after the other. So one
 * of them is whole at every moment. */
#ifndef ND_STORE_MANIFEST_H
#define ND_STORE_MANIFEST_H

#include "storage/sealed_file.h"
#include "store/document_row.h"

/* The newest version of the format of all files together. */
enum { ND_INDEX_FORMAT = 5 };

typedef enum nd_index_kind { ND_KIND_DOCUMENTS, ND_KIND_FINGERPRINTS } nd_index_kind;

/* What an index is made with. It never changes. Members of the other kind are 0. */
typedef struct nd_index_settings {
    nd_index_kind kind;
    uint32_t sketch_size; /* bytes per document: permutations, or bits / 8 */
    uint32_t bands;       /* keys per document */
    uint32_t exact;       /* 1: documents have shingle sets; 0: sketches only */
    uint32_t numbered;    /* 1: ids are numbers, which ascend */
    /* Of documents. */
    uint32_t analyzer, ngram; /* nd_analyzer_kind */
    uint32_t rows;            /* MinHash values per band */
    uint64_t seed;
    double threshold, recall;
    /* Of documents whose sketches are their hashes: 1 + nd_equal; 0: they are MinHash bytes. */
    uint32_t identity;
    /* Of fingerprints (doc/internals/formats.md, "Files of an index"). */
    uint32_t bits, k; /* of a fingerprint; the largest distance of a search */
    uint64_t memory;  /* bound of a segment's tables, bytes; 0: none */
} nd_index_settings;

/* An index of documents is of version 5, one of fingerprints of version 2, one of hashes of version
 * 3. Versions 1 and 4 are refused: their documents have MinHash values of another family. */
static inline uint32_t nd_settings_format(const nd_index_settings *settings) {
    return settings->kind == ND_KIND_FINGERPRINTS ? 2 : settings->identity ? 3 : 5;
}

bool nd_index_settings_equal(const nd_index_settings *a, const nd_index_settings *b);

static inline nd_row_layout nd_settings_layout(const nd_index_settings *settings) {
    return (nd_row_layout){.sketch_size = settings->sketch_size,
                           .bands = settings->bands,
                           .sets = settings->exact != 0};
}

typedef struct nd_manifest_segment {
    uint64_t file;      /* number in its name */
    uint32_t documents; /* removed ones included */
    uint32_t removed;   /* tombstones */
    nd_seal seal;
} nd_manifest_segment;

typedef struct nd_manifest {
    nd_allocator allocator;
    nd_index_settings settings;
    uint64_t generation; /* counts the states */
    uint64_t next_file;  /* lower numbers have been used */
    uint64_t log;        /* number of the write-ahead log */
    uint64_t removed;    /* number of the file of tombstones; 0: none */
    nd_seal removed_seal;
    nd_manifest_segment *segments; /* in the order of their documents */
    size_t segment_count, segment_capacity;
    unsigned char *pending; /* the mark of an ingest job (ingest_mark.h), or NULL */
    size_t pending_size;
} nd_manifest;

void nd_manifest_init(nd_manifest *manifest, const nd_allocator *allocator);
void nd_manifest_free(nd_manifest *manifest);
/* Makes an independent copy. */
nd_status nd_manifest_copy(const nd_manifest *from, nd_manifest *to, nd_error *error);
nd_status nd_manifest_add_segment(nd_manifest *manifest, const nd_manifest_segment *segment,
                                  nd_error *error);
/* Copies the bytes. Size 0: no ingest job is pending. */
nd_status nd_manifest_set_pending(nd_manifest *manifest, const void *bytes, size_t size,
                                  nd_error *error);

/* Reads the newest whole state of an index directory and checks all its numbers. A writer may be at
 * work meanwhile. *repair: the two files differ, so a writer must write the state again before all
 * else. ND_ERR_IO: the directory does not exist or has no index (neither file exists), or neither
 * can be read; ND_ERR_CORRUPT: neither is whole; ND_ERR_ARGUMENT: one has a newer format or another
 * Unicode version; the message names both. */
nd_status nd_manifest_read(const char *directory, const nd_allocator *allocator, nd_manifest *out,
                           bool *repair, nd_error *error);

/* Checks that both files are whole. ND_ERR_CORRUPT names the one that is not. Since a writer may be
 * at work, the fault must last for some milliseconds. If that writer has crashed, the next one
 * repairs it. */
nd_status nd_manifest_check(const char *directory, const nd_allocator *allocator, nd_error *error);

/* The format version of the index in a directory, from the first of the two files that begins as a
 * manifest. 0: neither does. Only the first bytes are read. */
uint32_t nd_manifest_version(const char *directory, const nd_allocator *allocator);

/* Writes both files, each synced before the other is touched, and syncs the directory's names. The
 * generation, which the caller counts, must be above the one of the last state, unless it is the
 * last state itself. After a failure the state on disk is the last one or this one.
 * ND_ERR_ARGUMENT: nd_manifest_read would reject this state; nothing is written. */
nd_status nd_manifest_write(const char *directory, const nd_manifest *manifest, nd_error *error);
/* Removes both files of an index that could not be made. Failures are ignored. */
void nd_manifest_remove(const char *directory);

#endif
