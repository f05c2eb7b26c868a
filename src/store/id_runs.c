#include "store/id_runs.h"

void nd_number_runs_init(nd_number_runs *r, const nd_allocator *allocator, nd_scratch_disk *disk,
                         size_t memory_limit) {
    nd_spool_init(&r->spool, allocator, disk, memory_limit, "ids");
    r->last = (nd_number_run){0, 0};
}

void nd_number_runs_free(nd_number_runs *r) { nd_spool_free(&r->spool); }

nd_status nd_number_runs_begin(nd_number_runs *r, nd_number_run run, nd_error *error) {
    if (r->last.count > 0) ND_TRY(nd_spool_append(&r->spool, &r->last, sizeof r->last, error));
    r->last = run;
    return ND_OK;
}

nd_number_cursor nd_number_cursor_begin(const nd_number_runs *r) {
    return (nd_number_cursor){.runs = r, .spool = {.spool = &r->spool}};
}

void nd_number_cursor_free(nd_number_cursor *c) {
    nd_release(&c->runs->spool.allocator, c->spool.bytes);
}

nd_status nd_number_cursor_next(nd_number_cursor *c, nd_number_run *run, nd_error *error) {
    const void *piece;
    *run = c->ended ? (nd_number_run){0, 0} : c->runs->last;
    if (c->spool.next < c->runs->spool.size) {
        ND_TRY(nd_spool_next(&c->spool, sizeof *run, &piece, error));
        memcpy(run, piece, sizeof *run);
        return ND_OK;
    }
    c->ended = true;
    return ND_OK;
}
