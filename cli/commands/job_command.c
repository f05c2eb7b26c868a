#include "commands/job_command.h"

#include "flags/input_flags.h"
#include "output/colour.h"
#include "output/complain.h"
#include "output/output_names.h"
#include "output/interrupt.h"
#include "output/progress.h"
#include "output/summary.h"
#include "report/report_page.h"
#include "report/stream_page.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char inputs_missing[] = "no input; name files or directories, or - for standard input";

static const char *page_of(const command_job *j) { return j->page ? j->page->report : NULL; }

/* The files that the command itself writes. */
enum { OWN_OUTPUTS = 3 + FURTHER_OUTPUTS };
static void list_own_outputs(const command_job *j, own_output own[OWN_OUTPUTS]) {
    const own_output all[3] = {{"summary", j->report->summary},
                               {"output", j->result_file ? j->output : NULL},
                               {"report", page_of(j)}};
    memcpy(own, all, sizeof all);
    memcpy(own + 3, j->further, sizeof j->further);
}

/* Whether no output replaces a file that a flag names to be read. False: reported. */
static bool read_files_stay(const command_job *j) {
    static const table_settings none = {.removed = NULL};
    const table_settings *tables = j->tables ? j->tables : &none;
    const char *outputs[] = {j->output,      tables->removed,    tables->clusters,   tables->edges,
                             tables->review, j->removed_records, j->report->summary, page_of(j)};
    const own_output read[] = {{"files-from", j->input.files_from},
                               {"dict", j->text ? j->text->dictionary : NULL},
                               {"stop", j->text ? j->text->stop : NULL},
                               {"weights", j->text ? j->text->weight_table : NULL}};
    for (size_t r = 0; r < sizeof read / sizeof *read; r++) {
        bool replaced = false;
        for (size_t o = 0; read[r].path && o < sizeof outputs / sizeof *outputs; o++)
            replaced |= outputs[o] && is_same_file(read[r].path, outputs[o]);
        for (size_t o = 0; read[r].path && o < FURTHER_OUTPUTS; o++)
            replaced |= j->further[o].path && is_same_file(read[r].path, j->further[o].path);
        if (!replaced) continue;
        complain("--%s %s: is also an output", read[r].flag, read[r].path);
        return false;
    }
    return true;
}

static bool is_input(const command_job *j, const char *path) {
    bool found = j->source && is_same_file(path, j->source);
    for (size_t i = 0; j->sources && i < j->sources->count; i++)
        found |= is_same_file(path, j->sources->names[i]);
    for (int i = 0; i < j->input_count; i++) found |= is_same_file(path, j->inputs[i]);
    return found;
}

/* Whether it is none of the files that the job reads or writes. False: reported. */
static bool is_other_file(const command_job *j, const own_output *own) {
    static const table_settings none = {.removed = NULL};
    const table_settings *tables = j->tables ? j->tables : &none;
    bool is_output = strcmp(own->flag, "output") == 0, is_page = own->path == page_of(j);
    const own_output files[] = {{"removed", tables->removed},
                                {"clusters", tables->clusters},
                                {"edges", tables->edges},
                                {"review", tables->review},
                                {"removed-records", j->removed_records},
                                j->further[0],
                                j->further[1],
                                j->further[2],
                                {"report", is_page ? NULL : page_of(j)}};
    char name[80] = "";
    if (is_input(j, own->path)) snprintf(name, sizeof name, "an input");
    else if (!is_output && j->output && is_same_file(own->path, j->output))
        snprintf(name, sizeof name, "the output");
    for (size_t i = 0; i < sizeof files / sizeof *files && !*name; i++)
        if (files[i].path && files[i].path != own->path && is_same_file(own->path, files[i].path))
            snprintf(name, sizeof name, "the output of --%s", files[i].flag);
    if (*name) complain("--%s %s: is also %s", own->flag, own->path, name);
    return !*name;
}

/* The kept records get the directory's name first, and would be replaced; in a state the file could
 * replace a file of the state. False: reported. */
static bool is_outside(const command_job *j, const own_output *own) {
    if (j->state && is_inside(own->path, j->state)) {
        complain("--%s %s: is inside %s, where the state is; name a file outside", own->flag,
                 own->path, j->state);
        return false;
    }
    if (!j->output || j->result_file || !is_inside(own->path, j->output)) return true;
    complain("--%s %s: is inside %s, where the kept records go; name a file outside", own->flag,
             own->path, j->output);
    return false;
}

