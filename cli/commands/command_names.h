/* The commands of the program, each a constant of its own file. */
#ifndef CLI_COMMAND_NAMES_H
#define CLI_COMMAND_NAMES_H

#include "command.h"

extern const command dedup_command, exact_command, pairs_command, review_command, groups_command,
    audit_command, tune_command, simhash_command, tlsh_command, idf_command, keywords_command,
    inspect_command, text_command, compare_command, passages_command, substrings_command,
    lines_command, plan_command, stream_command, clusters_command, version_command;

/* Families, and their members. */
extern const command index_command, index_create_command, index_add_command, index_query_command,
    index_remove_command, index_compact_command, index_check_command, index_info_command;
extern const command hamming_command, hamming_create_command, hamming_add_command,
    hamming_query_command, hamming_join_command, hamming_remove_command, hamming_compact_command,
    hamming_check_command, hamming_info_command, hamming_plan_command, hamming_calibrate_command;

#endif
