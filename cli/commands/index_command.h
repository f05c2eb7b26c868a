/* What the commands of `neardup index` and `neardup hamming` share. */
#ifndef CLI_INDEX_COMMAND_H
#define CLI_INDEX_COMMAND_H

#include "commands/job_command.h"

extern const command index_create_command, index_add_command, index_query_command,
    index_remove_command, index_compact_command, index_check_command, index_info_command;
extern const command hamming_build_command, hamming_add_command, hamming_remove_command,
    hamming_query_command, hamming_join_command, hamming_compact_command, hamming_check_command,
    hamming_info_command, hamming_plan_command, hamming_calibrate_command;

extern const char index_missing[], index_inputs_missing[];
/* Chapters in prose; the second of a command that changes the index. */
extern const char index_exit_chapter[], index_change_exit_chapter[];

/* What both families do alike. */
int index_remove_run(const command *self, settings *given, int count, char **operands);
int index_compact_run(const command *self, settings *given, int count, char **operands);
int index_check_run(const command *self, settings *given, int count, char **operands);
extern const flag_group index_ids_group, index_sync_group;

/* Opens an index of the command's family and says what it is. Returns NULL where it cannot, and has
 * told. */
nd_index *index_open(const command *self, const char *directory, nd_index_mode mode,
                     nd_index_info *info);

/* "1 document", "1,234 fingerprints". Returns `text`. */
const char *index_counted(const nd_index_info *info, uint64_t count, char text[static 48]);
const char *index_noun(const nd_index_info *info);

#endif
