/* The flag that says which of several duplicates stays. */
#ifndef CLI_KEEP_FLAGS_H
#define CLI_KEEP_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

typedef struct keep_settings {
    nd_keep keep;
    const char *field; /* of max:FIELD and min:FIELD; else NULL */
} keep_settings;

extern const flag_table keep_flags;
/* All but the group. */
nd_survivor_options survivor_options_of(const keep_settings *s);

#endif
