/* neardup index remove: documents out of an index, by their ids. */
#include "output/complain.h"
#include "output/escape.h"
#include "commands/index_command.h"
#include "output/interrupt.h"
#include "commands/lines.h"
#include "output/numbers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const flag id_flags[] = {
    {.name = "ids",
     .kind = FLAG_INPUT,
     .argument = "FILE",
     .offset = SETTING(ids),
     .help = "a file of ids, one a line, written as in the tables; - is standard input"},
};

static const flag sync_flags[] = {SYNC_FLAG};

const flag_group index_sync_group = FLAG_GROUP("Index", sync_flags);
const flag_group index_ids_group = FLAG_GROUP("Input", id_flags);
static const flag_group *const groups[] = {&index_ids_group, &index_sync_group, &quiet_group,
                                           &help_group, NULL};

typedef struct removal {
    const char *directory;
    nd_index *index;
    nd_index_info info;
    nd_sync sync;
    uint64_t removed, missing;
} removal;

/* `shown`: the id as the user wrote it. False: it failed, and was told, or a signal came. */
static bool remove_one(removal *r, const char *id, size_t length, const char *shown) {
    bool found;
    nd_error error;
    if (nd_index_remove(r->index, id, length, &found, &error) != ND_OK) {
        complain("%s", error.message);
        return false;
    }
    if (!found) complain("%s: no %s with the id %s", r->directory, index_noun(&r->info), shown);
    r->removed += found;
    r->missing += !found;
    return !interrupt_pending();
}

/* One line. An empty one is none. */
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

static bool remove_all(removal *r, int count, char **operands, lines *ids) {
    nd_error error;
    nd_index_set_sync(r->index, r->sync);
    for (int i = 0; i < count; i++)
        if (!remove_one(r, operands[i], strlen(operands[i]), operands[i])) return false;
    if (ids && !remove_lines(r, ids)) return false;
    if (r->sync == ND_SYNC_OFF || nd_index_sync(r->index, &error) == ND_OK) return true;
    complain("%s", error.message);
    return false;
}

static int remove_from(const command *self, const settings *given, const char *directory, int count,
                       char **operands, lines *ids) {
    char removed[48], left[48];
    removal r = {.directory = directory, .sync = given->sync ? ND_SYNC_OFF : ND_SYNC_BATCH};
    r.index = index_open(self, directory, ND_INDEX_WRITE, &r.info);
    if (!r.index) return EXIT_FAILED;
    interrupt_catch();
    bool done = remove_all(&r, count, operands, ids);
    nd_index_describe(r.index, &r.info);
    nd_index_close(r.index);
    if (!done) interrupt_obey();
    if (done && !given->quiet)
        announce("%s: %s removed, %s left", directory, index_counted(&r.info, r.removed, removed),
                 number_grouped(r.info.documents, left));
    return done && r.missing == 0 ? EXIT_DONE : EXIT_FAILED;
}

int index_remove_run(const command *self, settings *given, int count, char **operands) {
    if (count == 1 && !given->ids) {
        complain("%s: no id; name ids, or a file of them with --ids", self->name);
        return EXIT_USAGE;
    }
    lines ids = {.fd = -1};
    if (given->ids && !lines_open(&ids, given->ids)) return EXIT_FAILED;
    int status = remove_from(self, given, operands[0], count - 1, operands + 1,
                             given->ids ? &ids : NULL);
    lines_close(&ids);
    return status;
}

static const char result_chapter[] =
    "A removed document is found no more, and its id is free again. What it once kept out does not "
    "come back. The room that it takes is given back "
    "when neighbouring parts of the index are merged, or by neardup-index-compact(1).\n\n"
    "Ids that the index does not have are named on stderr, and the others are removed "
    "nevertheless. In a file, as in all tables of neardup, a tab "
    "is written \\t, a newline \\n, a carriage return \\r and a backslash \\\\; empty lines count "
    "for nothing. On the command line an id stands as "
    "it is.";

static const char remove_exit_chapter[] =
    "0: done. 1: it failed, and the message says why, or an id was not there. 2: the command line "
    "is wrong. Removal ended halfway, by an error or a "
    "signal, leaves some of the documents removed.";

static const char example_chapter[] =
    "  neardup index remove seen article-17 article-18\n"
    "  tail -n +2 removed.tsv | cut -f 2 | neardup index remove seen --ids -";

static const chapter chapters[] = {{"RESULT", result_chapter},
                                   {"EXIT STATUS", remove_exit_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command index_remove_command = {
    .name = "index remove",
    .operands = "DIR [ID]...",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = index_missing,
    .summary = "remove documents by their ids",
    .description = "Removes from the index DIR the documents whose ids are given, on the command "
                   "line or in a file.",
    .groups = groups,
    .chapters = chapters,
    .run = index_remove_run,
};
