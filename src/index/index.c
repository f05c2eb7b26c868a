#include "index/index.h"

#include "base/argument.h"
#include "base/options.h"
#include "base/floats.h"
#include "base/printable.h"
#include "index/index_searcher.h"
#include "job/job_options.h"
#include "store/store_check.h"
#include "store/store_create.h"
#include "text/analyzer.h"

/* ---- creating and opening */

nd_status nd_index_make(const char *path, const nd_index_parts *parts,
                        const nd_allocator *allocator, nd_error *error) {
    nd_index_settings settings;
    ND_TRY(nd_document_settings(parts, &settings, error));
    return nd_store_create(path, &settings, NULL, NULL, allocator, error);
}

/* Reads the options of an index. Rejects analyzers with tokens that depend on more than the version
 * of this library: on a dictionary, on ICU, or on a stemmer. */
static nd_status read_options(const nd_index_options *options, nd_index_parts *parts,
                              nd_error *error) {
    ND_TRY(nd_index_options_read(options, parts, error));
    if (parts->analyzer.stem || parts->analyzer.dictionary)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "an index compares words as they are: its analyzer has neither a stem nor a "
                       "dictionary");
    return nd_analyzer_options_check_stored(&parts->analyzer, error);
}

nd_status nd_index_create(const char *path, const nd_index_options *options, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_index_parts parts;
    ND_TRY(nd_need_path(path, error));
    ND_TRY(read_options(options, &parts, error));
    return nd_index_make(path, &parts, NULL, error);
}

nd_status nd_index_open(const char *path, nd_index_mode mode, const nd_allocator *allocator,
                        nd_index **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_allocator a = nd_allocator_or_default(allocator);
    ND_TRY(nd_need_path(path, error));
    ND_CHECK_ENUM(mode, "mode", ND_INDEX_READ, ND_INDEX_WRITE, error);
    ND_TRY(nd_need(out, "out", error));
    nd_index *x = nd_allocate_zero(&a, 1, sizeof *x);
    if (!x) return nd_fail_memory(error, sizeof *x, "an index");
    nd_status status = nd_index_store_open(path, ND_KIND_DOCUMENTS, mode, &a, &x->shared, error);
    if (status == ND_OK) {
        nd_document_settings_to_options(&x->shared.settings, &x->parts);
        *out = x;
    } else nd_release(&a, x);
    return status;
}

nd_status nd_index_create_in_memory(const nd_index_options *options, const nd_allocator *allocator,
                                    nd_index **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_allocator a = nd_allocator_or_default(allocator);
    nd_index_parts parts;
    nd_index_settings settings;
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(read_options(options, &parts, error));
    ND_TRY(nd_document_settings(&parts, &settings, error));
    nd_index *x = nd_allocate_zero(&a, 1, sizeof *x);
    if (!x) return nd_fail_memory(error, sizeof *x, "an index");
    nd_status status = nd_index_store_open_in_memory(&settings, &a, &x->shared, error);
    if (status == ND_OK) {
        nd_document_settings_to_options(&x->shared.settings, &x->parts);
        *out = x;
    } else nd_release(&a, x);
    return status;
}

void nd_index_close(nd_index *x) {
    ND_DEFAULT_FLOATS;
    if (!x) return;
    nd_allocator a = x->shared.allocator;
    nd_index_store_close(&x->shared);
    nd_release(&a, x);
}

nd_status nd_index_refresh(nd_index *x, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    return nd_index_store_refresh(&x->shared, error);
}

void nd_index_set_sync(nd_index *x, nd_sync sync) { nd_index_store_set_sync(&x->shared, sync); }

nd_status nd_index_describe(nd_index *x, nd_index_info *out, nd_error *error) {
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_results_check(out, sizeof *out, "nd_index_info", error));
    nd_store_counts counts = nd_store_count_all(nd_index_store_begin_read(&x->shared));
    nd_index_store_end_read(&x->shared);
    const nd_index_info made = {.options = &x->parts.options,
                                .plan = nd_document_settings_plan(&x->shared.settings),
                                .documents = counts.documents,
                                .removed = counts.removed,
                                .segments = counts.segments,
                                .log_documents = counts.log_documents,
                                .generation = counts.generation,
                                .bytes = counts.bytes,
                                .format = nd_settings_format(&x->shared.settings)};
    nd_results_write(out, &made, sizeof made);
    return ND_OK;
}

/* ---- searching */

nd_status nd_index_make_searcher(nd_index *x, nd_index_searcher **out, nd_error *error) {
    return nd_index_searcher_make(&x->shared, ND_MAX_COMPARE, &x->shared.allocator, out, error);
}

nd_status nd_index_searcher_create(nd_index *x, nd_index_searcher **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_index_check_documents(x->shared.path, &x->shared.settings, error));
    return nd_index_searcher_make_for_texts(&x->shared, ND_MAX_COMPARE, NULL, &x->shared.allocator,
                                            out, error);
}

/* ---- changing */

/* A document that is added. After find_evidence it also has the decision. */
typedef struct addition {
    nd_index_searcher *searcher;
    nd_sketched_document document; /* with its id */
    bool replace;
    uint32_t replaced; /* number of the document with the same id; UINT32_MAX: none */
    bool fresh;        /* no other document is its duplicate */
} addition;

