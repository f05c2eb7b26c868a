/* Signals that end the program. They are only noted, so that the job can first remove its
 * unfinished and temporary files. */
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
