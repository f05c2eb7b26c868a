#include "index/document_settings.h"

#include "base/status.h"
#include "text/analyzer.h"

nd_status nd_document_settings(const nd_index_options *o, nd_index_settings *out, nd_error *error) {
    nd_plan plan;
    ND_TRY(nd_plan_choose(o->threshold, o->recall, o->perms, &plan, error));
    *out = (nd_index_settings){.kind = ND_KIND_DOCUMENTS,
                               .sketch_size = o->perms,
                               .bands = plan.bands,
                               .exact = !o->sketch_only,
                               .analyzer = (uint32_t)o->analyzer,
                               .ngram = o->ngram,
                               .rows = plan.rows,
                               .seed = o->seed,
                               .threshold = o->threshold,
                               .recall = o->recall};
    return ND_OK;
}

void nd_document_settings_describe(const nd_index_settings *s, nd_index_info *out) {
    out->options = (nd_index_options){.analyzer = (nd_analyzer_kind)s->analyzer,
                                      .ngram = s->ngram,
                                      .threshold = s->threshold,
                                      .recall = s->recall,
                                      .perms = s->sketch_size,
                                      .seed = s->seed,
                                      .sketch_only = !s->exact};
    out->plan = (nd_plan){.perms = s->sketch_size,
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
    if (settings->analyzer != ND_SEGMENT) return ND_OK;
    return nd_fail(
        error, ND_ERR_ARGUMENT,
        "%s: the index of a stream with the analyzer segment, which that stream alone uses", path);
}

nd_status nd_index_check_hashes(const char *path, const nd_index_settings *s,
                                const nd_job_options *o, nd_error *error) {
    if (s->analyzer != (uint32_t)o->analyzer)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with analyzer %s, not %s", path,
                       nd_analyzer_name((nd_analyzer_kind)s->analyzer),
                       nd_analyzer_name(o->analyzer));
    if (s->seed != o->seed)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: made with seed %llu, not %llu", path,
                       (unsigned long long)s->seed, (unsigned long long)o->seed);
    return ND_OK;
}
