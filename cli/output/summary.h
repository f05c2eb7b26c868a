/* The account of a finished job: for people on stderr, for programs as one JSON object. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "neardup.h"

#include <stdio.h>

typedef enum summary_kind {
    SUMMARY_NONE,   /* of no job */
    SUMMARY_DEDUP,  /* everything */
    SUMMARY_PAIRS,  /* nothing is kept or removed */
    SUMMARY_QUERY,  /* documents are compared with an index alone; for people only */
    SUMMARY_LOAD,   /* fingerprints go into an index */
    SUMMARY_FIND,   /* they are looked for in it */
    SUMMARY_JOIN,   /* they are compared with each other */
    SUMMARY_SHARED, /* passages of documents are looked for in others; for people only */
    SUMMARY_PRINT,  /* each document is looked at alone */
    SUMMARY_WORDS   /* words are counted */
} summary_kind;

/* Aligned lines. `max_compare` is named where comparisons were left out. */
void summary_print(FILE *out, const nd_job_summary *summary, summary_kind kind,
                   uint32_t max_compare, bool colour);

/* One line: {"version":"0.1.0","command":"dedup",...}. */
void summary_print_json(FILE *out, const nd_job_summary *summary, summary_kind kind,
                        const char *command);

/* The keys of that object, for the documentation: number `index`, false at the end. */
bool summary_key(size_t index, summary_kind kind, const char **key, const char **meaning);

#endif
