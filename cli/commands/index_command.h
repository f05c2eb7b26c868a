/* What the commands of neardup index and neardup hamming share. */
#ifndef CLI_INDEX_COMMAND_H
#define CLI_INDEX_COMMAND_H

#include "command.h"
#include "neardup.h"

#include <stdio.h>

extern const char index_missing[], index_inputs_missing[];

/* Opens an index of the command's family and describes it. NULL: it cannot, and that is
 * reported. */
nd_index *index_open(const command *self, const char *directory, nd_index_mode mode,
                     nd_index_info *info);

/* "1 document", "1,234 fingerprints". Returns `text`. */
const char *index_counted(const nd_index_info *info, uint64_t count, char text[static 48]);
/* "document" or "fingerprint". */
const char *index_noun(const nd_index_info *info);

/* Prints a line of info: a label, a count flush right, a remark ("": none). */
void index_print_count(FILE *out, const char *label, uint64_t count, const char *remark);

#endif
