#include "dedup/dedup_outputs.h"

#include "base/machine.h"
#include "dedup/kept_parquet.h"
#include "dedup/output_format.h"
#include "dedup/row_objects.h"
#include "dedup/shard_names.h"
#include "io/file.h"
#include "io/publication.h"

#include <string.h>
#include <sys/stat.h>

/* ---- forms of records */

/* The format of the inputs; ND_FORMAT_AUTO: unknown, or records of a callback. */
static nd_input_format input_format(const nd_corpus *corpus) {
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
        const nd_source *source = nd_corpus_source(corpus, s);
        if (source->kind == ND_SOURCE_TREE) return ND_FORMAT_TEXT;
        if (source->format != ND_FORMAT_AUTO) return source->format;
    }
    return ND_FORMAT_AUTO;
}

/* Whether a name is of a directory of files. */
static bool is_directory(const char *name) {
    struct stat s;
    size_t length = strlen(name);
    return (length > 0 && name[length - 1] == '/') ||
           (strcmp(name, "-") != 0 && stat(name, &s) == 0 && S_ISDIR(s.st_mode));
}

nd_status nd_dedup_outputs_form(const nd_output_options *o, const char *name,
                                const nd_corpus *corpus, nd_record_form *out, nd_error *error) {
    const nd_output_name named = {name, is_directory(name)};
    bool is_callback = nd_corpus_source(corpus, 0)->kind == ND_SOURCE_CALLBACK;
    *out = (nd_record_form){.from = input_format(corpus), .marked = o->mark && name == o->kept};
    ND_TRY(nd_output_format_choose(&named, o->format, out->from, &out->to, error));
    if (out->marked && !nd_output_format_has_marks(out->to))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: %s has no place for marks: --output-format (format) json-lines has",
                       nd_output_title(name), nd_output_format_title(out->to));
    bool rows = out->from == ND_FORMAT_CSV || out->from == ND_FORMAT_TSV;
    if (rows && out->to == ND_FORMAT_JSON_LINES && nd_corpus_converts(corpus))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: rows that are not in UTF-8 are not made JSON Lines; iconv converts a "
                       "file to UTF-8",
                       nd_output_title(name));
    if (!is_callback) return ND_OK;
    out->to = ND_FORMAT_AUTO;
    return o->format != ND_FORMAT_AUTO || out->marked
               ? nd_fail(error, ND_ERR_ARGUMENT,
                         "records of a callback have no format: they are written as they are")
               : ND_OK;
}

/* ---- opening */

#define POSITIONS(other) "source\tline\t" other "_source\t" other "_line"
#define ORIGINS "\turi\tdate\tkept_uri\tkept_date"
#define PAIR_POSITIONS "source_a\tline_a\tsource_b\tline_b\n"

static nd_status open_removed(const nd_run *run, const char *path, const nd_dedup_plan *plan,
                              nd_dedup_outputs *out, nd_error *error) {
    static const char *const removed[] = {
        [ND_BY_JACCARD] = "id\tkept\tjaccard\tintersection\tunion\t" POSITIONS("kept"),
        [ND_BY_CONTAINMENT] = "id\tkept\tcontainment\tintersection\tunion\t" POSITIONS("kept"),
        [ND_BY_COSINE] = "id\tkept\tcosine\t" POSITIONS("kept"),
        [ND_BY_DISTANCE] = "id\tkept\tdistance\t" POSITIONS("kept")};
    const nd_allocator *a = &run->allocator;
    char *header = nd_string_join(a, removed[plan->measure], out->origins ? ORIGINS : "", "\n");
    if (!header) return nd_fail_memory(error, sizeof ORIGINS, "a table");
    nd_status status = nd_table_open(&out->removed, path, header, run->progress, a, error);
    nd_release(a, header);
    return status;
}

