#include "flags/resource_flags.h"

static const flag memory[] = {
    {.name = "memory",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = UINT64_C(64) << 20,
     .offset = offsetof(resource_settings, memory),
     .help = "memory limit; the peak may exceed it by 64 MiB, by 16 bytes per document where "
             "documents are compared with each other, and by the words of --dict and --weights, at "
             "most half of the limit"},
};

static const flag work[] = {
    {.name = "work",
     .kind = FLAG_DIRECTORY,
     .argument = "DIR",
     .offset = offsetof(resource_settings, work),
     .fallback = "the directory of the output, or the system's",
     .help = "directory for temporary files"},
};

static const flag threads[] = {
    {.name = "threads",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = 256,
     .offset = offsetof(resource_settings, threads),
     .fallback = "0, all cores",
     .help = "number of threads; the results do not depend on it"},
};

const flag_table memory_flags = FLAG_TABLE("Resources", memory);
const flag_table work_flags = FLAG_TABLE("Resources", work);
const flag_table threads_flags = FLAG_TABLE("Resources", threads);

void resource_settings_init(resource_settings *s) {
    nd_resources usual;
    nd_resources_init(&usual, sizeof usual);
    *s = (resource_settings){.memory = usual.memory, .work = usual.work, .threads = usual.threads};
}

nd_resources resources_of(const resource_settings *s) {
    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.memory = s->memory;
    resources.work = s->work;
    resources.threads = s->threads;
    return resources;
}
