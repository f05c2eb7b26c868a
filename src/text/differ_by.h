/* What keeps similar texts apart (nd_similarity_options.differ_by): the set of their numbers, and
 * the set of the listed words that they have. Two texts whose sets are not equal are no duplicates.
 *
 * A set becomes a key of 64 bits. Equal sets have equal keys; different sets have equal ones with a
 * probability of about 2^-64. */
#ifndef ND_TEXT_DIFFER_BY_H
#define ND_TEXT_DIFFER_BY_H

#include "base/status.h"

/* The lists and the scratch memory of one thread. */
typedef struct nd_differ_by nd_differ_by;

/* Each list has words with commas between them; blanks around a word do not count. The word
 * "numbers", in any case, stands for all numbers. ND_ERR_ARGUMENT: a list is NULL or not UTF-8, or
 * a part of it is empty or has no word. The caller frees *out. */
nd_status nd_differ_by_create(const char *const *lists, size_t count, const nd_allocator *allocator,
                              nd_differ_by **out, nd_error *error);
void nd_differ_by_free(nd_differ_by *differ_by);

/* The key of a text. Errors: as nd_analyze. O(length). */
nd_status nd_differ_by_key(nd_differ_by *differ_by, const char *text, size_t length, uint64_t *key,
                           nd_error *error);

/* Says how two texts differ: "the numbers differ: 5, 9". *out NULL: they do not. The caller
 * releases *out. */
nd_status nd_differ_by_explain(nd_differ_by *differ_by, const char *a, size_t length_a,
                               const char *b, size_t length_b, char **out, nd_error *error);

#endif