static nd_status open_tables(const nd_run *run, const nd_output_options *o,
                             const nd_dedup_plan *plan, nd_dedup_outputs *out, nd_error *error) {
    static const char *const edges[] = {
        [ND_BY_JACCARD] = "id_a\tid_b\tjaccard\t" PAIR_POSITIONS,
        [ND_BY_CONTAINMENT] = "id_a\tid_b\tcontainment\t" PAIR_POSITIONS,
        [ND_BY_COSINE] = "id_a\tid_b\tcosine\t" PAIR_POSITIONS,
        [ND_BY_DISTANCE] = "id_a\tid_b\tdistance\t" PAIR_POSITIONS};
    static const char *const review[] = {
        [ND_BY_JACCARD] = "id_a\tid_b\tjaccard\tverdict\tpairs\t" PAIR_POSITIONS,
        [ND_BY_CONTAINMENT] = "id_a\tid_b\tcontainment\tverdict\tpairs\t" PAIR_POSITIONS,
        [ND_BY_COSINE] = "id_a\tid_b\tcosine\tverdict\tpairs\t" PAIR_POSITIONS,
        [ND_BY_DISTANCE] = "id_a\tid_b\tdistance\tverdict\tpairs\t" PAIR_POSITIONS};
    const nd_allocator *a = &run->allocator;
    if (plan->goal == ND_GOAL_DEDUP) {
        ND_TRY(open_removed(run, o->removed, plan, out, error));
        ND_TRY(nd_table_open(&out->clusters, o->clusters,
                             "id\tcluster\tkept\t" POSITIONS("cluster") "\n", run->progress, a,
                             error));
        ND_TRY(
            nd_table_open(&out->review, o->review, review[plan->measure], run->progress, a, error));
    }
    return nd_table_open(&out->edges, o->edges, edges[plan->measure], run->progress, a, error);
}

static nd_status check_name(const char *name, nd_error *error) {
    return nd_path_inside(name)
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT,
                         "%s: its name leads out of the directory of the kept files", name);
}

/* Whether a file in the new directory would be in the way of the directory of a label. */
static bool blocks_label(const char *file, const nd_source *labelled) {
    const char *name = nd_path_inside(file), *label = nd_path_inside(labelled->label);
    size_t length = labelled->label_length - (size_t)(label - labelled->label), size = strlen(name);
    return size <= length && memcmp(name, label, size) == 0 &&
           (size == length || label[size] == '/');
}

/* Checks that none of the files in a list is in the way of a directory. */
static nd_status check_labels(const nd_corpus *corpus, const nd_source *list, nd_error *error) {
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
        const nd_source *source = nd_corpus_source(corpus, s);
        for (size_t i = 0; source->label_length > 0 && i < list->file_count; i++)
            if (blocks_label(list->files[i], source))
                return nd_fail(error, ND_ERR_ARGUMENT,
                               "%s and %s: a file and a directory would have one name in the "
                               "output directory",
                               list->files[i], source->name);
    }
    return ND_OK;
}

/* Texts are copied to the paths of their ids in the new directory. */
static nd_status check_names(nd_corpus *corpus, nd_error *error) {
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
        const nd_source *source = nd_corpus_source(corpus, s);
        if (source->kind == ND_SOURCE_RECORDS)
            return nd_fail(error, ND_ERR_ARGUMENT, "%s cannot be copied to a directory",
                           nd_source_title(source));
        if (source->label) ND_TRY(check_name(source->label, error));
        for (size_t i = 0; i < source->file_count; i++) ND_TRY(check_name(source->files[i], error));
    }
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++)
        ND_TRY(check_labels(corpus, nd_corpus_source(corpus, s), error));
    return ND_OK;
}

