/* Records that are sorted in pieces, because memory does not hold all of them: the pieces go to a
 * temporary file, and are merged while they are read.
 *
 * Each piece is read through a buffer of its own. If there are so many that buffers would be small,
 * neighbouring pieces are first merged into one, as many at a time as memory has buffers for.
 * Records with equal keys come in the order of adding.
 *
 * Memory: the limit, and two chunks of a spool. */
#ifndef ND_IO_SORTED_PIECES_H
#define ND_IO_SORTED_PIECES_H

#include "io/spool.h"

typedef struct nd_sorted_pieces_settings {
    nd_allocator allocator;
    nd_temp_space *disk; /* must outlive the pieces */
    size_t memory_limit; /* bytes */
    unsigned words;      /* 64-bit words of a record */
    unsigned keys;       /* first words by which records are sorted */
    const char *what;    /* for messages; static */
} nd_sorted_pieces_settings;

/* Zero-initialised, except for settings. */
typedef struct nd_sorted_pieces {
    nd_sorted_pieces_settings settings;
    nd_spool records; /* the pieces, one behind the other */
    uint64_t *ends;   /* by piece: its end in `records` */
    size_t count, capacity;
    struct nd_piece_cursor *cursors; /* by piece; those that have a next record are in `heap` */
    struct nd_piece_cursor **heap;   /* the first one has the least record */
    size_t left;                     /* cursors in `heap` */
    uint64_t *buffers;               /* of all cursors */
    size_t buffer_size;              /* bytes of one */
    bool taken;                      /* the least record was returned */
} nd_sorted_pieces;

/* Forgets all pieces and frees their memory. Pieces may be added again. */
void nd_sorted_pieces_free(nd_sorted_pieces *pieces);

/* Adds `count` > 0 records, sorted by their keys. */
nd_status nd_sorted_pieces_add(nd_sorted_pieces *pieces, const uint64_t *records, size_t count,
                               nd_error *error);

/* Goes to the first record of all, for the first time or again. Nothing may be added any more. */
nd_status nd_sorted_pieces_begin(nd_sorted_pieces *pieces, nd_error *error);
/* Returns the next record, valid until the next call. NULL: there is none. */
nd_status nd_sorted_pieces_next(nd_sorted_pieces *pieces, const uint64_t **record, nd_error *error);

#endif
