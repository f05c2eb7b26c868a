/* neardup dedup: keeps one of each group of near-duplicates. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/match_command.h"
#include "flags/index_flags.h"
#include "flags/keep_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"

#include <limits.h>
#include <stdio.h>

typedef struct dedup_settings {
    record_settings output;
    table_settings tables;
    page_settings page;
    match_settings match;
    keep_settings keep;
    group_settings group;
    grown_settings index;
    batch_settings batch;
} dedup_settings;

static const flag_group groups[] = {FLAG_GROUP(dedup_settings, output, kept_flags),
                                    FLAG_GROUP(dedup_settings, output, record_flags),
                                    FLAG_GROUP(dedup_settings, tables, table_flags),
                                    FLAG_GROUP(dedup_settings, page, page_flags),
                                    FLAG_GROUP(dedup_settings, match.report, report_flags),
                                    FLAG_GROUP(dedup_settings, match.input, input_flags),
                                    MATCH_GROUPS(dedup_settings, match),
                                    FLAG_GROUP(dedup_settings, keep, keep_flags),
                                    FLAG_GROUP(dedup_settings, keep, limit_flags),
                                    FLAG_GROUP(dedup_settings, group, group_flags),
                                    FLAG_GROUP(dedup_settings, index, grown_flags),
                                    FLAG_GROUP(dedup_settings, batch, batch_flags),
                                    RESOURCE_GROUPS(dedup_settings, match.resources),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    dedup_settings *s = settings;
    match_settings_init(&s->match);
}

static void settle(const flags_given *given, void *settings) {
    dedup_settings *s = settings;
    match_settle(given, &s->match);
}

/* ---- the job */

/* nd_dedup compares the other settings with the index. But it takes ND_VERIFY_EXACT for
 * ND_VERIFY_NONE where the index has only sketches, although the user may have asked for it. */
static nd_status check_exact(const char *path, nd_index *index, nd_error *error) {
    nd_index_info info = {.struct_size = sizeof info};
    nd_status status = nd_index_describe(index, &info, error);
    if (status != ND_OK || !info.options->sketch_only) return status;
    snprintf(error->message, sizeof error->message,
             "%s: made with sketches only, so that --verify exact is impossible", path);
    return ND_ERR_ARGUMENT;
}

/* *out stays NULL if the job has no index. A new index gets the settings of the job. */
static nd_status open_own_index(const command_job *j, const nd_similarity_options *similarity,
                                nd_index **out, nd_error *error) {
    const dedup_settings *s = j->call->settings;
    const char *path = s->index.directory;
    const nd_index_options made = {.struct_size = sizeof made,
                                   .analyzer = similarity->analyzer,
                                   .threshold = similarity->threshold,
                                   .recall = similarity->recall,
                                   .perms = similarity->perms,
                                   .sketch_only = similarity->verify == ND_VERIFY_NONE};
    if (!path) return ND_OK;
    nd_status status = index_open_grown(path, &made, &s->batch, out, error);
    if (status != ND_OK) return status;
    bool exact = similarity->verify == ND_VERIFY_EXACT && flag_is_given(j->call->given, "verify");
    return exact ? check_exact(path, *out, error) : ND_OK;
}

/* job_fn */
static nd_status run_dedup(command_job *j, nd_job_summary *summary, nd_error *error) {
    const dedup_settings *s = j->call->settings;
    match_options match;
    nd_survivor_options survivors = survivor_options_of(&s->keep);
    nd_output_options files = output_options_of(&s->tables, &s->output);
    nd_index_use use = index_use_of(&s->batch);
    match_options_fill(&s->match, j, &match);
    survivors.group = s->group.group;
    files.kept = j->output;
    job_note_examples(j, &files);
    nd_status status = open_own_index(j, &match.similarity, &use.index, error);
    const nd_dedup_options options = {.struct_size = sizeof options,
                                      .input = &j->input,
                                      .similarity = &match.similarity,
                                      .survivors = &survivors,
                                      .index = use.index ? &use : NULL,
                                      .outputs = &files,
                                      .resources = &j->resources};
    if (status == ND_OK) status = nd_dedup(&options, summary, error);
    nd_index_close(use.index);
    return status;
}

/* False: reported. */
static bool index_flags_agree(const dedup_settings *s, const flags_given *given) {
    if (!grown_flags_agree(given, &s->index, s->match.text.analyzer)) return false;
    if (s->index.directory && s->match.differ.lists.count > 0)
        complain("--differ-by: not with --index, which keeps no numbers and words of its "
                 "documents");
    else if (s->index.directory && s->group.group == ND_GROUP_COMPONENT)
        complain("--group component: not with --index, whose documents it would join");
    else return true;
    return false;
}

