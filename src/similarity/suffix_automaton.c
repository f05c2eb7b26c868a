/* The suffix automaton of a text B of n tokens (Blumer, Blumer, Haussler, Ehrenfeucht, Chen and
 * Seiferas, 1985): the smallest automaton that accepts every run of B's tokens. It has at most 2 n
 * states and 3 n edges.
 *
 * A state stands for all runs that end at the same positions of B. `longest` is the length of the
 * longest of them; `link` is the state of its longest suffix that ends at more positions. All runs
 * of a state have the same first end, from which the first position of each run in B follows.
 *
 * The edges of a state form a list, which is copied when a state is split. All edges are also in
 * one hash table, by state and token, so that time does not depend on the number of different
 * tokens.
 *
 * A search keeps the state of the run A[from .. from + length - 1]. An edge leads to the run that
 * is one token longer; if there is none, the run is the longest at `from`. The run without its
 * first token has the same state, or the state's link. Both ends of the run only move to the right.
 */
#include "similarity/suffix_automaton.h"

#include "base/hash.h"

enum { ROOT = 0, NO_EDGE = 0, FIRST_SLOTS = 64 };
#define NO_STATE UINT32_MAX
#define MOST_TOKENS (((size_t)1 << 30) - 1) /* so that the number of an edge fits in 32 bits */

typedef struct state {
    uint32_t longest, link;
    uint32_t first_end; /* position in B behind the first occurrence of its runs */
    uint32_t edges;     /* first edge of its list */
} state;

typedef struct edge {
    uint64_t token;
    uint32_t from, to, next;
} edge;

struct nd_suffix_automaton {
    nd_allocator allocator;
    state *states;
    edge *edges;     /* numbered from 1 */
    uint32_t *slots; /* numbers of edges; NO_EDGE: free; at most three quarters full */
    size_t state_count, state_capacity, edge_count, edge_capacity, slot_count;
};

/* ---- edges */

/* Returns the slot of an edge, or the free slot where it would be stored. */
static uint32_t *find_slot(const nd_suffix_automaton *index, uint32_t from, uint64_t token) {
    size_t mask = index->slot_count - 1, at = (size_t)nd_mix64(token + from * ND_HASH_C1) & mask;
    for (;; at = (at + 1) & mask) {
        const edge *e = &index->edges[index->slots[at]];
        if (index->slots[at] == NO_EDGE || (e->from == from && e->token == token))
            return &index->slots[at];
    }
}

static nd_status set_slots(nd_suffix_automaton *index, size_t count, nd_error *error) {
    uint32_t *slots = nd_allocate_zero(&index->allocator, count, sizeof *slots);
    if (!slots) return nd_fail_memory(error, count * sizeof *slots, "the index of a text's tokens");
    nd_release(&index->allocator, index->slots);
    index->slots = slots;
    index->slot_count = count;
    for (uint32_t i = 1; i < index->edge_count; i++)
        *find_slot(index, index->edges[i].from, index->edges[i].token) = i;
    return ND_OK;
}

static nd_status add_edge(nd_suffix_automaton *index, uint32_t from, uint64_t token, uint32_t to,
                          nd_error *error) {
    if (!nd_reserve(&index->allocator, &index->edges, &index->edge_capacity, index->edge_count + 1))
        return nd_fail_memory(error, (index->edge_count + 1) * sizeof(edge),
                              "the index of a text's tokens");
    if (index->edge_count > index->slot_count / 4 * 3)
        ND_TRY(set_slots(index, 2 * index->slot_count, error));
    uint32_t number = (uint32_t)index->edge_count;
    *find_slot(index, from, token) = number;
    index->edges[number] = (edge){token, from, to, index->states[from].edges};
    index->states[from].edges = number;
    index->edge_count++;
    return ND_OK;
}

/* Returns the state that an edge leads to; NO_STATE: there is no such edge. */
static uint32_t follow(const nd_suffix_automaton *index, uint32_t from, uint64_t token) {
    uint32_t number = *find_slot(index, from, token);
    return number == NO_EDGE ? NO_STATE : index->edges[number].to;
}

/* ---- states */

static nd_status add_state(nd_suffix_automaton *index, state made, uint32_t *number,
                           nd_error *error) {
    if (!nd_reserve(&index->allocator, &index->states, &index->state_capacity,
                    index->state_count + 1))
        return nd_fail_memory(error, (index->state_count + 1) * sizeof(state),
                              "the index of a text's tokens");
    *number = (uint32_t)index->state_count++;
    index->states[*number] = made;
    return ND_OK;
}

/* Splits the state `to`: its runs that are at most one token longer than the longest run of `from`
 * get a state of their own, *made, since they now end at one more position than the others. */
static nd_status split(nd_suffix_automaton *index, uint32_t from, uint64_t token, uint32_t to,
                       uint32_t *made, nd_error *error) {
    const state *old = &index->states[to];
    ND_TRY(add_state(index,
                     (state){index->states[from].longest + 1, old->link, old->first_end, NO_EDGE},
                     made, error));
    for (uint32_t i = index->states[to].edges; i != NO_EDGE; i = index->edges[i].next)
        ND_TRY(add_edge(index, *made, index->edges[i].token, index->edges[i].to, error));
    index->states[to].link = *made;
    for (uint32_t at = from; at != NO_STATE && follow(index, at, token) == to;
         at = index->states[at].link)
        index->edges[*find_slot(index, at, token)].to = *made;
    return ND_OK;
}

