#include "job/job_options.h"

#include "base/argument.h"
#include "base/workers.h"
#include "job/memory_budget.h"

const char *nd_stage_name(nd_stage stage) {
    static const char *const names[ND_STAGE_COUNT] = {"read", "match", "decide", "write", "sync"};
    return (unsigned)stage < ND_STAGE_COUNT ? names[stage] : "";
}

enum { MOST_TEXT_FIELDS = 64 };

/* ---- input */

static const char *const text_fields[] = {"text"};
static const nd_input_options input_defaults = {.struct_size = sizeof input_defaults,
                                                .text_fields = text_fields,
                                                .text_field_count = 1,
                                                .id_field = "id",
                                                .max_record = UINT64_C(64) << 20};

void nd_input_options_init(nd_input_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &input_defaults, sizeof input_defaults);
}

static nd_status check_sources(const nd_input_options *o, nd_error *error) {
    if (!o->records == (o->input_count == 0 && !o->files_from))
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "a job takes its documents from inputs or from a callback: exactly one of them");
    ND_TRY(nd_need_array(o->inputs, o->input_count, "inputs", error));
    ND_TRY(nd_need_array(o->globs, o->glob_count, "globs", error));
    ND_TRY(nd_need_array(o->written, o->written_count, "written", error));
    for (size_t i = 0; i < o->glob_count; i++)
        if (!o->globs[i]) return nd_fail(error, ND_ERR_ARGUMENT, "globs[%zu] must not be NULL", i);
    for (size_t i = 0; i < o->input_count; i++)
        if (!o->inputs[i])
            return nd_fail(error, ND_ERR_ARGUMENT, "inputs[%zu] must not be NULL", i);
    return ND_OK;
}

static nd_status check_text_fields(const nd_input_options *o, nd_error *error) {
    if (o->text_field_count < 1 || o->text_field_count > MOST_TEXT_FIELDS)
        return nd_fail(error, ND_ERR_ARGUMENT, "text_field_count must be 1 to %d, not %zu",
                       MOST_TEXT_FIELDS, o->text_field_count);
    ND_TRY(nd_need(o->text_fields, "text_fields", error));
    for (size_t i = 0; i < o->text_field_count; i++)
        if (!o->text_fields[i] || !*o->text_fields[i])
            return nd_fail(error, ND_ERR_ARGUMENT, "text_fields[%zu] must not be empty", i);
    return ND_OK;
}

nd_status nd_input_options_read(const nd_input_options *given, nd_input_options *out,
                                nd_error *error) {
    ND_TRY(nd_need(given, "input", error));
    *out = input_defaults;
    ND_TRY(ND_READ_OPTIONS(given, out, "nd_input_options", error));
    ND_TRY(check_sources(out, error));
    ND_CHECK_ENUM(out->invalid, "invalid", ND_INVALID_FAIL, ND_INVALID_SKIP, error);
    ND_CHECK_ENUM(out->html, "html", ND_PAGES_AUTO, ND_PAGES_MAIN, error);
    ND_CHECK_ENUM(out->format, "format", ND_FORMAT_AUTO, ND_FORMAT_PARQUET, error);
    ND_TRY(check_text_fields(out, error));
    if (out->max_record < 1 || out->max_record > ND_MAX_RECORD_LENGTH)
        return nd_fail(error, ND_ERR_ARGUMENT, "max_record must be 1 to %u bytes, not %llu",
                       ND_MAX_RECORD_LENGTH, (unsigned long long)out->max_record);
    return ND_OK;
}

/* struct_size 0 means the size of version 0.1. */
nd_status nd_record_read(const nd_record *given, nd_record *out, nd_error *error) {
    ND_TRY(nd_need(given, "document", error));
    *out = (nd_record){0};
    if (given->struct_size == 0) *out = *given;
    else ND_TRY(ND_READ_OPTIONS(given, out, "nd_record", error));
    out->struct_size = sizeof *out;
    ND_TRY(nd_need_array(out->id, out->id_length, "id", error));
    ND_TRY(nd_need_array(out->text, out->length, "text", error));
    if (!out->id) out->id = "";
    if (!out->text) out->text = "";
    return ND_OK;
}

/* ---- resources */

static const nd_resources resource_defaults = {.struct_size = sizeof resource_defaults,
                                               .memory = UINT64_C(1) << 30};

void nd_resources_init(nd_resources *resources, size_t struct_size) {
    nd_options_init(resources, struct_size, &resource_defaults, sizeof resource_defaults);
}

nd_status nd_resources_read(const nd_resources *given, nd_resources *out, nd_error *error) {
    *out = resource_defaults;
    ND_TRY(ND_READ_OPTIONS(given, out, "nd_resources", error));
    ND_TRY(nd_memory_check(out->memory, error));
    if (out->threads > ND_MAX_WORKERS)
        return nd_fail(error, ND_ERR_ARGUMENT, "threads must be 0 (all cores) to %d, not %u",
                       ND_MAX_WORKERS, out->threads);
    return ND_OK;
}

/* ---- summary */

nd_status nd_job_summary_check(const nd_job_summary *summary, nd_error *error) {
    return nd_results_check(summary, sizeof *summary, "nd_job_summary", error);
}

void nd_job_summary_give(nd_job_summary *summary, const nd_job_summary *made) {
    nd_results_write(summary, made, sizeof *made);
}

/* ---- the analyzer of a job */

nd_status nd_reject_stem(const nd_analyzer_options *analyzer, nd_error *error) {
    if (!analyzer->stem) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "stem is for nd_fingerprints, nd_signatures, nd_idf and nd_keywords only: other "
                   "jobs compare words as they are");
}

nd_analyzer_options nd_analyzer_with_ngram(const nd_analyzer_options *analyzer, uint32_t ngram) {
    nd_analyzer_options changed = *analyzer;
    changed.ngram = ngram;
    return changed;
}
