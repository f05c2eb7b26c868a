/* The flags of shared passages. */
#ifndef CLI_PASSAGE_FLAGS_H
#define CLI_PASSAGE_FLAGS_H

#include "flags/flags.h"

typedef struct passage_settings {
    uint32_t min, gap; /* tokens */
} passage_settings;

extern const flag_table passage_flags;
void passage_settings_init(passage_settings *s);

#endif
