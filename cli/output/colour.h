/* Whether a terminal shows colours. */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include <stdbool.h>

/* Whether the descriptor is a terminal that moves its cursor: TERM is not dumb. */
bool terminal_capable(int descriptor);
/* Whether it has colours, too: NO_COLOR is not set. */
bool terminal_colour(int descriptor);

#endif
