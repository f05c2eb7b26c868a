#include "dedup/losses.h"

#include "base/format.h"
#include "base/printable.h"
#include "dedup/examples.h"
#include "dedup/loss_alarms.h"
#include "dedup/verdict_measure.h"

#include <stdlib.h>
#include <string.h>

/* Most classes of a kind in a summary. */
enum { CLASSES_MOST = 20 };

typedef struct losses {
    const nd_losses_request *request;
    nd_group_losses counted;
    nd_class_losses classed;
    nd_loss_group groups[ND_LARGEST_GROUPS];
    nd_loss_class classes[ND_LOSS_KINDS * CLASSES_MOST];
    nd_alarm alarms[ND_ALARMS_MOST];
    nd_id_buffer id; /* of the document that was named last */
    char **texts;    /* copies of ids and sources, which the result points to */
    size_t text_count, text_capacity;
    nd_losses result;
} losses;

/* ---- names */

/* Copies a text, so that it is valid until the end. */
static nd_status keep_text(losses *l, const char *text, size_t length, const char **out,
                           nd_error *error) {
    const nd_allocator *a = &l->request->run->allocator;
    if (!nd_reserve(a, &l->texts, &l->text_capacity, l->text_count + 1))
        return nd_fail_memory(error, sizeof *l->texts, "the losses");
    char *copy = nd_allocate(a, length + 1, 1);
    if (!copy) return nd_fail_memory(error, length, "the losses");
    memcpy(copy, text, length);
    copy[length] = '\0';
    l->texts[l->text_count++] = copy;
    *out = copy;
    return ND_OK;
}

static nd_status name_document(losses *l, uint32_t rank, nd_named_document *out, nd_error *error) {
    ND_TRY(nd_ranked_id(l->request->documents, rank, &l->id, error));
    out->id_length = l->id.length;
    out->line = l->id.line;
    ND_TRY(keep_text(l, l->id.id, l->id.length, &out->id, error));
    return keep_text(l, l->id.source, strlen(l->id.source), &out->source, error);
}

/* ---- the losses */

static nd_status name_groups(losses *l, nd_error *error) {
    for (size_t i = 0; i < l->counted.count; i++) {
        const nd_group_loss *from = &l->counted.largest[i];
        nd_loss_group *to = &l->groups[i];
        uint32_t example = nd_rank_of(l->request->documents->ranks, from->example);
        to->removed = from->removed;
        to->exact_copies = l->request->plan->exact ? from->removed : from->exact_copies;
        ND_TRY(name_document(l, from->kept, &to->kept, error));
        ND_TRY(name_document(l, example, &to->example, error));
    }
    return ND_OK;
}

static int by_loss(const void *a, const void *b) {
    const nd_class_entry *x = *(const nd_class_entry *const *)a,
                         *y = *(const nd_class_entry *const *)b;
    return x == y ? 0 : nd_class_loses_more(x, y) ? -1 : 1;
}

static nd_loss_class class_of(nd_loss_kind kind, const nd_class_table *table,
                              const nd_class_entry *e) {
    return (nd_loss_class){kind, nd_class_name(table, e), e->documents, e->removed};
}

/* Lists the classes of a kind that lose most. */
static nd_status list_classes(losses *l, nd_loss_kind kind, nd_error *error) {
    const nd_allocator *a = &l->request->run->allocator;
    const nd_class_table *table = &l->classed.tables[kind];
    const nd_class_entry **order = nd_allocate(a, table->count, sizeof *order);
    if (!order) return nd_fail_memory(error, table->count * sizeof *order, "the losses");
    for (size_t i = 0; i < table->count; i++) order[i] = &table->entries[i];
    qsort(order, table->count, sizeof *order, by_loss);
    for (size_t i = 0; i < table->count && i < CLASSES_MOST; i++)
        l->classes[l->result.class_count++] = class_of(kind, table, order[i]);
    nd_release(a, order);
    return ND_OK;
}

/* ---- alarms */

