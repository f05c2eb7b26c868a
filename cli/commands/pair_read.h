/* Reads the two texts of a comparison: whole files, or documents of an input. */
#ifndef CLI_PAIR_READ_H
#define CLI_PAIR_READ_H

#include "flags/input_flags.h"
#include "output/pair.h"

/* Reads two files ("-": standard input). False: reported, and nothing is owned. */
bool pair_read_files(char **names, size_t max_record, pair *p);
/* Reads the first documents of two ids in `input`. False: reported, and nothing is owned. */
bool pair_read_documents(const char *input, const input_settings *s, char **ids, pair *p);
void pair_free(pair *p);

#endif
