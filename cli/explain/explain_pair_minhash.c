/* The shingles of the two texts become the rows of a small matrix. */
#include "explain/explain_pair_minhash.h"

#include "explain/explain_minhash.h"
#include "explain/shingle_list.h"
#include "output/complain.h"

#include <stdlib.h>
#include <string.h>

enum { SETS = 2, PERMUTATIONS = 10 };

/* The distinct shingles of both texts, in the order in which they occur; at most
 * EXPLAIN_MOST_ROWS. */
typedef struct matrix {
    size_t rows;
    uint64_t hashes[EXPLAIN_MOST_ROWS];
    uint8_t cells[EXPLAIN_MOST_ROWS * SETS];
    char *labels[EXPLAIN_MOST_ROWS]; /* owned */
} matrix;

/* False: out of memory. */
static bool add_row(matrix *m, const shingle_list *list, size_t shingle, size_t set) {
    size_t row = 0, length;
    while (row < m->rows && m->hashes[row] != list->hashes[shingle]) row++;
    if (row == m->rows) {
        const char *name = shingle_list_name(list, shingle, &length);
        m->labels[row] = malloc(length + 1);
        if (!m->labels[row]) return false;
        memcpy(m->labels[row], name, length);
        m->labels[row][length] = 0;
        m->hashes[row] = list->hashes[shingle];
        m->rows++;
    }
    m->cells[row * SETS + set] = 1;
    return true;
}

static bool print(FILE *out, const pair *p, const matrix *m) {
    const char *const names[SETS] = {p->texts[0].title, p->texts[1].title};
    const explained_sets sets = {.names = names,
                                 .sets = SETS,
                                 .labels = (const char *const *)m->labels,
                                 .hashes = m->hashes,
                                 .rows = m->rows,
                                 .matrix = m->cells,
                                 .permutations = PERMUTATIONS,
                                 .seed = p->analyzer.seed};
    fprintf(out, "\nMinHash of shingles of %u token%s\n\n", (unsigned)p->analyzer.ngram,
            p->analyzer.ngram == 1 ? "" : "s");
    return explain_minhash(out, &sets);
}

static bool explain(FILE *out, const pair *p, const shingle_list lists[SETS]) {
    matrix m = {0};
    bool good = true;
    for (size_t set = 0; set < SETS; set++)
        for (size_t i = 0; good && i < lists[set].count; i++)
            good = add_row(&m, &lists[set], i, set);
    if (good) good = print(out, p, &m);
    else complain("out of memory for an explanation");
    for (size_t row = 0; row < m.rows; row++) free(m.labels[row]);
    return good;
}

bool explain_pair_minhash(FILE *out, const pair *p) {
    shingle_list lists[SETS] = {{0}, {0}};
    nd_error error;
    if (p->comparison->set_union > EXPLAIN_MOST_ROWS) {
        fprintf(out, "\nMinHash is explained for at most %d distinct shingles, not for %llu\n",
                EXPLAIN_MOST_ROWS, (unsigned long long)p->comparison->set_union);
        return true;
    }
    nd_analyzer_options analyzer = p->analyzer;
    analyzer.stem = NULL; /* which is of features alone */
    nd_status status = ND_OK;
    for (size_t i = 0; i < SETS && status == ND_OK; i++)
        status = shingle_list_take(&lists[i], &analyzer, &p->texts[i], &error);
    if (status != ND_OK) complain("%s", error.message);
    bool good = status == ND_OK && explain(out, p, lists);
    for (size_t i = 0; i < SETS; i++) shingle_list_free(&lists[i]);
    return good;
}