/* "ID (SOURCE:LINE)"; of a callback "ID (record LINE)" */
enum { SHOWN_DOCUMENT = 600 };
static void show(const nd_named_document *d, char text[SHOWN_DOCUMENT]) {
    if (d->line > 0 && d->source[0] == '\0') {
        nd_format(text, SHOWN_DOCUMENT, "%.*s (record %llu)",
                  nd_shown_length(d->id, d->id_length, ND_SHOWN_ID), d->id,
                  (unsigned long long)d->line);
        return;
    }
    nd_format(text, SHOWN_DOCUMENT, d->line > 0 ? "%.*s (%.*s:%llu)" : "%.*s of the index",
              nd_shown_length(d->id, d->id_length, ND_SHOWN_ID), d->id,
              nd_shown_length(d->source, strlen(d->source), ND_SHOWN_ID), d->source,
              (unsigned long long)d->line);
}

static double percent(uint64_t part, uint64_t whole) {
    return whole ? 100 * (double)part / (double)whole : 0;
}

/* Begins the message of an alarm: an example follows. */
static void describe(const losses *l, const nd_loss_alarm *from, char *text, size_t size) {
    static const char *const kinds[ND_LOSS_KINDS] = {"source", "length", "script", "host", NULL};
    unsigned long long removed = from->removed, documents = from->documents;
    const char *kind = from->class_kind == ND_LOSS_FIELD ? l->request->plan->losses_by
                                                         : kinds[from->class_kind];
    double share = percent(removed, documents);
    const nd_class_table *table = &l->classed.tables[from->class_kind];
    switch (from->kind) {
    case ND_ALARM_MOST:
        nd_format(text, size, "%.1f %% of all documents are removed, %llu of %llu", share, removed,
                  documents);
        break;
    case ND_ALARM_GROUP:
        nd_format(text, size, "%.1f %% of the removed documents, %llu of %llu, duplicate one",
                  share, removed, documents);
        break;
    case ND_ALARM_CLASS:
        nd_format(text, size,
                  "%.1f %% of the documents of %s %.*s are removed, %llu of %llu, and %.1f %% of "
                  "all others",
                  share, kind,
                  nd_shown_length(nd_class_name(table, from->entry),
                                  strlen(nd_class_name(table, from->entry)), ND_SHOWN_ID),
                  nd_class_name(table, from->entry), removed, documents,
                  percent(from->other_removed, from->other_documents));
        break;
    }
}

static nd_status make_alarm(losses *l, const nd_loss_alarm *from, nd_alarm *to, nd_error *error) {
    char what[800], kept[SHOWN_DOCUMENT], example[SHOWN_DOCUMENT];
    nd_error message;
    *to = (nd_alarm){.kind = from->kind, .documents = from->documents, .removed = from->removed};
    if (from->entry)
        to->loss_class = class_of(from->class_kind, &l->classed.tables[from->class_kind],
                                  from->entry);
    ND_TRY(name_document(l, nd_rank_of(l->request->documents->ranks, from->example), &to->example,
                         error));
    ND_TRY(name_document(l, nd_group_losses_kept(&l->counted, from->example), &to->kept, error));
    describe(l, from, what, sizeof what);
    show(&to->example, example);
    show(&to->kept, kept);
    nd_message(message.message, sizeof message.message, "%s: for example %s duplicates %s", what,
               example, kept);
    ND_TRY(keep_text(l, message.message, strlen(message.message), &to->message, error));
    nd_warn(&l->request->run->warnings, "%s", to->message);
    return ND_OK;
}

static nd_status raise_alarms(losses *l, nd_error *error) {
    nd_loss_alarm found[ND_ALARMS_MOST];
    size_t count = nd_loss_alarms_find(l->result.documents, &l->counted, &l->classed, found);
    for (size_t i = 0; i < count; i++)
        ND_TRY(make_alarm(l, &found[i], &l->alarms[l->result.alarm_count++], error));
    return ND_OK;
}