static int run(const invocation *call) {
    const dedup_settings *s = call->settings;
    if (!match_flags_agree(call->given, &s->match) || !index_flags_agree(s, call->given))
        return EXIT_USAGE;
    command_job j = match_job(call, &s->match, s->output.output, run_dedup);
    j.tables = &s->tables;
    j.page = &s->page;
    j.removed_records = s->output.removed_records;
    j.keep_field = s->keep.field;
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "Documents are taken in order of priority (--keep): the order of input, the longest text "
    "first, or by a field. A document is removed exactly when its similarity with a document that "
    "was kept before it reaches the threshold; --removed names the first such document. So no two "
    "kept documents that were compared are duplicates of each other, and each removed document is "
    "a verified duplicate of a kept one: no chain of duplicates connects documents that are not "
    "similar.\n\n"
    "Records with a value of --protect are taken before all others, and are never removed. So all "
    "other documents go that duplicate one of them. A record whose tokens equal those of protected "
    "ones is removed for the first of these. With --group component all protected documents of a "
    "component stay, and the document that is kept is one of them. A protected document that "
    "duplicates a document of an index is added, too.\n\n"
    "Striking losses are warned of: more than half of all documents; a tenth of all removed ones "
    "for one kept document; and a source, a length, a script or a host that loses everything, or "
    "more than a fifth and three times the share of all others. --summary counts them all.\n\n"
    "An OUT that ends with a slash, or is an empty directory, gets a file for each file of the "
    "input: of the same name, which is its path in a directory that was given, or else the last "
    "part of its name; of several directories, behind the last part of the directory's name. "
    "Compression and order are the same; a file without kept records has its header alone. "
    "Two files of one name are an error; --shard-size, which Parquet does not have, numbers the "
    "files instead. The ending of a name says the format: .jsonl makes JSON Lines of CSV (objects "
    "of strings), of Parquet (objects of the values), of other JSON (each value in a line) and of "
    "texts (id and text; of archives url and date). An ending of another format than that of the "
    "input is an error.\n\n"
    "With --mark, members or columns of the same names that a record has are replaced. "
    "neardup_similarity is the measure that --removed has; where that is a distance, the part of "
    "the fingerprints' bits that agree, or of TLSH digests (300 - distance) / 300.\n\n"
    "Output files are written under a temporary name, synced and renamed: all of them, or none. A "
    "file that is replaced keeps its permissions. A symbolic link stays, and the file behind it is "
    "replaced. Devices, pipes and /dev/fd/N are written in place. Temporary files of a killed run "
    "are removed by the next run with the same output. The bytes are the same at any number of "
    "threads and on any machine.";

static const char index_chapter[] =
    "With --index DIR the input is also compared with the documents of an index, which come before "
    "all others: a document that duplicates one of them is removed. When all outputs are in place, "
    "the kept documents are added to the index. So successive batches leave the same survivors as "
    "one job over all of them. In an index each document has its own id. An id that occurs twice, "
    "or is already in the index, is an error (see --replace for an exception).\n\n"
    "If there is no index in DIR, it is created with the given settings, and with sketches only if "
    "--verify is none. It stays, empty, if the job fails. An existing index has its own settings, "
    "and a job with other settings is refused.\n\n"
    "A large batch is added in parts. The parts that an interrupted run has added stay in the "
    "index. The same command, given again, continues from there and gives the same end: documents "
    "that were added are recognised by their ids. See neardup-index(1).";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"SIMHASH", simhash_chapter},
                                   {"SENTENCES", sentences_chapter},
                                   {"TLSH", tlsh_chapter},
                                   {"INDEX", index_chapter},
                                   {"TABLES", pair_tsv_chapter},
                                   {"EXIT STATUS", whole_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command dedup_command = {
    .name = "dedup",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "keep one of each group of near-duplicates",
    .description =
        "Reads documents from files of records (JSON, CSV, Parquet), web archives, pages "
        "and texts, keeps one of each group of near-duplicates, and writes the kept "
        "ones.",
    .examples =
        "neardup dedup articles.jsonl -o kept.jsonl --removed removed.tsv\n"
        "neardup dedup notes -o notes-without-copies\n"
        "neardup dedup --keep max:date --threshold .7 --recall .9999 news.jsonl -o kept.jsonl\n"
        "zcat a.gz | neardup dedup - --text-field /page/text --summary run.json > kept.jsonl\n"
        "neardup dedup shards -o clean/\n"
        "neardup dedup table.csv --mark -o marked.csv\n"
        "neardup dedup monday.jsonl --index seen -o new.jsonl\n"
        "neardup dedup --sketch simhash -k 4 news.jsonl -o kept.jsonl\n",
    .chapters = chapters,
    .summary_of = SUMMARY_DEDUP,
    .groups = groups,
    .settings_size = sizeof(dedup_settings),
    .init = init,
    .settle = settle,
    .run = run,
};
