#include "flags/sample_flags.h"

static const flag list[] = {
    {.name = "sample",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = INT32_MAX,
     .offset = offsetof(sample_settings, documents),
     .help = "documents of the sample, each of which is compared with all documents; four times as "
             "many make intervals of half the width"},
    {.name = "sample-seed",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .high = UINT64_MAX,
     .offset = offsetof(sample_settings, seed),
     .help = "which sample is drawn; the same number draws the same documents"},
};

const flag_table sample_flags = FLAG_TABLE("Sample", list);
