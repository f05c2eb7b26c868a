/* neardup hamming: the family of commands for an index of fingerprints. */
#include "commands/command_names.h"
#include "manual/chapters.h"

static const char hamming_chapter[] =
    "Finds exactly the stored fingerprints that differ from a query in at most K bits. Sorted "
    "tables are searched for every pattern of a few errors (Manku, Jain, Das Sarma 2007; Norouzi, "
    "Punjani, Fleet 2012). The design of the tables follows from the number of fingerprints, K, "
    "the limit of their size and measured costs; neardup hamming plan shows the choice.\n\n"
    "An index is a directory. It holds fingerprints of one length with their ids, in packed tables "
    "on disk that are mapped into memory. It grows: new fingerprints go to a log first, which each "
    "query scans, and from there into tables. The chapter SAFETY of neardup-index(1) holds for "
    "this kind of index, too.";

static const chapter chapters[] = {
    {"THE INDEX", hamming_chapter}, {"FILES", fingerprint_file_chapter}, {NULL, NULL}};

static const command *const members[] = {&hamming_create_command,
                                         &hamming_add_command,
                                         &hamming_query_command,
                                         &hamming_join_command,
                                         &hamming_remove_command,
                                         &hamming_compact_command,
                                         &hamming_check_command,
                                         &hamming_info_command,
                                         &hamming_plan_command,
                                         &hamming_calibrate_command,
                                         NULL};

static const flag_group groups[] = {HELP_GROUP, GROUPS_END};

const command hamming_command = {
    .name = "hamming",
    .operands = "COMMAND",
    .operands_least = 1,
    .missing = "a command is missing; neardup help hamming lists the commands",
    .summary = "fingerprints within K bits of a query, exactly, among billions",
    .description = "Keeps fingerprints on disk and finds those that differ from another "
                   "fingerprint in few bits.",
    .examples = "neardup simhash articles.jsonl -o articles.tsv\n"
                "neardup hamming create found articles.tsv -k 3\n"
                "neardup simhash today.jsonl | neardup hamming query found - > near.tsv\n"
                "neardup simhash today.jsonl | neardup hamming add found -\n"
                "neardup hamming join articles.tsv -k 6 > pairs.tsv\n",
    .chapters = chapters,
    .groups = groups,
    .members = members,
};
