/* What the commands of `neardup index` share. */
#ifndef CLI_INDEX_COMMAND_H
#define CLI_INDEX_COMMAND_H

#include "job_command.h"

extern const command index_create_command, index_add_command, index_query_command, index_remove_command, index_compact_command, index_check_command,
    index_info_command;

extern const char index_missing[], index_inputs_missing[];
/* Chapters in prose; the second of a command that changes the index. */
extern const char index_exit_chapter[], index_change_exit_chapter[];

/* Opens an index and says what it is. Returns NULL where it cannot, and has told. */
nd_index *index_open(const char *directory, nd_index_mode mode, nd_index_info *info);

/* "1 document", "1,234 documents". Returns `text`. */
const char *index_documents(uint64_t count, char text[static 48]);

#endif