/* Appends a token to the text. *last is the state of the whole text, before and after. */
static nd_status append(nd_suffix_automaton *index, uint64_t token, uint32_t *last,
                        nd_error *error) {
    uint32_t length = index->states[*last].longest + 1, whole = ROOT, at = *last, link = ROOT;
    ND_TRY(add_state(index, (state){length, ROOT, length, NO_EDGE}, &whole, error));
    for (; at != NO_STATE && follow(index, at, token) == NO_STATE; at = index->states[at].link)
        ND_TRY(add_edge(index, at, token, whole, error));
    if (at != NO_STATE) {
        link = follow(index, at, token);
        if (index->states[link].longest != index->states[at].longest + 1)
            ND_TRY(split(index, at, token, link, &link, error));
    }
    index->states[whole].link = link;
    *last = whole;
    return ND_OK;
}

static nd_status build(nd_suffix_automaton *index, const uint64_t *tokens, size_t count,
                       nd_error *error) {
    uint32_t last = ROOT;
    if (count > MOST_TOKENS)
        return nd_fail(error, ND_ERR_ARGUMENT, "a text of more than %zu tokens", MOST_TOKENS);
    if (!nd_reserve(&index->allocator, &index->edges, &index->edge_capacity, 1))
        return nd_fail_memory(error, sizeof(edge), "an index of tokens");
    index->edge_count = 1;
    ND_TRY(set_slots(index, FIRST_SLOTS, error));
    ND_TRY(add_state(index, (state){0, NO_STATE, 0, NO_EDGE}, &last, error));
    for (size_t i = 0; i < count; i++) ND_TRY(append(index, tokens[i], &last, error));
    return ND_OK;
}

nd_status nd_suffix_automaton_create(const uint64_t *tokens, size_t count,
                                     const nd_allocator *allocator, nd_suffix_automaton **out,
                                     nd_error *error) {
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_suffix_automaton *index = nd_allocate_zero(&memory, 1, sizeof *index);
    if (!index) return nd_fail_memory(error, sizeof *index, "an index of tokens");
    index->allocator = memory;
    nd_status status = build(index, tokens, count, error);
    if (status != ND_OK) {
        nd_suffix_automaton_free(index);
        return status;
    }
    *out = index;
    return ND_OK;
}

void nd_suffix_automaton_free(nd_suffix_automaton *index) {
    if (!index) return;
    nd_allocator allocator = index->allocator;
    nd_release(&allocator, index->states);
    nd_release(&allocator, index->edges);
    nd_release(&allocator, index->slots);
    nd_release(&allocator, index);
}

/* ---- runs */

nd_status nd_common_runs_find(const nd_suffix_automaton *index, const uint64_t *tokens,
                              size_t count, size_t least, nd_common_run **runs, size_t *run_count,
                              nd_error *error) {
    nd_common_run *found = NULL;
    size_t capacity = 0, used = 0, length = 0;
    uint32_t at = ROOT;
    for (size_t from = 0; from < count;) {
        for (uint32_t to;
             from + length < count && (to = follow(index, at, tokens[from + length])) != NO_STATE;
             length++)
            at = to;
        if (length >= least) {
            if (!nd_reserve(&index->allocator, &found, &capacity, used + 1)) {
                nd_release(&index->allocator, found);
                return nd_fail_memory(error, (used + 1) * sizeof *found, "common runs of tokens");
            }
            found[used++] = (nd_common_run){from, index->states[at].first_end - length, length};
            from += length;
            length = 0;
            at = ROOT;
            continue;
        }
        from++;
        if (length == 0) continue;
        length--;
        if (length == index->states[index->states[at].link].longest) at = index->states[at].link;
    }
    *runs = found;
    *run_count = used;
    return ND_OK;
}

size_t nd_common_run_longest(const nd_suffix_automaton *index, const uint64_t *tokens, size_t count,
                             size_t *b) {
    size_t length = 0;
    uint32_t at = ROOT;
    for (uint32_t to; length < count && (to = follow(index, at, tokens[length])) != NO_STATE;
         length++)
        at = to;
    *b = index->states[at].first_end - length;
    return length;
}

size_t nd_common_runs_merge(const nd_common_run *runs, size_t count, size_t gap,
                            nd_common_passage *passages) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const nd_common_run *r = &runs[i];
        nd_common_passage *p = used > 0 ? &passages[used - 1] : NULL;
        if (p && r->a - p->a_end <= gap && r->b >= p->b_end && r->b - p->b_end <= gap) {
            p->a_end = r->a + r->count;
            p->b_end = r->b + r->count;
            p->tokens += r->count;
        } else {
            passages[used++] = (nd_common_passage){.a_begin = r->a,
                                                   .a_end = r->a + r->count,
                                                   .b_begin = r->b,
                                                   .b_end = r->b + r->count,
                                                   .tokens = r->count};
        }
    }
    return used;
}
