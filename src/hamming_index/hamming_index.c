/* The calls on an index of fingerprints, except search, and adding many fingerprints at once. */
#include "hamming_index/hamming_index.h"

#include "base/argument.h"
#include "base/floats.h"
#include "base/options.h"
#include "base/printable.h"
#include "hamming/hamming_planner.h"
#include "store/store_check.h"
#include "store/store_create.h"

/* ---- creating and opening */

static const nd_hamming_options defaults = {.struct_size = sizeof defaults, .bits = 64, .k = 3};

void nd_hamming_options_init(nd_hamming_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

nd_status nd_hamming_settings(const nd_hamming_options *options, nd_index_settings *out,
                              nd_error *error) {
    nd_hamming_options o = defaults;
    ND_TRY(ND_READ_OPTIONS(options, &o, "nd_hamming_options", error));
    ND_TRY(nd_hamming_check_width(o.bits, o.k, error));
    *out = (nd_index_settings){.kind = ND_KIND_FINGERPRINTS,
                               .sketch_size = o.bits / 8,
                               .numbered = o.numbered,
                               .bits = o.bits,
                               .k = o.k,
                               .memory = o.memory};
    return ND_OK;
}

static nd_hamming_options options_of(const nd_index_settings *s) {
    return (nd_hamming_options){.struct_size = sizeof(nd_hamming_options),
                                .bits = s->bits,
                                .k = s->k,
                                .memory = s->memory,
                                .numbered = s->numbered != 0};
}

nd_status nd_hamming_create(const char *path, const nd_hamming_options *options, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_index_settings settings;
    ND_TRY(nd_need_path(path, error));
    ND_TRY(nd_hamming_settings(options, &settings, error));
    return nd_store_create(path, &settings, NULL, NULL, NULL, error);
}

nd_status nd_hamming_open(const char *path, nd_index_mode mode, const nd_allocator *allocator,
                          nd_hamming_index **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_allocator a = nd_allocator_or_default(allocator);
    ND_TRY(nd_need_path(path, error));
    ND_CHECK_ENUM(mode, "mode", ND_INDEX_READ, ND_INDEX_WRITE, error);
    ND_TRY(nd_need(out, "out", error));
    nd_hamming_index *x = nd_allocate_zero(&a, 1, sizeof *x);
    if (!x) return nd_fail_memory(error, sizeof *x, "an index");
    nd_status status = nd_index_store_open(path, ND_KIND_FINGERPRINTS, mode, &a, &x->shared, error);
    if (status == ND_OK) {
        x->options = options_of(&x->shared.settings);
        *out = x;
    } else nd_release(&a, x);
    return status;
}

nd_status nd_hamming_create_in_memory(const nd_hamming_options *options,
                                      const nd_allocator *allocator, nd_hamming_index **out,
                                      nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_allocator a = nd_allocator_or_default(allocator);
    nd_index_settings settings;
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_hamming_settings(options, &settings, error));
    nd_hamming_index *x = nd_allocate_zero(&a, 1, sizeof *x);
    if (!x) return nd_fail_memory(error, sizeof *x, "an index");
    nd_status status = nd_index_store_open_in_memory(&settings, &a, &x->shared, error);
    if (status == ND_OK) {
        x->options = options_of(&x->shared.settings);
        *out = x;
    } else nd_release(&a, x);
    return status;
}

void nd_hamming_close(nd_hamming_index *x) {
    ND_DEFAULT_FLOATS;
    if (!x) return;
    nd_allocator a = x->shared.allocator;
    nd_index_store_close(&x->shared);
    nd_release(&a, x);
}

nd_status nd_hamming_refresh(nd_hamming_index *x, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    return nd_index_store_refresh(&x->shared, error);
}

/* ---- describing */

static void describe_tables(const nd_store *store, nd_hamming_info *out) {
    uint32_t begin, most = 0;
    for (size_t i = 0; i < nd_store_segment_count(store); i++) {
        const nd_segment *segment = nd_store_segment(store, i, &begin);
        out->table_bytes += nd_hamming_table_bytes(&segment->hamming);
        out->posting_bytes += nd_document_lists_bytes(&segment->hamming.lists);
        if (segment->documents <= most) continue;
        most = segment->documents;
        nd_hamming_design_name(&segment->hamming.design, out->design, sizeof out->design);
    }
}

