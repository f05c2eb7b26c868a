/* Classes of documents by a name, such as a source or a host, and what each of them loses. */
#ifndef ND_DEDUP_CLASS_TABLE_H
#define ND_DEDUP_CLASS_TABLE_H

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"

/* Classes of which the table keeps the names, and the bytes of these names. Others are joined: a
 * crawl may have millions of hosts. */
#define ND_CLASSES_MOST ND_LIMIT((size_t)100000, (size_t)60)
#define ND_CLASS_NAMES_MOST ND_LIMIT((size_t)16 << 20, (size_t)2000)

typedef struct nd_class_entry {
    size_t name; /* NUL-terminated, in `names` */
    uint64_t documents, removed;
    uint32_t example; /* the first removed document */
} nd_class_entry;

/* Zero-initialised, except for the allocator. */
typedef struct nd_class_table {
    nd_allocator allocator;
    nd_class_entry *entries;
    size_t count, capacity;
    char *names;
    size_t names_size, names_capacity;
    uint32_t *slots; /* by hash of the name: 1 + number of the entry; 0: free; linear probing */
    size_t slot_count;
    uint32_t last;  /* 1 + the number that was found last; 0: none */
    uint32_t other; /* 1 + the number of the class of all others; 0: there is none yet */
} nd_class_table;

/* Finds the number of a class, or adds it. Where the table is full, it is the class of others. */
nd_status nd_class_table_find(nd_class_table *table, const char *name, size_t length, uint32_t *out,
                              nd_error *error);
void nd_class_table_free(nd_class_table *table);

static inline const char *nd_class_name(const nd_class_table *table, const nd_class_entry *entry) {
    return table->names + entry->name;
}
/* Whether it stands for all classes without an entry. */
static inline bool nd_class_is_other(const nd_class_table *table, size_t number) {
    return table->other == number + 1;
}

/* Counts a document. Documents come in the order of input. */
static inline void nd_class_table_count(nd_class_table *table, uint32_t number, uint32_t document,
                                        bool removed) {
    nd_class_entry *e = &table->entries[number];
    e->documents++;
    if (removed && e->removed++ == 0) e->example = document;
}

#endif
