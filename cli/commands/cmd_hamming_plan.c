/* neardup hamming plan: the designs of Hamming search side by side, on paper. */
#include "output/complain.h"
#include "commands/hamming_command.h"
#include "output/numbers.h"

static const flag plan_flags[] = {
    {.name = "n",
     .letter = 'n',
     .kind = FLAG_AMOUNT,
     .argument = "N",
     .low = 1,
     .high = UINT64_C(1000000000000000),
     .offset = SETTING(count),
     .fallback = "none, it must be given",
     .help = "number of fingerprints, such as 8e9"},
    BITS_FLAG(NULL),
    K_FLAG("3", "the largest distance of a query; at most a quarter of the bits"),
    {.name = "memory",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .offset = SETTING(hamming.memory),
     .fallback = "no limit",
     .help = "bytes that the tables may take"},
    {.name = "costs",
     .kind = FLAG_INPUT,
     .argument = "FILE",
     .offset = SETTING(costs),
     .fallback = "those of a server of 2025",
     .help = "what neardup hamming calibrate measured"},
};

static const flag output_flags[] = {
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = SETTING(json),
     .help = "one JSON object instead of the table"},
};

static const flag_group plan_group = FLAG_GROUP("Search", plan_flags);
static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group *const groups[] = {&plan_group, &output_group, &help_group, NULL};

/* "1" or "0-1". */
static const char *errors_text(const nd_hamming_estimate *e, char text[static 32]) {
    if (e->least_errors == e->most_errors) snprintf(text, 32, "%u", (unsigned)e->most_errors);
    else snprintf(text, 32, "%u-%u", (unsigned)e->least_errors, (unsigned)e->most_errors);
    return text;
}

static void print_row(const nd_hamming_estimate *e, double n) {
    char errors[32], volume[32];
    printf("%-20s%7u%8s%12s%10.2f%12.4g%14.5g%12.4g%s\n", e->name, (unsigned)e->tables,
           errors_text(e, errors), number_volume((uint64_t)e->bytes, volume), e->bytes / n,
           e->looks, e->candidates, e->microseconds,
           e->chosen  ? "  <- chosen"
           : !e->fits ? "  does not fit"
           : !e->few  ? "  many tables"
                      : "");
}

static void print_table(const settings *given, const nd_hamming_estimate *list, size_t count) {
    printf("%.15g fingerprints of %u bits, k = %u\n\n", given->count, (unsigned)given->hamming.bits,
           (unsigned)given->hamming.k);
    printf("%-20s%7s%8s%12s%10s%12s%14s%12s\n", "design", "tables", "errors", "bytes", "each",
           "looks", "candidates", "us/query");
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        print_row(&list[i], given->count);
        if (list[i].chosen) chosen = i;
    }
    printf("\nchosen: the %s\n", list[chosen].fits && list[chosen].few
                                     ? "fastest of those that fit and do not have many tables"
                                     : "smallest, since none fits");
}

static void print_json(const settings *given, const nd_hamming_estimate *list, size_t count) {
    printf("{\"version\":\"%s\",\"command\":\"hamming "
           "plan\",\"n\":%.15g,\"bits\":%u,\"k\":%u,\"memory\":%llu,\"designs\":[",
           nd_version(), given->count, (unsigned)given->hamming.bits, (unsigned)given->hamming.k,
           (unsigned long long)given->hamming.memory);
    for (size_t i = 0; i < count; i++) {
        const nd_hamming_estimate *e = &list[i];
        printf("%s{\"name\":\"%s\",\"tables\":%u,\"least_errors\":%u,\"most_errors\":%u,\"bytes\":%"
               ".0f,\"looks\":%.9g,\"candidates\":%.9g,",
               i ? "," : "", e->name, (unsigned)e->tables, (unsigned)e->least_errors,
               (unsigned)e->most_errors, e->bytes, e->looks, e->candidates);
        printf("\"microseconds\":%.6g,\"fits\":%s,\"few\":%s,\"chosen\":%s}", e->microseconds,
               e->fits ? "true" : "false", e->few ? "true" : "false", e->chosen ? "true" : "false");
    }
    printf("]}\n");
}

static int plan_run(const command *self, settings *given, int count, char **operands) {
    (void)count, (void)operands;
    nd_hamming_estimate list[ND_HAMMING_ESTIMATES];
    size_t designs;
    nd_hamming_costs costs;
    nd_error error;
    nd_hamming_costs_init(&costs);
    given->hamming.bits = 16u << given->bits;
    if (given->k != UINT32_MAX) given->hamming.k = given->k;
    if (given->count < 1) {
        complain("%s: how many fingerprints? say --n", self->name);
        return EXIT_USAGE;
    }
    if (given->costs && !hamming_read_costs(given->costs, &costs)) return EXIT_FAILED;
    if (nd_hamming_plan(given->count, given->hamming.bits, given->hamming.k,
                        (double)given->hamming.memory, &costs, list, &designs, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_USAGE;
    }
    if (given->json) print_json(given, list, designs);
    else print_table(given, list, designs);
    return EXIT_DONE;
}

static const char result_chapter[] =
    "A line for each design, the fastest first. tables: how many, each with all fingerprints in an "
    "order of its own. errors: in how many bits of a table's window a place that is "
    "looked at may differ from the query. bytes: of all tables, packed, without ids, and for each "
    "fingerprint. looks: places that a query looks at. candidates: fingerprints that it then "
    "compares. us/query: the time that this takes one thread by measured costs, in "
    "microseconds.\n\n"
    "A design is not chosen where it does not fit into --memory, or has many tables, for each "
    "takes as many bytes as the first: more than max(2, (k + 1) / 2), at most 4; or more than 4 "
    "where all take up to 32 MiB and have wide windows. The fastest of the others is.\n\n"
    "The designs: windows, the bits are cut into so many, and each has a table that is looked into "
    "with a few errors. blocks: c of b, a table for each choice of c blocks, looked "
    "into without errors; c of b twice, what one choice leaves is cut again. scan: all is "
    "compared.\n\n"
    "--json has n, bits, k, memory and designs, a list of objects with name, tables, least_errors, "
    "most_errors, bytes, looks, candidates, microseconds, fits, few (not many tables) and chosen.";

static const char example_chapter[] = "  neardup hamming plan --n 8e9 --bits 64 --k 3\n"
                                      "  neardup hamming plan --n 1e9 --k 6 --memory 16G --json";

static const char plan_exit_chapter[] =
    "0: done. 1: the file of costs cannot be read. 2: the command line is wrong.";

static const chapter chapters[] = {{"RESULT", result_chapter},
                                   {"EXIT STATUS", plan_exit_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command hamming_plan_command = {
    .name = "hamming plan",
    .summary =
        "the designs of tables for n fingerprints, their bytes and times, and which is chosen",
    .description = "Shows which tables an index of N fingerprints could have, what they cost, and "
                   "which one would be chosen.",
    .groups = groups,
    .chapters = chapters,
    .run = plan_run,
};
