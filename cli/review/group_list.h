/* The largest groups of a run: read from the table of its clusters, or of its removed documents. A
 * group is a kept document with the documents that were removed for it.
 *
 * A table is in the order of the input, so the rows of a group are anywhere in it. It is read
 * twice: first the rows of each group are counted (group_counts.h); then the groups that are shown
 * get their documents. */
#ifndef CLI_GROUP_LIST_H
#define CLI_GROUP_LIST_H

#include "review/review_document.h"

/* A removed document. */
typedef struct removed_member {
    review_document document;
    double value; /* its similarity with the kept one, or their distance, if the table has it */
    uint64_t row; /* of the table */
    /* Of its place: the members with the least hashes are the sample, whichever table is read. */
    uint64_t hash;
} removed_member;

typedef struct review_group {
    uint64_t size; /* documents, the kept one included */
    review_document kept;
    removed_member *members; /* some of them, in the order of the input */
    size_t count;            /* of these */
    size_t remotest;         /* only while the table is read: the member with the greatest hash */
} review_group;

typedef struct group_list {
    const char *measure;  /* "jaccard", "containment", "cosine" or "distance"; "": there is none */
    review_group *groups; /* the largest first; equally large ones in the order of the table */
    size_t count;
    uint64_t all, documents; /* all groups of the table, and the documents in them */
} group_list;

/* The groups that are wanted. */
typedef struct group_request {
    size_t groups, members; /* at most; of a larger group a sample, the same one in every run */
    uint64_t least;         /* documents of a group */
} group_request;

/* Reads a table with the columns of `clusters` or `removed` of nd_output_options. After a failure
 * nothing is owned. */
nd_status group_list_read(const char *path, const group_request *wanted, group_list *out,
                          nd_error *error);
void group_list_free(group_list *list);

#endif
