/* The runs of b go into a hash table, then the runs of a. Runs that both texts have once are in the
 * order of a; of these the longest sequence that also ascends in b is kept (Fredman 1975; with
 * single tokens it is known as patience diff). */
#include "similarity/unique_runs.h"

#include "base/hash.h"

#include <string.h>

/* Places of a run: none, or several. */
#define NOWHERE UINT32_MAX
#define REPEATED (UINT32_MAX - 1)

typedef struct slot {
    uint64_t hash;
    uint32_t a, b; /* b NOWHERE: the slot is free */
} slot;

typedef struct run_table {
    slot *slots;
    size_t mask;
} run_table;

/* Returns the run's slot, or the free slot where it would be stored. */
static slot *find_slot(const run_table *table, uint64_t hash) {
    size_t at = (size_t)hash & table->mask;
    while (table->slots[at].b != NOWHERE && table->slots[at].hash != hash)
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

/* Hashes of the runs of a text, one after the other: a polynomial of the tokens. */
typedef struct run_hash {
    const uint32_t *tokens;
    size_t length;
    uint64_t sum, power; /* ND_HASH_POLY^length */
} run_hash;

static run_hash run_hash_begin(const uint32_t *tokens, size_t length) {
    run_hash h = {tokens, length, 0, 1};
    for (size_t i = 0; i < length; i++) {
        h.sum = h.sum * ND_HASH_POLY + nd_mix64(tokens[i] + ND_HASH_C0);
        h.power *= ND_HASH_POLY;
    }
    return h;
}

static uint64_t run_hash_value(const run_hash *h) { return nd_mix64(h->sum); }

/* From the run at `at` to the next one. */
static void run_hash_move(run_hash *h, size_t at) {
    h->sum = h->sum * ND_HASH_POLY + nd_mix64(h->tokens[at + h->length] + ND_HASH_C0) -
             nd_mix64(h->tokens[at] + ND_HASH_C0) * h->power;
}

static void enter_b(run_table *table, const uint32_t *b, size_t b_count, size_t length) {
    run_hash h = run_hash_begin(b, length);
    for (size_t i = 0;; i++) {
        slot *s = find_slot(table, run_hash_value(&h));
        *s = (slot){run_hash_value(&h), NOWHERE, s->b == NOWHERE ? (uint32_t)i : REPEATED};
        if (i + length == b_count) return;
        run_hash_move(&h, i);
    }
}

static void enter_a(run_table *table, const uint32_t *a, size_t a_count, size_t length) {
    run_hash h = run_hash_begin(a, length);
    for (size_t i = 0;; i++) {
        slot *s = find_slot(table, run_hash_value(&h));
        if (s->b != NOWHERE) s->a = s->a == NOWHERE ? (uint32_t)i : REPEATED;
        if (i + length == a_count) return;
        run_hash_move(&h, i);
    }
}

static bool is_unique(const slot *s) { return s->a < REPEATED && s->b < REPEATED; }

/* Lists the unique runs by their places in a. */
static nd_status list_runs(const run_table *table, const uint32_t *a, size_t a_count,
                           const uint32_t *b, size_t length, const nd_allocator *allocator,
                           nd_unique_run **out, size_t *out_count, nd_error *error) {
    nd_unique_run *runs = NULL;
    size_t count = 0, capacity = 0;
    run_hash h = run_hash_begin(a, length);
    for (size_t i = 0;; i++) {
        const slot *s = find_slot(table, run_hash_value(&h));
        if (is_unique(s) && s->a == i && memcmp(a + s->a, b + s->b, length * sizeof *a) == 0) {
            if (!nd_reserve(allocator, &runs, &capacity, count + 1)) {
                nd_release(allocator, runs);
                return nd_fail_memory(error, (count + 1) * sizeof *runs, "runs in common");
            }
            runs[count++] = (nd_unique_run){s->a, s->b};
        }
        if (i + length == a_count) break;
        run_hash_move(&h, i);
    }
    *out = runs;
    *out_count = count;
    return ND_OK;
}

/* Keeps the longest sequence that ascends in b, too, and returns its length. ends[n] is the run
 * that ends a sequence of n + 1 runs and is furthest to the left in b; before[i] is the run before
 * run i in its sequence. */
static size_t keep_ascending(nd_unique_run *runs, size_t count, uint32_t *ends, uint32_t *before) {
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t low = 0, high = longest;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (runs[ends[middle]].b < runs[i].b) low = middle + 1;
            else high = middle;
        }
        before[i] = low > 0 ? ends[low - 1] : NOWHERE;
        ends[low] = (uint32_t)i;
        if (low == longest) longest++;
    }
    /* From the last run back; a run never moves behind the runs that are still needed. */
    uint32_t at = longest > 0 ? ends[longest - 1] : NOWHERE;
    for (size_t i = longest; i-- > 0; at = before[at]) ends[i] = at;
    for (size_t i = 0; i < longest; i++) runs[i] = runs[ends[i]];
    return longest;
}

static nd_status fill(run_table *table, const uint32_t *a, size_t a_count, const uint32_t *b,
                      size_t b_count, size_t length, const nd_allocator *allocator,
                      nd_unique_run **runs, size_t *run_count, nd_error *error) {
    enter_b(table, b, b_count, length);
    enter_a(table, a, a_count, length);
    ND_TRY(list_runs(table, a, a_count, b, length, allocator, runs, run_count, error));
    uint32_t *ends = nd_allocate(allocator, 2 * *run_count, sizeof *ends);
    if (!ends) return nd_fail_memory(error, 2 * *run_count * sizeof *ends, "runs in common");
    *run_count = keep_ascending(*runs, *run_count, ends, ends + *run_count);
    nd_release(allocator, ends);
    return ND_OK;
}

nd_status nd_unique_runs_find(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count,
                              size_t length, const nd_allocator *allocator, nd_unique_run **runs,
                              size_t *run_count, nd_error *error) {
    size_t slots = 4;
    nd_unique_run *found = NULL;
    size_t count = 0;
    nd_status status = ND_OK;
    if (a_count >= length && b_count >= length) {
        while (slots < b_count + b_count / 2) slots *= 2;
        run_table table = {nd_allocate(allocator, slots, sizeof *table.slots), slots - 1};
        if (!table.slots)
            return nd_fail_memory(error, slots * sizeof *table.slots, "runs in common");
        for (size_t i = 0; i < slots; i++) table.slots[i].b = NOWHERE;
        status = fill(&table, a, a_count, b, b_count, length, allocator, &found, &count, error);
        nd_release(allocator, table.slots);
    }
    if (status != ND_OK || count == 0) {
        nd_release(allocator, found);
        found = NULL;
    }
    *runs = found;
    *run_count = count;
    return status;
}
