#include "commands/remove_command.h"

#include "commands/id_lines.h"
#include "commands/index_command.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/interrupt.h"
#include "output/numbers.h"

#include <stdlib.h>
#include <string.h>

static const flag id_list[] = {
    {.name = "ids",
     .kind = FLAG_INPUT,
     .argument = "FILE",
     .offset = offsetof(id_settings, ids),
     .help = "a file of ids, one per line, escaped as in tables; - is standard input"},
};

static const flag_table id_flags = FLAG_TABLE("Input", id_list);

const flag_group remove_groups[] = {
    FLAG_GROUP(remove_settings, id, id_flags), FLAG_GROUP(remove_settings, batch, sync_flags),
    FLAG_GROUP(remove_settings, report, quiet_flags), HELP_GROUP, GROUPS_END};

const char remove_exit_chapter[] =
    "0: done. 1: it failed, and the message says why, or the index does not have an id. 2: the "
    "command line is wrong. If an error or a signal ends the command, some of the ids are removed "
    "and others are not.";

typedef struct removal {
    const invocation *call;
    const char *directory;
    open_index index;
    nd_sync sync;
    uint64_t removed, missing;
} removal;

static nd_status remove_id(const open_index *x, const char *id, size_t length, bool *found,
                           nd_error *error) {
    return x->documents ? nd_index_remove(x->documents, id, length, found, error)
                        : nd_hamming_remove(x->fingerprints, id, length, found, error);
}

static void set_sync(const open_index *x, nd_sync sync) {
    if (x->documents) nd_index_set_sync(x->documents, sync);
    else nd_hamming_set_sync(x->fingerprints, sync);
}

static nd_status sync_all(const open_index *x, nd_error *error) {
    return x->documents ? nd_index_sync(x->documents, error)
                        : nd_hamming_sync(x->fingerprints, error);
}

/* `shown`: the id as the user wrote it. False: stop; a failure is reported, or a signal came. */
static bool remove_one(removal *r, const char *id, size_t length, const char *shown) {
    bool found;
    nd_error error;
    if (remove_id(&r->index, id, length, &found, &error) != ND_OK) {
        complain("%s", error.message);
        return false;
    }
    if (!found) complain("%s: no %s with the id %s", r->directory, index_noun(&r->index), shown);
    r->removed += found;
    r->missing += !found;
    return !interrupt_pending();
}

/* An empty line has no id. */
static bool remove_line(removal *r, char *line, size_t length) {
    if (length == 0) return true;
    line[length] = 0;
    char *id = malloc(length);
    if (!id) {
        complain("no memory for an id of %zu bytes", length);
        return false;
    }
    bool done = remove_one(r, id, table_text_read(line, length, id), line);
    free(id);
    return done;
}

static bool remove_lines(removal *r, lines *ids) {
    char *line;
    size_t length;
    do {
        if (!lines_next(ids, &line, &length)) return false;
    } while (line && remove_line(r, line, length));
    return !line;
}

/* The ids of the command line, then those of the file (NULL: none). False: reported, or a signal
 * came. */
static bool remove_all(removal *r, lines *ids) {
    nd_error error;
    set_sync(&r->index, r->sync);
    for (int i = 1; i < r->call->count; i++) {
        const char *id = r->call->operands[i];
        if (!remove_one(r, id, strlen(id), id)) return false;
    }
    if (ids && !remove_lines(r, ids)) return false;
    if (r->sync == ND_SYNC_OFF || sync_all(&r->index, &error) == ND_OK) return true;
    complain("%s", error.message);
    return false;
}

static int remove_from_index(const invocation *call, lines *ids) {
    const remove_settings *s = call->settings;
    char removed[48], left[48];
    removal r = {.call = call,
                 .directory = call->operands[0],
                 .sync = s->batch.sync == SYNC_OFF ? ND_SYNC_OFF : ND_SYNC_BATCH};
    if (!index_open(call->self, r.directory, ND_INDEX_WRITE, &r.index)) return EXIT_FAILED;
    const char *noun = index_noun(&r.index);
    interrupt_catch();
    bool done = remove_all(&r, ids);
    const index_size size = index_measure(&r.index);
    index_close(&r.index);
    if (!done) interrupt_obey();
    if (done && !s->report.quiet)
        announce("%s: %s removed, %s left", r.directory, index_counted(noun, r.removed, removed),
                 number_grouped(size.count, left));
    return done && r.missing == 0 ? EXIT_DONE : EXIT_FAILED;
}

int index_remove_run(const invocation *call) {
    const remove_settings *s = call->settings;
    lines ids = {.fd = -1};
    if (call->count == 1 && !s->id.ids) {
        complain("%s: no id; name ids, or a file of them with --ids", call->self->name);
        return EXIT_USAGE;
    }
    if (s->id.ids && !lines_open(&ids, s->id.ids)) return EXIT_FAILED;
    int status = remove_from_index(call, s->id.ids ? &ids : NULL);
    lines_close(&ids);
    return status;
}
