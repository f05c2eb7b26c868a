#include "explain/explain_minhash.h"

#include "output/complain.h"
#include "output/escape.h"
#include "neardup.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ROWS = EXPLAIN_MOST_ROWS, SETS = EXPLAIN_MOST_SETS, COUNT = EXPLAIN_MOST_PERMUTATIONS };

/* Computed before anything is printed. */
typedef struct explanation {
    uint32_t permutations[COUNT * ROWS];
    uint32_t by_permutations[SETS * COUNT]; /* signatures */
    uint32_t by_functions[SETS * COUNT];
    nd_bottom_k *sketches[SETS];
} explanation;

static size_t hashes_of_set(const explained_sets *given, size_t set, uint64_t hashes[static ROWS]) {
    size_t count = 0;
    for (size_t r = 0; r < given->rows; r++)
        if (given->matrix[r * given->sets + set]) hashes[count++] = given->hashes[r];
    return count;
}

static nd_status compute(const explained_sets *given, explanation *e, nd_error *error) {
    uint32_t rows = (uint32_t)given->rows, sets = (uint32_t)given->sets,
             count = (uint32_t)given->permutations;
    nd_minhash *minhash;
    nd_permutations_draw(rows, count, given->seed, e->permutations);
    nd_status status = nd_permutations_sign(given->matrix, rows, sets, e->permutations, count,
                                            e->by_permutations, error);
    if (status == ND_OK) status = nd_minhash_create(count, given->seed, NULL, &minhash, error);
    if (status != ND_OK) return status;
    for (size_t s = 0; s < sets && status == ND_OK; s++) {
        uint64_t hashes[ROWS];
        size_t size = hashes_of_set(given, s, hashes);
        nd_minhash_sign(minhash, hashes, size, e->by_functions + s * count);
        status = nd_bottom_k_create(count, given->seed, NULL, &e->sketches[s], error);
        if (status == ND_OK) nd_bottom_k_add(e->sketches[s], hashes, size);
    }
    nd_minhash_free(minhash);
    return status;
}

/* ---- printing */

static char letter(size_t set) { return (char)('A' + set); }

static void print_heads(FILE *out, size_t count) {
    for (size_t p = 1; p <= count; p++) fprintf(out, p < 10 ? "   p%zu" : "  p%zu", p);
}

static void print_matrix(FILE *out, const explained_sets *given, const explanation *e) {
    fputs("Characteristic matrix: the rows that each set has; and permutations: the place that "
          "each gives to a row.\n row  ",
          out);
    for (size_t s = 0; s < given->sets; s++) fprintf(out, "  %c", letter(s));
    print_heads(out, given->permutations);
    fputs("   shingle\n", out);
    for (size_t r = 0; r < given->rows; r++) {
        fprintf(out, "%4zu  ", r);
        for (size_t s = 0; s < given->sets; s++)
            fprintf(out, "  %c", given->matrix[r * given->sets + s] ? '1' : '0');
        for (size_t p = 0; p < given->permutations; p++)
            fprintf(out, "%5" PRIu32, e->permutations[p * given->rows + r]);
        fputs("   ", out);
        if (given->labels) print_shown_text(out, given->labels[r], strlen(given->labels[r]));
        else fprintf(out, "%016" PRIx64, given->hashes[r]);
        fputc('\n', out);
    }
}

static void print_signatures(FILE *out, const explained_sets *given, const explanation *e) {
    fputs("\nSignatures: the first place, in each permutation, at which a row of the set stands.\n "
          "     ",
          out);
    print_heads(out, given->permutations);
    fputc('\n', out);
    for (size_t s = 0; s < given->sets; s++) {
        fprintf(out, "%4c  ", letter(s));
        for (size_t p = 0; p < given->permutations; p++) {
            uint32_t value = e->by_permutations[s * given->permutations + p];
            if (value == UINT32_MAX) fputs("    -", out);
            else fprintf(out, "%5" PRIu32, value);
        }
        fputc('\n', out);
    }
}

/* The value of a hash function replaces the position in a permutation. */
static void print_functions(FILE *out, const explained_sets *given, const explanation *e) {
    size_t functions = (given->permutations + 3) / 4;
    fprintf(out,
            "\nSignatures by %zu hash function%s, which stand for permutations of more rows than "
            "can be written down: the smallest value of a row of the set, in hexadecimal. From "
            "h%zu on the same functions are taken in other orders: with all bits turned, then with "
            "the first bit turned, then with all but the first.\n      ",
            functions, functions == 1 ? "" : "s", functions + 1);
    for (size_t f = 1; f <= given->permutations; f++)
        fprintf(out, f < 10 ? "       h%zu" : "      h%zu", f);
    fputc('\n', out);
    for (size_t s = 0; s < given->sets; s++) {
        fprintf(out, "%4c  ", letter(s));
        for (size_t f = 0; f < given->permutations; f++) {
            uint32_t value = e->by_functions[s * given->permutations + f];
            if (value == UINT32_MAX) fputs("        -", out);
            else fprintf(out, " %08" PRIx32, value);
        }
        fputc('\n', out);
    }
}

