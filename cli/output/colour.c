#include "output/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_capable(int descriptor) {
    const char *term = getenv("TERM");
    return isatty(descriptor) && term && strcmp(term, "dumb") != 0;
}

bool terminal_colour(int descriptor) {
    const char *no_colour = getenv("NO_COLOR");
    return terminal_capable(descriptor) && !(no_colour && *no_colour);
}
