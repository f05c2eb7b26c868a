#include "index/document_settings.h"

#include "base/argument.h"
#include "base/options.h"
#include "text/analyzer.h"

static const nd_index_options defaults = {
    .struct_size = sizeof defaults, .threshold = 0.8, .recall = 0.999, .perms = 128};

void nd_index_options_init(nd_index_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

nd_status nd_index_options_read(const nd_index_options *given, nd_index_parts *out,
                                nd_error *error) {
    out->options = defaults;
    ND_TRY(ND_READ_OPTIONS(given, &out->options, "nd_index_options", error));
    ND_TRY(nd_analyzer_options_read(out->options.analyzer, &out->analyzer, error));
    out->options.analyzer = &out->analyzer;
    ND_CHECK_ENUM(out->options.content, "content", ND_CONTENT_SKETCHES, ND_CONTENT_HASHES, error);
    ND_CHECK_ENUM(out->options.by, "by", ND_EQUAL_BYTES, ND_EQUAL_TOKENS, error);
    return ND_OK;
}

/* Of an index that keeps hashes. Words count only if texts are identical by them. */
static nd_index_settings settings_of_hashes(const nd_index_parts *parts) {
    bool words = parts->options.by == ND_EQUAL_TOKENS;
    return (nd_index_settings){.kind = ND_KIND_DOCUMENTS,
                               .sketch_size = ND_STORED_HASH,
                               .bands = 1,
                               .identity = 1 + (uint32_t)parts->options.by,
                               .analyzer = words ? (uint32_t)parts->analyzer.kind : 0,
                               .seed = words ? parts->analyzer.seed : 0};
}

nd_status nd_document_settings(const nd_index_parts *parts, nd_index_settings *out,
                               nd_error *error) {
    const nd_index_options *o = &parts->options;
    nd_plan plan;
    if (o->content == ND_CONTENT_HASHES) {
        *out = settings_of_hashes(parts);
        return ND_OK;
    }
    ND_TRY(nd_plan_choose(o->threshold, o->recall, o->perms, &plan, error));
    *out = (nd_index_settings){.kind = ND_KIND_DOCUMENTS,
                               .sketch_size = o->perms,
                               .bands = plan.bands,
                               .exact = !o->sketch_only,
                               .analyzer = (uint32_t)parts->analyzer.kind,
                               .ngram = parts->analyzer.ngram,
                               .rows = plan.rows,
                               .seed = parts->analyzer.seed,
                               .threshold = o->threshold,
                               .recall = o->recall};
    return ND_OK;
}

static void options_of_hashes(const nd_index_settings *s, nd_index_parts *out) {
    nd_analyzer_options_init(&out->analyzer, sizeof out->analyzer);
    out->analyzer.kind = (nd_analyzer_kind)s->analyzer;
    out->analyzer.seed = s->seed;
    out->options = defaults;
    out->options.analyzer = &out->analyzer;
    out->options.content = ND_CONTENT_HASHES;
    out->options.by = (nd_equal)(s->identity - 1);
}

void nd_document_settings_to_options(const nd_index_settings *s, nd_index_parts *out) {
    if (s->identity) {
        options_of_hashes(s, out);
        return;
    }
    out->analyzer = (nd_analyzer_options){.struct_size = sizeof out->analyzer,
                                          .kind = (nd_analyzer_kind)s->analyzer,
                                          .ngram = s->ngram,
                                          .seed = s->seed};
    out->options = (nd_index_options){.struct_size = sizeof out->options,
                                      .analyzer = &out->analyzer,
                                      .threshold = s->threshold,
                                      .recall = s->recall,
                                      .perms = s->sketch_size,
                                      .sketch_only = !s->exact};
}

nd_plan nd_document_settings_plan(const nd_index_settings *s) {
    if (s->identity) return (nd_plan){0};
    return (nd_plan){.perms = s->sketch_size,
                     .bands = s->bands,
                     .rows = s->rows,
                     .threshold = s->threshold,
                     .recall = s->recall};
}

nd_status nd_index_check_documents(const char *path, const nd_index_settings *settings,
                                   nd_error *error) {
    if (settings->kind == ND_KIND_FINGERPRINTS)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: an index of fingerprints, not of documents",
                       path);
    if (settings->identity)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: it keeps the hashes of its documents alone, for neardup exact "
                       "(nd_exact)",
                       path);
    if (settings->analyzer != ND_SEGMENT) return ND_OK;
    return nd_fail(
        error, ND_ERR_ARGUMENT,
        "%s: the index of a stream with the analyzer segment, which that stream alone uses", path);
}

nd_status nd_index_check_hashes(const char *path, const nd_index_settings *s,
                                const nd_analyzer_options *o, nd_error *error) {
    if (s->analyzer != (uint32_t)o->kind)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with analyzer %s, not %s", path,
                       nd_analyzer_name((nd_analyzer_kind)s->analyzer), nd_analyzer_name(o->kind));
    if (s->seed != o->seed)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with seed %llu, not %llu", path,
                       (unsigned long long)s->seed, (unsigned long long)o->seed);
    return ND_OK;
}
