#include "passages/set_passages.h"

#include "base/radix_sort.h"
#include "similarity/packed_set.h"

static nd_status no_memory(size_t bytes, nd_error *error) {
    return nd_fail_memory(error, bytes, "shared passages");
}

/* A set with the value 0 is damaged: in the queries, 0 marks a token at which no shingle begins. */
static nd_status unpack(nd_set_finder *s, const unsigned char *packed, size_t size, size_t *count,
                        bool *whole, nd_error *error) {
    *whole = nd_packed_set_count(packed, size, count);
    if (!*whole) return ND_OK;
    if (!nd_reserve(&s->allocator, &s->values, &s->value_capacity, *count))
        return nd_fail_memory(error, *count * sizeof *s->values, "a shingle set");
    *whole = nd_packed_set_unpack(packed, size, *count, s->values) &&
             (*count == 0 || s->values[0] != 0);
    return ND_OK;
}

/* Finds all positions of queries at which shingles of the set begin, in any order. */
static nd_status find_positions(nd_set_finder *s, size_t count, nd_error *error) {
    const nd_ngram_positions *positions = s->queries->positions;
    s->position_count = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t p = nd_ngram_positions_last(positions, nd_ngram_hash_of_one(s->values[i]));
             p != ND_NO_POSITION; p = nd_ngram_positions_previous(positions, p)) {
            if (!nd_reserve(&s->allocator, &s->positions, &s->position_capacity,
                            s->position_count + 1))
                return no_memory((s->position_count + 1) * sizeof *s->positions, error);
            s->positions[s->position_count++] = p;
        }
    }
    return ND_OK;
}

/* Adds the run of tokens [begin, end) of a query, or extends the passage before it. */
static nd_status add_run(nd_set_finder *s, uint32_t query, size_t begin, size_t end,
                         nd_error *error) {
    nd_query_passage *last = s->found_count > 0 ? &s->found[s->found_count - 1] : NULL;
    if (end - begin < s->least) return ND_OK;
    if (last && s->gap > 0 && last->query == query && begin <= last->tokens.a_end + s->gap) {
        last->tokens.tokens += end - (begin > last->tokens.a_end ? begin : last->tokens.a_end);
        last->tokens.a_end = end;
        return ND_OK;
    }
    if (!nd_reserve(&s->allocator, &s->found, &s->found_capacity, s->found_count + 1))
        return no_memory((s->found_count + 1) * sizeof *s->found, error);
    s->found[s->found_count++] = (nd_query_passage){
        query, {.a_begin = begin, .a_end = end, .tokens = end - begin}};
    return ND_OK;
}

static nd_status find_runs(nd_set_finder *s, nd_error *error) {
    const nd_passage_queries *q = s->queries;
    uint32_t query = 0, end = 0;
    for (size_t i = 0, next; i < s->position_count; i = next) {
        uint32_t position = (uint32_t)s->positions[i];
        if (position >= end) {
            query = nd_passage_queries_of(q, position);
            end = q->begins[query + 1];
        }
        for (next = i + 1; next < s->position_count && s->positions[next] < end &&
                           s->positions[next] == position + (next - i);)
            next++;
        size_t begin = position - q->begins[query];
        ND_TRY(add_run(s, query, begin, begin + (next - i) + q->ngram - 1, error));
    }
    return ND_OK;
}

nd_status nd_set_find(nd_set_finder *s, const unsigned char *packed, size_t size, bool *whole,
                      nd_error *error) {
    size_t count;
    s->found_count = 0;
    ND_TRY(unpack(s, packed, size, &count, whole, error));
    if (!*whole) return ND_OK;
    ND_TRY(find_positions(s, count, error));
    if (s->position_count + s->queries->ngram <= s->least)
        return ND_OK; /* nearly always: too few positions for a run */
    if (!nd_reserve(&s->allocator, &s->scratch, &s->scratch_capacity, s->position_count))
        return no_memory(s->position_count * sizeof *s->scratch, error);
    nd_radix_sort(s->positions, s->scratch, s->position_count, 0);
    return find_runs(s, error);
}

void nd_set_finder_free(nd_set_finder *s) {
    const nd_allocator *a = &s->allocator;
    nd_release(a, s->found);
    nd_release(a, s->values);
    nd_release(a, s->positions);
    nd_release(a, s->scratch);
}
