/* Signals that end the program, made to wait until the job has cleaned up: files in progress and
 * working files are removed first. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE are noted. A second SIGINT, SIGTERM or SIGHUP
 * ends the program at once. */
void interrupt_catch(void);
/* Whether one came. */
bool interrupt_pending(void);
/* Ends the program by the signal that came, so that its parent sees that signal; returns when none
 * came. */
void interrupt_obey(void);

#endif
