/* Which tokens of two sequences differ: an edit script, as short as the bound on the work allows.
 */
#ifndef ND_SIMILARITY_EDIT_SCRIPT_H
#define ND_SIMILARITY_EDIT_SCRIPT_H

#include "base/alloc.h"
#include "base/status.h"

/* Sets a_changed[i] if the script removes token i of a, and b_changed[j] if it inserts token j of
 * b. Without them both sequences are equal. *shortest: no script has fewer edits; false: the bound
 * was reached. REQUIRES: both arrays are zeroed, with one element per token.
 *
 * The bound is 2^27 steps plus 16 per token, for each of the five ways to cut the sequences; a step
 * compares two tokens. ND_ERR_ARGUMENT: a sequence has 2^30 tokens or more. Memory: at most 20
 * bytes per token, and 60 more per token of b once the bound is reached. */
nd_status nd_edit_script_find(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                              const nd_allocator *allocator, bool *a_changed, bool *b_changed,
                              bool *shortest, nd_error *error);

#endif
