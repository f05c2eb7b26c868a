#include "flags/passage_flags.h"

#include "neardup.h"

static const flag flags[] = {
    {.name = "min",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = UINT32_MAX,
     .offset = offsetof(passage_settings, min),
     .help = "least number of tokens of a shared run"},
    {.name = "gap",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = UINT32_MAX,
     .offset = offsetof(passage_settings, gap),
     .help = "most tokens between two runs that are joined to one passage, in either text"},
};

const flag_table passage_flags = FLAG_TABLE("Passages", flags);

void passage_settings_init(passage_settings *s) {
    nd_compare_options compare;
    nd_compare_options_init(&compare, sizeof compare);
    *s = (passage_settings){.min = compare.least_run, .gap = compare.gap};
}
