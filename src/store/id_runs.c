#include "store/id_runs.h"

void nd_id_runs_init(nd_id_runs *r, const nd_allocator *allocator, nd_temp_space *disk,
                     size_t memory_limit) {
    nd_spool_init(&r->spool, allocator, disk, memory_limit, "ids");
    r->last = (nd_id_run){0, 0};
}

void nd_id_runs_free(nd_id_runs *r) { nd_spool_free(&r->spool); }

nd_status nd_id_runs_begin(nd_id_runs *r, nd_id_run run, nd_error *error) {
    if (r->last.count > 0) ND_TRY(nd_spool_append(&r->spool, &r->last, sizeof r->last, error));
    r->last = run;
    return ND_OK;
}

nd_id_run_cursor nd_id_run_cursor_begin(const nd_id_runs *r) {
    return (nd_id_run_cursor){.runs = r, .spool = {.spool = &r->spool}};
}

void nd_id_run_cursor_free(nd_id_run_cursor *c) {
    nd_release(&c->runs->spool.allocator, c->spool.bytes);
}

nd_status nd_id_run_cursor_next(nd_id_run_cursor *c, nd_id_run *run, nd_error *error) {
    const void *piece;
    *run = c->ended ? (nd_id_run){0, 0} : c->runs->last;
    if (c->spool.next < c->runs->spool.size) {
        ND_TRY(nd_spool_next(&c->spool, sizeof *run, &piece, error));
        memcpy(run, piece, sizeof *run);
        return ND_OK;
    }
    c->ended = true;
    return ND_OK;
}
