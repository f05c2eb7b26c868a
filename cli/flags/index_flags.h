/* The flags of commands that change an index. */
#ifndef CLI_INDEX_FLAGS_H
#define CLI_INDEX_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

enum { SYNC_BATCH, SYNC_OFF };

typedef struct batch_settings {
    bool replace, resume;
    unsigned sync;
} batch_settings;

extern const flag_table batch_flags; /* --replace, --resume, --sync */
extern const flag_table load_flags;  /* --replace, --sync */
extern const flag_table sync_flags;  /* --sync */
/* All but the index. */
nd_index_use index_use_of(const batch_settings *s);
nd_sync sync_of(const batch_settings *s);

#endif
