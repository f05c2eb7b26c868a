/* The results of a command that runs no job: one table or one object. */
#ifndef CLI_RESULT_COMMAND_H
#define CLI_RESULT_COMMAND_H

#include "flags/output_flags.h"
#include "output/results.h"

/* results_open with the output of the flags. False: reported, and there is nothing to close. */
bool result_open(results *r, const result_settings *s);
/* results_close after success. Returns the exit status; a failure is reported. */
int result_close(results *r);

#endif
