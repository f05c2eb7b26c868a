#include "store/key_merge.h"

#include "base/alloc.h"

#include <string.h>

/* A node of the tree: entries of one table, or of two nodes merged. Those in [at, count) of its
 * arrays are the next ones. */
typedef struct node {
    struct node *first, *second; /* NULL: a table */
    nd_key_input input;          /* the table */
    nd_key_cursor cursor;
    uint64_t *keys;
    uint32_t *documents;
    uint32_t at, count;
    uint64_t own_keys[ND_CURSOR_ENTRIES]; /* of merged ones; a table's are in its cursor */
    uint32_t own_documents[ND_CURSOR_ENTRIES];
} node;

struct nd_key_merge {
    nd_allocator allocator;
    node *root, *nodes;
};

/* ---- the tree */

/* Where to cut the inputs in two halves, each with one input or more: entries go through few nodes
 * if the halves have about as many of them. */
static size_t middle_of(const nd_key_input *inputs, size_t count) {
    uint64_t all = 0, before = inputs[0].table->entries;
    size_t middle = 1;
    for (size_t i = 0; i < count; i++) all += inputs[i].table->entries;
    while (middle + 1 < count && before + inputs[middle].table->entries <= all / 2)
        before += inputs[middle++].table->entries;
    return middle;
}

/* Makes the tree of the inputs, in 2 * count - 1 nodes. */
static node *plant(const nd_key_input *inputs, size_t count, node *nodes) {
    node *n = nodes;
    if (count == 1) {
        n->input = *inputs;
        nd_key_cursor_begin(inputs->table, &n->cursor);
        n->keys = n->cursor.keys;
        n->documents = n->cursor.documents;
        return n;
    }
    size_t middle = middle_of(inputs, count);
    n->first = plant(inputs, middle, nodes + 1);
    n->second = plant(inputs + middle, count - middle, nodes + 2 * middle);
    n->keys = n->own_keys;
    n->documents = n->own_documents;
    return n;
}

nd_status nd_key_merge_create(const nd_key_input *inputs, size_t count,
                              const nd_allocator *allocator, nd_key_merge **out, nd_error *error) {
    nd_key_merge *m = *out = nd_allocate_zero(allocator, 1, sizeof *m);
    if (m) m->allocator = *allocator;
    if (m) m->nodes = nd_allocate_zero(allocator, 2 * count - 1, sizeof *m->nodes);
    if (m && m->nodes) {
        m->root = plant(inputs, count, m->nodes);
        return ND_OK;
    }
    nd_key_merge_free(m);
    *out = NULL;
    return nd_fail_memory(error, count * sizeof *m->nodes, "merging tables of keys");
}

void nd_key_merge_free(nd_key_merge *m) {
    if (!m) return;
    nd_allocator allocator = m->allocator;
    nd_release(&allocator, m->nodes);
    nd_release(&allocator, m);
}

/* ---- entries of a table */

/* Gives the entries of a block their new numbers, and returns how many of them stay. */
static uint32_t renumber(const nd_key_input *in, uint64_t *keys, uint32_t *documents,
                         uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count && !in->removed && !in->moved; i++) documents[i] += in->begin;
    if (!in->removed && !in->moved) return count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t document = documents[i];
        keys[kept] = keys[i];
        documents[kept] = in->moved ? in->moved[document] : in->begin + document;
        kept += !in->removed || !(in->removed[document >> 3] >> (document & 7) & 1);
    }
    return kept;
}

static nd_status read_table(node *n, nd_error *error) {
    nd_key_cursor *c = &n->cursor;
    n->at = n->count = 0;
    do {
        ND_TRY(nd_key_cursor_fill(c, error));
        n->count = renumber(&n->input, c->keys, c->documents, c->count);
    } while (n->count == 0 && c->count > 0);
    return ND_OK;
}

/* ---- merged entries */

static uint32_t left_in(const node *n) { return n->count - n->at; }

static void copy(node *n, node *from, uint32_t count) {
    memcpy(n->keys + n->count, from->keys + from->at, count * sizeof *n->keys);
    memcpy(n->documents + n->count, from->documents + from->at, count * sizeof *n->documents);
    n->count += count;
    from->at += count;
}

/* Moves `steps` entries. Both nodes have as many, so none of them ends before. The masks keep the
 * compiler from making a branch. */
static void merge(node *n, node *a, node *b, uint32_t steps) {
    const uint64_t *restrict a_keys = a->keys, *restrict b_keys = b->keys;
    const uint32_t *restrict a_documents = a->documents, *restrict b_documents = b->documents;
    uint64_t *restrict keys = n->keys + n->count;
    uint32_t *restrict documents = n->documents + n->count, i = a->at, j = b->at;
    for (uint32_t k = 0; k < steps; k++) {
        uint64_t x = a_keys[i], y = b_keys[j];
        uint32_t x_document = a_documents[i], y_document = b_documents[j], second = y < x;
        keys[k] = x ^ ((x ^ y) & (0 - (uint64_t)second));
        documents[k] = x_document ^ ((x_document ^ y_document) & (0 - second));
        i += 1 - second;
        j += second;
    }
    n->count += steps;
    a->at = i;
    b->at = j;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static nd_status read_node(node *n, nd_error *error) {
    node *a = n->first, *b = n->second;
    if (!a) return read_table(n, error);
    n->at = n->count = 0;
    while (n->count < ND_CURSOR_ENTRIES) {
        uint32_t room = ND_CURSOR_ENTRIES - n->count;
        if (left_in(a) == 0) ND_TRY(read_node(a, error));
        if (left_in(b) == 0) ND_TRY(read_node(b, error));
        if (left_in(a) > 0 && left_in(b) > 0)
            merge(n, a, b, least(room, least(left_in(a), left_in(b))));
        else if (left_in(a) + left_in(b) > 0)
            copy(n, left_in(a) > 0 ? a : b, least(room, left_in(a) + left_in(b)));
        else break;
    }
    return ND_OK;
}

nd_status nd_key_merge_next(nd_key_merge *m, nd_key_entries *out, nd_error *error) {
    ND_TRY(read_node(m->root, error));
    *out = (nd_key_entries){m->root->keys, m->root->documents, m->root->count};
    return ND_OK;
}
