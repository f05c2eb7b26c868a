/* The pairs of a review: read from a table of neardup dedup or of an earlier review, and written
 * again with the reader's marks. */
#ifndef CLI_REVIEW_LIST_H
#define CLI_REVIEW_LIST_H

#include "review/review_document.h"

/* What dedup made of a pair. A copy has the same tokens. */
typedef enum review_kind { REVIEW_DUPLICATE, REVIEW_REJECTED, REVIEW_COPY } review_kind;
/* What the reader says: whether the two documents are the same for the reader's purpose. */
typedef enum review_mark { MARK_NONE, MARK_SAME, MARK_DIFFERENT } review_mark;

typedef struct review_pair {
    review_kind kind;
    double value;   /* the measure as the table has it: a similarity or a distance */
    uint64_t pairs; /* pairs of this kind and band that the pair stands for, itself included */
    /* Only while the table is read: the row, from 1; its band; its place in the order. */
    uint64_t number;
    size_t band;
    double remoteness;
    review_mark mark;
    review_document documents[2]; /* the earlier one, which stays, and the later one */
} review_pair;

typedef struct review_list {
    const char *measure; /* "jaccard", "containment", "cosine" or "distance" */
    review_pair *pairs;
    size_t count;
    bool is_sample; /* the table was one: all of its rows are here */
} review_list;

/* A band of similarities is 0.05 wide; each distance is a band of its own up to 32, and from there
 * on a band is 10 wide. */
enum {
    REVIEW_BANDS = 20,
    REVIEW_SINGLE_DISTANCES = 33,
    REVIEW_DISTANCE_BANDS = REVIEW_SINGLE_DISTANCES +
                            (TABLE_DISTANCE - REVIEW_SINGLE_DISTANCES) / 10 + 1
};
/* The band of a pair, from 0. A similarity of 1 is in the last one. */
size_t review_band(const review_list *list, const review_pair *p);
static inline bool review_has_distances(const review_list *list) { return list->measure[0] == 'd'; }

/* Reads a table with the columns of `removed`, `edges` or `review` of nd_output_options, or of
 * review_list_write. Of a table that is no sample, at most `most` pairs of each band are taken, the
 * same ones in every run. The pairs nearest to the threshold come first. After a
 * failure nothing is owned. */
nd_status review_list_read(const char *path, size_t most, review_list *out, nd_error *error);
void review_list_free(review_list *list);

/* Writes the table: the columns of `review` with one more, `mark`: "same", "different" or "". */
void review_list_write(const review_list *list, FILE *out);

/* The columns of a row before and behind its mark. */
void review_row_begin(const review_list *list, const review_pair *p, FILE *out);
void review_row_end(const review_pair *p, FILE *out);

const char *review_kind_word(review_kind kind);
const char *review_mark_word(review_mark mark);

#endif
