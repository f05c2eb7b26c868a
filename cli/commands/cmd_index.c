/* neardup index: the family of commands for an index of documents. */
#include "commands/command_names.h"

static const char index_chapter[] =
    "An index is a directory. It holds documents that are not duplicates of each other, in the "
    "order in which they were added. Of each document it does not keep the text, but its id and "
    "the data to compare new documents with it: a sketch and, unless it was created with --store "
    "sketch, the set of its shingles, so that similarities are exact. The settings that define a "
    "duplicate (threshold, analyzer and so on) are fixed when the index is created.\n\n"
    "Batches that are added one after the other leave the same documents as all of them added at "
    "once in that order. A removed document is no longer found; documents that it once kept out do "
    "not come back.\n\n"
    "neardup-exact(1) with --index has indexes of its own, which keep ids and hashes alone. info, "
    "check, compact and remove serve them, too.\n\n"
    "Ids are the names of documents: no two documents of an index have the same one. A document "
    "without an id is called FILE:LINE, so the files of later batches need other names.";

static const char safety_chapter[] =
    "Only one process at a time changes an index; a second one is refused. Any number of processes "
    "read it meanwhile; each sees the index as it was when it opened it. A change that a command "
    "has reported as done survives the death of the process and of the machine. An unfinished "
    "change leaves no damage, and nothing has to be repaired. neardup index check tells whether "
    "the disk has kept all bytes.\n\n"
    "The files are the same on every machine. To copy an index, copy its directory while nothing "
    "changes it. To delete it, delete the directory.";

static const chapter chapters[] = {
    {"THE INDEX", index_chapter}, {"SAFETY", safety_chapter}, {NULL, NULL}};

static const command *const members[] = {
    &index_create_command,  &index_add_command,   &index_query_command, &index_remove_command,
    &index_compact_command, &index_check_command, &index_info_command,  NULL};

static const flag_group groups[] = {HELP_GROUP, GROUPS_END};

const command index_command = {
    .name = "index",
    .operands = "COMMAND",
    .operands_least = 1,
    .missing = "a command is missing; neardup help index lists the commands",
    .summary = "an index on disk, for batches that come one after the other",
    .description = "Keeps the data to tell whether a new document is a duplicate of an earlier "
                   "one. So a batch is compared with all earlier batches without reading them "
                   "again.",
    .examples = "neardup index create crawl --threshold .7\n"
                "neardup index add crawl monday.jsonl -o new.jsonl --removed removed.tsv\n"
                "neardup index query crawl tuesday.jsonl > known.tsv\n"
                "neardup index remove crawl article-17 article-18\n"
                "neardup index info crawl --json\n",
    .chapters = chapters,
    .groups = groups,
    .members = members,
};
