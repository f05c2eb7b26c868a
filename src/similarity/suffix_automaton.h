/* What two texts have in common word for word: runs of equal tokens, found by the suffix automaton
 * of one of them, in linear time however often they repeat themselves. */
#ifndef ND_SIMILARITY_SUFFIX_AUTOMATON_H
#define ND_SIMILARITY_SUFFIX_AUTOMATON_H

#include "base/alloc.h"
#include "base/status.h"

/* A text, B, given by the hashes of its tokens, as a suffix automaton: at most 136 bytes a token,
 * some 80 for prose, and half as much again for room to grow. It can be asked by any number of
 * threads. */
typedef struct nd_token_index nd_token_index;

/* Time O(count), expected. count: below 2^30 (ND_ERR_ARGUMENT). The tokens are not looked at again.
 */
nd_status nd_token_index_create(const uint64_t *tokens, size_t count, const nd_allocator *allocator,
                                nd_token_index **out, nd_error *error);
/* NULL is accepted. */
void nd_token_index_free(nd_token_index *index);

/* A[a, a + count) = B[b, b + count). */
typedef struct nd_token_run {
    size_t a, b, count;
} nd_token_run;

/* The runs of A in the text of the index, from left to right: at a place of A the longest that
 * begins there, of equally long ones that with the smallest b; it is taken where it has at least
 * `least` >= 1 tokens, and the search goes on behind it; else at the next place. So they are
 * disjoint in A, and ascend there; in B they may come in any order, and more than once. *runs is
 * the caller's, NULL where there are none: nd_release. Time O(count), expected. */
nd_status nd_token_runs_find(const nd_token_index *index, const uint64_t *tokens, size_t count,
                             size_t least, nd_token_run **runs, size_t *run_count, nd_error *error);

/* The length of the longest run that begins at tokens[0] and is in the text of the index, 0 where
 * there is none; *b: the smallest place of it there. Time O(length). */
size_t nd_token_runs_longest(const nd_token_index *index, const uint64_t *tokens, size_t count,
                             size_t *b);

/* A[a_begin, a_end) and B[b_begin, b_end): runs and the gaps between them. */
typedef struct nd_token_passage {
    size_t a_begin, a_end, b_begin, b_end;
    size_t tokens; /* of the runs */
} nd_token_passage;

/* Makes one passage of runs that follow each other in both texts with at most `gap` tokens between
 * them in each. `passages` has room for `count`; returns how many there are. */
size_t nd_token_runs_merge(const nd_token_run *runs, size_t count, size_t gap,
                           nd_token_passage *passages);

#endif
