/* The summary of a finished job: lines for people on stderr, or one JSON object (--summary). */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "output/loss_notes.h"

/* Which numbers a summary has. */
typedef enum summary_kind {
    SUMMARY_NONE,       /* the command runs no job */
    SUMMARY_DEDUP,      /* documents are kept and removed */
    SUMMARY_EXACT,      /* the same, by hashes alone */
    SUMMARY_PAIRS,      /* pairs of documents are found */
    SUMMARY_AUDIT,      /* the same, and checked */
    SUMMARY_QUERY,      /* documents are looked up in an index */
    SUMMARY_PASSAGES,   /* passages of documents are found in others */
    SUMMARY_SUBSTRINGS, /* repeated stretches of documents are cut */
    SUMMARY_LINES,      /* repeated lines of documents are cut */
    SUMMARY_EACH,       /* each document has its own result */
    SUMMARY_STREAM,     /* documents are clustered one after the other */
    SUMMARY_WORDS,      /* words are counted */
    SUMMARY_TEXT,       /* documents are written as they are read */
    SUMMARY_LOAD,       /* fingerprints go into an index */
    SUMMARY_FIND,       /* fingerprints are looked up in an index */
    SUMMARY_JOIN        /* pairs of fingerprints are found */
} summary_kind;

/* Prints aligned lines. `losses` are of SUMMARY_DEDUP and SUMMARY_EXACT, here and below.
 * `max_compare` is named where comparisons were left out. */
void summary_print(FILE *out, const nd_job_summary *summary, const loss_notes *losses,
                   summary_kind kind, uint32_t max_compare, bool colour);

/* Writes one line, {"version":"0.1.0","command":"dedup",...}, to a file; "-" is standard output.
 * False: reported. */
bool summary_write(const char *path, const nd_job_summary *summary, const loss_notes *losses,
                   summary_kind kind, const char *command);

/* Key number `index` of that object and its meaning, for the man page; false at the end. */
bool summary_key(size_t index, summary_kind kind, const char **key, const char **meaning);

#endif
