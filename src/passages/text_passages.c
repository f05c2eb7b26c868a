#include "passages/text_passages.h"

#include "base/radix_sort.h"

#include <string.h>

/* Separates two stretches. The chance that a token has this hash is the chance that two tokens have
 * the same hash. */
enum { TOKEN_BETWEEN = 0 };

/* Tokens [begin, end) of the text, copied to `shared` at index `at`. */
typedef struct nd_stretch {
    size_t begin, end, at;
} stretch;

static nd_status no_memory(size_t bytes, nd_error *error) {
    return nd_fail_memory(error, bytes, "shared passages");
}

/* Reserves room for one more element of an array of the finder. */
#define HAS_ROOM(s, array, count, capacity)                                                        \
    nd_reserve(&(s)->allocator, &(s)->array, &(s)->capacity, (s)->count + 1)

/* Looks up each run of `least` tokens of the text. A text that repeats one token gives the same hit
 * many times in a row; it is recorded once. */
static nd_status find_hits(nd_passage_finder *s, const uint64_t *tokens, size_t count,
                           nd_error *error) {
    nd_ngram_hash hash = nd_ngram_hash_of(s->least);
    s->hit_count = s->stretch_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = nd_ngram_hash_next(&hash, tokens, i);
        if (i + 1 < s->least) continue;
        uint32_t position = nd_ngram_positions_last(s->queries->positions, value);
        if (position == ND_NO_POSITION) continue;
        if (!HAS_ROOM(s, stretches, stretch_count, stretch_capacity) ||
            !HAS_ROOM(s, hits, hit_count, hit_capacity))
            return no_memory(s->hit_count * sizeof *s->hits, error);
        size_t begin = i + 1 - s->least;
        stretch *last = s->stretch_count > 0 ? &s->stretches[s->stretch_count - 1] : NULL;
        if (last && begin <= last->end) last->end = i + 1;
        else s->stretches[s->stretch_count++] = (stretch){begin, i + 1, 0};
        if (s->hit_count == 0 || s->hits[s->hit_count - 1] != position)
            s->hits[s->hit_count++] = position;
    }
    return ND_OK;
}

static nd_status sort(nd_passage_finder *s, uint64_t *words, size_t count, nd_error *error) {
    if (!nd_reserve(&s->allocator, &s->scratch, &s->scratch_capacity, count))
        return no_memory(count * sizeof *words, error);
    nd_radix_sort(words, s->scratch, count, 0);
    return ND_OK;
}

/* Finds all positions of queries at which a common run may begin, ascending. */
static nd_status find_positions(nd_passage_finder *s, nd_error *error) {
    s->position_count = 0;
    ND_TRY(sort(s, s->hits, s->hit_count, error));
    for (size_t i = 0; i < s->hit_count; i++) {
        if (i > 0 && s->hits[i] == s->hits[i - 1]) continue;
        for (uint32_t position = (uint32_t)s->hits[i]; position != ND_NO_POSITION;
             position = nd_ngram_positions_previous(s->queries->positions, position)) {
            if (!HAS_ROOM(s, positions, position_count, position_capacity))
                return no_memory(s->position_count * sizeof *s->positions, error);
            s->positions[s->position_count++] = position;
        }
    }
    return sort(s, s->positions, s->position_count, error);
}

static nd_status join_stretches(nd_passage_finder *s, const uint64_t *tokens, nd_error *error) {
    s->shared_count = 0;
    for (size_t i = 0; i < s->stretch_count; i++) {
        stretch *from = &s->stretches[i];
        size_t length = from->end - from->begin, need = s->shared_count + 1 + length;
        if (!nd_reserve(&s->allocator, &s->shared, &s->shared_capacity, need))
            return no_memory(need * sizeof *s->shared, error);
        if (i > 0) s->shared[s->shared_count++] = TOKEN_BETWEEN;
        from->at = s->shared_count;
        memcpy(s->shared + from->at, tokens + from->begin, length * sizeof *tokens);
        s->shared_count += length;
    }
    return ND_OK;
}

/* Returns the position in the text of the token at shared[at]. */
static size_t position_in_text(const nd_passage_finder *s, size_t at) {
    size_t low = 0, high = s->stretch_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->stretches[middle].at <= at) low = middle;
        else high = middle;
    }
    return s->stretches[low].begin + (at - s->stretches[low].at);
}

/* Merges the common runs of a query into passages. */
static nd_status end_query(nd_passage_finder *s, uint32_t query, nd_error *error) {
    if (s->run_count == 0) return ND_OK;
    if (!nd_reserve(&s->allocator, &s->merged, &s->merged_capacity, s->run_count))
        return no_memory(s->run_count * sizeof *s->merged, error);
    size_t count = nd_common_runs_merge(s->runs, s->run_count, s->gap, s->merged);
    if (!nd_reserve(&s->allocator, &s->found, &s->found_capacity, s->found_count + count))
        return no_memory(count * sizeof *s->found, error);
    for (size_t i = 0; i < count; i++)
        s->found[s->found_count++] = (nd_query_passage){query, s->merged[i]};
    s->run_count = 0;
    return ND_OK;
}

static nd_status find_runs(nd_passage_finder *s, const nd_suffix_automaton *index,
                           nd_error *error) {
    const nd_passage_queries *q = s->queries;
    uint32_t query = 0, begin = 0, end = 0;
    size_t behind = 0; /* position behind the last run */
    s->run_count = 0;
    for (size_t i = 0; i < s->position_count; i++) {
        uint32_t position = (uint32_t)s->positions[i];
        if (position < behind) continue;
        if (position >= end) {
            ND_TRY(end_query(s, query, error));
            query = nd_passage_queries_of(q, position);
            begin = q->begins[query];
            end = q->begins[query + 1];
        }
        size_t at,
            length = nd_common_run_longest(index, q->tokens.hashes + position, end - position, &at);
        if (length < s->least) continue; /* a different run has the same hash by chance */
        if (!HAS_ROOM(s, runs, run_count, run_capacity))
            return no_memory(s->run_count * sizeof *s->runs, error);
        s->runs[s->run_count++] = (nd_common_run){position - begin, position_in_text(s, at),
                                                  length};
        behind = position + length;
    }
    return end_query(s, query, error);
}

nd_status nd_passage_find(nd_passage_finder *s, const uint64_t *tokens, size_t count,
                          nd_error *error) {
    nd_suffix_automaton *index = NULL;
    s->found_count = 0;
    ND_TRY(find_hits(s, tokens, count, error));
    if (s->stretch_count == 0) return ND_OK;
    ND_TRY(find_positions(s, error));
    ND_TRY(join_stretches(s, tokens, error));
    ND_TRY(nd_suffix_automaton_create(s->shared, s->shared_count, &s->allocator, &index, error));
    nd_status status = find_runs(s, index, error);
    nd_suffix_automaton_free(index);
    return status;
}

void nd_passage_finder_free(nd_passage_finder *s) {
    const nd_allocator *a = &s->allocator;
    nd_release(a, s->found);
    nd_release(a, s->stretches);
    nd_release(a, s->shared);
    nd_release(a, s->hits);
    nd_release(a, s->positions);
    nd_release(a, s->scratch);
    nd_release(a, s->runs);
    nd_release(a, s->merged);
}
