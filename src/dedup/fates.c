#include "dedup/fates.h"

#include <string.h>

nd_status nd_fates_init(nd_fates *f, const nd_run *run, uint32_t count, nd_error *error) {
    const nd_memory_budget *b = &run->budget;
    *f = (nd_fates){.allocator = run->allocator, .count = count};
    nd_spool_init(&f->verdicts, &f->allocator, run->space, nd_memory_share(b, ND_MEMORY_VERDICTS),
                  "verdicts");
    nd_spool_init(&f->found_pairs, &f->allocator, run->space,
                  nd_memory_share(b, ND_MEMORY_FOUND_PAIRS), "pairs");
    f->links = nd_allocate(&f->allocator, (size_t)count + 1, sizeof *f->links);
    if (!f->links) return nd_fail_memory(error, count * sizeof *f->links, "the fates of documents");
    memset(f->links, 0xff, count * sizeof *f->links);
    return ND_OK;
}

void nd_fates_free(nd_fates *f) {
    if (!f->links) return;
    nd_release(&f->allocator, f->links);
    nd_release(&f->allocator, f->copies);
    nd_spool_free(&f->verdicts);
    nd_spool_free(&f->found_pairs);
}

nd_status nd_fates_mark_copy(nd_fates *f, uint32_t document, uint32_t original, nd_error *error) {
    if (!f->copies) {
        size_t size = ((size_t)f->count + 7) / 8;
        f->copies = nd_allocate_zero(&f->allocator, size, 1);
        if (!f->copies) return nd_fail_memory(error, size, "the set of exact copies");
    }
    f->copies[document >> 3] |= (uint8_t)(1u << (document & 7));
    f->links[document] = original;
    return ND_OK;
}

nd_status nd_fates_remove(nd_fates *f, uint32_t document, const nd_verdict *verdict,
                          nd_error *error) {
    f->links[document] = (uint32_t)(f->verdicts.size / sizeof *verdict);
    return nd_spool_append(&f->verdicts, verdict, sizeof *verdict, error);
}

nd_status nd_fates_verdict(const nd_fates *f, uint32_t document, nd_verdict *verdict,
                           nd_error *error) {
    return nd_spool_read(&f->verdicts, verdict, sizeof *verdict,
                         (uint64_t)f->links[document] * sizeof *verdict, error);
}

nd_status nd_fates_add_pairs(nd_fates *f, const nd_verdict *pairs, size_t count, nd_error *error) {
    return nd_spool_append(&f->found_pairs, pairs, count * sizeof *pairs, error);
}

nd_status nd_fates_each_pair(const nd_fates *f, nd_found_pair_fn *fn, void *context,
                             nd_error *error) {
    nd_spool_cursor cursor = {.spool = &f->found_pairs};
    nd_status status = ND_OK;
    for (uint64_t left = f->found_pairs.size / sizeof(nd_verdict); status == ND_OK && left > 0;
         left--) {
        const void *piece;
        nd_verdict v;
        status = nd_spool_next(&cursor, sizeof v, &piece, error);
        if (status != ND_OK) break;
        memcpy(&v, piece, sizeof v);
        status = fn(context, &v, error);
    }
    nd_release(&f->allocator, cursor.bytes);
    return status;
}
