/* neardup review: pairs of a run, to look at and to mark. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "commands/run_table_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "flags/text_flags.h"
#include "manual/chapters.h"
#include "output/colour.h"
#include "output/complain.h"
#include "output/output_names.h"
#include "output/results.h"
#include "review/review_keys.h"
#include "review/review_marks.h"
#include "review/review_page.h"
#include "review/review_texts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct sample_settings {
    const char *marks, *page; /* files; NULL: not wanted */
    uint64_t pairs, differences;
} sample_settings;

typedef struct review_settings {
    result_settings result;
    sample_settings sample;
    input_settings input;
    text_settings text;
    resource_settings resources;
} review_settings;

static const flag output_list[] = {
    {.name = "page",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(sample_settings, page),
     .help = "write a page of HTML that shows the pairs and saves marks; the page needs no other "
             "file"},
    {.name = "marks",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(sample_settings, marks),
     .help = "write the table again, with the marks; it can be reviewed in its turn, so that a "
             "review goes on later"},
};
static const flag pair_list[] = {
    {.name = "pairs",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = 1000,
     .offset = offsetof(sample_settings, pairs),
     .help = "most pairs for every .05 of similarity or every distance; of a table of dedup "
             "--review, which is a "
             "sample already, all are taken"},
    {.name = "differences",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 0,
     .high = UINT32_MAX,
     .offset = offsetof(sample_settings, differences),
     .help = "show so many differences of a pair, the first ones"},
};

static const flag_table output_flags = FLAG_TABLE("Output", output_list);
static const flag_table pair_flags = FLAG_TABLE("Pairs", pair_list);

static const flag_group groups[] = {FLAG_GROUP(review_settings, result, result_flags),
                                    FLAG_GROUP(review_settings, sample, output_flags),
                                    FLAG_GROUP(review_settings, sample, pair_flags),
                                    FLAG_GROUP(review_settings, input, input_flags),
                                    FLAG_GROUP(review_settings, text, token_flags),
                                    FLAG_GROUP(review_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    review_settings *s = settings;
    s->sample.pairs = 20;
    s->sample.differences = 12;
    input_settings_init(&s->input);
    text_settings_init(&s->text);
    resource_settings_init(&s->resources);
}

/* ---- outputs */

/* Whether an output is none of the files that are read, and can be written. False: reported. */
static bool output_agrees(const invocation *call, const char *name, const char *path) {
    if (!path) return true;
    for (int i = 0; i < call->count; i++) {
        /* A review that goes on replaces its own table. */
        if (i == call->count - 1 && strcmp(name, "marks") == 0) continue;
        if (!is_same_file(path, call->operands[i])) continue;
        complain("--%s: %s is an input; the output must be another file", name, path);
        return false;
    }
    return table_inputs_stay(call, name, path) && output_has_place(name, path);
}

static bool flags_agree(const invocation *call) {
    const review_settings *s = call->settings;
    if (!table_operands_agree(call)) return false;
    if (s->result.json && s->sample.page) complain("--json: not with --page");
    else if (s->result.output && s->sample.page)
        complain("--output: not with --page, which names its own file");
    else if (s->sample.page && s->sample.marks && is_same_file(s->sample.page, s->sample.marks))
        complain("--page and --marks: name one file");
    else if (s->result.output && s->sample.marks && is_same_file(s->result.output, s->sample.marks))
        complain("--output and --marks: name one file");
    else
        return output_agrees(call, "page", s->sample.page) &&
               output_agrees(call, "marks", s->sample.marks) &&
               output_agrees(call, "output", s->result.output) && analyzer_flags_agree(&s->text);
    return false;
}

/* ---- the review */

typedef struct review {
    const invocation *call;
    const char *table;
    review_list list;
    review_form form;
    bool interactive;
} review;

/* Writes a whole file that `print` makes. */
static nd_status write_whole(const char *path, const review *r,
                             nd_status (*print)(FILE *out, const review *r, nd_error *error),
                             nd_error *error) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    nd_status status = out ? print(out, r, error) : review_no_memory(error);
    if (out && fclose(out) != 0 && status == ND_OK) status = review_no_memory(error);
    if (status == ND_OK) status = nd_write_file(path, text, size, error);
    free(text);
    return status;
}

static nd_status print_page(FILE *out, const review *r, nd_error *error) {
    return review_page_write(out, r->table, &r->list, &r->form, error);
}

static nd_status print_marks(FILE *out, const review *r, nd_error *error) {
    (void)error;
    review_list_write(&r->list, out);
    return ND_OK;
}

static nd_status print_pairs(const review *r, nd_error *error) {
    const review_settings *s = r->call->settings;
    review_form form = r->form;
    results written;
    nd_status status = results_open(&written, s->result.output, NULL, error);
    if (status != ND_OK) return status;
    form.colour = !s->result.output && terminal_colour(STDOUT_FILENO);
    bool more = true;
    for (size_t i = 0; i < r->list.count && status == ND_OK && more; i++) {
        results_begin(&written);
        if (s->result.json)
            status = review_print_json(written.out, &r->list, i, form.analyzer, error);
        else status = review_print(written.out, &r->list, i, &form, error);
        if (status == ND_OK && !s->result.json) putc('\n', written.out);
        more = results_go_on(&written);
    }
    return results_close(&written, status, error);
}

