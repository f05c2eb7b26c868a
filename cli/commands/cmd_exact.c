/* neardup exact: keeps one of each group of identical documents. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/keep_flags.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"

#include <limits.h>

typedef struct equal_settings {
    nd_equal by;
} equal_settings;

typedef struct exact_settings {
    record_settings output;
    table_settings tables;
    report_settings report;
    input_settings input;
    equal_settings equal;
    text_settings text;
    keep_settings keep;
    grown_settings index;
    batch_settings batch;
    resource_settings resources;
} exact_settings;

static const flag equals[] = {
    {.name = "by",
     .kind = FLAG_CHOICE,
     .choices = "bytes|text|tokens",
     .offset = offsetof(equal_settings, by),
     .help = "which texts are identical; bytes: those of the same bytes; text: of the same "
             "characters in form C (NFC), where white space of any kind and length is one space, "
             "and none at both ends; tokens: of the same tokens, so that case and punctuation do "
             "not count"},
};

static const flag_table equal_flags = FLAG_TABLE("Identity", equals);

static const flag_group groups[] = {FLAG_GROUP(exact_settings, output, kept_flags),
                                    FLAG_GROUP(exact_settings, output, record_flags),
                                    FLAG_GROUP(exact_settings, tables, table_flags),
                                    FLAG_GROUP(exact_settings, report, report_flags),
                                    FLAG_GROUP(exact_settings, input, input_flags),
                                    FLAG_GROUP(exact_settings, equal, equal_flags),
                                    FLAG_GROUP(exact_settings, text, token_flags),
                                    FLAG_GROUP(exact_settings, keep, keep_flags),
                                    FLAG_GROUP(exact_settings, keep, limit_flags),
                                    FLAG_GROUP(exact_settings, index, grown_flags),
                                    FLAG_GROUP(exact_settings, batch, batch_flags),
                                    FLAG_GROUP(exact_settings, resources, memory_flags),
                                    FLAG_GROUP(exact_settings, resources, work_flags),
                                    FLAG_GROUP(exact_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    exact_settings *s = settings;
    input_settings_init(&s->input);
    text_settings_init(&s->text);
    resource_settings_init(&s->resources);
}

/* ---- the job */

/* *out stays NULL if the job has no index. A new index gets the settings of the job. */
static nd_status open_own_index(const command_job *j, nd_index **out, nd_error *error) {
    const exact_settings *s = j->call->settings;
    const nd_index_options made = {.struct_size = sizeof made,
                                   .analyzer = &j->analyzer,
                                   .content = ND_CONTENT_HASHES,
                                   .by = s->equal.by};
    return s->index.directory ? index_open_grown(s->index.directory, &made, &s->batch, out, error)
                              : ND_OK;
}

/* job_fn */
static nd_status run_exact(command_job *j, nd_job_summary *summary, nd_error *error) {
    const exact_settings *s = j->call->settings;
    nd_survivor_options survivors = survivor_options_of(&s->keep);
    nd_output_options files = output_options_of(&s->tables, &s->output);
    nd_index_use use = index_use_of(&s->batch);
    files.kept = j->output;
    job_note_examples(j, &files);
    nd_status status = open_own_index(j, &use.index, error);
    const nd_exact_options options = {.struct_size = sizeof options,
                                      .input = &j->input,
                                      .by = s->equal.by,
                                      .analyzer = &j->analyzer,
                                      .survivors = &survivors,
                                      .outputs = &files,
                                      .resources = &j->resources,
                                      .index = use.index ? &use : NULL};
    if (status == ND_OK) status = nd_exact(&options, summary, error);
    nd_index_close(use.index);
    return status;
}

/* False: reported. */
static bool flags_agree(const flags_given *given, const exact_settings *s) {
    const char *words = flag_first_given(given, (const char *const[]){"analyzer", "dict", NULL});
    if (!words || s->equal.by == ND_EQUAL_TOKENS)
        return grown_flags_agree(given, &s->index, s->text.analyzer);
    complain("--%s: only with --by tokens", words);
    return false;
}

