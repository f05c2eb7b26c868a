#include "report/report_data.h"

#include <stdlib.h>
#include <string.h>

/* Replaces a text by a copy, NUL-terminated. */
static void keep(report_data *d, const char **text, size_t length) {
    if (!*text) return;
    if (d->text_count == d->text_capacity) {
        size_t capacity = d->text_capacity ? 2 * d->text_capacity : 256;
        char **larger = realloc(d->texts, capacity * sizeof *larger);
        d->no_memory |= !larger;
        if (!larger) return;
        d->texts = larger;
        d->text_capacity = capacity;
    }
    char *copy = malloc(length + 1);
    d->no_memory |= !copy;
    if (!copy) return;
    memcpy(copy, *text, length);
    copy[length] = '\0';
    d->texts[d->text_count++] = copy;
    *text = copy;
}

static void keep_string(report_data *d, const char **text) {
    if (*text) keep(d, text, strlen(*text));
}

static void keep_document(report_data *d, nd_named_document *document) {
    keep(d, &document->id, document->id_length);
    keep_string(d, &document->source);
}

/* Copies an array. NULL: it is empty, or memory is missing. */
static void *copy_of(report_data *d, const void *from, size_t count, size_t size) {
    if (count == 0) return NULL;
    void *copy = malloc(count * size);
    d->no_memory |= !copy;
    if (copy) memcpy(copy, from, count * size);
    return copy;
}

bool report_data_take_losses(report_data *d, const nd_losses *from) {
    nd_loss_group *groups = copy_of(d, from->groups, from->group_count, sizeof *groups);
    nd_loss_class *classes = copy_of(d, from->classes, from->class_count, sizeof *classes);
    nd_alarm *alarms = copy_of(d, from->alarms, from->alarm_count, sizeof *alarms);
    d->losses = *from;
    d->losses.groups = groups;
    d->losses.classes = classes;
    d->losses.alarms = alarms;
    for (size_t i = 0; groups && i < from->group_count; i++) {
        keep_document(d, &groups[i].kept);
        keep_document(d, &groups[i].example);
    }
    for (size_t i = 0; classes && i < from->class_count; i++) keep_string(d, &classes[i].name);
    for (size_t i = 0; alarms && i < from->alarm_count; i++) {
        keep_string(d, &alarms[i].loss_class.name);
        keep_string(d, &alarms[i].message);
        keep_document(d, &alarms[i].example);
        keep_document(d, &alarms[i].kept);
    }
    return !d->no_memory;
}

bool report_data_take_example(report_data *d, const nd_example *from) {
    nd_example *larger = realloc(d->examples, (d->example_count + 1) * sizeof *larger);
    if (!larger) return false;
    d->examples = larger;
    nd_example *to = &larger[d->example_count++];
    *to = *from;
    for (int side = 0; side < 2; side++) {
        keep_document(d, &to->documents[side]);
        keep(d, &to->texts[side], to->lengths[side]);
    }
    return !d->no_memory;
}

void report_data_free(report_data *d) {
    for (size_t i = 0; i < d->text_count; i++) free(d->texts[i]);
    free(d->texts);
    free(d->examples);
    free((void *)d->losses.groups);
    free((void *)d->losses.classes);
    free((void *)d->losses.alarms);
    *d = (report_data){.texts = NULL};
}