static void print_smallest(FILE *out, const explained_sets *given, const explanation *e) {
    fprintf(out,
            "\nBottom-k: the %zu smallest values of a set's rows by one hash function, half of "
            "their digits. The %zu smallest of two sets together are a "
            "sample of the rows of both; the share of it that both sets have is the estimate.\n",
            given->permutations, given->permutations);
    for (size_t s = 0; s < given->sets; s++) {
        const uint64_t *values;
        size_t count = nd_bottom_k_values(e->sketches[s], &values);
        fprintf(out, "%4c  ", letter(s));
        for (size_t i = 0; i < count; i++) fprintf(out, " %08" PRIx64, values[i] >> 32);
        fputs(count ? "\n" : "        -\n", out);
    }
}

static double exact_similarity(const explained_sets *given, size_t a, size_t b) {
    nd_overlap overlap = {0, 0, 0};
    for (size_t r = 0; r < given->rows; r++) {
        bool in_a = given->matrix[r * given->sets + a], in_b = given->matrix[r * given->sets + b];
        overlap.size_a += in_a;
        overlap.size_b += in_b;
        overlap.intersection += in_a && in_b;
    }
    return nd_jaccard(overlap);
}

static nd_estimate of_signatures(const uint32_t *signatures, size_t a, size_t b, size_t count) {
    double share = nd_minhash_estimate(signatures + a * count, signatures + b * count,
                                       (uint32_t)count);
    return (nd_estimate){share, sqrt(share * (1 - share) / (double)count)};
}

static void print_estimate(FILE *out, nd_estimate estimate) {
    fprintf(out, "   %.4f (%.4f)", estimate.value, estimate.error);
}

static nd_status print_estimates(FILE *out, const explained_sets *given, const explanation *e,
                                 nd_error *error) {
    size_t count = given->permutations;
    fprintf(out,
            "\nJaccard similarity, exact and estimated, with the standard error: by the %zu "
            "permutations, by hash functions (the error is at most so large), by the %zu smallest "
            "values of one, exact for two sets of fewer rows.\n          exact      permutations   "
            "      "
            "functions   smallest values\n",
            count, count);
    for (size_t a = 0; a < given->sets; a++)
        for (size_t b = a + 1; b < given->sets; b++) {
            nd_bottom_k_estimates by_values;
            nd_status status = nd_bottom_k_estimate(e->sketches[a], e->sketches[b], &by_values,
                                                    error);
            if (status != ND_OK) return status;
            fprintf(out, "%4c  %c   %.4f", letter(a), letter(b), exact_similarity(given, a, b));
            print_estimate(out, of_signatures(e->by_permutations, a, b, count));
            print_estimate(out, of_signatures(e->by_functions, a, b, count));
            print_estimate(out, by_values.jaccard);
            fputc('\n', out);
        }
    return ND_OK;
}

static bool is_small(const explained_sets *given) {
    if (given->rows <= ROWS && given->sets >= 1 && given->sets <= SETS &&
        given->permutations >= 2 && given->permutations <= COUNT)
        return true;
    complain("an explanation has at most %d rows, %d sets and 2 to %d permutations, not %zu, %zu "
             "and %zu",
             ROWS, SETS, COUNT, given->rows, given->sets, given->permutations);
    return false;
}

bool explain_minhash(FILE *out, const explained_sets *given) {
    if (!is_small(given)) return false;
    explanation e = {.sketches = {NULL}};
    nd_error error;
    nd_status status = compute(given, &e, &error);
    if (status == ND_OK) {
        for (size_t s = 0; s < given->sets; s++) {
            fprintf(out, "%c  ", letter(s));
            print_shown_text(out, given->names[s], strlen(given->names[s]));
            fputc('\n', out);
        }
        fputc('\n', out);
        print_matrix(out, given, &e);
        print_signatures(out, given, &e);
        print_functions(out, given, &e);
        print_smallest(out, given, &e);
        status = print_estimates(out, given, &e, &error);
    }
    for (size_t s = 0; s < given->sets; s++) nd_bottom_k_free(e.sketches[s]);
    if (status != ND_OK) complain("%s", error.message);
    return status == ND_OK;
}
