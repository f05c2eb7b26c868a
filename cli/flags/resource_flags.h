/* The flags of resources: memory, temporary files, threads. */
#ifndef CLI_RESOURCE_FLAGS_H
#define CLI_RESOURCE_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

typedef struct resource_settings {
    uint64_t memory;  /* bytes */
    const char *work; /* directory of temporary files; NULL: the library chooses */
    uint32_t threads; /* 0: all cores */
} resource_settings;

extern const flag_table memory_flags, work_flags, threads_flags; /* one flag each */
void resource_settings_init(resource_settings *s);
nd_resources resources_of(const resource_settings *s);

#endif
