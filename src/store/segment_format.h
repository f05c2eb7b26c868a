/* The sections of a segment's file (doc/internals/formats.md). */
#ifndef ND_STORE_SEGMENT_FORMAT_H
#define ND_STORE_SEGMENT_FORMAT_H

#include "base/status.h"
#include "storage/sealed_file.h"

enum {
    ND_TAG_ROWS = 1,
    ND_TAG_ROW_ENDS,
    ND_TAG_PARTS,
    ND_TAG_NUMBERS = 5,
    ND_TAG_NUMBER_BITS = 9,
    ND_TAG_ID_TABLE,
    ND_TAG_BANDS = 2048
};

/* The list of parts: the number of entries (64 bits), then for each part its file's number, number
 * of documents, and seal. */
enum { ND_PARTS_HEAD = 8, ND_PART_SIZE = 32 };

/* A row: the sketch, the id's length (32 bits), the id, and the set up to the row's end. */
enum { ND_ROW_ID_LENGTH = 4 };

/* Key table `table`: one per band, and behind them the one of the ids. */
static inline uint32_t nd_tag_of_table(uint32_t table, uint32_t bands) {
    return table < bands ? ND_TAG_BANDS + table : (uint32_t)ND_TAG_ID_TABLE;
}

static inline nd_status nd_segment_fail_part(const nd_sealed_file *file, uint32_t document,
                                             const char *part, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: %s of document %u of it is damaged",
                   nd_sealed_path(file), part, document);
}

#endif
