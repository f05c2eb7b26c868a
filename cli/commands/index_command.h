/* What the commands of neardup index and neardup hamming share: an open index of either kind; and
 * the index of --index. */
#ifndef CLI_INDEX_COMMAND_H
#define CLI_INDEX_COMMAND_H

#include "command.h"
#include "flags/index_flags.h"
#include "neardup.h"

#include <stdio.h>

extern const char index_missing[], index_inputs_missing[];

/* An open index; one of the two is NULL. */
typedef struct open_index {
    nd_index *documents;
    nd_hamming_index *fingerprints;
} open_index;

/* Opens an index of the command's family. False: it cannot, and that is reported. */
bool index_open(const command *self, const char *directory, nd_index_mode mode, open_index *out);
void index_close(open_index *index);

/* Opens the index of --index, with the syncs of the flags. If nothing has its name, it is made
 * first. */
nd_status index_open_grown(const char *directory, const nd_index_options *new_options,
                           const batch_settings *batch, nd_index **out, nd_error *error);

typedef struct index_size {
    uint64_t count; /* documents or fingerprints that can be found */
    uint64_t bytes;
} index_size;
index_size index_measure(const open_index *index);

/* "document" or "fingerprint". */
const char *index_noun(const open_index *index);
/* "1 document", "1,234 fingerprints". Returns `text`. */
const char *index_counted(const char *noun, uint64_t count, char text[static 48]);

/* Prints a line of info: a label, a count flush right, a remark ("": none). */
void index_print_count(FILE *out, const char *label, uint64_t count, const char *remark);

#endif
