/* A list of ids by their position in an input. Up to a limit the ids are in memory, beyond it in a
 * temporary file. */
#ifndef ND_JOB_ID_LIST_H
#define ND_JOB_ID_LIST_H

#include "io/spool.h"

typedef struct nd_id_list {
    nd_allocator allocator;
    nd_spool bytes, ends; /* ends: 8 bytes per id, the offset in `bytes` at which it ends */
} nd_id_list;

/* `disk` must outlive the list. */
void nd_id_list_init(nd_id_list *list, size_t memory_limit, nd_temp_space *disk,
                     const nd_allocator *allocator);
void nd_id_list_free(nd_id_list *list);

nd_status nd_id_list_add(nd_id_list *list, const char *id, size_t length, nd_error *error);

/* A reader's memory for one id. Zero-initialised; the caller releases `bytes`. */
typedef struct nd_id_room {
    char *bytes;
    size_t capacity;
} nd_id_room;
/* Gets the id at a position. It is valid until the room is used again. Once all ids have been
 * added, any number of threads may call it, each with its own room. */
nd_status nd_id_list_get(const nd_id_list *list, uint64_t position, nd_id_room *room,
                         const char **id, size_t *length, nd_error *error);

/* Reads the ids one after the other, from the first on. */
typedef struct nd_id_cursor {
    nd_spool_cursor bytes, ends;
} nd_id_cursor;
nd_id_cursor nd_id_cursor_begin(const nd_id_list *list);
void nd_id_cursor_free(nd_id_cursor *cursor);
/* The id is valid until the next call. */
nd_status nd_id_cursor_next(nd_id_cursor *cursor, const char **id, size_t *length, nd_error *error);

#endif
