/* The two texts: whole files, or documents of an input. */
#include "output/complain.h"
#include "output/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16 };

void pair_free(pair *p) {
    for (int i = 0; i < 2; i++) free(p->texts[i].bytes);
    nd_comparison_free(p->told);
}

piece passage_piece(const nd_passage *passage, int side) {
    return side == 0 ? (piece){passage->a_begin, passage->a_end}
                     : (piece){passage->b_begin, passage->b_end};
}

/* ---- files */

/* Up to one byte more than `most`. */
static bool read_all(FILE *file, size_t most, pair_text *text) {
    for (size_t room = FIRST_ROOM;; room *= 2) {
        if (room > most) room = most + 1;
        char *larger = realloc(text->bytes, room);
        if (!larger) return false;
        text->bytes = larger;
        text->length += fread(text->bytes + text->length, 1, room - text->length, file);
        if (text->length < room || room > most) return !ferror(file);
    }
}

static bool read_file(const char *name, size_t most, pair_text *text) {
    bool standard = strcmp(name, "-") == 0;
    text->title = standard ? "standard input" : name;
    FILE *file = standard ? stdin : fopen(name, "rb");
    bool good = file && read_all(file, most, text);
    if (!good) complain("%s: %s", text->title, strerror(errno));
    else if (text->length > most)
        complain("%s: over the limit of %zu bytes, --max-record", text->title, most);
    if (file && !standard) fclose(file);
    if (!good || text->length > most) return false;
    size_t valid = nd_utf8_valid_prefix(text->bytes, text->length);
    if (valid < text->length) complain("%s: invalid UTF-8 at byte %zu", text->title, valid);
    return valid == text->length;
}

/* ---- documents */

typedef struct wanted {
    pair *pair;
    bool found[2], failed;
} wanted;

/* nd_text_fn: the first document of each id. */
static bool take_document(void *context, const nd_text *document) {
    wanted *w = context;
    for (int i = 0; i < 2; i++) {
        pair_text *text = &w->pair->texts[i];
        if (w->found[i] || strlen(text->title) != document->id_length ||
            memcmp(text->title, document->id, document->id_length) != 0)
            continue;
        text->bytes = malloc(document->length + 1);
        w->failed |= !text->bytes;
        if (w->failed) return false;
        memcpy(text->bytes, document->text, document->length);
        text->length = document->length;
        w->found[i] = true;
    }
    return !w->found[0] || !w->found[1];
}

static void warn(void *context, const char *message) {
    (void)context;
    complain("warning: %s", message);
}

static bool read_documents(const settings *given, char **names, pair *p) {
    nd_job_options job = given->job;
    wanted w = {.pair = p};
    nd_error error;
    for (int i = 0; i < 2; i++) p->texts[i].title = names[i];
    job.inputs = &given->within;
    job.input_count = 1;
    job.skip_errors = given->on_error == 1;
    job.on_warning = warn;
    nd_status status = nd_texts(&job, take_document, &w, NULL, &error);
    if (w.failed) complain("out of memory for a text");
    else if (status != ND_OK && status != ND_ERR_CANCELLED) complain("%s", error.message);
    if (w.failed || (status != ND_OK && status != ND_ERR_CANCELLED)) return false;
    for (int i = 0; i < 2; i++)
        if (!w.found[i])
            complain("%s: no document has the id %s",
                     strcmp(given->within, "-") == 0 ? "standard input" : given->within, names[i]);
    return w.found[0] && w.found[1];
}

bool pair_read(const settings *given, char **names, pair *p) {
    size_t most = (size_t)given->job.max_record;
    bool good = given->within ? read_documents(given, names, p)
                              : read_file(names[0], most, &p->texts[0]) &&
                                    read_file(names[1], most, &p->texts[1]);
    if (!good) pair_free(p);
    return good;
}