/* Texts are copied as files to a directory, or listed. */
static nd_status open_texts(const nd_run *run, const nd_output_options *o, nd_corpus *corpus,
                            nd_dedup_outputs *out, nd_error *error) {
    out->has_texts = true;
    if (o->shard_size > 0)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: texts are copied as files, which have no shard size: only JSON Lines, "
                       "with --output-format (format) json-lines, have one",
                       nd_output_title(o->kept));
    if (strcmp(o->kept, "-") == 0)
        return nd_output_file_open(o->kept, run->progress, &run->allocator, &out->records, error);
    ND_TRY(check_names(corpus, error));
    return nd_output_tree_open(o->kept, &run->allocator, &out->tree, error);
}

/* Checks, before anything is read, that rows of Parquet can be written to the target. */
static nd_status check_rows(nd_corpus *corpus, const nd_record_form *form,
                            const nd_record_target *target, nd_error *error) {
    if (form->to == ND_FORMAT_PARQUET) return nd_kept_parquet_check(corpus, target, error);
    return nd_record_form_has_rows(form) ? nd_row_objects_check(corpus, error) : ND_OK;
}

/* Opens the file or the directory that records are written to one by one, or rows. */
static nd_status open_records(const nd_run *run, const nd_output_options *o,
                              const nd_record_form *form, nd_corpus *corpus, nd_dedup_outputs *out,
                              nd_error *error) {
    bool has_shards = is_directory(o->kept) && o->shard_size == 0;
    if (has_shards && nd_record_form_has_texts(form))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: texts become one file of JSON Lines, or files of a --shard-size "
                       "(shard_size)",
                       o->kept);
    if (is_directory(o->kept)) {
        const nd_shard_names names = nd_shard_names_of(corpus, o->format);
        if (has_shards) ND_TRY(nd_shard_names_check(&names, &run->allocator, error));
        return nd_output_tree_open(o->kept, &run->allocator, &out->tree, error);
    }
    if (o->shard_size > 0)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: --shard-size (shard_size) makes several files: name a directory, with "
                       "a slash at the end",
                       nd_output_title(o->kept));
    return nd_output_file_open(o->kept, run->progress, &run->allocator, &out->records, error);
}

static nd_status open_kept(const nd_run *run, const nd_output_options *o, nd_corpus *corpus,
                           nd_dedup_outputs *out, nd_error *error) {
    nd_record_form form;
    ND_TRY(nd_dedup_outputs_form(o, o->kept, corpus, &form, error));
    bool listed = form.to == ND_FORMAT_TEXT && strcmp(o->kept, "-") == 0;
    if (o->null_paths && !listed)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "--null (null_paths): no paths are listed: those of kept texts are, on "
                       "standard output");
    if (form.to == ND_FORMAT_TEXT) return open_texts(run, o, corpus, out, error);
    if (form.to == ND_FORMAT_PARQUET && o->shard_size > 0)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "%s: files of Parquet have no shard size (--shard-size, shard_size): without "
            "it, a directory gets one for each file of the input",
            nd_output_title(o->kept));
    ND_TRY(open_records(run, o, &form, corpus, out, error));
    const nd_record_target target = {.file = out->records, .tree = out->tree, .asked = o->format};
    return check_rows(corpus, &form, &target, error);
}

static nd_status open_removed_records(const nd_run *run, const nd_output_options *o,
                                      nd_corpus *corpus, nd_dedup_outputs *out, nd_error *error) {
    nd_record_form form;
    ND_TRY(nd_dedup_outputs_form(o, o->removed_records, corpus, &form, error));
    if (form.to == ND_FORMAT_TEXT)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: removed texts are written only as JSON Lines: a name that ends in "
                       ".jsonl, or --output-format (format) json-lines",
                       o->removed_records);
    ND_TRY(nd_output_file_open(o->removed_records, run->progress, &run->allocator,
                               &out->removed_records, error));
    const nd_record_target target = {.file = out->removed_records};
    return check_rows(corpus, &form, &target, error);
}

