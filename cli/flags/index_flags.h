/* The flags of commands that change an index. */
#ifndef CLI_INDEX_FLAGS_H
#define CLI_INDEX_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

enum { SYNC_BATCH, SYNC_OFF };

/* --index of a command whose job compares with an index and adds to it. */
typedef struct grown_settings {
    const char *directory; /* NULL: no index */
} grown_settings;

typedef struct batch_settings {
    bool replace, resume;
    unsigned sync;
} batch_settings;

extern const flag_table grown_flags;
extern const flag_table batch_flags; /* --replace, --resume, --sync */
extern const flag_table load_flags;  /* --replace, --sync */
extern const flag_table sync_flags;  /* --sync */
/* All but the index. */
nd_index_use index_use_of(const batch_settings *s);
nd_sync sync_of(const batch_settings *s);
/* Whether the flags that need --index have it, and the words go with it. False: reported. */
bool grown_flags_agree(const flags_given *given, const grown_settings *s, nd_analyzer_kind words);

#endif
