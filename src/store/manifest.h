/* The state of an index: what it is made with, and of which files it consists at the moment
 * (doc/index.md, invariants 1 and 2; doc/formats.md for the bytes). It stands twice, in two files
 * that are written one after the other. */
#ifndef ND_STORE_MANIFEST_H
#define ND_STORE_MANIFEST_H

#include "storage/sealed_file.h"

/* Version of all its files together: an index of fingerprints is of version 2, one of documents of
 * version 1. */
enum { ND_INDEX_FORMAT = 2 };

/* What an index is made with; never changes. */
typedef struct nd_index_settings {
    uint32_t analyzer, ngram; /* nd_analyzer_kind */
    uint32_t perms, bands, rows;
    uint32_t exact; /* 1: with shingle sets; 0: sketches only */
    uint64_t seed;
    double threshold, recall;
    /* An index of fingerprints (doc/index.md, "Fingerprints"): of so many bits, for searches within
     * k; perms is bits / 8, and all that stands above is 0. bits 0: of documents. */
    uint32_t bits, k;
    uint32_t numbered; /* 1: ids are numbers that are given out in order */
    uint64_t memory;   /* bound of a segment's tables, bytes; 0: none */
} nd_index_settings;

typedef struct nd_manifest_segment {
    uint64_t file;      /* number in its name */
    uint32_t documents; /* tombstones included */
    uint32_t removed;   /* of these, tombstones */
    nd_seal seal;
} nd_manifest_segment;

typedef struct nd_manifest {
    nd_allocator allocator;
    nd_index_settings settings;
    uint64_t generation; /* counts the states */
    uint64_t next_file;  /* numbers below it have been used */
    uint64_t log;        /* number of the log */
    uint64_t removed;    /* number of the file of tombstones; 0: none */
    nd_seal removed_seal;
    nd_manifest_segment *segments; /* in order */
    size_t segment_count, segment_capacity;
    /* A batch that is being added in parts: words of its job (dedup/index_update.c), or nothing. */
    unsigned char *pending;
    size_t pending_size;
} nd_manifest;

void nd_manifest_init(nd_manifest *manifest, const nd_allocator *allocator);
void nd_manifest_free(nd_manifest *manifest);
/* An independent copy. */
nd_status nd_manifest_copy(const nd_manifest *from, nd_manifest *to, nd_error *error);
nd_status nd_manifest_add_segment(nd_manifest *manifest, const nd_manifest_segment *segment,
                                  nd_error *error);
/* Copies the bytes; 0 of them: no batch is pending. */
nd_status nd_manifest_set_pending(nd_manifest *manifest, const void *bytes, size_t size,
                                  nd_error *error);

/* Reads the newest whole state of an index directory, with all its numbers checked, while a writer
 * may be at work. *repair: the two files are not the same, so a writer writes the state again
 * before all else. ND_ERR_IO: the directory is not there or is no index (neither file exists), or
 * neither can be read; ND_ERR_CORRUPT: neither is whole; ND_ERR_ARGUMENT: one is of a newer format
 * or another Unicode version, both named. */
nd_status nd_manifest_read(const char *directory, const nd_allocator *allocator, nd_manifest *out,
                           bool *repair, nd_error *error);

/* That both files are whole: ND_ERR_CORRUPT names the one that is not, when it stays so for some
 * milliseconds, for a writer may be at work. Where one has died the next mends it. */
nd_status nd_manifest_check(const char *directory, const nd_allocator *allocator, nd_error *error);

/* The version of the format of the index in a directory, as the first of the two files tells it
 * that begins as one; 0: none does. What is behind the first bytes may be damaged. */
uint32_t nd_manifest_version(const char *directory, const nd_allocator *allocator);

/* Writes both, each synced before the other is touched, and the directory's names. The generation
 * must be higher than that of the last state (the caller counts it), or the state be the last one
 * itself. After a failure the state is the last one or this one. ND_ERR_ARGUMENT: a state that
 * nd_manifest_read would refuse; nothing is written. */
nd_status nd_manifest_write(const char *directory, const nd_manifest *manifest, nd_error *error);
/* Both, as well as that can be done: of an index that could not be made. */
void nd_manifest_remove(const char *directory);

/* "DIRECTORY/NAME-NUMBER" as a new string of the allocator; NULL: no memory. */
char *nd_index_path(const nd_allocator *allocator, const char *directory, const char *name,
                    uint64_t number);

#endif
