/* MinHash by explicit permutations of the rows of a small characteristic matrix, as neardup.h
 * defines it. */
#include "base/argument.h"
#include "base/shuffle.h"
#include "base/status.h"

#include "neardup.h"

#define MAX_ROWS 65536

void nd_permutations_draw(uint32_t rows, uint32_t count, uint64_t seed, uint32_t *permutations) {
    uint64_t state = seed;
    for (size_t p = 0; p < count; p++) nd_shuffle(permutations + p * rows, rows, &state);
}

static nd_status check_permutation(const uint32_t *positions, uint32_t rows, uint32_t number,
                                   nd_error *error) {
    uint64_t seen[MAX_ROWS / 64] = {0};
    for (uint32_t r = 0; r < rows; r++) {
        if (positions[r] >= rows)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "permutation %u puts row %u at place %u: places are 0 to %u", number, r,
                           positions[r], rows - 1);
        uint64_t *word = &seen[positions[r] / 64], bit = UINT64_C(1) << positions[r] % 64;
        if (*word & bit)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "permutation %u puts row %u at place %u, where there is another", number,
                           r, positions[r]);
        *word |= bit;
    }
    return ND_OK;
}

nd_status nd_permutations_sign(const uint8_t *matrix, uint32_t rows, uint32_t sets,
                               const uint32_t *permutations, uint32_t count, uint32_t *signatures,
                               nd_error *error) {
    ND_TRY(nd_need_array(matrix, (size_t)rows * sets, "matrix", error));
    ND_TRY(nd_need_array(permutations, (size_t)rows * count, "permutations", error));
    ND_TRY(nd_need_array(signatures, (size_t)sets * count, "signatures", error));
    if (rows > MAX_ROWS)
        return nd_fail(error, ND_ERR_ARGUMENT, "rows must be 0 to %d, not %u", MAX_ROWS, rows);
    for (uint32_t p = 0; p < count; p++)
        ND_TRY(check_permutation(permutations + (size_t)p * rows, rows, p, error));
    for (size_t i = 0; i < (size_t)sets * count; i++) signatures[i] = UINT32_MAX;
    for (size_t p = 0; p < count; p++)
        for (size_t r = 0; r < rows; r++)
            for (size_t s = 0; s < sets; s++) {
                uint32_t position = permutations[p * rows + r];
                uint32_t *value = &signatures[s * count + p];
                if (matrix[r * sets + s] && position < *value) *value = position;
            }
    return ND_OK;
}
