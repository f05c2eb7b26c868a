#include "job/id_list.h"

#include "base/bits.h"

void nd_id_list_init(nd_id_list *list, size_t memory_limit, nd_temp_space *disk,
                     const nd_allocator *allocator) {
    list->allocator = *allocator;
    nd_spool_init(&list->bytes, allocator, disk, memory_limit / 3 * 2, "ids");
    nd_spool_init(&list->ends, allocator, disk, memory_limit / 3, "ids");
}

void nd_id_list_free(nd_id_list *list) {
    nd_spool_free(&list->bytes);
    nd_spool_free(&list->ends);
}

nd_status nd_id_list_add(nd_id_list *list, const char *id, size_t length, nd_error *error) {
    unsigned char end[8];
    nd_store_le64(end, list->bytes.size + length);
    ND_TRY(nd_spool_append(&list->bytes, id, length, error));
    return nd_spool_append(&list->ends, end, sizeof end, error);
}

nd_status nd_id_list_get(const nd_id_list *list, uint64_t position, nd_id_room *room,
                         const char **id, size_t *length, nd_error *error) {
    unsigned char ends[16] = {0}; /* the end of the id before it, then its own end */
    const void *view;
    size_t before = position > 0;
    ND_TRY(nd_spool_read(&list->ends, ends + 8 - 8 * before, 8 + 8 * before,
                         (position - before) * 8, error));
    uint64_t begin = nd_load_le64(ends);
    *length = (size_t)(nd_load_le64(ends + 8) - begin);
    if (!nd_reserve(&list->allocator, &room->bytes, &room->capacity, *length + 1))
        return nd_fail_memory(error, *length, "an id");
    ND_TRY(nd_spool_view(&list->bytes, *length, begin, room->bytes, &view, error));
    *id = view;
    return ND_OK;
}

nd_id_cursor nd_id_cursor_begin(const nd_id_list *list) {
    return (nd_id_cursor){{.spool = &list->bytes}, {.spool = &list->ends}};
}

void nd_id_cursor_free(nd_id_cursor *c) {
    nd_release(&c->bytes.spool->allocator, c->bytes.bytes);
    nd_release(&c->ends.spool->allocator, c->ends.bytes);
}

nd_status nd_id_cursor_next(nd_id_cursor *c, const char **id, size_t *length, nd_error *error) {
    const void *end, *bytes;
    uint64_t begin = c->bytes.next;
    ND_TRY(nd_spool_next(&c->ends, 8, &end, error));
    *length = (size_t)(nd_load_le64(end) - begin);
    ND_TRY(nd_spool_next(&c->bytes, *length, &bytes, error));
    *id = bytes;
    return ND_OK;
}
