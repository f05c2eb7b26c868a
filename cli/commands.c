#include "commands.h"

#include "commands/command_names.h"
#include "manual/manual_commands.h"

const command *const commands[] = {
    &dedup_command,   &exact_command,    &pairs_command,      &review_command,
    &groups_command,  &audit_command,    &tune_command,       &simhash_command,
    &tlsh_command,    &idf_command,      &keywords_command,   &inspect_command,
    &text_command,    &compare_command,  &passages_command,   &substrings_command,
    &lines_command,   &plan_command,     &index_command,      &hamming_command,
    &stream_command,  &clusters_command, &help_command,       &help_flag_command,
    &version_command, &man_command,      &completion_command, NULL};
