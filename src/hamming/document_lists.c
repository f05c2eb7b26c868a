#include "hamming/document_lists.h"

enum { TAG_ENTRIES, TAG_MEMBERS, TAG_BEGINS };

static unsigned width_of(uint64_t documents) {
    uint64_t last = documents + documents / 2 - 1;
    return last > 1 ? 64 - (unsigned)__builtin_clzll(last) : 1;
}

/* ---- writing */

void nd_document_lists_writer_init(nd_document_lists_writer *w, uint64_t documents,
                                   const nd_allocator *allocator, nd_temp_space *disk,
                                   size_t memory_limit) {
    static const char what[] = "documents of fingerprints";
    *w = (nd_document_lists_writer){.documents = documents, .width = width_of(documents)};
    nd_spool_init(&w->entry_spool, allocator, disk, memory_limit / 2, what);
    nd_spool_init(&w->member_spool, allocator, disk, memory_limit / 4, what);
    nd_spool_init(&w->begin_spool, allocator, disk, memory_limit / 4, what);
    w->entry_numbers.spool = &w->entry_spool;
    w->member_numbers.spool = &w->member_spool;
    w->begins.spool = &w->begin_spool;
}

void nd_document_lists_writer_free(nd_document_lists_writer *w) {
    nd_spool_free(&w->entry_spool);
    nd_spool_free(&w->member_spool);
    nd_spool_free(&w->begin_spool);
}

nd_status nd_document_lists_put(nd_document_lists_writer *w, uint64_t document, nd_error *error) {
    return nd_bit_writer_put(&w->entry_numbers, &w->entry_numbers.bits, document, w->width, error);
}

/* Notes that a group begins, or the last one ends, behind the members so far. */
static nd_status put_begin(nd_document_lists_writer *w, nd_error *error) {
    return nd_bit_writer_put(&w->begins, &w->begins.bits, w->members, 32, error);
}

nd_status nd_document_lists_begin_group(nd_document_lists_writer *w, nd_error *error) {
    ND_TRY(put_begin(w, error));
    return nd_document_lists_put(w, w->documents + w->groups++, error);
}

nd_status nd_document_lists_put_member(nd_document_lists_writer *w, uint64_t document,
                                       nd_error *error) {
    w->members++;
    return nd_bit_writer_put(&w->member_numbers, &w->member_numbers.bits, document, w->width,
                             error);
}

static nd_status write_section(nd_bit_writer *numbers, nd_sealed_writer *file, uint32_t tag,
                               nd_error *error) {
    ND_TRY(nd_bit_writer_finish(numbers, error));
    ND_TRY(nd_sealed_begin(file, tag, error));
    return nd_sealed_write_spool(file, numbers->spool, error);
}

nd_status nd_document_lists_finish(nd_document_lists_writer *w, nd_sealed_writer *file,
                                   uint32_t tag, nd_error *error) {
    ND_TRY(write_section(&w->entry_numbers, file, tag + TAG_ENTRIES, error));
    if (w->groups == 0) return ND_OK;
    ND_TRY(put_begin(w, error));
    ND_TRY(write_section(&w->member_numbers, file, tag + TAG_MEMBERS, error));
    return write_section(&w->begins, file, tag + TAG_BEGINS, error);
}

/* ---- reading */

static nd_status damaged(const nd_document_lists *l, const char *what, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %s", nd_sealed_path(l->file), what);
}

static uint64_t bytes_of(const nd_document_lists *l, uint64_t numbers) {
    return (numbers * l->width + 7) / 8;
}

/* An entry without a group has one document. All other documents are in groups. */
static nd_status open_groups(nd_document_lists *l, uint32_t tag, nd_error *error) {
    ND_TRY(nd_sealed_section(l->file, tag + TAG_MEMBERS, &l->member_numbers, error));
    ND_TRY(nd_sealed_section(l->file, tag + TAG_BEGINS, &l->begins, error));
    uint64_t groups = l->begins.size / 4 - 1;
    if (l->begins.size % 4 != 0 || l->begins.size < 8 || groups > l->entries)
        return damaged(l, "the list of its groups has not their size", error);
    l->members = l->documents - (l->entries - groups);
    return l->member_numbers.size == bytes_of(l, l->members)
               ? ND_OK
               : damaged(l, "the list of its groups' documents has not their number", error);
}

nd_status nd_document_lists_open(const nd_sealed_file *file, uint32_t tag, uint64_t entries,
                                 uint64_t documents, nd_document_lists *out, nd_error *error) {
    nd_document_lists l = {
        .file = file, .entries = entries, .documents = documents, .width = width_of(documents)};
    ND_TRY(nd_sealed_section(file, tag + TAG_ENTRIES, &l.entry_numbers, error));
    if (l.entry_numbers.size != bytes_of(&l, entries))
        return damaged(&l, "the list of documents has not their number", error);
    if (entries < documents) ND_TRY(open_groups(&l, tag, error));
    *out = l;
    return ND_OK;
}

static nd_status number_at(const nd_document_lists *l, const nd_section *numbers, uint64_t at,
                           uint64_t *out, nd_error *error) {
    const unsigned char *p;
    uint64_t bit = at * l->width;
    ND_TRY(nd_sealed_view(l->file, numbers, bit / 8, (bit % 8 + l->width + 7) / 8, &p, error));
    *out = nd_load_le64(p) >> bit % 8 & ((UINT64_C(1) << l->width) - 1);
    return ND_OK;
}

nd_status nd_document_lists_slots(const nd_document_lists *l, uint64_t entry, uint64_t *begin,
                                  uint64_t *end, nd_error *error) {
    const unsigned char *p;
    uint64_t number;
    ND_TRY(number_at(l, &l->entry_numbers, entry, &number, error));
    *begin = entry;
    *end = entry + 1;
    if (number < l->documents) return ND_OK;
    ND_TRY(nd_sealed_view(l->file, &l->begins, (number - l->documents) * 4, 8, &p, error));
    const uint64_t first = nd_load_le32(p), behind = nd_load_le32(p + 4);
    *begin = l->entries + first;
    *end = l->entries + behind;
    return first < behind && behind <= l->members
               ? ND_OK
               : damaged(l, "the groups of its fingerprints", error);
}

nd_status nd_document_lists_at(const nd_document_lists *l, uint64_t slot, uint32_t *document,
                               nd_error *error) {
    uint64_t number;
    ND_TRY(slot < l->entries ? number_at(l, &l->entry_numbers, slot, &number, error)
                             : number_at(l, &l->member_numbers, slot - l->entries, &number, error));
    *document = (uint32_t)number;
    return number < l->documents ? ND_OK : damaged(l, "the list of its documents", error);
}

uint64_t nd_document_lists_bytes(const nd_document_lists *l) {
    return l->entry_numbers.size + l->member_numbers.size + l->begins.size;
}
