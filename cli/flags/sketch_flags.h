/* The flags that say how dedup and pairs find candidates, and what decides about them: which go
 * together, and what they make of a job. */
#ifndef CLI_SKETCH_FLAGS_H
#define CLI_SKETCH_FLAGS_H

#include "commands/job_command.h"

extern const flag_group sketch_group; /* Similarity; follows similarity_group */

extern const char simhash_chapter[];
extern const char sentences_chapter[];

/* Flags of the other sketch, or that contradict each other: false, and told. */
bool sketch_flags_agree(const settings *given);

/* The options of a job by these flags, once their files are read. */
void sketch_options_take(const settings *given, nd_job_options *job);

#endif