static nd_status open_all(const nd_run *run, const nd_output_options *o, const nd_dedup_plan *plan,
                          nd_corpus *corpus, nd_dedup_outputs *out, nd_error *error) {
    ND_TRY(open_tables(run, o, plan, out, error));
    if (plan->goal != ND_GOAL_DEDUP) return ND_OK;
    if (o->removed_records) ND_TRY(open_removed_records(run, o, corpus, out, error));
    if (o->kept) return open_kept(run, o, corpus, out, error);
    const char *idle = o->mark             ? "mark (mark)"
                       : o->shard_size > 0 ? "shard-size (shard_size)"
                       : o->null_paths     ? "null (null_paths)"
                                           : NULL;
    return idle ? nd_fail(error, ND_ERR_ARGUMENT, "--%s: without an output of the kept records",
                          idle)
                : ND_OK;
}

enum { FILES = 6 };

/* The kept records get their name last. So if they have it, all other outputs have theirs. */
static nd_publication publication_of(const nd_dedup_outputs *o, nd_output_file *files[FILES]) {
    files[0] = o->removed.file;
    files[1] = o->clusters.file;
    files[2] = o->edges.file;
    files[3] = o->review.file;
    files[4] = o->removed_records;
    files[5] = o->records;
    return (nd_publication){files, FILES, o->tree};
}

/* The directory of the kept records and the other outputs need different names. */
static nd_status check_tree(const nd_dedup_outputs *outputs, const char *name,
                            nd_output_file *const files[FILES], nd_error *error) {
    if (!outputs->tree) return ND_OK;
    const nd_output_target *tree = nd_output_tree_target(outputs->tree);
    for (size_t i = 0; i < FILES; i++)
        if (files[i] && nd_output_targets_collide(tree, nd_output_file_target(files[i])))
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s and %s: one is a directory and one a file of the same name", name,
                           nd_output_file_title(files[i]));
    return ND_OK;
}

nd_status nd_dedup_outputs_open(const nd_run *run, const nd_output_options *options,
                                const nd_dedup_plan *plan, nd_corpus *corpus, nd_dedup_outputs *out,
                                nd_error *error) {
    nd_output_file *files[FILES];
    *out = (nd_dedup_outputs){.origins = nd_corpus_source(corpus, 0)->format == ND_FORMAT_WARC};
    ND_TRY(open_all(run, options, plan, corpus, out, error));
    publication_of(out, files);
    ND_TRY(check_tree(out, options->kept, files, error));
    return nd_run_check_outputs(corpus, files, FILES, error);
}

/* ---- publishing */

nd_status nd_dedup_outputs_publish(nd_dedup_outputs *outputs, const nd_run *run,
                                   const nd_dedup_plan *plan, nd_job_summary *summary,
                                   nd_error *error) {
    nd_output_file *files[FILES];
    const nd_publication all = publication_of(outputs, files);
    for (size_t i = 0; i < FILES; i++)
        if (files[i]) ND_TRY(nd_output_file_finish(files[i], error));
    const nd_output_file *main_output = plan->goal == ND_GOAL_PAIRS ? outputs->edges.file
                                                                    : outputs->records;
    if (main_output) summary->output_bytes = nd_output_file_size(main_output);
    double began = nd_seconds();
    ND_TRY(nd_progress_report(run->progress, ND_STAGE_SYNC, 0, 0, error));
    ND_TRY(nd_publish(&all, error));
    summary->seconds[ND_STAGE_SYNC] = nd_seconds() - began;
    return ND_OK;
}

void nd_dedup_outputs_accept(nd_dedup_outputs *outputs) {
    nd_output_file *files[FILES];
    const nd_publication all = publication_of(outputs, files);
    nd_publication_accept(&all);
}

void nd_dedup_outputs_free(nd_dedup_outputs *outputs) {
    nd_output_file_free(outputs->records);
    nd_output_file_free(outputs->removed_records);
    nd_output_tree_free(outputs->tree);
    nd_table_free(&outputs->removed);
    nd_table_free(&outputs->clusters);
    nd_table_free(&outputs->edges);
    nd_table_free(&outputs->review);
}
