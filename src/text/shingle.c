#include "text/shingle.h"

#include "base/hash_chains.h"
#include "kernel/kernel.h"

#include <string.h>

void nd_shingle_powers(uint64_t *powers, size_t n) {
    uint64_t power = 1;
    for (size_t k = 0; k < n; k++, power *= ND_HASH_POLY) powers[k] = power;
}

/* The hash of all tokens as the only shingle. */
static void make_one(uint64_t *tokens, size_t count) {
    uint64_t polynomial = 0;
    for (size_t k = 0; k < count; k++) polynomial = polynomial * ND_HASH_POLY + tokens[k];
    tokens[0] = nd_mix64(polynomial + count * ND_HASH_C2);
}

size_t nd_shingle_make(uint64_t *tokens, size_t count, size_t n, const uint64_t *powers,
                       uint64_t text_hash[2]) {
    const size_t whole = count / 4 * 4;
    const bool short_text = count < n;
    uint64_t last[4] = {0}; /* the last step of the text hash */
    nd_chains text = nd_chains_begin();
    memcpy(last, tokens + whole, (count - whole) * sizeof *tokens);
    if (short_text && text_hash) nd_chains_absorb_all(&text, tokens, whole);
    if (short_text) make_one(tokens, count);
    else nd_kernel_get()->shingles(tokens, count, n, powers, tokens, text_hash ? &text : NULL);
    if (text_hash) {
        if (count > whole) nd_chains_absorb(&text, last);
        nd_chains_end(&text, count, text_hash);
    }
    return short_text ? 1 : count - n + 1;
}
