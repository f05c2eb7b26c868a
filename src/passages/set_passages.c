#include "passages/set_passages.h"

#include "base/radix_sort.h"
#include "similarity/packed_set.h"

static nd_status no_memory(size_t bytes, nd_error *error) {
    return nd_fail_memory(error, bytes, "shared passages");
}

/* No set has the value 0; in the queries it marks tokens at which no shingle begins. */
static nd_status unpack(nd_set_seeker *s, const unsigned char *packed, size_t size, size_t *count,
                        bool *whole, nd_error *error) {
    *whole = nd_packed_set_count(packed, size, count);
    if (!*whole) return ND_OK;
    if (!nd_reserve(&s->allocator, &s->values, &s->value_capacity, *count))
        return nd_fail_memory(error, *count * sizeof *s->values, "a shingle set");
    *whole = nd_packed_set_unpack(packed, size, *count, s->values) &&
             (*count == 0 || s->values[0] != 0);
    return ND_OK;
}

/* All positions of queries at which shingles of the set begin, in any order. */
static nd_status find_places(nd_set_seeker *s, size_t count, nd_error *error) {
    const nd_ngram_positions *places = s->queries->places;
    s->place_count = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t p = nd_ngram_positions_last(places, nd_ngram_hash_of_one(s->values[i]));
             p != ND_NO_POSITION; p = nd_ngram_positions_previous(places, p)) {
            if (!nd_reserve(&s->allocator, &s->places, &s->place_capacity, s->place_count + 1))
                return no_memory((s->place_count + 1) * sizeof *s->places, error);
            s->places[s->place_count++] = p;
        }
    }
    return ND_OK;
}

/* Adds the run of tokens [begin, end) of a query, or extends the passage before it. */
static nd_status add_run(nd_set_seeker *s, uint32_t query, size_t begin, size_t end,
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

static nd_status find_runs(nd_set_seeker *s, nd_error *error) {
    const nd_passage_queries *q = s->queries;
    uint32_t query = 0, end = 0;
    for (size_t i = 0, next; i < s->place_count; i = next) {
        uint32_t place = (uint32_t)s->places[i];
        if (place >= end) {
            query = nd_passage_queries_of(q, place);
            end = q->begins[query + 1];
        }
        for (next = i + 1; next < s->place_count && s->places[next] < end &&
                           s->places[next] == place + (next - i);)
            next++;
        size_t begin = place - q->begins[query];
        ND_TRY(add_run(s, query, begin, begin + (next - i) + q->ngram - 1, error));
    }
    return ND_OK;
}

nd_status nd_set_seek(nd_set_seeker *s, const unsigned char *packed, size_t size, bool *whole,
                      nd_error *error) {
    size_t count;
    s->found_count = 0;
    ND_TRY(unpack(s, packed, size, &count, whole, error));
    if (!*whole) return ND_OK;
    ND_TRY(find_places(s, count, error));
    if (s->place_count + s->queries->ngram <= s->least)
        return ND_OK; /* too few for a run: nearly always */
    if (!nd_reserve(&s->allocator, &s->scratch, &s->scratch_capacity, s->place_count))
        return no_memory(s->place_count * sizeof *s->scratch, error);
    nd_radix_sort(s->places, s->scratch, s->place_count, 0);
    return find_runs(s, error);
}

void nd_set_seeker_free(nd_set_seeker *s) {
    const nd_allocator *a = &s->allocator;
    nd_release(a, s->found);
    nd_release(a, s->values);
    nd_release(a, s->places);
    nd_release(a, s->scratch);
}
