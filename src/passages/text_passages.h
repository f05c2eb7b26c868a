/* What the queries of nd_passages share with one text.
 *
 * Each run of `least` tokens of the text is looked up in the table of the queries. Where one is
 * found the text has a stretch that a query may have copied, and the query places from which to
 * look. All that a run of at least `least` tokens can be lies in one such stretch, so the stretches
 * alone, put together, become a suffix automaton, which gives the longest run at a place of a
 * query. What is not shared costs one look in the table a token; what is, time linear in the tokens
 * of the passages, however often query and text repeat themselves: a place is walked from only
 * where no run covers it. */
#ifndef ND_PASSAGES_TEXT_PASSAGES_H
#define ND_PASSAGES_TEXT_PASSAGES_H

#include "passages/passage_queries.h"
#include "similarity/suffix_automaton.h"

/* Tokens of the query (a) and of the text (b). */
typedef struct nd_query_passage {
    uint32_t query;
    nd_common_passage tokens;
} nd_query_passage;

/* One thread's means; a stretch is of the text at hand. Zero-initialised but for the first members.
 */
typedef struct nd_passage_seeker {
    const nd_passage_queries *queries;
    nd_allocator allocator;
    uint32_t least, gap;
    nd_query_passage *found;
    size_t found_count, found_capacity;
    struct nd_stretch *stretches;
    uint64_t *shared; /* tokens of the stretches, and something between them */
    uint64_t *hits;   /* runs of the text that queries have, each by its last place there */
    uint64_t *places; /* all their places */
    uint64_t *scratch;
    nd_common_run *runs; /* with the query at hand */
    nd_common_passage *merged;
    size_t stretch_count, stretch_capacity, shared_count, shared_capacity, hit_count, hit_capacity,
        place_count, place_capacity, scratch_capacity;
    size_t run_count, run_capacity, merged_capacity;
} nd_passage_seeker;

/* Fills found[0, found_count): by query, then by place in the query. `tokens`: hashes of the text's
 * tokens. */
nd_status nd_passage_seek(nd_passage_seeker *seeker, const uint64_t *tokens, size_t count,
                          nd_error *error);
void nd_passage_seeker_free(nd_passage_seeker *seeker);

#endif
