#include "flags/index_flags.h"

#include "output/complain.h"

#define REPLACE_FLAG                                                                               \
    {                                                                                              \
        .name = "replace", .kind = FLAG_SWITCH, .offset = offsetof(batch_settings, replace),       \
        .help = "replace what the index has under the same id; the old document is removed even "  \
                "if the new one turns out to be a duplicate; without this flag such an id is an "  \
                "error"                                                                            \
    }
#define SYNC_FLAG                                                                                  \
    {                                                                                              \
        .name = "sync", .kind = FLAG_CHOICE, .choices = "batch|off",                               \
        .offset = offsetof(batch_settings, sync),                                                  \
        .help = "when changes reach the disk; batch: before the command ends; off: the system "    \
                "writes a small change (up to 1,000 documents) later, and a crash of the machine " \
                "may lose it as a whole"                                                           \
    }

static const flag grown[] = {
    {.name = "index",
     .kind = FLAG_DIRECTORY,
     .argument = "DIR",
     .offset = offsetof(grown_settings, directory),
     .help = "compare with the documents of this index first, and add the kept documents to it; it "
             "is created if it does not exist"},
};
static const flag batch[] = {
    REPLACE_FLAG,
    {.name = "resume",
     .kind = FLAG_SWITCH,
     .offset = offsetof(batch_settings, resume),
     .help = "continue an earlier run of this batch; documents that it has added are not added "
             "again, and the outputs are those of one run; an unfinished run whose inputs have the "
             "same names continues without this flag"},
    SYNC_FLAG,
};
static const flag load[] = {REPLACE_FLAG, SYNC_FLAG};
static const flag sync_only[] = {SYNC_FLAG};

const flag_table grown_flags = FLAG_TABLE("Index", grown);
const flag_table batch_flags = FLAG_TABLE("Index", batch);
const flag_table load_flags = FLAG_TABLE("Index", load);
const flag_table sync_flags = FLAG_TABLE("Index", sync_only);

nd_sync sync_of(const batch_settings *s) {
    return s->sync == SYNC_OFF ? ND_SYNC_OFF : ND_SYNC_BATCH;
}

bool grown_flags_agree(const flags_given *given, const grown_settings *s, nd_analyzer_kind words) {
    const char *needs_index = flag_first_given(
        given, (const char *const[]){"replace", "resume", "sync", NULL});
    if (!s->directory && needs_index) complain("--%s: only with --index", needs_index);
    else if (s->directory && words == ND_SEGMENT)
        complain("--analyzer segment: not with --index, since its words depend on ICU's version "
                 "and a dictionary");
    else return true;
    return false;
}

nd_index_use index_use_of(const batch_settings *s) {
    return (nd_index_use){.struct_size = sizeof(nd_index_use),
                          .sync = sync_of(s),
                          .resume = s->resume,
                          .replace = s->replace};
}
