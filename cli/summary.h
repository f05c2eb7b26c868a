/* The account of a finished job: for people on stderr, for programs as one JSON object. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "neardup.h"

#include <stdio.h>

/* Aligned lines. `pairs`: of nd_pairs, where nothing is kept or removed. `max_compare` is named where comparisons were left out. */
void summary_print(FILE *out, const nd_job_summary *summary, bool pairs, uint32_t max_compare, bool colour);

/* One line: {"version":"0.1.0","command":"dedup",...}. */
void summary_print_json(FILE *out, const nd_job_summary *summary, bool pairs);

/* The keys of that object, for the documentation: number `index`, false at the end. */
bool summary_key(size_t index, bool pairs, const char **key, const char **meaning);

/* Writes a number with the fewest digits that read back as the same value. */
void print_exact(FILE *out, double value);

#endif