/* The id is not looked up: there is no other document with it, or a->replaced has it. */
static nd_status find_evidence(nd_index_store *x, addition *a, nd_error *error) {
    ND_TRY(nd_document_search_look_up(a->searcher->search, x->store, &a->document, 1, error));
    ND_TRY(nd_document_search_find(a->searcher->search, x->store, 0, ND_SEARCH_FIRST, a->replaced,
                                   error));
    a->fresh = nd_document_search_result(a->searcher->search)->count == 0;
    return ND_OK;
}

/* Decides, and packs the set of a document that will be kept. */
static nd_status decide(nd_index_store *x, addition *a, nd_error *error) {
    const nd_stored_document *d = &a->document.stored;
    ND_TRY(nd_store_find_id(x->store, d->id, d->id_length, &a->replaced, error));
    if (a->replaced != UINT32_MAX && !a->replace)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: it has a document with the id \"%.*s\" already",
                       x->path, nd_shown_length(d->id, d->id_length, ND_SHOWN_ID), d->id);
    ND_TRY(find_evidence(x, a, error));
    return a->fresh ? nd_document_sketcher_pack(a->searcher->sketcher, &a->document, error) : ND_OK;
}

/* Puts the new document, if it is fresh, in the place of the replaced one, if any. REQUIRES:
 * nd_index_store_begin_edit. */
static nd_status apply(nd_store *store, const addition *a, nd_error *error) {
    if (!a->fresh) return nd_store_remove(store, a->replaced, error);
    return a->replaced == UINT32_MAX
               ? nd_store_add(store, &a->document.stored, error)
               : nd_store_replace(store, a->replaced, &a->document.stored, error);
}

static nd_status add(nd_index_store *x, addition *a, nd_error *error) {
    a->replaced = UINT32_MAX;
    ND_TRY(nd_index_store_begin_change(x, error));
    nd_status status = decide(x, a, error);
    bool changes = a->fresh || a->replaced != UINT32_MAX;
    if (status == ND_OK && changes) {
        nd_store *store = nd_index_store_begin_edit(x);
        status = apply(store, a, error);
        nd_index_store_end_edit(x);
    }
    if (status == ND_OK && changes) return nd_index_store_commit_change(x, error);
    nd_index_store_end_change(x);
    return status;
}

static const nd_match *evidence_of(const addition *a) {
    return a->fresh ? NULL : nd_document_search_result(a->searcher->search)->matches;
}

static nd_status add_text(nd_index *index, nd_index_searcher *searcher, const nd_record *given,
                          addition *a, nd_error *error) {
    nd_record document;
    ND_TRY(nd_need(index, "index", error));
    ND_TRY(nd_need(searcher, "searcher", error));
    ND_TRY(nd_record_read(given, &document, error));
    if (searcher->index != &index->shared)
        return nd_fail(error, ND_ERR_ARGUMENT, "the searcher is of another index");
    a->searcher = searcher;
    ND_TRY(nd_document_sketcher_sketch(searcher->sketcher, document.text, document.length,
                                       &a->document, error));
    a->document.stored.id = document.id;
    a->document.stored.id_length = document.id_length;
    return add(&index->shared, a, error);
}

nd_status nd_index_add(nd_index *index, nd_index_searcher *searcher, const nd_record *document,
                       bool *added, const nd_match **evidence, nd_error *error) {
    ND_DEFAULT_FLOATS;
    addition a = {0};
    ND_TRY(nd_need(added, "added", error));
    ND_TRY(add_text(index, searcher, document, &a, error));
    *added = a.fresh;
    if (evidence) *evidence = evidence_of(&a);
    return ND_OK;
}

nd_status nd_index_replace(nd_index *index, nd_index_searcher *searcher, const nd_record *document,
                           bool *added, const nd_match **evidence, nd_error *error) {
    ND_DEFAULT_FLOATS;
    addition a = {.replace = true};
    ND_TRY(nd_need(added, "added", error));
    ND_TRY(add_text(index, searcher, document, &a, error));
    *added = a.fresh;
    if (evidence) *evidence = evidence_of(&a);
    return ND_OK;
}

nd_status nd_index_add_document(nd_index *index, nd_index_searcher *searcher,
                                const nd_stored_document *document, bool *added,
                                const nd_match **evidence, nd_error *error) {
    nd_index_store *x = &index->shared;
    addition a = {.searcher = searcher, .document = {.stored = *document}, .replaced = UINT32_MAX};
    ND_TRY(nd_index_store_begin_change(x, error));
    nd_status status = find_evidence(x, &a, error);
    if (status == ND_OK && a.fresh) {
        status = nd_store_add(nd_index_store_begin_edit(x), document, error);
        nd_index_store_end_edit(x);
    }
    nd_index_store_end_change(x);
    ND_TRY(status);
    *added = a.fresh;
    *evidence = evidence_of(&a);
    return ND_OK;
}

nd_status nd_index_seal_added(nd_index *index, nd_error *error) {
    return nd_index_store_seal_ended(&index->shared, error);
}

nd_status nd_index_remove(nd_index *x, const char *id, size_t id_length, bool *found,
                          nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need_array(id, id_length, "id", error));
    ND_TRY(nd_need(found, "found", error));
    return nd_index_store_remove_id(&x->shared, id, id_length, found, error);
}

nd_status nd_index_sync(nd_index *x, nd_error *error) {
    ND_TRY(nd_need(x, "index", error));
    return nd_index_store_sync(&x->shared, error);
}

nd_status nd_index_compact(nd_index *x, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    return nd_index_store_compact_all(&x->shared, error);
}

nd_status nd_index_check(nd_index *x, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    nd_status status = nd_store_check(nd_index_store_begin_read(&x->shared), error);
    nd_index_store_end_read(&x->shared);
    return status;
}
