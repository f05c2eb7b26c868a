/* The flag that keeps similar texts apart. */
#ifndef CLI_DIFFER_FLAGS_H
#define CLI_DIFFER_FLAGS_H

#include "flags/flags.h"

typedef struct differ_settings {
    name_list lists;
} differ_settings;

extern const flag_table differ_flags; /* --differ-by */

#endif