nd_status nd_hamming_describe(nd_hamming_index *x, nd_hamming_info *out, nd_error *error) {
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_results_check(out, sizeof *out, "nd_hamming_info", error));
    nd_hamming_info made = {.options = &x->options,
                            .format = nd_settings_format(&x->shared.settings)};
    const nd_store *store = nd_index_store_begin_read(&x->shared);
    nd_store_counts counts = nd_store_count_all(store);
    describe_tables(store, &made);
    nd_index_store_end_read(&x->shared);
    made.fingerprints = counts.documents;
    made.removed = counts.removed;
    made.segments = counts.segments;
    made.log_fingerprints = counts.log_documents;
    made.generation = counts.generation;
    made.bytes = counts.bytes;
    nd_results_write(out, &made, sizeof made);
    return ND_OK;
}

/* ---- checks */

nd_status nd_hamming_check_fits(const nd_hamming_index *x, nd_fingerprint fingerprint,
                                nd_error *error) {
    if (nd_fingerprint_fits(fingerprint, x->shared.settings.bits)) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "%s: its fingerprints have %u bits, this one has more",
                   x->shared.path, x->shared.settings.bits);
}

static const nd_hamming_search_options search_defaults = {
    .struct_size = sizeof search_defaults, .k = 3, .limit = 1};

void nd_hamming_search_options_init(nd_hamming_search_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &search_defaults, sizeof search_defaults);
}

nd_status nd_hamming_search_options_read(const nd_hamming_index *x,
                                         const nd_hamming_search_options *given,
                                         nd_hamming_search_options *o, nd_error *error) {
    *o = search_defaults;
    ND_TRY(ND_READ_OPTIONS(given, o, "nd_hamming_search_options", error));
    ND_CHECK_ENUM(o->kind, "kind", ND_HAMMING_ALL, ND_HAMMING_COUNT, error);
    uint32_t most = x->shared.settings.bits / 4;
    if (o->k > most)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: k must be 0 to %u for its %u bits, not %u",
                       x->shared.path, most, x->shared.settings.bits, o->k);
    if (o->limit == 0 && (o->kind == ND_HAMMING_ANY || o->kind == ND_HAMMING_NEAREST))
        return nd_fail(error, ND_ERR_ARGUMENT, "limit must be at least 1");
    return ND_OK;
}

nd_status nd_hamming_check_replaces(const nd_hamming_index *x, nd_error *error) {
    if (!x->shared.settings.numbered) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s: its ids are numbers that ascend, so that none of them is replaced",
                   x->shared.path);
}

/* ---- ids */

nd_status nd_hamming_fail_id(const char *path, const char *id, size_t length, nd_error *error) {
    return nd_fail(error, ND_ERR_ARGUMENT, "%s: it has a fingerprint with the id \"%.*s\" already",
                   path, nd_shown_length(id, length, ND_SHOWN_ID), id);
}

nd_status nd_hamming_next_number(const nd_store *store, uint32_t *number, nd_error *error) {
    nd_id_digits digits;
    nd_stored_document last;
    uint32_t numbers = nd_store_document_count(store);
    *number = 0;
    if (numbers == 0) return ND_OK;
    ND_TRY(nd_store_id(store, numbers - 1, &digits, &last, error));
    if (!nd_id_to_number(last.id, last.id_length, number))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: an id is no number", nd_store_directory(store));
    ++*number;
    return ND_OK;
}

nd_status nd_hamming_assign_id(const char *path, const nd_index_settings *settings, const char *id,
                               size_t length, uint32_t *next, uint32_t *number, nd_error *error) {
    *number = *next;
    if (!settings->numbered && id) return ND_OK;
    if (!settings->numbered)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: a fingerprint needs an id, since the ids of this index are no numbers",
                       path);
    if (id && !nd_id_to_number(id, length, number))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: its ids are numbers below %u, and \"%.*s\" is none", path, UINT32_MAX,
                       nd_shown_length(id, length, ND_SHOWN_ID), id);
    if (*next == UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: its ids are numbers below %u, and the highest is taken", path,
                       UINT32_MAX);
    if (*number < *next)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: its ids ascend, and %u does not come after %u",
                       path, *number, *next - 1);
    *next = *number + 1;
    return ND_OK;
}

