/* neardup tune: what each threshold would remove. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "flags/sample_flags.h"
#include "flags/similarity_flags.h"
#include "manual/chapters.h"
#include "output/colour.h"
#include "output/complain.h"
#include "output/output_names.h"
#include "output/results.h"
#include "review/review_print.h"
#include "review/review_texts.h"
#include "tune/tune_examples.h"
#include "tune/tune_page.h"
#include "tune/tune_table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct step_settings {
    double lowest;
    uint64_t examples;
    name_list beside;
    const char *page; /* a file; NULL: not wanted */
} step_settings;

typedef struct tune_settings {
    result_settings result;
    report_settings report;
    step_settings steps;
    similarity_settings similarity; /* the measure alone */
    sample_settings sample;
    input_settings input;
    text_settings text;
    resource_settings resources;
} tune_settings;

/* Runs beside the first one. */
enum { MOST_BESIDE = 8 };

static const flag step_list[] = {
    {.name = "lowest",
     .kind = FLAG_SHARE,
     .argument = "S",
     .one = true,
     .offset = offsetof(step_settings, lowest),
     .help = "the lowest threshold of the table; a lower one takes longer"},
    {.name = "examples",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .high = 100,
     .offset = offsetof(step_settings, examples),
     .help = "pairs that are shown of each step of .05, the least similar ones"},
    {.name = "beside",
     .kind = FLAG_VALUES,
     .argument = "FLAG=VALUE",
     .high = MOST_BESIDE,
     .offset = offsetof(step_settings, beside),
     .help = "measure other flags, too, and show the shares side by side; flags of the input and "
             "of words, joined by commas: ngram=3, or analyzer=chars,ngram=5, or html=main; may be "
             "given 8 times, and each is another run"},
};
static const flag page_list[] = {
    {.name = "page",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(step_settings, page),
     .help = "write a page of HTML, too, with the same figures and pairs; the page needs no other "
             "file"},
};
static const flag_table tune_page_flags = FLAG_TABLE("Output", page_list);
static const flag_table step_flags = FLAG_TABLE("Thresholds", step_list);

