/* Creates an index of fingerprints, and adds fingerprints one by one. */
#include "hamming_index/hamming_index.h"

#include "base/argument.h"
#include "base/floats.h"
#include "base/printable.h"
#include "hamming/hamming_planner.h"
#include "store/store_create.h"

void nd_hamming_options_init(nd_hamming_options *options) {
    *options = (nd_hamming_options){.bits = 64, .k = 3};
}

nd_status nd_hamming_settings(const char *path, const nd_hamming_options *options,
                              nd_index_settings *out, nd_error *error) {
    nd_hamming_options o;
    nd_hamming_options_init(&o);
    if (options) o = *options;
    ND_TRY(nd_need_path(path, error));
    ND_TRY(nd_hamming_check_width(o.bits, o.k, error));
    *out = (nd_index_settings){.kind = ND_KIND_FINGERPRINTS,
                               .sketch_size = o.bits / 8,
                               .numbered = o.numbered,
                               .bits = o.bits,
                               .k = o.k,
                               .memory = o.memory};
    return ND_OK;
}

nd_status nd_hamming_create(const char *path, const nd_hamming_options *options, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_index_settings settings;
    ND_TRY(nd_hamming_settings(path, options, &settings, error));
    return nd_store_create(path, &settings, NULL, NULL, NULL, error);
}

nd_status nd_hamming_check_index(const nd_index *x, nd_error *error) {
    if (x->shared.settings.kind == ND_KIND_FINGERPRINTS) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "%s: an index of documents, not of fingerprints",
                   x->shared.path);
}

nd_status nd_hamming_check_fits(const nd_index *x, nd_fingerprint fingerprint, nd_error *error) {
    if (nd_fingerprint_fits(fingerprint, x->shared.settings.bits)) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "%s: its fingerprints have %u bits, this one has more",
                   x->shared.path, x->shared.settings.bits);
}

nd_status nd_hamming_check_search(const nd_index *x, uint32_t k, nd_find_kind kind, uint64_t limit,
                                  nd_error *error) {
    ND_CHECK_ENUM(kind, "kind", ND_FIND_ALL, ND_FIND_COUNT, error);
    uint32_t most = x->shared.settings.bits / 4;
    if (k > most)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: k must be 0 to %u for its %u bits, not %u",
                       x->shared.path, most, x->shared.settings.bits, k);
    if (limit == 0 && (kind == ND_FIND_ANY || kind == ND_FIND_NEAREST))
        return nd_fail(error, ND_ERR_ARGUMENT, "limit must be at least 1");
    return ND_OK;
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

static nd_status find_replaced(const nd_index *x, const char *id, size_t length, bool replace,
                               uint32_t *replaced, nd_error *error) {
    *replaced = UINT32_MAX;
    if (x->shared.settings.numbered) return ND_OK;
    ND_TRY(nd_store_find_id(x->shared.store, id, length, replaced, error));
    return *replaced == UINT32_MAX || replace
               ? ND_OK
               : nd_hamming_fail_id(x->shared.path, id, length, error);
}

/* The view must be locked for writing. */
static nd_status put(nd_index *x, const nd_stored_document *document, uint32_t replaced,
                     nd_error *error) {
    nd_error failure;
    if (replaced != UINT32_MAX) ND_TRY(nd_store_remove(x->shared.store, replaced, error));
    nd_status status = nd_store_add(x->shared.store, document, &failure);
    if (status == ND_OK) return ND_OK;
    if (replaced != UINT32_MAX) nd_store_stop_changes(x->shared.store, &failure);
    return nd_fail(error, status, "%s", failure.message);
}

static nd_status add(nd_index *x, nd_stored_document *document, bool replace, nd_error *error) {
    nd_id_digits digits;
    uint32_t next = 0, number, replaced;
    if (x->shared.settings.numbered) ND_TRY(nd_hamming_next_number(x->shared.store, &next, error));
    ND_TRY(nd_hamming_assign_id(x->shared.path, &x->shared.settings, document->id,
                                document->id_length, &next, &number, error));
    if (x->shared.settings.numbered)
        document->id = digits.bytes, document->id_length = nd_id_of_number(number, &digits);
    ND_TRY(find_replaced(x, document->id, document->id_length, replace, &replaced, error));
    nd_index_store_begin_edit(&x->shared);
    nd_status status = put(x, document, replaced, error);
    nd_index_store_end_edit(&x->shared);
    return status;
}

nd_status nd_hamming_add(nd_index *x, const char *id, size_t id_length, nd_fingerprint fingerprint,
                         bool replace, nd_error *error) {
    ND_DEFAULT_FLOATS;
    unsigned char bytes[16];
    nd_stored_document document = {.id = id, .id_length = id_length, .sketch = bytes};
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_hamming_check_index(x, error));
    ND_TRY(nd_hamming_check_fits(x, fingerprint, error));
    nd_store_le64(bytes, fingerprint.low);
    nd_store_le64(bytes + 8, fingerprint.high);
    ND_TRY(nd_index_store_begin_change(&x->shared, error));
    nd_status status = add(x, &document, replace, error);
    if (status == ND_OK) return nd_index_store_commit_change(&x->shared, error);
    nd_index_store_abandon_change(&x->shared);
    return status;
}
