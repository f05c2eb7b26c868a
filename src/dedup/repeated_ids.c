#include "dedup/repeated_ids.h"

#include "base/printable.h"
#include "dedup/equal_hashes.h"

#include <string.h>

/* So many repeated ids get a warning each. */
enum { WARNED_REPEATS = 10 };

typedef struct repeat_finder {
    const nd_run *run;
    const nd_columns *columns;
    nd_repeated_ids rule;
    nd_id_buffer ids[2]; /* ids of a document and of the document before it in the run */
    uint64_t count;
} repeat_finder;

static const char *source_title(const nd_columns *columns, uint32_t document) {
    return nd_source_title(nd_corpus_source(columns->corpus, nd_columns_source(columns, document)));
}

static nd_status report_repeat(const repeat_finder *f, uint32_t first, const nd_id_buffer *first_id,
                               uint32_t second, const nd_id_buffer *second_id, nd_error *error) {
    bool fails = f->rule == ND_REPEATED_IDS_FAIL;
    nd_error repeat;
    nd_status status = nd_fail(
        &repeat, ND_ERR_ARGUMENT, "%s:%llu: id \"%.*s\" is also that of %s:%llu: %s",
        source_title(f->columns, second), (unsigned long long)second_id->line,
        nd_shown_length(second_id->id, second_id->length, ND_SHOWN_ID), second_id->id,
        source_title(f->columns, first), (unsigned long long)first_id->line,
        fails ? "in an index each document has its own"
              : "they are told apart by their place only");
    if (fails) return nd_fail(error, status, "%s", repeat.message);
    nd_warn(&f->run->warnings, "%s", repeat.message);
    return ND_OK;
}

/* nd_hash_run_fn. Compares each document of a run with the one before it. Ids that share 38 bits of
 * their hash are equal, except with a probability of 2^-38 per pair. */
static nd_status resolve_run(void *context, const uint64_t *words, size_t count, nd_error *error) {
    repeat_finder *f = context;
    ND_TRY(nd_columns_id(f->columns, (uint32_t)words[0], &f->ids[0], error));
    for (size_t i = 1; i < count; i++) {
        nd_id_buffer *before = &f->ids[(i - 1) & 1], *now = &f->ids[i & 1];
        ND_TRY(nd_columns_id(f->columns, (uint32_t)words[i], now, error));
        if (before->length != now->length || memcmp(before->id, now->id, now->length) != 0)
            continue;
        if (f->count++ < WARNED_REPEATS)
            ND_TRY(
                report_repeat(f, (uint32_t)words[i - 1], before, (uint32_t)words[i], now, error));
    }
    return ND_OK;
}

nd_status nd_find_repeated_ids(const nd_run *run, nd_ingested *ingested, nd_repeated_ids rule,
                               uint64_t *count, nd_error *error) {
    repeat_finder finder = {.run = run, .columns = &ingested->columns, .rule = rule};
    nd_status status = nd_hash_runs_each(ingested->id_hash_order, run, resolve_run, &finder, error);
    nd_release(&run->allocator, finder.ids[0].bytes);
    nd_release(&run->allocator, finder.ids[1].bytes);
    nd_key_sort_free(ingested->id_hash_order);
    ingested->id_hash_order = NULL;
    *count = finder.count;
    if (status == ND_OK && finder.count > WARNED_REPEATS)
        nd_warn(&run->warnings, "%llu repeated ids in all", (unsigned long long)finder.count);
    return status;
}
