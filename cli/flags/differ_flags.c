#include "flags/differ_flags.h"

static const flag flags[] = {
    {.name = "differ-by",
     .kind = FLAG_LISTS,
     .argument = "WORD,...",
     .offset = offsetof(differ_settings, lists),
     .help = "keep texts apart that have different ones of these words; the word numbers stands "
             "for all numbers: two texts are duplicates only if their numbers are the same; may be "
             "given several times"},
};

const flag_table differ_flags = FLAG_TABLE("Comparison", flags);
