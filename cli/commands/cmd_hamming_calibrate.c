/* neardup hamming calibrate: what looking into tables costs on this machine. */
#include "output/complain.h"
#include "commands/hamming_command.h"

#include <errno.h>
#include <string.h>

static const flag flags[] = {
    {.name = "memory",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = 1 << 20,
     .offset = SETTING(hamming.memory),
     .fallback = "64M",
     .help = "size of the largest table that is made and measured; up to 1G matters"},
    {.name = "work-dir",
     .kind = FLAG_DIRECTORY,
     .argument = "DIR",
     .offset = SETTING(job.work),
     .fallback = "the system's temporary one",
     .help = "where the tables are made, and removed"},
};

static const flag_group group = FLAG_GROUP("Means", flags);
static const flag_group *const groups[] = {&group, &help_group, NULL};

enum { SIZES = 4 };

bool hamming_read_costs(const char *path, nd_hamming_costs *costs) {
    char table[4096] = ""; /* such a file is much smaller */
    FILE *file = fopen(path, "r");
    if (!file) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    table[fread(table, 1, sizeof table - 1, file)] = '\0';
    bool good = sscanf(table, "cost\t%*[^\n] look %lf %lf %lf %lf key %lf %lf %lf %lf query %lf",
                       &costs->look[0], &costs->look[1], &costs->look[2], &costs->look[3],
                       &costs->key[0], &costs->key[1], &costs->key[2], &costs->key[3],
                       &costs->query) == 2 * SIZES + 1;
    for (int i = 0; good && i < SIZES; i++)
        good = costs->look[i] > 0 && costs->key[i] > 0 && costs->query > 0;
    fclose(file);
    if (!good) complain("%s: not what neardup hamming calibrate writes", path);
    return good;
}

static int calibrate_run(const command *self, settings *given, int count, char **operands) {
    (void)self, (void)count, (void)operands;
    nd_hamming_costs costs;
    nd_error error;
    if (nd_hamming_calibrate(given->job.work, given->hamming.memory, NULL, &costs, &error) !=
        ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    printf("cost\t256K\t4M\t64M\t1G\n");
    printf("look\t%.3f\t%.3f\t%.3f\t%.3f\n", costs.look[0], costs.look[1], costs.look[2],
           costs.look[3]);
    printf("key\t%.4f\t%.4f\t%.4f\t%.4f\n", costs.key[0], costs.key[1], costs.key[2], costs.key[3]);
    printf("query\t%.3f\n", costs.query);
    return EXIT_DONE;
}

static const char result_chapter[] =
    "A table of nanoseconds of one thread, for tables of four sizes: look, a place that a query "
    "looks at; key, a fingerprint that it compares there; and query, what each query costs "
    "besides. "
    "Sizes above --memory are not measured, but taken to be as much dearer as they are on the "
    "machine whose costs are built in. neardup-hamming-plan(1) takes the table with --costs. "
    "Nothing "
    "else should run meanwhile.";

static const char calibrate_exit_chapter[] =
    "0: done. 1: it failed, and the message says why. 2: the command line is wrong.";

static const char example_chapter[] = "  neardup hamming calibrate --memory 1G > costs.tsv\n"
                                      "  neardup hamming plan --n 1e9 --costs costs.tsv";

static const chapter chapters[] = {{"RESULT", result_chapter},
                                   {"EXIT STATUS", calibrate_exit_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command hamming_calibrate_command = {
    .name = "hamming calibrate",
    .summary = "measure what the plan reckons with",
    .description =
        "Measures on this machine what looking into tables costs, which takes some seconds.",
    .groups = groups,
    .chapters = chapters,
    .run = calibrate_run,
};
