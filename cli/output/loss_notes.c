#include "output/loss_notes.h"

#include "output/escape.h"
#include "output/numbers.h"

#include <stdlib.h>
#include <string.h>

typedef void note_fn(FILE *out, const nd_losses *losses);

static bool take(loss_note *note, note_fn *print, const nd_losses *losses) {
    FILE *out = open_memstream(&note->text, &note->size);
    if (!out) return false;
    print(out, losses);
    return fclose(out) == 0;
}

static double share_of(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

/* ---- JSON */

/* Prints the members of a document, without braces. */
static void print_document(FILE *out, const nd_named_document *d) {
    fputs("\"id\":", out);
    print_json_text(out, d->id, d->id_length);
    fputs(",\"source\":", out);
    print_json_text(out, d->source, strlen(d->source));
    fprintf(out, ",\"line\":%llu", (unsigned long long)d->line);
}

static void print_groups(FILE *out, const nd_losses *l) {
    putc('[', out);
    for (size_t i = 0; i < l->group_count; i++) {
        const nd_loss_group *g = &l->groups[i];
        fputs(i > 0 ? ",{" : "{", out);
        print_document(out, &g->kept);
        fprintf(out, ",\"removed\":%llu,\"exact_copies\":%llu,\"share\":%.6f,\"example\":{",
                (unsigned long long)g->removed, (unsigned long long)g->exact_copies,
                share_of(g->removed, l->removed));
        print_document(out, &g->example);
        fputs("}}", out);
    }
    putc(']', out);
}

static void print_sizes(FILE *out, const nd_losses *l) {
    const char *between = "";
    putc('[', out);
    for (int step = 0; step < ND_GROUP_STEPS; step++) {
        if (l->groups_by_removed[step] == 0) continue;
        fprintf(out, "%s[%llu,%llu]", between, 1ull << step,
                (unsigned long long)l->groups_by_removed[step]);
        between = ",";
    }
    putc(']', out);
}

static void print_class(FILE *out, const nd_loss_class *c) {
    fputs("{\"name\":", out);
    print_json_text(out, c->name, strlen(c->name));
    fprintf(out, ",\"documents\":%llu,\"removed\":%llu}", (unsigned long long)c->documents,
            (unsigned long long)c->removed);
}

static const char *const kinds[] = {"source", "length", "script", "host", "field"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Classes come by kind. */
static void print_classes(FILE *out, const nd_losses *l) {
    size_t at = 0;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        fprintf(out, "%s\"%s\":[", kind > 0 ? "," : "{", kinds[kind]);
        for (size_t first = at; at < l->class_count && l->classes[at].kind == kind; at++) {
            if (at > first) putc(',', out);
            print_class(out, &l->classes[at]);
        }
        putc(']', out);
    }
    putc('}', out);
}

static void print_alarm(FILE *out, const nd_alarm *a) {
    static const char *const alarms[] = {"most", "group", "class"};
    fprintf(out, "{\"kind\":\"%s\"", alarms[a->kind]);
    if (a->kind == ND_ALARM_CLASS) {
        fprintf(out, ",\"class\":\"%s\",\"name\":", kinds[a->loss_class.kind]);
        print_json_text(out, a->loss_class.name, strlen(a->loss_class.name));
    }
    fprintf(out, ",\"documents\":%llu,\"removed\":%llu,\"example\":{",
            (unsigned long long)a->documents, (unsigned long long)a->removed);
    print_document(out, &a->example);
    fputs("},\"kept\":{", out);
    print_document(out, &a->kept);
    fputs("},\"message\":", out);
    print_json_text(out, a->message, strlen(a->message));
    putc('}', out);
}

static void print_alarms(FILE *out, const nd_losses *l) {
    putc('[', out);
    for (size_t i = 0; i < l->alarm_count; i++) {
        if (i > 0) putc(',', out);
        print_alarm(out, &l->alarms[i]);
    }
    putc(']', out);
}

/* ---- for people */

/* Groups of which each has removed one document say nothing about where documents are lost. */
enum { STRIKING_GROUP = 2 };

static void print_lines(FILE *out, const nd_losses *l) {
    char removed[32], copies[32];
    for (size_t i = 0; i < l->group_count && l->groups[i].removed >= STRIKING_GROUP; i++) {
        const nd_loss_group *g = &l->groups[i];
        fprintf(out, "%-16s%15s  %.1f %%, %s exact, for ", i > 0 ? "" : "  largest groups",
                number_grouped(g->removed, removed), 100 * share_of(g->removed, l->removed),
                number_grouped(g->exact_copies, copies));
        print_shown_text(out, g->kept.id, g->kept.id_length);
        if (g->kept.line > 0) {
            fputs(" (", out);
            print_shown_text(out, g->kept.source, strlen(g->kept.source));
            fprintf(out, ":%llu)", (unsigned long long)g->kept.line);
        } else {
            fputs(" (of the index)", out);
        }
        putc('\n', out);
    }
    if (l->alarm_count > 0)
        fprintf(out, "%-16s%15s  see the warnings\n", "  alarms",
                number_grouped(l->alarm_count, removed));
}

/* ---- the notes */

bool loss_notes_take(void *context, const nd_losses *losses) {
    loss_notes *notes = context;
    return take(&notes->groups, print_groups, losses) && take(&notes->sizes, print_sizes, losses) &&
           take(&notes->classes, print_classes, losses) &&
           take(&notes->alarms, print_alarms, losses) && take(&notes->lines, print_lines, losses);
}

void loss_notes_free(loss_notes *notes) {
    free(notes->groups.text);
    free(notes->sizes.text);
    free(notes->classes.text);
    free(notes->alarms.text);
    free(notes->lines.text);
}
