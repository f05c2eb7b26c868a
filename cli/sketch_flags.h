/* The flags that say how dedup and pairs find candidates, and what decides about them: which go together, and what they make of a job. */
#ifndef CLI_SKETCH_FLAGS_H
#define CLI_SKETCH_FLAGS_H

#include "job_command.h"

extern const flag_group sketch_group; /* Similarity; follows similarity_group */

extern const char simhash_chapter[];
extern const char sentences_chapter[];

/* Flags of the other sketch, or that contradict each other: false, and told. */
bool sketch_flags_agree(const settings *given);

/* The options of a job by these flags. The table is read where there is one, and freed by the caller after the job; else it is NULL. */
nd_status sketch_options_take(const settings *given, nd_job_options *job, nd_weights **table, nd_error *error);

/* Reads a table of weights; "jieba" stands for that of the package. What it has in vain is told, and told even when little else is: a list made for other words weighs all of them the same. */
nd_status weight_table_read(const settings *given, nd_weights **out, nd_error *error);

#endif
