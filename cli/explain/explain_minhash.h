/* MinHash on a small example, as in a textbook: the matrix, the permutations, the signatures and
 * the estimates. */
#ifndef CLI_EXPLAIN_MINHASH_H
#define CLI_EXPLAIN_MINHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXPLAIN_MOST_ROWS = 40, EXPLAIN_MOST_PERMUTATIONS = 12, EXPLAIN_MOST_SETS = 26 };

typedef struct explained_sets {
    const char *const *names;  /* of the sets */
    size_t sets;               /* 1 to EXPLAIN_MOST_SETS */
    const char *const *labels; /* of the rows, such as the texts of shingles; NULL: the hashes are
                                  shown */
    const uint64_t *hashes;    /* of the rows, distinct */
    size_t rows;               /* 0 to EXPLAIN_MOST_ROWS */
    const uint8_t *matrix;     /* matrix[r * sets + s] is not 0 when set s has row r */
    size_t permutations;       /* 2 to EXPLAIN_MOST_PERMUTATIONS; also the number of values by hash
                                  functions, and of smallest values */
    uint64_t seed;
} explained_sets;

/* False: too large, or out of memory; reported. */
bool explain_minhash(FILE *out, const explained_sets *given);

#endif
