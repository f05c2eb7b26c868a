#include "flags/keep_flags.h"

static const flag flags[] = {
    {.name = "keep",
     .kind = FLAG_CHOICE,
     .choices = "first|longest|max:FIELD|min:FIELD",
     .offset = offsetof(keep_settings, keep),
     .detail = offsetof(keep_settings, field),
     .help = "which of several duplicates stays; FIELD holds a number, or an ISO 8601 date in a "
             "string; of web archives WARC-Date"},
    {.name = "protect",
     .kind = FLAG_VALUES,
     .argument = "FIELD=VALUE",
     .offset = offsetof(keep_settings, protect),
     .help = "never remove a record whose field has this value; such records are taken before all "
             "others, so that their duplicates go; may be given several times"},
};

static const flag limit_list[] = {
    {.name = "max-removed",
     .kind = FLAG_SHARE,
     .one = true,
     .argument = "SHARE",
     .offset = offsetof(keep_settings, max_removed),
     .fallback = "no limit",
     .help = "fail if more than this share of the documents would be removed; then nothing is "
             "written, and an index stays as it is"},
};

static const flag group_list[] = {
    {.name = "group",
     .kind = FLAG_CHOICE,
     .choices = "greedy|component",
     .offset = offsetof(group_settings, group),
     .help = "which duplicates belong together; greedy: a document is removed if it duplicates a "
             "kept document; component: of all documents that a chain of duplicates connects, one "
             "is kept"},
};

const flag_table keep_flags = FLAG_TABLE("Survivors", flags);
const flag_table limit_flags = FLAG_TABLE("Survivors", limit_list);
const flag_table group_flags = FLAG_TABLE("Survivors", group_list);

nd_survivor_options survivor_options_of(const keep_settings *s) {
    return (nd_survivor_options){.struct_size = sizeof(nd_survivor_options),
                                 .keep = s->keep,
                                 .keep_field = s->field,
                                 .max_removed = s->max_removed,
                                 .protect = s->protect.names,
                                 .protect_count = s->protect.count};
}
