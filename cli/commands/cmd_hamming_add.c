/* neardup hamming add: adds the fingerprints of a file to an index. */
#include "commands/command_names.h"
#include "commands/hamming_command.h"
#include "commands/job_command.h"
#include "flags/index_flags.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"

typedef struct hamming_add_settings {
    fingerprint_settings fingerprint;
    batch_settings batch;
    report_settings report;
    resource_settings resources;
} hamming_add_settings;

static const flag_group groups[] = {FLAG_GROUP(hamming_add_settings, fingerprint, format_flags),
                                    FLAG_GROUP(hamming_add_settings, batch, load_flags),
                                    FLAG_GROUP(hamming_add_settings, report, report_flags),
                                    FLAG_GROUP(hamming_add_settings, resources, memory_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    hamming_add_settings *s = settings;
    fingerprint_settings_init(&s->fingerprint);
    resource_settings_init(&s->resources);
}

/* job_fn */
static nd_status add(command_job *j, nd_job_summary *summary, nd_error *error) {
    const hamming_add_settings *s = j->call->settings;
    const nd_fingerprint_source source = hamming_source(&s->fingerprint, j->inputs[0]);
    const nd_hamming_load_options options = {
        .struct_size = sizeof options, .resources = &j->resources, .replace = s->batch.replace};
    nd_hamming_index *index;
    nd_status status = nd_hamming_open(j->call->operands[0], ND_INDEX_WRITE, NULL, &index, error);
    if (status != ND_OK) return status;
    nd_hamming_set_sync(index, s->batch.sync == SYNC_OFF ? ND_SYNC_OFF : ND_SYNC_EACH);
    status = nd_hamming_load(index, &source, &options, summary, error);
    nd_hamming_close(index);
    return status;
}

static int run(const invocation *call) {
    const hamming_add_settings *s = call->settings;
    command_job j = {.call = call,
                     .run = add,
                     .report = &s->report,
                     .inputs = call->operands + 1,
                     .input_count = call->count - 1};
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

static const char result_chapter[] =
    "All fingerprints of the file are added; if that fails, none is. Up to a thousand fingerprints "
    "go to the log, more go into tables at once. An id that the index already has is an error, "
    "unless --replace is given. An id that occurs twice in the file is always an error. Ids that "
    "are numbers ascend: positions continue after the highest id of the index.";

static const chapter chapters[] = {{"FINGERPRINTS", fingerprint_file_chapter},
                                   {"RESULT", result_chapter},
                                   {"EXIT STATUS", index_change_exit_chapter},
                                   {NULL, NULL}};

const command hamming_add_command = {
    .name = "hamming add",
    .operands = "DIR FINGERPRINTS",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = 2,
    .missing = hamming_missing,
    .summary = "add the fingerprints of a file",
    .description = "Adds all fingerprints of a file to the index DIR.",
    .examples = "neardup simhash today.jsonl | neardup hamming add prints -\n"
                "neardup hamming add prints corrected.tsv --replace\n"
                "neardup hamming add numbers more.u64 --format u64\n",
    .chapters = chapters,
    .summary_of = SUMMARY_LOAD,
    .groups = groups,
    .settings_size = sizeof(hamming_add_settings),
    .init = init,
    .run = run,
};
