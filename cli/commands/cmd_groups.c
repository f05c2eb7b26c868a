/* neardup groups: the largest groups of a run, with the differences of their members. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "commands/run_table_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "flags/text_flags.h"
#include "manual/chapters.h"
#include "output/colour.h"
#include "output/complain.h"
#include "output/results.h"
#include "review/group_print.h"
#include "review/review_texts.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct choice_settings {
    uint64_t groups, least, members, differences;
} choice_settings;

typedef struct groups_settings {
    result_settings result;
    choice_settings choice;
    input_settings input;
    text_settings text;
    resource_settings resources;
} groups_settings;

static const flag choice_list[] = {
    {.name = "groups",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = 1000,
     .offset = offsetof(choice_settings, groups),
     .help = "show so many groups, the largest ones"},
    {.name = "least",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 2,
     .high = UINT32_MAX,
     .offset = offsetof(choice_settings, least),
     .help = "show only groups of so many documents or more, the kept one included"},
    {.name = "members",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 0,
     .high = 100,
     .offset = offsetof(choice_settings, members),
     .help = "show so many removed documents of a group; of a larger group a sample, the same one "
             "in every run"},
    {.name = "differences",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 0,
     .high = UINT32_MAX,
     .offset = offsetof(choice_settings, differences),
     .help = "show so many differences of a pair, the first ones"},
};
static const flag_table choice_flags = FLAG_TABLE("Groups", choice_list);

static const flag_group groups[] = {FLAG_GROUP(groups_settings, result, result_flags),
                                    FLAG_GROUP(groups_settings, choice, choice_flags),
                                    FLAG_GROUP(groups_settings, input, input_flags),
                                    FLAG_GROUP(groups_settings, text, token_flags),
                                    FLAG_GROUP(groups_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    groups_settings *s = settings;
    s->choice = (choice_settings){.groups = 10, .least = 2, .members = 3, .differences = 5};
    input_settings_init(&s->input);
    text_settings_init(&s->text);
    resource_settings_init(&s->resources);
}

/* ---- texts */

/* All documents of the groups. The caller frees the array. NULL: out of memory. */
static review_document **documents_of(const group_list *list, size_t *count) {
    size_t most = list->count;
    for (size_t i = 0; i < list->count; i++) most += list->groups[i].count;
    review_document **documents = malloc((most + 1) * sizeof *documents);
    *count = 0;
    for (size_t i = 0; i < list->count && documents; i++) {
        review_group *g = &list->groups[i];
        documents[(*count)++] = &g->kept;
        for (size_t m = 0; m < g->count; m++) documents[(*count)++] = &g->members[m].document;
    }
    return documents;
}

static nd_status read_texts(const command_job *j, const group_list *list, nd_error *error) {
    size_t count, missing = 0;
    review_document **documents = documents_of(list, &count);
    if (!documents) return review_no_memory(error);
    nd_status status = review_texts_read(&j->input, &j->resources, documents, count, &missing,
                                         error);
    free(documents);
    if (status == ND_OK) review_texts_warn(missing, table_title(j->call));
    return status;
}

/* ---- output */

static nd_status print_groups(const groups_settings *s, const group_list *list, review_form *form,
                              nd_error *error) {
    results written;
    nd_status status = results_open(&written, s->result.output, NULL, error);
    if (status != ND_OK) return status;
    form->colour = !s->result.output && terminal_colour(STDOUT_FILENO);
    if (!s->result.json && list->all > 0) group_list_print_total(written.out, list);
    bool more = true;
    for (size_t i = 0; i < list->count && status == ND_OK && more; i++) {
        results_begin(&written);
        if (!s->result.json) putc('\n', written.out);
        status = s->result.json ? group_print_json(written.out, list, i, form->analyzer, error)
                                : group_print(written.out, list, i, form, error);
        more = results_go_on(&written);
    }
    return results_close(&written, status, error);
}

static void tell_none(const invocation *call, const group_list *list) {
    const groups_settings *s = call->settings;
    if (list->count > 0) return;
    if (list->all == 0) complain("%s: has no groups", table_title(call));
    else
        complain("%s: has no group of %llu documents or more", table_title(call),
                 (unsigned long long)s->choice.least);
}

static nd_status run_groups(command_job *j, nd_job_summary *summary, nd_error *error) {
    const groups_settings *s = j->call->settings;
    const group_request wanted = {.groups = (size_t)s->choice.groups,
                                  .members = (size_t)s->choice.members,
                                  .least = s->choice.least};
    review_form form = {.differences = (size_t)s->choice.differences};
    group_list list;
    (void)summary;
    nd_status status = group_list_read(table_operand(j->call), &wanted, &list, error);
    if (status != ND_OK) return status;
    tell_none(j->call, &list);
    status = nd_analyzer_create(&j->analyzer, NULL, &form.analyzer, error);
    if (status == ND_OK) status = read_texts(j, &list, error);
    if (status == ND_OK) status = print_groups(s, &list, &form, error);
    nd_analyzer_free(form.analyzer);
    group_list_free(&list);
    return status;
}

static int run(const invocation *call) {
    static const report_settings report = {.quiet = true};
    const groups_settings *s = call->settings;
    if (!table_operands_agree(call) || !table_inputs_stay(call, "output", s->result.output))
        return EXIT_USAGE;
    command_job j = {.call = call,
                     .run = run_groups,
                     .report = &report,
                     .text = &s->text,
                     .inputs = call->operands,
                     .input_count = call->count - 1,
                     .source = table_operand(call),
                     .output = s->result.output,
                     .result_file = true};
    j.input = input_options_of(&s->input);
    j.analyzer = analyzer_options_of(&s->text);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

static const char table_chapter[] =
    "TABLE is one that neardup dedup wrote with --clusters, or with --removed, which has the "
    "similarities, too. A group is a kept document with the documents that were removed for it. "
    "Its share is that of the documents in all groups.\n"
    "The texts are read from the INPUTs, at the places that the table names. So the INPUTs must be "
    "those of the run, by the same names. Documents of an index have no texts.\n"
    "The table is read twice; of standard input it is copied to a temporary file. Sizes take at "
    "most 64 bytes of memory for each group.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"TABLE", table_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command groups_command = {
    .name = "groups",
    .operands = "INPUT... TABLE",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = INT_MAX,
    .missing = "name the inputs of a run, and its table: neardup groups INPUT... clusters.tsv",
    .summary = "look at the largest groups of duplicates of a run",
    .description = "Shows the largest groups of documents that neardup dedup took for duplicates: "
                   "their sizes, the document that stays with the beginning of its text, and some "
                   "of the removed ones with the words in which they differ from it. A group of "
                   "unlike texts is a sign of a threshold that is too low, or of a template that "
                   "should be cut off.",
    .examples = "neardup dedup articles.jsonl -o kept.jsonl --clusters clusters.tsv\n"
                "neardup groups articles.jsonl clusters.tsv\n"
                "neardup groups articles.jsonl clusters.tsv --groups 100 --least 50 --members 1\n",
    .chapters = chapters,
    .summary_of = SUMMARY_NONE,
    .groups = groups,
    .settings_size = sizeof(groups_settings),
    .init = init,
    .run = run,
};
