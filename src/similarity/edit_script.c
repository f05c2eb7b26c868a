/* The common beginning and end of both sequences are left out, and tokens that only one of them
 * has: every script has to edit these. The rest is cut at a place on a shortest script, and each
 * half again (middle_snake.h).
 *
 * A part that takes too many steps is cut at runs of tokens that occur once in both sequences,
 * which a good script keeps; first at long runs, which are surer, then at shorter ones. If even
 * single tokens are no help, the whole part is one difference. */
#include "similarity/edit_script.h"

#include "base/hash.h"
#include "base/limits.h"
#include "similarity/middle_snake.h"
#include "similarity/unique_runs.h"

#define FREE_STEPS ((uint64_t)ND_LIMIT(1 << 27, 500))
#define STEPS_PER_TOKEN ((uint64_t)ND_LIMIT(16, 4))
#define MOST_TOKENS (((size_t)1 << 30) - 1) /* so that places fit in 32 bits with a sign */
#define NO_TOKEN UINT32_MAX

/* Lengths of the runs at which a part is cut, in turn. */
static const size_t run_lengths[] = {32, 8, 3, 1};
enum { WAYS = sizeof run_lengths / sizeof *run_lengths };

/* The tokens of a sequence that are also in the other one. */
typedef struct sequence {
    uint32_t *tokens; /* equal ones have equal numbers */
    uint32_t *places; /* in the whole sequence */
    size_t count;
    bool *changed;
} sequence;

typedef struct edit_script {
    const nd_allocator *allocator;
    sequence a, b;
    nd_snake_room room;
    uint64_t steps_per_token;
    bool shortest;
} edit_script;

/* Tokens [a_begin, a_end) of a and [b_begin, b_end) of b. */
typedef struct part {
    size_t a_begin, a_end, b_begin, b_end;
} part;

/* ---- numbers of tokens */

/* The slots of a hash table have first places of tokens in b. */
typedef struct token_table {
    const uint64_t *b;
    uint32_t *slots;
    size_t mask;
} token_table;

static uint32_t *find_slot(const token_table *table, uint64_t token) {
    size_t at = (size_t)nd_mix64(token) & table->mask;
    while (table->slots[at] != NO_TOKEN && table->b[table->slots[at]] != token)
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

static nd_status make_table(token_table *table, const uint64_t *b, const part *p,
                            const nd_allocator *allocator, nd_error *error) {
    size_t slots = 4;
    while (slots < (p->b_end - p->b_begin) / 2 * 3) slots *= 2;
    *table = (token_table){b, nd_allocate(allocator, slots, sizeof *table->slots), slots - 1};
    if (!table->slots)
        return nd_fail_memory(error, slots * sizeof *table->slots, "the tokens of a text");
    for (size_t i = 0; i < slots; i++) table->slots[i] = NO_TOKEN;
    for (size_t j = p->b_begin; j < p->b_end; j++) {
        uint32_t *slot = find_slot(table, b[j]);
        if (*slot == NO_TOKEN) *slot = (uint32_t)j;
    }
    return ND_OK;
}

static nd_status make_room(sequence *s, size_t count, const nd_allocator *allocator,
                           nd_error *error) {
    s->tokens = nd_allocate(allocator, count, sizeof *s->tokens);
    s->places = nd_allocate(allocator, count, sizeof *s->places);
    if (!s->tokens || !s->places)
        return nd_fail_memory(error, count * sizeof *s->tokens, "the tokens of a text");
    return ND_OK;
}

static void add(sequence *s, uint32_t token, size_t place) {
    s->tokens[s->count] = token;
    s->places[s->count++] = (uint32_t)place;
}

/* The number of a token is its first place in b. `in_a`, zeroed, is set at the numbers that a has.
 */
static void number_tokens(edit_script *s, const token_table *table, const uint64_t *a,
                          const uint64_t *b, const part *p, bool *in_a) {
    for (size_t i = p->a_begin; i < p->a_end; i++) {
        uint32_t number = *find_slot(table, a[i]);
        s->a.changed[i] = number == NO_TOKEN;
        if (number == NO_TOKEN) continue;
        add(&s->a, number, i);
        in_a[number - p->b_begin] = true;
    }
    for (size_t j = p->b_begin; j < p->b_end; j++) {
        uint32_t number = *find_slot(table, b[j]);
        s->b.changed[j] = !in_a[number - p->b_begin];
        if (in_a[number - p->b_begin]) add(&s->b, number, j);
    }
}

/* Makes the sequences of the tokens in part `p` that both have. */
static nd_status make_sequences(edit_script *s, const uint64_t *a, const uint64_t *b, const part *p,
                                nd_error *error) {
    token_table table;
    ND_TRY(make_room(&s->a, p->a_end - p->a_begin, s->allocator, error));
    ND_TRY(make_room(&s->b, p->b_end - p->b_begin, s->allocator, error));
    ND_TRY(make_table(&table, b, p, s->allocator, error));
    bool *in_a = nd_allocate_zero(s->allocator, p->b_end - p->b_begin, sizeof *in_a);
    if (in_a) number_tokens(s, &table, a, b, p, in_a);
    nd_release(s->allocator, table.slots);
    nd_release(s->allocator, in_a);
    return in_a ? ND_OK : nd_fail_memory(error, p->b_end - p->b_begin, "the tokens of a text");
}

/* ---- the script */

static void mark(sequence *s, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) s->changed[s->places[i]] = true;
}