static void print_estimate(const review *r) {
    review_estimate estimate;
    review_estimate_make(&r->list, &estimate);
    if (estimate.marked > 0)
        review_estimate_print(r->interactive ? stdout : stderr, &r->list, &estimate);
}

static nd_status show(review *r, nd_error *error) {
    const review_settings *s = r->call->settings;
    bool changed = false;
    nd_status status = ND_OK;
    if (s->sample.page) status = write_whole(s->sample.page, r, print_page, error);
    else if (r->interactive) status = review_by_keys(&r->list, &r->form, &changed, error);
    else status = print_pairs(r, error);
    if (status == ND_OK && s->sample.marks)
        status = write_whole(s->sample.marks, r, print_marks, error);
    if (status != ND_OK) return status;
    if (changed && !s->sample.marks) complain("the marks are not saved: --marks names a file");
    print_estimate(r);
    return ND_OK;
}

static nd_status read_texts(const command_job *j, review *r, nd_error *error) {
    size_t missing = 0;
    nd_status status = review_list_texts_read(&j->input, &j->resources, &r->list, &missing, error);
    if (status == ND_OK && r->list.count == 0) complain("%s: has no pairs", r->table);
    if (status == ND_OK) review_texts_warn(missing, r->table);
    return status;
}

/* Whether the marks may replace the table: its rows are all in the sample. */
static nd_status check_marks(const review *r, nd_error *error) {
    const char *marks = ((const review_settings *)r->call->settings)->sample.marks;
    if (!marks || r->list.is_sample || !is_same_file(marks, r->table)) return ND_OK;
    snprintf(error->message, sizeof error->message,
             "--marks %s: is the table that is reviewed, and has more rows than the sample; name "
             "another file",
             marks);
    return error->status = ND_ERR_ARGUMENT;
}

static nd_status run_review(command_job *j, nd_job_summary *summary, nd_error *error) {
    const review_settings *s = j->call->settings;
    review r = {.call = j->call, .table = table_title(j->call)};
    (void)summary;
    nd_status status = review_list_read(table_operand(j->call), (size_t)s->sample.pairs, &r.list,
                                        error);
    if (status != ND_OK) return status;
    r.interactive = !s->sample.page && !s->result.json && !s->result.output &&
                    review_is_interactive();
    r.form = (review_form){.differences = (size_t)s->sample.differences,
                           .colour = terminal_colour(STDOUT_FILENO)};
    status = check_marks(&r, error);
    if (status == ND_OK) status = nd_analyzer_create(&j->analyzer, NULL, &r.form.analyzer, error);
    if (status == ND_OK) status = read_texts(j, &r, error);
    if (status == ND_OK) status = show(&r, error);
    nd_analyzer_free(r.form.analyzer);
    review_list_free(&r.list);
    return status;
}

static int run(const invocation *call) {
    static const report_settings report = {.quiet = true};
    const review_settings *s = call->settings;
    if (!flags_agree(call)) return EXIT_USAGE;
    command_job j = {.call = call,
                     .run = run_review,
                     .report = &report,
                     .text = &s->text,
                     .inputs = call->operands,
                     .input_count = call->count - 1};
    j.input = input_options_of(&s->input);
    j.analyzer = analyzer_options_of(&s->text);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

static const char table_chapter[] =
    "TABLE is one that neardup dedup wrote with --review: a sample of the pairs that it compared, "
    "of every similarity; removed pairs and rejected ones. Or it is a table of --removed or "
    "--edges, of which a sample is taken; rejected pairs are not in these. Or it is one that this "
    "command wrote with --marks.\n"
    "The texts are read from the INPUTs, at the places that the table names. So the INPUTs must be "
    "those of the run, by the same names.";

static const char marks_chapter[] =
    "In a terminal, the command shows a pair at a time, and asks whether the two are the same to "
    "the reader. From the answers it estimates the precision (the share of the removed pairs that "
    "are the same) and, for each threshold, how many pairs it would remove wrongly and how many "
    "duplicates it would leave. Every answer stands for the pairs of its verdict and its band of "
    "similarity, which is .05 wide.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"TABLE", table_chapter},
                                   {"MARKS", marks_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command review_command = {
    .name = "review",
    .operands = "INPUT... TABLE",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = INT_MAX,
    .missing = "name the inputs of a run, and its table: neardup review INPUT... review.tsv",
    .summary = "look at pairs of a run, and mark them right or wrong",
    .description = "Shows pairs of documents that neardup dedup removed or rejected, those nearest "
                   "to the threshold first, with the words in which they differ. The reader's "
                   "marks give the precision of the run and the best threshold.",
    .examples = "neardup dedup articles.jsonl -o kept.jsonl --review review.tsv\n"
                "neardup review articles.jsonl review.tsv --marks marks.tsv\n"
                "neardup review articles.jsonl review.tsv --page review.html\n",
    .chapters = chapters,
    .summary_of = SUMMARY_NONE,
    .groups = groups,
    .settings_size = sizeof(review_settings),
    .init = init,
    .run = run,
};