static int run(const invocation *call) {
    const exact_settings *s = call->settings;
    if (!flags_agree(call->given, s)) return EXIT_USAGE;
    command_job j = {.call = call,
                     .run = run_exact,
                     .report = &s->report,
                     .text = &s->text,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .output = s->output.output ? s->output.output : "-",
                     .tables = &s->tables,
                     .removed_records = s->output.removed_records,
                     .keep_field = s->keep.field};
    j.input = input_options_of(&s->input);
    j.analyzer = analyzer_options_of(&s->text);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "Documents are taken in order of priority (--keep): the order of input, the longest text "
    "first, or by a field. A document is removed exactly when it is identical to a document before "
    "it; --removed names the first such document, its file and its line. Records with a value of "
    "--protect are taken before all others, and are never removed.\n\n"
    "Texts are compared, not records: members or columns beside the text do not count. By bytes a "
    "text is what its string or its column holds, however it is escaped or quoted; of pages it is "
    "the text that --html takes from them.\n\n"
    "With --by text, white space is what Unicode's property White_Space says, line breaks and "
    "no-break spaces included; upper and lower case differ. --by tokens finds what dedup counts as "
    "exact copies.\n\n"
    "Texts are compared by hashes of 128 bits, and are not read again. Two different texts have "
    "the same hash with a probability of about 2^-126; with --by tokens, two texts that differ in "
    "one token, of 2^-64. The hashes have no secret: who knows them can make texts that "
    "collide.\n\n"
    "Outputs are those of dedup, with the same formats: see neardup-dedup(1). In tables the "
    "measure is jaccard, which is 1. The bytes are the same at any number of threads and on any "
    "machine.";

static const char index_chapter[] =
    "With --index DIR the input is also compared with the documents of an index, which come before "
    "all others: a document that is identical to one of them is removed, and --removed names that "
    "one by its id. When all outputs are in place, the kept documents are added to the index. So "
    "successive batches leave the same documents as one job over all of them. In an index each "
    "document has its own id. An id that occurs twice, or is already in the index, is an error "
    "(see --replace for an exception).\n\n"
    "Of a document the index keeps its id and the hash of its text. It is made with --by, and with "
    "--by tokens also with --analyzer; a job with others is refused. Such an index is "
    "not that of dedup: each of the two commands refuses the index of the other. The commands of "
    "neardup-index(1) that need no text serve it, too: info, check, compact and remove.\n\n"
    "If there is no index in DIR, it is created. It stays, empty, if the job fails. A batch is "
    "added as a whole, and survives the death of the process and of the machine. The same command, "
    "given again with --resume, gives the outputs of one run, even if the batch was added.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"INDEX", index_chapter},
                                   {"TABLES", pair_tsv_chapter},
                                   {"EXIT STATUS", whole_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command exact_command = {
    .name = "exact",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "keep one of each group of identical documents",
    .description =
        "Reads documents from files of records (JSON, CSV, Parquet), web archives, pages and "
        "texts, keeps one of each group of identical documents, and writes the kept ones. It is "
        "the fastest way through a corpus: each text is read once, and nothing is compared but "
        "hashes. neardup dedup finds near-duplicates, and these identical documents, too.",
    .examples = "neardup exact articles.jsonl -o kept.jsonl --removed removed.tsv\n"
                "neardup exact --by text notes -o notes-without-copies\n"
                "neardup exact --by tokens --keep max:date news.jsonl.zst -o kept.jsonl.zst\n"
                "neardup exact crawl.warc.gz -o kept.warc.gz\n"
                "neardup exact tuesday.jsonl --index known -o new.jsonl\n",
    .chapters = chapters,
    .summary_of = SUMMARY_EXACT,
    .groups = groups,
    .settings_size = sizeof(exact_settings),
    .init = init,
    .run = run,
};