static const flag_group groups[] = {FLAG_GROUP(tune_settings, result, result_flags),
                                    FLAG_GROUP(tune_settings, steps, tune_page_flags),
                                    FLAG_GROUP(tune_settings, report, report_flags),
                                    FLAG_GROUP(tune_settings, steps, step_flags),
                                    FLAG_GROUP(tune_settings, similarity, set_measure_flags),
                                    FLAG_GROUP(tune_settings, sample, sample_flags),
                                    FLAG_GROUP(tune_settings, input, input_flags),
                                    FLAG_GROUP(tune_settings, text, token_flags),
                                    FLAG_GROUP(tune_settings, text, shingle_flags),
                                    FLAG_GROUP(tune_settings, text, seed_flags),
                                    FLAG_GROUP(tune_settings, resources, memory_flags),
                                    FLAG_GROUP(tune_settings, resources, work_flags),
                                    FLAG_GROUP(tune_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

/* The flags that --beside takes. */
static const flag_group beside_groups[] = {
    FLAG_GROUP(tune_settings, input, input_flags), FLAG_GROUP(tune_settings, text, token_flags),
    FLAG_GROUP(tune_settings, text, shingle_flags), GROUPS_END};

static void init(void *settings) {
    tune_settings *s = settings;
    nd_tune_options usual;
    nd_tune_options_init(&usual, sizeof usual);
    s->steps.lowest = usual.lowest;
    s->steps.examples = 1;
    s->sample = (sample_settings){(uint32_t)usual.sample, usual.seed};
    similarity_settings_init(&s->similarity);
    input_settings_init(&s->input);
    text_settings_init(&s->text);
    resource_settings_init(&s->resources);
}

/* ---- other flags */

/* The settings of a run of --beside: the command's own, changed by its flags. */
typedef struct variant {
    tune_settings settings;
    char words[1024]; /* the flags, which the settings point into */
} variant;

/* Makes "--ngram=3" and so on of "ngram=3,analyzer=chars". Returns how many there are; 0: the text
 * is too long. */
static int cut_flags(const char *text, char *words, size_t size, char *arguments[NAMES_MOST]) {
    int count = 0;
    size_t used = 0;
    while (*text && count < NAMES_MOST) {
        size_t length = strcspn(text, ",");
        if (used + length + 3 > size) return 0;
        arguments[count++] = words + used;
        used += (size_t)snprintf(words + used, size - used, "--%.*s", (int)length, text) + 1;
        text += length + (text[length] == ',');
    }
    return *text ? 0 : count;
}

/* Whether no output replaces the dictionary of a variant. False: reported. */
static bool stays(const tune_settings *own, const tune_settings *changed) {
    const char *dictionary = changed->text.dictionary,
               *outputs[] = {own->result.output, own->steps.page, own->report.summary};
    for (size_t i = 0; dictionary && i < sizeof outputs / sizeof *outputs; i++) {
        if (!outputs[i] || !is_same_file(outputs[i], dictionary)) continue;
        complain("--beside dict=%s: is also an output", dictionary);
        return false;
    }
    return true;
}

/* False: reported. */
static bool read_variant(const tune_settings *own, const char *text, variant *out) {
    char *arguments[NAMES_MOST];
    flags_given given;
    out->settings = *own;
    /* Lists of the variant replace those of the command. */
    out->settings.input.text_fields.given = out->settings.input.globs.given = false;
    int count = cut_flags(text, out->words, sizeof out->words, arguments);
    if (count == 0) {
        complain("--beside %s: is too long", text);
        return false;
    }
    if (!flags_parse(beside_groups, count, arguments, &out->settings, &given)) {
        if (given.unknown)
            complain("--beside %s: %s is no flag of the input or of words", text, given.unknown);
        else complain("that is in --beside %s", text);
        return false;
    }
    if (flag_is_given(&given, "files-from")) {
        complain("--beside %s: files-from: all runs read the same files", text);
        return false;
    }
    return analyzer_flags_agree(&out->settings.text) && stays(own, &out->settings) &&
           input_flags_agree(&given, &(nd_input_options){.struct_size = 0}, NULL, NULL);
}

/* ---- a run */

typedef struct tuning {
    const tune_settings *settings;
    command_job *job;
    tune_run runs[1 + MOST_BESIDE];
    size_t count;
    variant *variants;
    tune_examples examples;
} tuning;

static nd_status run_once(const tuning *t, const nd_input_options *input,
                          const nd_analyzer_options *analyzer, nd_tuned_fn *fn, tune_run *out,
                          nd_job_summary *summary, nd_error *error) {
    const tune_settings *s = t->settings;
    const nd_tune_options options = {.struct_size = sizeof options,
                                     .input = input,
                                     .analyzer = analyzer,
                                     .resources = &t->job->resources,
                                     .measure = s->similarity.measure,
                                     .lowest = s->steps.lowest,
                                     .sample = s->sample.documents,
                                     .seed = s->sample.seed,
                                     .on_document = fn,
                                     .context = (void *)&t->examples};
    out->result.struct_size = sizeof out->result;
    return nd_tune(&options, &out->result, summary, error);
}

static nd_status run_first(tuning *t, nd_job_summary *summary, nd_error *error) {
    bool shown = !t->settings->result.json || t->settings->steps.page,
         wanted = t->settings->steps.examples > 0 && shown;
    tune_run *first = &t->runs[t->count++];
    first->settings = "";
    if (wanted && !tune_examples_begin(&t->examples, (size_t)t->settings->steps.examples,
                                       t->settings->similarity.measure))
        return review_no_memory(error);
    nd_status status = run_once(t, &t->job->input, &t->job->analyzer,
                                wanted ? tune_examples_take : NULL, first, summary, error);
    if (t->examples.no_memory) return review_no_memory(error);
    if (status == ND_OK && wanted) tune_examples_finish(&t->examples, &first->result);
    return status;
}

static nd_status run_variant(tuning *t, const variant *v, const char *name, nd_error *error) {
    tune_run *run = &t->runs[t->count++];
    nd_input_options input = input_options_of(&v->settings.input);
    nd_analyzer_options analyzer = analyzer_options_of(&v->settings.text);
    text_files files;
    run->settings = name;
    input.inputs = t->job->input.inputs;
    input.input_count = t->job->input.input_count;
    nd_status status = text_files_read(&v->settings.text, t->job->resources.memory / 2, &files,
                                       error);
    analyzer.dictionary = files.dictionary;
    if (status == ND_OK) status = run_once(t, &input, &analyzer, NULL, run, NULL, error);
    text_files_free(&files);
    return status;
}

/* ---- the result */

static nd_status print_examples(FILE *out, const tuning *t, nd_analyzer *analyzer,
                                nd_error *error) {
    const review_list *list = &t->examples.list;
    const review_form form = {.analyzer = analyzer,
                              .differences = 3,
                              .colour = !t->settings->result.output &&
                                        terminal_colour(STDOUT_FILENO)};
    nd_status status = ND_OK;
    if (list->count == 0) return ND_OK;
    fputs("\nThe least similar pairs of each step: documents, and the most similar ones before "
          "them\n\n",
          out);
    for (size_t i = 0; i < list->count && status == ND_OK; i++) {
        status = review_print(out, list, i, &form, error);
        if (status == ND_OK && i + 1 < list->count) putc('\n', out);
    }
    return status;
}

static nd_status print_result(const tuning *t, nd_analyzer *analyzer, nd_error *error) {
    const tune_settings *s = t->settings;
    results written;
    nd_status status = results_open(&written, s->result.output, NULL, error);
    if (status != ND_OK) return status;
    results_begin(&written);
    if (s->result.json) tune_table_json(written.out, t->runs, t->count);
    else {
        tune_table_print(written.out, t->runs, t->count);
        status = print_examples(written.out, t, analyzer, error);
    }
    return results_close(&written, status, error);
}

static nd_status print_all(tuning *t, nd_error *error) {
    const char *page = t->settings->steps.page;
    review_list *list = &t->examples.list;
    nd_analyzer *analyzer = NULL;
    size_t missing;
    nd_status status = nd_analyzer_create(&t->job->analyzer, NULL, &analyzer, error);
    if (status == ND_OK && list->count > 0)
        status = review_list_texts_read(&t->job->input, &t->job->resources, list, &missing, error);
    if (status == ND_OK && page)
        status = tune_page_write(page, t->runs, t->count, list, analyzer, error);
    if (status == ND_OK) status = print_result(t, analyzer, error);
    nd_analyzer_free(analyzer);
    return status;
}

/* job_fn */
static nd_status tune(command_job *j, nd_job_summary *summary, nd_error *error) {
    const tune_settings *s = j->call->settings;
    tuning t = {.settings = s, .job = j, .variants = (variant *)j->own};
    nd_status status = run_first(&t, summary, error);
    for (size_t i = 0; i < s->steps.beside.count && status == ND_OK; i++)
        status = run_variant(&t, &t.variants[i], s->steps.beside.names[i], error);
    if (status == ND_OK) status = print_all(&t, error);
    tune_examples_free(&t.examples);
    return status;
}

/* Inputs are read more than once. */
static bool inputs_agree(const invocation *call) {
    for (int i = 0; i < call->count; i++) {
        if (strcmp(call->operands[i], "-") != 0) continue;
        complain("tune: standard input cannot be read twice; name a file");
        return false;
    }
    return true;
}

/* NULL: reported. The caller frees them. */
static variant *read_variants(const tune_settings *s) {
    variant *variants = calloc(MOST_BESIDE, sizeof *variants);
    bool good = variants && s->steps.beside.count <= MOST_BESIDE;
    if (!variants) complain("out of memory");
    else if (!good) complain("--beside: at most %d are run", MOST_BESIDE);
    for (size_t i = 0; good && i < s->steps.beside.count; i++)
        good = read_variant(s, s->steps.beside.names[i], &variants[i]);
    if (good) return variants;
    free(variants);
    return NULL;
}

static int run(const invocation *call) {
    const tune_settings *s = call->settings;
    if (!inputs_agree(call)) return EXIT_USAGE;
    variant *variants = read_variants(s);
    if (!variants) return EXIT_USAGE;
    command_job j = {.call = call,
                     .run = tune,
                     .report = &s->report,
                     .text = &s->text,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .output = s->result.output ? s->result.output : "-",
                     .result_file = true,
                     .own = variants};
    j.further[0] = (own_output){"page", s->steps.page};
    j.input = input_options_of(&s->input);
    j.analyzer = analyzer_options_of(&s->text);
    j.resources = resources_of(&s->resources);
    int status = job_run(&j);
    free(variants);
    return status;
}

/* ---- the manual */

static const char result_chapter[] =
    "A random sample of the documents is compared exactly with all documents, by --measure. "
    "removed is the share "
    "of all documents that have a duplicate before them, for each threshold, estimated from the "
    "sample; beside it is the interval that has the share of all documents with 95 percent "
    "confidence, and as many documents as the share makes. groups estimates how many groups of "
    "duplicates there are. nearest counts the documents of the sample whose most similar document "
    "before them lies in this step: a bar for each. If the sample has all documents, the figures "
    "are not estimates.\n\n"
    "dedup removes somewhat fewer documents, because it compares with kept documents only: of "
    "three documents that change little by little it may keep the first and the last. With --group "
    "component it removes these, too.\n\n"
    "At the end are the least similar pairs of each step, with the words in which they differ. The "
    "threshold belongs above the first step whose pairs should both stay.\n\n"
    "--json writes one object with documents, sampled, exact_copies, sampled_copies and steps, a "
    "list of objects with threshold, removed, removed_low, removed_high, groups, groups_low, "
    "groups_high (shares of all documents, 0 to 1) and nearest; and beside, a list of objects with "
    "settings and the same members.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"EXIT STATUS", whole_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command tune_command = {
    .name = "tune",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = "no input; name files or directories",
    .summary = "what each threshold would remove, measured on a sample, with examples",
    .description = "Compares a random sample of the documents with all documents, and shows for "
                   "every threshold how many documents it would remove, with pairs to look at.",
    .examples = "neardup tune articles.jsonl\n"
                "neardup tune articles.jsonl --beside ngram=3 --beside analyzer=chars,ngram=6\n",
    .chapters = chapters,
    .summary_of = SUMMARY_EACH,
    .groups = groups,
    .settings_size = sizeof(tune_settings),
    .init = init,
    .run = run,
};
