/* A locale with a decimal comma: the system's, or one that is made for the test. */
#ifndef ND_TESTS_GERMAN_LOCALE_H
#define ND_TESTS_GERMAN_LOCALE_H

#include "own_directory.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets it for the whole program, until setlocale(LC_ALL, "C"). If there is none, the test is
 * skipped. */
static inline void set_german_locale(void) {
    char directory[] = "neardup-locale-XXXXXX", command[200];
    if (setlocale(LC_ALL, "de_DE.UTF-8")) return;
    make_directory(directory);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 > %s/log 2>&1",
             directory, directory);
    bool made = system(command) == 0;
    setenv("LOCPATH", directory, 1);
    bool set = made && setlocale(LC_ALL, "de_DE.UTF-8");
    unsetenv("LOCPATH");
    remove_directory(directory);
    if (set) return;
    print_message("no German locale, and localedef cannot make one (Debian: locales): not tested "
                  "with a decimal comma\n");
    skip();
}

#endif
