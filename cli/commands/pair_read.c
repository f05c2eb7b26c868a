#include "commands/pair_read.h"

#include "output/complain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16 };

void pair_free(pair *p) {
    for (int i = 0; i < 2; i++) free(p->texts[i].bytes);
    nd_comparison_free(p->comparison);
    nd_difference_list_free(p->differences);
}

/* ---- files */

/* Reads up to one byte more than `most`. */
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

bool pair_read_files(char **names, size_t max_record, pair *p) {
    bool good = read_file(names[0], max_record, &p->texts[0]) &&
                read_file(names[1], max_record, &p->texts[1]);
    if (!good) pair_free(p);
    return good;
}

/* ---- documents */

typedef struct wanted {
    pair *pair;
    bool found[2], failed;
} wanted;

/* nd_text_fn. Takes the first document of each id. */
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

bool pair_read_documents(const char *input, const input_settings *s, char **ids, pair *p) {
    nd_input_options options = input_options_of(s);
    nd_resources resources;
    wanted w = {.pair = p};
    nd_error error;
    nd_resources_init(&resources, sizeof resources);
    for (int i = 0; i < 2; i++) p->texts[i].title = ids[i];
    options.inputs = &input;
    options.input_count = 1;
    resources.on_warning = warn;
    nd_status status = nd_texts(&options, take_document, &w, &resources, NULL, &error);
    bool stopped = status == ND_OK || status == ND_ERR_CANCELLED;
    bool good = !w.failed && stopped && w.found[0] && w.found[1];
    if (w.failed) complain("out of memory for a text");
    else if (!stopped) complain("%s", error.message);
    for (int i = 0; i < 2 && !w.failed && stopped; i++)
        if (!w.found[i])
            complain("%s: no document has the id %s",
                     strcmp(input, "-") == 0 ? "standard input" : input, ids[i]);
    if (!good) pair_free(p);
    return good;
}
