/* The flags that say which of several duplicates stays, which ones belong together, and how many
 * documents may go. */
#ifndef CLI_KEEP_FLAGS_H
#define CLI_KEEP_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

typedef struct keep_settings {
    nd_keep keep;
    const char *field;  /* of max:FIELD and min:FIELD; else NULL */
    double max_removed; /* 0: no limit */
    name_list protect;
} keep_settings;

extern const flag_table keep_flags;
extern const flag_table limit_flags; /* --max-removed */
typedef struct group_settings {
    nd_group group;
} group_settings;

extern const flag_table group_flags;

/* All but the group. */
nd_survivor_options survivor_options_of(const keep_settings *s);

#endif