static nd_status call_back(const losses *l, nd_error *error) {
    const nd_output_options *o = &l->request->options->outputs;
    return !o->on_losses || o->on_losses(o->context, &l->result)
               ? ND_OK
               : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* ---- the limit */

static nd_status check_limit(const losses *l, nd_error *error) {
    const nd_losses *r = &l->result;
    double limit = l->request->options->survivors.max_removed,
           share = r->removed ? (double)r->removed / (double)r->documents : 0;
    char kept[SHOWN_DOCUMENT], example[SHOWN_DOCUMENT];
    if (!nd_has_limit(l->request->options) || share <= limit) return ND_OK;
    show(&r->groups[0].kept, kept);
    show(&r->groups[0].example, example);
    return nd_fail(error, ND_ERR_INPUT,
                   "--max-removed (max_removed) is %g, and %.3f of the documents would be removed, "
                   "%llu of %llu; the largest group, %llu of them, duplicates %s, such as %s",
                   limit, share, (unsigned long long)r->removed, (unsigned long long)r->documents,
                   (unsigned long long)r->groups[0].removed, kept, example);
}

/* Gives the two documents of each of the largest groups. */
static nd_status give_examples(const losses *l, nd_error *error) {
    const nd_losses_request *r = l->request;
    const nd_examples_request request = {.options = &r->options->outputs,
                                         .documents = r->documents,
                                         .allocator = &r->run->allocator};
    nd_examples *examples = NULL;
    nd_status status = nd_examples_create(&request, &examples, error);
    for (size_t i = 0; i < l->counted.count && status == ND_OK; i++) {
        nd_evidence evidence;
        status = nd_find_evidence(r->evidence, l->counted.largest[i].example, &evidence, error);
        if (status != ND_OK) break;
        const nd_example_ranks pair = {
            .kind = ND_EXAMPLE_GROUP,
            .similarity = evidence.compared ? nd_verdict_similarity(r->plan, &evidence.verdict) : 1,
            .earlier = l->counted.largest[i].kept,
            .later = nd_rank_of(r->documents->ranks, l->counted.largest[i].example)};
        status = nd_examples_give(examples, &pair, error);
    }
    nd_examples_free(examples);
    return status;
}

static nd_status tell(losses *l, nd_error *error) {
    const nd_losses_request *r = l->request;
    ND_TRY(nd_group_losses_count(r->evidence, &r->run->allocator, &l->counted, error));
    ND_TRY(name_groups(l, error));
    l->result = (nd_losses){.documents = r->documents->columns->count,
                            .removed = l->counted.removed,
                            .groups = l->groups,
                            .group_count = l->counted.count,
                            .classes = l->classes,
                            .alarms = l->alarms};
    ND_TRY(nd_class_losses_count(r->ingested, r->evidence->fates, &l->classed, error));
    for (unsigned kind = 0; kind < ND_LOSS_KINDS; kind++)
        ND_TRY(list_classes(l, (nd_loss_kind)kind, error));
    memcpy(l->result.groups_by_removed, l->counted.by_removed, sizeof l->counted.by_removed);
    ND_TRY(raise_alarms(l, error));
    ND_TRY(call_back(l, error));
    ND_TRY(check_limit(l, error));
    return r->options->outputs.on_example ? give_examples(l, error) : ND_OK;
}

/* Whether somebody gets the losses. */
static bool is_wanted(const nd_losses_request *r) {
    return r->options->outputs.on_losses || r->options->outputs.on_example ||
           nd_has_limit(r->options) || r->run->warnings.fn;
}

nd_status nd_losses_tell(const nd_losses_request *request, nd_error *error) {
    const nd_allocator *a = &request->run->allocator;
    if (!is_wanted(request)) return ND_OK;
    losses *l = nd_allocate_zero(a, 1, sizeof *l); /* too large for a small stack */
    if (!l) return nd_fail_memory(error, sizeof *l, "the losses");
    l->request = request;
    l->counted.allocator = *a;
    nd_status status = tell(l, error);
    for (size_t i = 0; i < l->text_count; i++) nd_release(a, l->texts[i]);
    nd_release(a, l->texts);
    nd_release(a, l->id.bytes);
    nd_group_losses_free(&l->counted);
    nd_class_losses_free(&l->classed);
    nd_release(a, l);
    return status;
}
