/* neardup index: the family of commands about an index on disk. */
#include "output/complain.h"
#include "commands/index_command.h"
#include "output/numbers.h"

#include <string.h>

const char index_missing[] = "no index; name its directory";
const char index_inputs_missing[] = "no index or no input; name the directory of the index, then "
                                    "files or directories, or - for standard input";

const char index_exit_chapter[] =
    "0: done. 1: it failed, and the message says why. 2: the command line is wrong.";

const char index_change_exit_chapter[] =
    "0: done. 1: it failed, and the message says why; the index is as it was before. 2: the "
    "command line is wrong. A process that is ended at any "
    "moment, by a signal or with the machine, leaves the index as it was before or as it is to be.";

/* Of the family that is for this index: "index" or "hamming". */
static bool is_of_family(const command *self, const nd_index_info *info) {
    return (strncmp(self->name, "hamming", strlen("hamming")) == 0) == (info->hamming.bits > 0);
}

nd_index *index_open(const command *self, const char *directory, nd_index_mode mode,
                     nd_index_info *info) {
    nd_index *index;
    nd_error error;
    if (nd_index_open(directory, mode, NULL, &index, &error) != ND_OK) {
        complain("%s", error.message);
        return NULL;
    }
    nd_index_describe(index, info);
    if (is_of_family(self, info)) return index;
    complain("%s: an index of %ss; neardup %s is for it", directory, index_noun(info),
             info->hamming.bits ? "hamming" : "index");
    nd_index_close(index);
    return NULL;
}

const char *index_noun(const nd_index_info *info) {
    return info->hamming.bits ? "fingerprint" : "document";
}

const char *index_counted(const nd_index_info *info, uint64_t count, char text[static 48]) {
    char number[32];
    snprintf(text, 48, "%s %s%s", number_grouped(count, number), index_noun(info),
             count == 1 ? "" : "s");
    return text;
}

static const char index_chapter[] =
    "An index is a directory. It holds documents that are no duplicates of each other, in the "
    "order in which they were added; of each "
    "not its text, but its id and what it takes to compare the next one with it: a sketch and, "
    "unless it is made with --store sketch, the set of "
    "its shingles, so that similarities are exact. What is a duplicate (threshold, analyzer and "
    "the like) is settled when the index is created.\n\n"
    "Batches that are added one after the other leave the same documents as all of them added at "
    "once in that order. A document that is removed is "
    "found no more; what it once kept out does not come back.\n\n"
    "Ids are the names of documents: no two of an index are the same. A document without one is "
    "called FILE:LINE, so that files of later batches "
    "need names of their own.";

static const char safety_chapter[] =
    "One process at a time changes an index, and a second one is refused; any number read it "
    "meanwhile, each as it was when it was opened. What a "
    "command has reported as done stays, whatever happens to process or machine, and what it was "
    "about leaves no damage: nothing has to be "
    "repaired. neardup index check tells whether the disk has kept it all.\n\n"
    "The files are the same on every machine. To copy an index, copy its directory while nothing "
    "changes it; to delete it, delete the directory.";

static const char example_chapter[] = "  neardup index create seen --threshold .7\n"
                                      "  neardup index add seen monday.jsonl.zst -o "
                                      "monday-new.jsonl.zst --removed monday-removed.tsv\n"
                                      "  neardup index query seen tuesday.jsonl > known.tsv\n"
                                      "  neardup index remove seen article-17 article-18\n"
                                      "  neardup index info seen --json";

static const chapter chapters[] = {{"THE INDEX", index_chapter},
                                   {"SAFETY", safety_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

static const command *const members[] = {
    &index_create_command,  &index_add_command,   &index_query_command, &index_remove_command,
    &index_compact_command, &index_check_command, &index_info_command,  NULL};

static const flag_group *const groups[] = {&help_group, NULL};

const command index_command = {
    .name = "index",
    .operands = "COMMAND",
    .operands_least = 1,
    .missing = "a command is missing; neardup help index lists the commands",
    .summary = "an index on disk, for batches that come one after the other",
    .description = "Keeps what it takes to tell whether a new document is a duplicate of an "
                   "earlier one, so that a batch is compared with all before "
                   "it without reading them again.",
    .groups = groups,
    .chapters = chapters,
    .members = members,
};
