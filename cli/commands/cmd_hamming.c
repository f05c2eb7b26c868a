/* neardup hamming: the family of commands about an index of fingerprints. */
#include "commands/hamming_command.h"

#include <limits.h>

static const char hamming_chapter[] =
    "Finds all stored fingerprints that differ from a query in at most k bits, exactly: sorted "
    "tables are looked into at every pattern of a few errors "
    "(Manku, Jain, Das Sarma 2007; Norouzi, Punjani, Fleet 2012). Which tables is chosen from the "
    "number of fingerprints, k, the memory and measured costs; neardup hamming plan "
    "shows the choice.\n\n"
    "An index is a directory. It holds fingerprints of one length with their ids, in packed tables "
    "on the disk that are mapped into memory. It grows: what is added goes to a log first, "
    "which each query scans, and from there into tables. What is said of safety in "
    "neardup-index(1) holds here.";

const char hamming_file_chapter[] =
    "--format hex: what neardup-simhash(1) writes, a line of id, tab, and a hexadecimal digit for "
    "each four bits. u64: 8 bytes a fingerprint, little-endian, for 16 to 64 "
    "bits; u128: 16 bytes, for 128 bits. In these the id is the position, from 0, and the index is "
    "one whose ids are numbers, which take about a byte each. gzip and "
    "Zstandard are known by their first bytes; - is standard input.";

static const char example_chapter[] =
    "  neardup simhash articles.jsonl > articles.tsv\n"
    "  neardup hamming build seen articles.tsv --k 3\n"
    "  neardup simhash today.jsonl | neardup hamming query seen - > near.tsv\n"
    "  neardup simhash today.jsonl | neardup hamming add seen -\n"
    "  neardup hamming join articles.tsv --k 6 > pairs.tsv";

static const chapter chapters[] = {{"THE INDEX", hamming_chapter},
                                   {"FILES", hamming_file_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

static const command *const members[] = {&hamming_build_command,
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

static const flag_group *const groups[] = {&help_group, NULL}, *const quiet_groups[] = {
                                                                   &quiet_group, &help_group, NULL};

const command hamming_command = {
    .name = "hamming",
    .operands = "COMMAND",
    .operands_least = 1,
    .missing = "a command is missing; neardup help hamming lists the commands",
    .summary = "fingerprints within k bits of a query, exactly, among billions",
    .description =
        "Keeps fingerprints on disk and finds those that differ from another one in few bits.",
    .groups = groups,
    .chapters = chapters,
    .members = members,
};

/* ---- what the members share */

static const flag format_flags[] = {
    {.name = "format",
     .kind = FLAG_CHOICE,
     .choices = "hex|u64|u128",
     .offset = SETTING(format),
     .help = "the file of fingerprints; hex: rows of id and digits, as neardup simhash writes "
             "them; u64, u128: raw numbers"},
};

const flag_group hamming_format_group = FLAG_GROUP("Input", format_flags);

const char hamming_missing[] = "no index or no fingerprints; name the directory of the index, then "
                               "a file, or - for standard input";

void hamming_take_file(settings *given, const char *path) {
    static const nd_fingerprint_file formats[] = {ND_FINGERPRINTS_HEX, ND_FINGERPRINTS_U64,
                                                  ND_FINGERPRINTS_U128};
    given->fingerprints = (nd_fingerprint_source){.path = path, .format = formats[given->format]};
}

void hamming_put_binary(const uint64_t *numbers, int count) {
    unsigned char bytes[24];
    for (int i = 0; i < 8 * count; i++) bytes[i] = (unsigned char)(numbers[i / 8] >> i % 8 * 8);
    fwrite(bytes, 8, (size_t)count, stdout);
}

/* ---- what neardup index does alike */

static const char remove_chapter[] =
    "A removed fingerprint is found no more, and its id is free again, unless ids are numbers. The "
    "room that it takes is given back when parts of the index are merged, or by "
    "neardup-hamming-compact(1). Ids that the index does not have are named on stderr, and the "
    "others are removed nevertheless. In a file a tab is written \\t, a newline \\n, a "
    "carriage return \\r and a backslash \\\\; empty lines count for nothing.";

static const char remove_exit_chapter[] =
    "0: done. 1: it failed, and the message says why, or an id was not there. 2: the command line "
    "is wrong. Removal ended halfway, by an error or a "
    "signal, leaves some of the fingerprints removed.";

static const chapter remove_chapters[] = {
    {"RESULT", remove_chapter}, {"EXIT STATUS", remove_exit_chapter}, {NULL, NULL}};
static const flag_group *const remove_groups[] = {&index_ids_group, &index_sync_group, &quiet_group,
                                                  &help_group, NULL};

const command hamming_remove_command = {
    .name = "hamming remove",
    .operands = "DIR [ID]...",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = index_missing,
    .summary = "remove fingerprints by their ids",
    .description = "Removes from the index DIR the fingerprints whose ids are given, on the "
                   "command line or in a file.",
    .groups = remove_groups,
    .chapters = remove_chapters,
    .run = index_remove_run,
};

static const char compact_chapter[] =
    "An index grows by parts, which are merged now and then; removed fingerprints stay in them "
    "until then. Compacting writes one part with what is left: each query then looks into one "
    "set of tables. While it runs the disk holds both; others may read the index.";

static const chapter compact_chapters[] = {
    {"RESULT", compact_chapter}, {"EXIT STATUS", index_change_exit_chapter}, {NULL, NULL}};

const command hamming_compact_command = {
    .name = "hamming compact",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "write the index as one part, without what was removed",
    .description = "Merges all parts of the index DIR into one and gives back the room of removed "
                   "fingerprints.",
    .groups = quiet_groups,
    .chapters = compact_chapters,
    .run = index_compact_run,
};

static const char check_chapter[] =
    "All pages are compared with their hashes, every table with the first one, and all that is "
    "said twice in the files with each other. What is wrong is named, with its file and place.";

static const chapter check_chapters[] = {
    {"RESULT", check_chapter}, {"EXIT STATUS", index_exit_chapter}, {NULL, NULL}};

const command hamming_check_command = {
    .name = "hamming check",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "read every byte and check it",
    .description =
        "Reads the whole index DIR, changes nothing, and says whether it is as it was written.",
    .groups = quiet_groups,
    .chapters = check_chapters,
    .run = index_check_run,
};
