/* How good is the estimate of a sketch? Two sets of known similarity, signed with more and more
 * permutations. */
#include <neardup.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 10000, SHARED = 8000, MAX_PERMS = 1024 };

static void check(nd_status status, const nd_error *error) {
    if (status == ND_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

int main(void) {
    /* Any distinct 64-bit numbers will do as a set: nd_minhash mixes them. The two sets share 8,000
     * of 12,000. */
    static uint64_t a[SIZE], b[SIZE];
    for (uint64_t i = 0; i < SIZE; i++) {
        a[i] = i;
        b[i] = i + SIZE - SHARED;
    }
    double exact = nd_jaccard(nd_set_overlap(a, SIZE, b, SIZE));
    printf("exact similarity %.4f\n\nperms  estimate  expected error\n", exact);
    for (uint32_t perms = 16; perms <= MAX_PERMS; perms *= 4) {
        static uint32_t signature_a[MAX_PERMS], signature_b[MAX_PERMS];
        nd_error error;
        nd_minhash *minhash;
        check(nd_minhash_create(perms, 1, NULL, &minhash, &error), &error);
        nd_minhash_sign(minhash, a, SIZE, signature_a);
        nd_minhash_sign(minhash, b, SIZE, signature_b);
        printf("%5u    %.4f          %.4f\n", (unsigned)perms,
               nd_minhash_estimate(signature_a, signature_b, perms),
               sqrt(exact * (1 - exact) / perms));
        nd_minhash_free(minhash);
    }
    return 0;
}