static bool outputs_agree(const command_job *j) {
    own_output own[OWN_OUTPUTS];
    const char *summary = j->report->summary, *output = j->output;
    list_own_outputs(j, own);
    for (size_t i = 0; i < OWN_OUTPUTS; i++)
        if (own[i].path && (!is_other_file(j, &own[i]) || !is_outside(j, &own[i]) ||
                            !output_has_place(own[i].flag, own[i].path)))
            return false;
    if (summary && output && strcmp(summary, "-") == 0 && strcmp(output, "-") == 0)
        complain("--summary -: standard output has the results; name a file for one of them");
    else return true;
    return false;
}

/* The source for which flags of directories have an effect: a directory, if there is one. */
static const char *walked_source(const command_job *j) {
    for (size_t i = 0; j->sources && i < j->sources->count; i++)
        if (is_directory(j->sources->names[i])) return j->sources->names[i];
    return j->source;
}

/* Checks that need no input. */
static bool flags_agree(const command_job *j) {
    if ((j->text && !analyzer_flags_agree(j->text)) ||
        !input_flags_agree(j->call->given, &j->input, j->keep_field, walked_source(j)) ||
        !outputs_agree(j) || !read_files_stay(j))
        return false;
    if (flag_is_given(j->call->given, "report-language") && !page_of(j)) {
        complain("--report-language: without --report");
        return false;
    }
    return !j->plan || similarity_flags_agree(j->call->given, j->plan);
}

static nd_status read_files(command_job *j, nd_error *error) {
    j->files = (text_files){.dictionary = NULL};
    if (!j->text) return ND_OK;
    nd_status status = text_files_read(j->text, j->resources.memory / 2, &j->files, error);
    j->analyzer.dictionary = j->files.dictionary;
    return status;
}

/* nd_losses_fn; `context` is the job. */
static bool note_losses(void *context, const nd_losses *losses) {
    command_job *j = context;
    return loss_notes_take(&j->losses, losses) &&
           (!page_of(j) || report_data_take_losses(&j->noted, losses));
}

/* nd_example_fn */
static bool note_example(void *context, const nd_example *example) {
    command_job *j = context;
    return report_data_take_example(&j->noted, example);
}

void job_note_examples(command_job *j, nd_output_options *files) {
    files->on_losses = note_losses;
    files->on_example = page_of(j) ? note_example : NULL;
    files->context = j;
}

/* False: reported. */
static bool write_page(const command_job *j, const nd_job_summary *summary) {
    nd_error error;
    const report_source source = {.command = j->call->self->name,
                                  .words = j->call->words,
                                  .word_count = j->call->word_count,
                                  .summary = summary,
                                  .data = &j->noted,
                                  .stream = j->stream,
                                  .analyzer = &j->analyzer,
                                  .language = j->page->language};
    nd_status status = j->stream ? stream_page_write(j->page->report, &source, &error)
                                 : report_page_write(j->page->report, &source, &error);
    if (status != ND_OK) complain("--report: %s", error.message);
    return status == ND_OK;
}

static bool report(const command_job *j, const nd_job_summary *summary) {
    const command *self = j->call->self;
    if (j->report->summary)
        return summary_write(j->report->summary, summary, &j->losses, self->summary_of, self->name);
    if (!j->report->quiet)
        summary_print(stderr, summary, &j->losses, self->summary_of, j->max_compare,
                      terminal_colour(STDERR_FILENO));
    return true;
}

int job_run(command_job *j) {
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    progress bar;
    own_output own[OWN_OUTPUTS];
    const char *written[OWN_OUTPUTS];
    list_own_outputs(j, own);
    for (size_t i = 0; i < OWN_OUTPUTS; i++) written[i] = own[i].path;
    j->input.written = written;
    j->input.written_count = OWN_OUTPUTS;
    j->input.inputs = (const char *const *)j->inputs;
    j->input.input_count = (size_t)j->input_count;
    if (!flags_agree(j)) return EXIT_USAGE;
    if (j->preset && *j->preset && !j->report->quiet) fprintf(stderr, "%s\n", j->preset);
    progress_start(&bar, j->report->quiet);
    j->resources.on_progress = progress_report;
    j->resources.on_warning = progress_warning;
    j->resources.context = &bar;
    nd_status status = read_files(j, &error);
    interrupt_catch(); /* from here on files may have to be removed */
    if (status == ND_OK) status = j->run(j, &summary, &error);
    progress_end(&bar);
    if (status != ND_OK) {
        interrupt_obey();
        complain("%s", error.message);
    }
    bool done = status == ND_OK && report(j, &summary);
    if (done && page_of(j)) done = write_page(j, &summary);
    text_files_free(&j->files);
    loss_notes_free(&j->losses);
    report_data_free(&j->noted);
    return done ? EXIT_DONE : EXIT_FAILED;
}
