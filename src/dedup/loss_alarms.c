#include "dedup/loss_alarms.h"

static double share(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

bool nd_class_loses_more(const nd_class_entry *a, const nd_class_entry *b) {
    if (a->removed != b->removed) return a->removed > b->removed;
    return a->documents != b->documents ? a->documents > b->documents : a < b;
}

static bool is_striking(const nd_class_entry *e, uint64_t documents, uint64_t removed) {
    uint64_t others = documents - e->documents;
    double own = share(e->removed, e->documents), rest = share(removed - e->removed, others);
    if (e->documents < ND_ALARM_LEAST || others < ND_ALARM_LEAST || e->removed == 0) return false;
    return e->removed == e->documents ||
           (own > ND_ALARM_CLASS_SHARE && own > ND_ALARM_CLASS_TIMES * rest);
}

/* Inserts an entry into the list of the largest losses. */
static size_t insert(const nd_class_entry **list, size_t count, const nd_class_entry *entry) {
    size_t at = count;
    for (; at > 0 && nd_class_loses_more(entry, list[at - 1]); at--)
        if (at < ND_ALARMS_OF_KIND) list[at] = list[at - 1];
    if (at < ND_ALARMS_OF_KIND) list[at] = entry;
    return count < ND_ALARMS_OF_KIND ? count + 1 : count;
}

static size_t find_classes(uint64_t documents, uint64_t removed, nd_loss_kind kind,
                           const nd_class_table *table, nd_loss_alarm *out) {
    const nd_class_entry *list[ND_ALARMS_OF_KIND];
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const nd_class_entry *e = &table->entries[i];
        if (!nd_class_is_other(table, i) && is_striking(e, documents, removed))
            count = insert(list, count, e);
    }
    for (size_t i = 0; i < count; i++)
        out[i] = (nd_loss_alarm){.kind = ND_ALARM_CLASS,
                                 .class_kind = kind,
                                 .entry = list[i],
                                 .documents = list[i]->documents,
                                 .removed = list[i]->removed,
                                 .other_documents = documents - list[i]->documents,
                                 .other_removed = removed - list[i]->removed,
                                 .example = list[i]->example};
    return count;
}

size_t nd_loss_alarms_find(uint64_t documents, const nd_group_losses *groups,
                           const nd_class_losses *classes, nd_loss_alarm out[ND_ALARMS_MOST]) {
    size_t count = 0;
    uint64_t removed = groups->removed;
    if (documents >= ND_ALARM_LEAST && share(removed, documents) > ND_ALARM_MOST_SHARE)
        out[count++] = (nd_loss_alarm){.kind = ND_ALARM_MOST,
                                       .documents = documents,
                                       .removed = removed,
                                       .example = groups->largest[0].example};
    for (size_t i = 0; i < groups->count; i++)
        if (groups->largest[i].removed >= ND_ALARM_LEAST &&
            share(groups->largest[i].removed, removed) > ND_ALARM_GROUP_SHARE)
            out[count++] = (nd_loss_alarm){.kind = ND_ALARM_GROUP,
                                           .documents = removed,
                                           .removed = groups->largest[i].removed,
                                           .example = groups->largest[i].example};
    for (unsigned kind = 0; kind < ND_LOSS_KINDS; kind++)
        count += find_classes(documents, removed, (nd_loss_kind)kind, &classes->tables[kind],
                              out + count);
    return count;
}
