/* Diagonal k has the places (x, y) with x - y = k: x tokens of a and y tokens of b are before them.
 * To remove a token of a leads to the next diagonal, to insert one of b to the diagonal before it.
 * Equal tokens lead along the diagonal and cost nothing: a snake. A round allows one edit more. It
 * moves each diagonal's furthest place on: first those that are reached from the beginning, then
 * those from the end. The script is found when two of them meet. */
#include "similarity/middle_snake.h"

/* One direction of a search. A place is given by its x alone: y follows from the diagonal. */
typedef struct frontier {
    int32_t *x; /* by diagonal; one more at each side */
    int32_t low, high;
} frontier;

typedef struct search {
    const uint32_t *a, *b;
    int32_t a_count, b_count;
    frontier forward, backward;
    uint64_t steps, most_steps;
} search;

void nd_snake_room_free(nd_snake_room *room, const nd_allocator *allocator) {
    nd_release(allocator, room->forward);
    nd_release(allocator, room->backward);
}

/* The least integer whose square is `square` or more. */
static uint64_t root_of(uint64_t square) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) < square) root += bit;
    return root + (square > 0);
}

/* Widens the range of diagonals by one at each side, and leaves out what lies outside the two
 * sequences. `outside` is further than no place: no script comes from there. */
static void widen(const search *s, frontier *f, int32_t outside) {
    if (f->low > -s->b_count) f->x[--f->low - 1] = outside;
    else f->low++;
    if (f->high < s->a_count) f->x[++f->high + 1] = outside;
    else f->high--;
}

static bool has(const frontier *f, int32_t diagonal) {
    return diagonal >= f->low && diagonal <= f->high;
}

/* One edit more from the beginning. True: *x on diagonal *k is the middle. */
static bool go_forward(search *s, bool meets, int32_t *k, int32_t *x) {
    frontier *f = &s->forward;
    widen(s, f, -1);
    for (*k = f->high; *k >= f->low && s->steps < s->most_steps; *k -= 2) {
        int32_t removed = f->x[*k - 1] + 1, inserted = f->x[*k + 1];
        int32_t begin = removed > inserted ? removed : inserted, at = begin;
        while (at < s->a_count && at - *k < s->b_count && s->a[at] == s->b[at - *k]) at++;
        s->steps += 1 + (uint64_t)(at - begin);
        f->x[*k] = *x = at;
        if (meets && has(&s->backward, *k) && s->backward.x[*k] <= at) return true;
    }
    return false;
}

/* The same from the end. */
static bool go_backward(search *s, bool meets, int32_t *k, int32_t *x) {
    frontier *f = &s->backward;
    widen(s, f, INT32_MAX);
    for (*k = f->high; *k >= f->low && s->steps < s->most_steps; *k -= 2) {
        int32_t inserted = f->x[*k - 1], removed = f->x[*k + 1] - 1;
        int32_t begin = removed < inserted ? removed : inserted, at = begin;
        while (at > 0 && at > *k && s->a[at - 1] == s->b[at - *k - 1]) at--;
        s->steps += 1 + (uint64_t)(begin - at);
        f->x[*k] = *x = at;
        if (meets && has(&s->forward, *k) && s->forward.x[*k] >= at) return true;
    }
    return false;
}

nd_status nd_middle_snake_find(nd_snake_room *room, const uint32_t *a, size_t a_count,
                               const uint32_t *b, size_t b_count, const nd_allocator *allocator,
                               uint64_t *steps, bool *found, nd_edit_place *middle,
                               nd_error *error) {
    /* A round has as many steps as diagonals, which are at least half as many as the rounds before
     * it. */
    uint64_t rounds = root_of(2 * *steps), enough = (a_count + b_count + 1) / 2;
    if (rounds > enough) rounds = enough;
    size_t need = 2 * (size_t)rounds + 3;
    if (!nd_reserve(allocator, &room->forward, &room->forward_capacity, need) ||
        !nd_reserve(allocator, &room->backward, &room->backward_capacity, need))
        return nd_fail_memory(error, need * sizeof(int32_t), "the search for differences");
    int32_t end = (int32_t)a_count - (int32_t)b_count, k, x;
    search s = {.a = a,
                .b = b,
                .a_count = (int32_t)a_count,
                .b_count = (int32_t)b_count,
                .forward = {room->forward + rounds + 1, 0, 0},
                .backward = {room->backward + ((ptrdiff_t)rounds + 1 - end), end, end},
                .most_steps = *steps};
    s.forward.x[0] = 0;
    s.backward.x[end] = (int32_t)a_count;
    bool met = false, odd = end % 2 != 0;
    for (uint64_t i = 0; i < rounds && !met && s.steps < s.most_steps; i++)
        met = go_forward(&s, odd, &k, &x) || go_backward(&s, !odd, &k, &x);
    *steps = s.steps;
    *found = met;
    if (met) *middle = (nd_edit_place){(size_t)x, (size_t)(x - k)};
    return ND_OK;
}
