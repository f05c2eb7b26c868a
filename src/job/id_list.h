/* Ids by their place in an input, in memory up to a limit. */
#ifndef ND_JOB_ID_LIST_H
#define ND_JOB_ID_LIST_H

#include "io/spool.h"

typedef struct nd_id_list {
    nd_allocator allocator;
    nd_spool bytes, ends; /* 8 bytes each: where an id ends in `bytes` */
} nd_id_list;

/* `disk` must outlive the list. */
void nd_id_list_init(nd_id_list *list, size_t memory_limit, nd_temp_space *disk,
                     const nd_allocator *allocator);
void nd_id_list_free(nd_id_list *list);

nd_status nd_id_list_add(nd_id_list *list, const char *id, size_t length, nd_error *error);

/* A reader's room; zero-initialised, its bytes are the caller's to release. */
typedef struct nd_id_room {
    char *bytes;
    size_t capacity;
} nd_id_room;
/* Valid until the room is used again. Any number of threads, each with its room, when all have been
 * added. */
nd_status nd_id_list_get(const nd_id_list *list, uint64_t place, nd_id_room *room, const char **id,
                         size_t *length, nd_error *error);

/* One after the other, from the first on. */
typedef struct nd_id_cursor {
    nd_spool_cursor bytes, ends;
} nd_id_cursor;
nd_id_cursor nd_id_cursor_begin(const nd_id_list *list);
void nd_id_cursor_free(nd_id_cursor *cursor);
/* Valid until the next call. */
nd_status nd_id_cursor_next(nd_id_cursor *cursor, const char **id, size_t *length, nd_error *error);

#endif
