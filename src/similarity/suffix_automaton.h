/* Finds the runs of tokens that two texts share, by the suffix automaton of one of them, in linear
 * time however often the texts repeat themselves. */
#ifndef ND_SIMILARITY_SUFFIX_AUTOMATON_H
#define ND_SIMILARITY_SUFFIX_AUTOMATON_H

#include "base/alloc.h"
#include "base/status.h"

/* The suffix automaton of a text B, given by the hashes of its tokens. Immutable: any number of
 * threads may use it. Memory: at most 136 bytes per token, about 80 for prose, and half as much
 * again since its arrays have room to grow. */
typedef struct nd_suffix_automaton nd_suffix_automaton;

/* Expected time O(count). ND_ERR_ARGUMENT: count is 2^30 or more. Does not keep `tokens`. */
nd_status nd_suffix_automaton_create(const uint64_t *tokens, size_t count,
                                     const nd_allocator *allocator, nd_suffix_automaton **out,
                                     nd_error *error);
/* NULL is accepted. */
void nd_suffix_automaton_free(nd_suffix_automaton *index);

/* A[a .. a + count - 1] = B[b .. b + count - 1]. */
typedef struct nd_common_run {
    size_t a, b, count;
} nd_common_run;

/* Finds the runs of a text A that are in B, from left to right. At a position of A it takes the
 * longest run that begins there, and of its occurrences in B the first. If the run has at least
 * `least` >= 1 tokens, it is a result, and the search goes on behind it; otherwise the search goes
 * on at the next position. So runs are disjoint and ascending in A; in B they may be in any order
 * and may overlap. The caller frees *runs by nd_release; NULL: no runs. Expected time O(count). */
nd_status nd_common_runs_find(const nd_suffix_automaton *index, const uint64_t *tokens,
                              size_t count, size_t least, nd_common_run **runs, size_t *run_count,
                              nd_error *error);

/* Returns the length of the longest run that begins at tokens[0] and is in B; 0: none. *b is its
 * first position in B. Time O(length). */
size_t nd_common_run_longest(const nd_suffix_automaton *index, const uint64_t *tokens, size_t count,
                             size_t *b);

/* A[a_begin .. a_end - 1] and B[b_begin .. b_end - 1]: runs, and the gaps between them. */
typedef struct nd_common_passage {
    size_t a_begin, a_end, b_begin, b_end;
    size_t tokens; /* in the runs, without the gaps */
} nd_common_passage;

/* Joins runs to a passage if they follow each other in both texts with at most `gap` tokens between
 * them in each. `passages` has room for `count`. Returns the number of passages. */
size_t nd_common_runs_merge(const nd_common_run *runs, size_t count, size_t gap,
                            nd_common_passage *passages);

#endif
