/* neardup hamming calibrate: measures the costs of searching tables on this machine. */
#include "commands/command_names.h"
#include "commands/hamming_costs.h"
#include "commands/result_command.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"

typedef struct largest_settings {
    uint64_t largest; /* bytes; 0: the library chooses */
} largest_settings;

typedef struct hamming_calibrate_settings {
    largest_settings size;
    result_settings result;
    resource_settings resources; /* only its directory has a flag here */
} hamming_calibrate_settings;

static const flag size_list[] = {
    {.name = "largest",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = 1 << 20,
     .offset = offsetof(largest_settings, largest),
     .fallback = "64M",
     .help = "size of the largest table that is made and measured; sizes above 1G make no "
             "difference"},
};
static const flag_table size_flags = FLAG_TABLE("Resources", size_list);

static const flag_group groups[] = {
    FLAG_GROUP(hamming_calibrate_settings, result, result_file_flags),
    FLAG_GROUP(hamming_calibrate_settings, size, size_flags),
    FLAG_GROUP(hamming_calibrate_settings, resources, work_flags), HELP_GROUP, GROUPS_END};

static int run(const invocation *call) {
    const hamming_calibrate_settings *s = call->settings;
    nd_hamming_costs costs;
    nd_error error;
    results r;
    if (nd_hamming_calibrate(s->resources.work, s->size.largest, NULL, &costs, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (!result_open(&r, &s->result)) return EXIT_FAILED;
    hamming_costs_print(r.out, &costs);
    return result_close(&r);
}

static const char result_chapter[] =
    "A table of nanoseconds of one thread, for tables of four sizes. look: to visit a slot. key: "
    "to compare a fingerprint there. query: for each query besides. Sizes above --largest are not "
    "measured: they are estimated by the ratios of the machine whose costs are built in. "
    "neardup-hamming-plan(1) reads the table with --costs. Run nothing else at the same time.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", read_exit_chapter}, {NULL, NULL}};

const command hamming_calibrate_command = {
    .name = "hamming calibrate",
    .summary = "measure the costs that the plan is computed from",
    .description = "Measures how long searching tables takes on this machine. It runs for some "
                   "seconds.",
    .examples = "neardup hamming calibrate -o costs.tsv\n"
                "neardup hamming calibrate --largest 1M > costs.tsv\n"
                "neardup hamming plan --n 1e9 --costs costs.tsv\n",
    .chapters = chapters,
    .groups = groups,
    .settings_size = sizeof(hamming_calibrate_settings),
    .run = run,
};