/* ---- adding */

static nd_status find_replaced(const nd_hamming_index *x, const char *id, size_t length,
                               bool replace, uint32_t *replaced, nd_error *error) {
    *replaced = UINT32_MAX;
    if (x->shared.settings.numbered) return ND_OK;
    ND_TRY(nd_store_find_id(x->shared.store, id, length, replaced, error));
    return *replaced == UINT32_MAX || replace
               ? ND_OK
               : nd_hamming_fail_id(x->shared.path, id, length, error);
}

static nd_status add(nd_hamming_index *x, nd_stored_document *document, bool replace,
                     nd_error *error) {
    nd_id_digits digits;
    uint32_t next = 0, number, replaced;
    if (x->shared.settings.numbered) ND_TRY(nd_hamming_next_number(x->shared.store, &next, error));
    ND_TRY(nd_hamming_assign_id(x->shared.path, &x->shared.settings, document->id,
                                document->id_length, &next, &number, error));
    if (x->shared.settings.numbered)
        document->id = digits.bytes, document->id_length = nd_id_of_number(number, &digits);
    ND_TRY(find_replaced(x, document->id, document->id_length, replace, &replaced, error));
    nd_index_store_begin_edit(&x->shared);
    nd_status status = replaced == UINT32_MAX
                           ? nd_store_add(x->shared.store, document, error)
                           : nd_store_replace(x->shared.store, replaced, document, error);
    nd_index_store_end_edit(&x->shared);
    return status;
}

typedef enum adding { ADD, REPLACE } adding;

static nd_status add_one(nd_hamming_index *x, const char *id, size_t id_length,
                         nd_fingerprint fingerprint, adding how, nd_error *error) {
    unsigned char bytes[16];
    nd_stored_document document = {.id = id, .id_length = id_length, .sketch = bytes};
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_hamming_check_fits(x, fingerprint, error));
    nd_store_le64(bytes, fingerprint.low);
    nd_store_le64(bytes + 8, fingerprint.high);
    ND_TRY(nd_index_store_begin_change(&x->shared, error));
    nd_status status = add(x, &document, how == REPLACE, error);
    if (status == ND_OK) return nd_index_store_commit_change(&x->shared, error);
    nd_index_store_end_change(&x->shared);
    return status;
}

nd_status nd_hamming_add(nd_hamming_index *x, const char *id, size_t id_length,
                         nd_fingerprint fingerprint, nd_error *error) {
    ND_DEFAULT_FLOATS;
    return add_one(x, id, id_length, fingerprint, ADD, error);
}

nd_status nd_hamming_replace(nd_hamming_index *x, const char *id, size_t id_length,
                             nd_fingerprint fingerprint, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_hamming_check_replaces(x, error));
    return add_one(x, id, id_length, fingerprint, REPLACE, error);
}

/* ---- other changes */

void nd_hamming_set_sync(nd_hamming_index *x, nd_sync sync) {
    nd_index_store_set_sync(&x->shared, sync);
}

nd_status nd_hamming_sync(nd_hamming_index *x, nd_error *error) {
    ND_TRY(nd_need(x, "index", error));
    return nd_index_store_sync(&x->shared, error);
}

nd_status nd_hamming_remove(nd_hamming_index *x, const char *id, size_t id_length, bool *found,
                            nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_need_array(id, id_length, "id", error));
    ND_TRY(nd_need(found, "found", error));
    return nd_index_store_remove_id(&x->shared, id, id_length, found, error);
}

nd_status nd_hamming_compact(nd_hamming_index *x, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    return nd_index_store_compact_all(&x->shared, error);
}

nd_status nd_hamming_check(nd_hamming_index *x, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(x, "index", error));
    nd_status status = nd_store_check(nd_index_store_begin_read(&x->shared), error);
    nd_index_store_end_read(&x->shared);
    return status;
}
