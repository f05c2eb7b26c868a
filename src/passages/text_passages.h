/* Finds the passages that the queries of nd_passages share with one text.
 *
 * Each run of `least` tokens of the text is looked up in the table of the queries. A run that is
 * found belongs to a *stretch* of the text, which a query may have copied, and gives the positions
 * in the queries at which to search. Every common run of at least `least` tokens lies inside one
 * stretch. So a suffix automaton of the stretches alone gives the longest common run at a position
 * of a query.
 *
 * Tokens that are not shared cost one lookup each. Shared tokens cost time linear in the tokens of
 * the passages, however often query and text repeat themselves, because a position is searched only
 * if no run covers it. */
#ifndef ND_PASSAGES_TEXT_PASSAGES_H
#define ND_PASSAGES_TEXT_PASSAGES_H

#include "passages/passage_queries.h"
#include "similarity/suffix_automaton.h"

/* A passage as ranges of tokens: of the query (a) and of the text (b). */
typedef struct nd_query_passage {
    uint32_t query;
    nd_common_passage tokens;
} nd_query_passage;

/* One thread's search context. Zero-initialised, except for queries, allocator, least and gap. */
typedef struct nd_passage_finder {
    const nd_passage_queries *queries;
    nd_allocator allocator;
    uint32_t least, gap;
    nd_query_passage *found;
    size_t found_count, found_capacity;
    struct nd_stretch *stretches;
    uint64_t *shared;    /* the tokens of all stretches, with a separator between two stretches */
    uint64_t *hits;      /* for each run of the text that queries have: its last position in the
                            queries */
    uint64_t *positions; /* all positions of these runs in the queries */
    uint64_t *scratch;
    nd_common_run *runs; /* common runs of the text and the current query */
    nd_common_passage *merged;
    size_t stretch_count, stretch_capacity, shared_count, shared_capacity, hit_count, hit_capacity,
        position_count, position_capacity, scratch_capacity;
    size_t run_count, run_capacity, merged_capacity;
} nd_passage_finder;

/* Fills found[0, found_count), sorted by query, then by position in the query. `tokens`: the hashes
 * of the text's tokens. */
nd_status nd_passage_find(nd_passage_finder *finder, const uint64_t *tokens, size_t count,
                          nd_error *error);
void nd_passage_finder_free(nd_passage_finder *finder);

#endif