static void trim(const edit_script *s, part *p) {
    const uint32_t *a = s->a.tokens, *b = s->b.tokens;
    while (p->a_begin < p->a_end && p->b_begin < p->b_end && a[p->a_begin] == b[p->b_begin]) {
        p->a_begin++;
        p->b_begin++;
    }
    while (p->a_begin < p->a_end && p->b_begin < p->b_end && a[p->a_end - 1] == b[p->b_end - 1]) {
        p->a_end--;
        p->b_end--;
    }
}

static nd_status solve(edit_script *s, part p, uint64_t spare, size_t way, nd_error *error);

/* Solves what is between the runs. A run goes on as long as both sequences are equal. */
static nd_status solve_between(edit_script *s, part p, const nd_unique_run *runs, size_t count,
                               size_t way, nd_error *error) {
    part rest = p;
    for (size_t i = 0; i < count; i++) {
        size_t a = p.a_begin + runs[i].a, b = p.b_begin + runs[i].b;
        if (a < rest.a_begin || b < rest.b_begin) continue;
        part before = {rest.a_begin, a, rest.b_begin, b};
        ND_TRY(solve(s, before, 0, way, error));
        while (a < p.a_end && b < p.b_end && s->a.tokens[a] == s->b.tokens[b]) {
            a++;
            b++;
        }
        rest.a_begin = a;
        rest.b_begin = b;
    }
    return solve(s, rest, 0, way, error);
}

static nd_status solve_by_runs(edit_script *s, part p, size_t way, nd_error *error) {
    nd_unique_run *runs = NULL;
    size_t count = 0;
    while (way < WAYS && count == 0)
        ND_TRY(nd_unique_runs_find(s->a.tokens + p.a_begin, p.a_end - p.a_begin,
                                   s->b.tokens + p.b_begin, p.b_end - p.b_begin, run_lengths[way++],
                                   s->allocator, &runs, &count, error));
    if (count == 0) {
        mark(&s->a, p.a_begin, p.a_end);
        mark(&s->b, p.b_begin, p.b_end);
        return ND_OK;
    }
    nd_status status = solve_between(s, p, runs, count, way, error);
    nd_release(s->allocator, runs);
    return status;
}

/* Marks the edits of a part. `spare`: steps that it may take even if it is small; the halves of a
 * part take half of its steps together, but not in proportion to their tokens. `way` is the first
 * length of runs that has not been tried. */
static nd_status solve(edit_script *s, part p, uint64_t spare, size_t way, nd_error *error) {
    trim(s, &p);
    size_t a_count = p.a_end - p.a_begin, b_count = p.b_end - p.b_begin;
    if (a_count == 0 || b_count == 0) {
        mark(&s->a, p.a_begin, p.a_end);
        mark(&s->b, p.b_begin, p.b_end);
        return ND_OK;
    }
    uint64_t steps = s->steps_per_token * (a_count + b_count);
    if (steps < spare) steps = spare;
    bool found;
    nd_edit_place middle;
    ND_TRY(nd_middle_snake_find(&s->room, s->a.tokens + p.a_begin, a_count, s->b.tokens + p.b_begin,
                                b_count, s->allocator, &steps, &found, &middle, error));
    if (!found) {
        s->shortest = false;
        return solve_by_runs(s, p, way, error);
    }
    size_t a = p.a_begin + middle.a, b = p.b_begin + middle.b;
    ND_TRY(solve(s, (part){p.a_begin, a, p.b_begin, b}, steps / 2, way, error));
    return solve(s, (part){a, p.a_end, b, p.b_end}, steps / 2, way, error);
}

static part different_part(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    part p = {0, a_count, 0, b_count};
    while (p.a_begin < a_count && p.b_begin < b_count && a[p.a_begin] == b[p.b_begin]) {
        p.a_begin++;
        p.b_begin++;
    }
    while (p.a_end > p.a_begin && p.b_end > p.b_begin && a[p.a_end - 1] == b[p.b_end - 1]) {
        p.a_end--;
        p.b_end--;
    }
    return p;
}

static nd_status make_script(edit_script *s, const uint64_t *a, const uint64_t *b, const part *p,
                             nd_error *error) {
    ND_TRY(make_sequences(s, a, b, p, error));
    size_t tokens = s->a.count + s->b.count;
    s->steps_per_token = STEPS_PER_TOKEN + FREE_STEPS / (tokens > 0 ? tokens : 1);
    return solve(s, (part){0, s->a.count, 0, s->b.count}, 0, 0, error);
}

static void free_sequence(sequence *s, const nd_allocator *allocator) {
    nd_release(allocator, s->tokens);
    nd_release(allocator, s->places);
}

nd_status nd_edit_script_find(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                              const nd_allocator *allocator, bool *a_changed, bool *b_changed,
                              bool *shortest, nd_error *error) {
    if (a_count > MOST_TOKENS || b_count > MOST_TOKENS)
        return nd_fail(error, ND_ERR_ARGUMENT, "a text of more than %zu tokens", MOST_TOKENS);
    part p = different_part(a, a_count, b, b_count);
    edit_script s = {.allocator = allocator,
                     .a = {.changed = a_changed},
                     .b = {.changed = b_changed},
                     .shortest = true};
    nd_status status = make_script(&s, a, b, &p, error);
    free_sequence(&s.a, allocator);
    free_sequence(&s.b, allocator);
    nd_snake_room_free(&s.room, allocator);
    *shortest = s.shortest;
    return status;
}
