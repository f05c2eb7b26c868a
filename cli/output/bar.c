#include "output/bar.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* POSIX: the first of these that is set and not empty names the locale's encoding. */
static bool has_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *locale = getenv(names[i]);
        if (!locale || !*locale) continue;
        const char *encoding = strchr(locale, '.');
        return encoding &&
               (strncasecmp(encoding, ".utf-8", 6) == 0 || strncasecmp(encoding, ".utf8", 5) == 0);
    }
    return false;
}

void bar_print(FILE *out, double share, unsigned width) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    bool blocks = has_utf8();
    unsigned steps = blocks ? 8 : 1, length = (unsigned)(share * width * steps + .5);
    if (length == 0 && share > 0) length = 1;
    for (unsigned i = 0; i < length / steps; i++) fputs(blocks ? "█" : "#", out);
    if (blocks) fputs(eighths[length % 8], out);
}
