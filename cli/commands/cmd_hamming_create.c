/* neardup hamming create: makes an index of fingerprints, empty or from a file. */
#include "commands/command_names.h"
#include "commands/hamming_command.h"
#include "commands/index_command.h"
#include "commands/job_command.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"

typedef struct hamming_create_settings {
    fingerprint_settings fingerprint;
    report_settings report;
    resource_settings resources;
} hamming_create_settings;

static const flag k_list[] = {
    K_FLAG("3", "; queries with a larger one compare all fingerprints, which takes longer"),
};
static const flag_table k_flags = FLAG_TABLE("Fingerprints", k_list);

static const flag_group groups[] = {FLAG_GROUP(hamming_create_settings, fingerprint, bits_flags),
                                    FLAG_GROUP(hamming_create_settings, fingerprint, k_flags),
                                    FLAG_GROUP(hamming_create_settings, fingerprint, tables_flags),
                                    FLAG_GROUP(hamming_create_settings, fingerprint, format_flags),
                                    FLAG_GROUP(hamming_create_settings, report, report_flags),
                                    FLAG_GROUP(hamming_create_settings, resources, memory_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    hamming_create_settings *s = settings;
    fingerprint_settings_init(&s->fingerprint);
    resource_settings_init(&s->resources);
}

static nd_hamming_options options_of(const fingerprint_settings *s) {
    nd_hamming_options o;
    nd_hamming_options_init(&o, sizeof o);
    o.bits = s->bits;
    o.k = fingerprint_k(s, o.k);
    o.numbered = s->file_format != ND_FINGERPRINTS_HEX;
    o.memory = s->tables;
    return o;
}

/* job_fn */
static nd_status build(command_job *j, nd_job_summary *summary, nd_error *error) {
    const hamming_create_settings *s = j->call->settings;
    const nd_hamming_options options = options_of(&s->fingerprint);
    const nd_fingerprint_source source = hamming_source(&s->fingerprint, j->inputs[0]);
    return nd_hamming_build(j->call->operands[0], &options, &source, &j->resources, summary, error);
}

static int create_empty(const invocation *call) {
    static const char *const of_files[] = {"memory", "summary", NULL};
    const hamming_create_settings *s = call->settings;
    const nd_hamming_options options = options_of(&s->fingerprint);
    const char *vain = flag_first_given(call->given, of_files);
    nd_error error;
    if (vain) {
        complain("--%s: only with a file of fingerprints", vain);
        return EXIT_USAGE;
    }
    if (nd_hamming_create(call->operands[0], &options, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (!s->report.quiet)
        announce("%s: created, %u bits, k = %u", call->operands[0], (unsigned)options.bits,
                 (unsigned)options.k);
    return EXIT_DONE;
}

static int run(const invocation *call) {
    const hamming_create_settings *s = call->settings;
    const nd_hamming_options options = options_of(&s->fingerprint);
    if (!fingerprint_k_fits(options.k, options.bits)) return EXIT_USAGE;
    if (call->count == 1) return create_empty(call);
    command_job j = {.call = call,
                     .run = build,
                     .report = &s->report,
                     .inputs = call->operands + 1,
                     .input_count = call->count - 1};
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

static const char result_chapter[] =
    "The directory is created; it may already exist if it is empty. The settings hold for all "
    "fingerprints that are added later, and cannot be changed. With --format u64 or u128 the ids "
    "are numbers.\n\n"
    "With a file, all its fingerprints go into tables for distances up to K; if that fails, there "
    "is no index. An id that occurs twice is an error. A large file makes one set of tables, which "
    "queries search faster than the several sets of an index that grew by neardup-hamming-add(1). "
    "With --tables the design of the tables is one that fits, if there is one; neardup hamming "
    "plan shows them.";

static const chapter chapters[] = {{"FINGERPRINTS", fingerprint_file_chapter},
                                   {"RESULT", result_chapter},
                                   {"EXIT STATUS", index_change_exit_chapter},
                                   {NULL, NULL}};

const command hamming_create_command = {
    .name = "hamming create",
    .operands = "DIR [FINGERPRINTS]",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = 2,
    .missing = index_missing,
    .summary = "an index, empty or with the fingerprints of a file",
    .description = "Creates an index of fingerprints in the directory DIR, empty or with all "
                   "fingerprints of a file.",
    .examples = "neardup hamming create empty\n"
                "neardup hamming create found articles.tsv -k 3\n"
                "neardup hamming create prints crawl.u64 --format u64 -k 6 --tables 4G\n",
    .chapters = chapters,
    .summary_of = SUMMARY_LOAD,
    .groups = groups,
    .settings_size = sizeof(hamming_create_settings),
    .init = init,
    .run = run,
};
