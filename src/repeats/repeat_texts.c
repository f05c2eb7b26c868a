#include "repeats/repeat_texts.h"

#include "base/limits.h"

#include <string.h>

enum {
    /* Anchors that a batch keeps. A block of 1 MiB mostly has a seventh of them, and at the most
     * four times as many. */
    ANCHORS_MOST = ND_LIMIT(1 << 18, 8),
    /* Tokens that a batch keeps, 16 bytes each. A block of 1 MiB has two thirds of them in English,
     * a third more than these in Chinese (its last texts are late), and at the most twice as many.
     */
    TOKENS_MOST = ND_LIMIT(1 << 18, 100),
    /* Bytes of a text that is not in a block with others. */
    LONG_TEXT = ND_LIMIT(1 << 20, 200)
};

nd_status nd_repeat_texts_create(const nd_run *run, nd_symbols symbols, uint32_t least,
                                 nd_repeat_texts *t, nd_error *error) {
    const nd_allocator *a = &run->allocator;
    size_t ids = nd_memory_share(&run->budget, ND_MEMORY_IDS),
           few = nd_memory_share(&run->budget, ND_MEMORY_ID_ENDS);
    *t = (nd_repeat_texts){.run = run, .symbols = symbols, .least = least};
    nd_document_names_init(&t->names, a, run->space, ids);
    nd_spool_init(&t->places, a, run->space, few, "the places of documents");
    nd_spool_init(&t->tokens, a, run->space, few, "the places of tokens");
    ND_TRY(nd_text_symbols_create(symbols, least, a, &t->scratch, error));
    return nd_repeat_finder_create(run, symbols, least, &t->finder, error);
}

void nd_repeat_texts_free(nd_repeat_texts *t) {
    if (!t->run) return;
    nd_repeat_finder_free(t->finder);
    nd_text_symbols_free(&t->scratch);
    nd_document_names_free(&t->names);
    nd_spool_free(&t->places);
    nd_spool_free(&t->tokens);
}

/* ---- reading */

/* A document of a block. Its id, its input's name and its symbols are one behind the other in
 * `bytes`. If it is `late`, its text is there instead of the symbols, and emit finds symbols and
 * anchors, a piece at a time: where a text has many of them, no batch has memory for them. */
typedef struct entry {
    nd_document_place place;
    size_t at, id_length, source_size, anchors, tokens;
    size_t count; /* symbols, or bytes of the text */
    uint64_t line;
    bool late;
} entry;

typedef struct batch {
    entry *entries;
    char *bytes;
    nd_anchor *anchors;
    nd_text_range *tokens; /* of all documents */
    size_t count, capacity, size, byte_capacity, anchor_count, token_count, token_capacity;
    bool full;       /* it has no room for the symbols or the anchors of the text */
    nd_id_buffer id; /* scratch */
} batch;

static void reset(void *own) {
    batch *b = own;
    b->count = b->size = b->anchor_count = b->token_count = 0;
}

static nd_status append(batch *b, const void *bytes, size_t length, const nd_allocator *a,
                        nd_error *error) {
    if (!nd_reserve(a, &b->bytes, &b->byte_capacity, b->size + length))
        return nd_fail_memory(error, b->size + length, "texts");
    if (length > 0) memcpy(b->bytes + b->size, bytes, length);
    b->size += length;
    return ND_OK;
}

static nd_status create_worker(const void *context, void **out, nd_error *error) {
    const nd_repeat_texts *t = context;
    const nd_allocator *a = &t->run->allocator;
    nd_text_symbols *w = *out = nd_allocate_zero(a, 1, sizeof *w);
    return w ? nd_text_symbols_create(t->symbols, t->least, a, w, error)
             : nd_fail_memory(error, sizeof *w, "a worker");
}

static void destroy_worker(const void *context, void *own) {
    if (!own) return;
    nd_text_symbols_free(own);
    nd_release(&((const nd_repeat_texts *)context)->run->allocator, own);
}

/* A text whose symbols come; of map. */
typedef struct text_keeper {
    const nd_allocator *allocator;
    size_t symbol; /* its bytes */
    batch *batch;
} text_keeper;

/* nd_anchors_fn. Keeps anchors as long as there is room. */
static nd_status keep_anchors(void *keeper, const nd_anchor *anchors, size_t count,
                              nd_error *error) {
    (void)error;
    batch *b = ((const text_keeper *)keeper)->batch;
    b->full = b->full || b->anchor_count + count > ANCHORS_MOST;
    if (b->full) return ND_OK;
    memcpy(b->anchors + b->anchor_count, anchors, count * sizeof *anchors);
    b->anchor_count += count;
    return ND_OK;
}

/* nd_symbols_receiver. Keeps symbols, and the places of tokens, as long as there is room. */
static nd_status keep_symbols(void *keeper, const void *symbols, const nd_text_range *places,
                              size_t count, nd_error *error) {
    const text_keeper *k = keeper;
    batch *b = k->batch;
    b->full = b->full || (places && b->token_count + count > TOKENS_MOST);
    if (b->full) return ND_OK;
    ND_TRY(append(b, symbols, count * k->symbol, k->allocator, error));
    if (!places || count == 0) return ND_OK;
    if (!nd_reserve(k->allocator, &b->tokens, &b->token_capacity, b->token_count + count))
        return nd_fail_memory(error, count * sizeof *b->tokens, "tokens of texts");
    memcpy(b->tokens + b->token_count, places, count * sizeof *b->tokens);
    b->token_count += count;
    return ND_OK;
}

/* Finds the symbols of a text, and keeps them, their anchors and the places of tokens; or sees that
 * the text is late. */
static nd_status find_symbols(batch *b, nd_text_symbols *w, const nd_document *d, entry *e,
                              nd_error *error) {
    text_keeper keeper = {&w->anchors.allocator, w->anchors.symbols, b};
    const nd_symbols_receiver to = {keep_symbols, keep_anchors, &keeper};
    const batch before = *b;
    b->full = d->length > LONG_TEXT;
    if (!b->anchors) b->anchors = nd_allocate(keeper.allocator, ANCHORS_MOST, sizeof *b->anchors);
    if (!b->anchors)
        return nd_fail_memory(error, ANCHORS_MOST * sizeof *b->anchors, "anchors of texts");
    if (!b->full) ND_TRY(nd_text_symbols_find(w, d->text, d->length, &to, error));
    e->late = b->full;
    if (e->late) {
        b->size = before.size;
        b->anchor_count = before.anchor_count;
        b->token_count = before.token_count;
        ND_TRY(append(b, d->text, d->length, keeper.allocator, error));
    }
    e->count = (b->size - before.size) / (e->late ? 1 : keeper.symbol);
    e->anchors = b->anchor_count - before.anchor_count;
    e->tokens = b->token_count - before.token_count;
    return ND_OK;
}

static nd_status map(const void *context, void *worker, void *own, const nd_scan_item *item,
                     nd_error *error) {
    const nd_allocator *a = &((const nd_repeat_texts *)context)->run->allocator;
    const nd_document *d = item->document;
    batch *b = own;
    entry e = {.place = nd_document_place_of(item), .at = b->size};
    ND_TRY(nd_document_id(item->source, item->record, d, a, &b->id, error));
    e.id_length = b->id.length;
    e.source_size = strlen(b->id.source) + 1;
    e.line = b->id.line;
    ND_TRY(append(b, b->id.id, e.id_length, a, error));
    ND_TRY(append(b, b->id.source, e.source_size, a, error));
    ND_TRY(find_symbols(b, worker, d, &e, error));
    if (!nd_reserve(a, &b->entries, &b->capacity, b->count + 1))
        return nd_fail_memory(error, sizeof e, "texts");
    b->entries[b->count++] = e;
    return ND_OK;
}

static nd_status emit(void *result, void *own, const nd_block *block, nd_error *error) {
    nd_repeat_texts *t = result;
    batch *b = own;
    const nd_anchor *anchors = b->anchors;
    const nd_text_range *tokens = b->tokens;
    for (size_t i = 0; i < b->count; i++) {
        entry *e = &b->entries[i];
        const char *id = b->bytes + e->at, *source = id + e->id_length,
                   *content = source + e->source_size;
        e->place.source = (uint32_t)block->source;
        ND_TRY(nd_document_names_add(&t->names, id, e->id_length, source, e->line, error));
        ND_TRY(nd_spool_append(&t->places, &e->place, sizeof e->place, error));
        if (e->late) {
            ND_TRY(nd_repeat_texts_add(t, content, e->count, error));
            continue;
        }
        ND_TRY(nd_repeat_finder_begin_text(t->finder, error));
        ND_TRY(nd_repeat_finder_add_symbols(t->finder, content, e->count, error));
        ND_TRY(nd_repeat_finder_add_anchors(t->finder, anchors, e->anchors, error));
        ND_TRY(nd_repeat_finder_end_text(t->finder, error));
        ND_TRY(nd_spool_append(&t->tokens, tokens, e->tokens * sizeof *tokens, error));
        anchors += e->anchors;
        tokens += e->tokens;
    }
    return ND_OK;
}

static void destroy_batch(const void *context, void *own) {
    const nd_allocator *a = &((const nd_repeat_texts *)context)->run->allocator;
    batch *b = own;
    nd_release(a, b->entries);
    nd_release(a, b->bytes);
    nd_release(a, b->anchors);
    nd_release(a, b->tokens);
    nd_release(a, b->id.bytes);
}

nd_status nd_repeat_texts_read(nd_repeat_texts *t, const nd_input_options *input, nd_corpus *corpus,
                               nd_scan_counts *counts, nd_error *error) {
    const nd_scan_stage stage = {.plan = t,
                                 .result = t,
                                 .create_worker = create_worker,
                                 .map = map,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(batch),
                                 .reset = reset,
                                 .emit = emit,
                                 .destroy_batch = destroy_batch};
    return nd_run_scan(t->run, input, corpus, &stage, counts, error);
}

/* ---- further passes */

nd_status nd_repeat_texts_restart(nd_repeat_texts *t, nd_error *error) {
    nd_repeat_finder_free(t->finder);
    t->finder = NULL;
    size_t few = nd_memory_share(&t->run->budget, ND_MEMORY_ID_ENDS);
    nd_spool_free(&t->tokens);
    nd_spool_init(&t->tokens, &t->run->allocator, t->run->space, few, "the places of tokens");
    return nd_repeat_finder_create(t->run, t->symbols, t->least, &t->finder, error);
}

/* nd_symbols_receiver */
static nd_status add_symbols(void *texts, const void *symbols, const nd_text_range *places,
                             size_t count, nd_error *error) {
    nd_repeat_texts *t = texts;
    ND_TRY(nd_repeat_finder_add_symbols(t->finder, symbols, count, error));
    return places ? nd_spool_append(&t->tokens, places, count * sizeof *places, error) : ND_OK;
}

/* nd_anchors_fn */
static nd_status add_anchors(void *texts, const nd_anchor *anchors, size_t count, nd_error *error) {
    nd_repeat_texts *t = texts;
    return nd_repeat_finder_add_anchors(t->finder, anchors, count, error);
}

nd_status nd_repeat_texts_add(nd_repeat_texts *t, const char *text, size_t length,
                              nd_error *error) {
    const nd_symbols_receiver to = {add_symbols, add_anchors, t};
    ND_TRY(nd_repeat_finder_begin_text(t->finder, error));
    ND_TRY(nd_text_symbols_find(&t->scratch, text, length, &to, error));
    return nd_repeat_finder_end_text(t->finder, error);
}

/* ---- results */

nd_status nd_repeat_texts_run(nd_repeat_texts *t, nd_repeats_kept keep, nd_repeat_fn *fn,
                              void *context, nd_error *error) {
    return nd_repeat_finder_run(t->finder, keep, fn, context, error);
}

static nd_status token_at(const nd_repeat_texts *t, uint64_t text, uint64_t token,
                          nd_text_range *out, nd_error *error) {
    uint64_t place = nd_repeat_finder_begin(t->finder, text) - text + token;
    return nd_spool_read(&t->tokens, out, sizeof *out, place * sizeof *out, error);
}

nd_status nd_repeat_texts_symbol(const nd_repeat_texts *t, uint64_t text, uint64_t begin,
                                 uint64_t end, size_t byte, uint64_t *out, nd_error *error) {
    if (t->symbols == ND_SYMBOL_BYTES && byte > begin) begin = byte < end ? byte : end;
    while (t->symbols == ND_SYMBOL_TOKENS && begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        nd_text_range token;
        ND_TRY(token_at(t, text, middle, &token, error));
        if (token.begin < byte) begin = middle + 1;
        else end = middle;
    }
    *out = begin;
    return ND_OK;
}

nd_status nd_repeat_texts_span(const nd_repeat_texts *t, uint64_t text, uint64_t begin,
                               uint64_t end, nd_text_span *out, nd_error *error) {
    nd_text_range first, last;
    *out = (nd_text_span){(size_t)begin, (size_t)end};
    if (t->symbols == ND_SYMBOL_BYTES) return ND_OK;
    ND_TRY(token_at(t, text, begin, &first, error));
    ND_TRY(token_at(t, text, end - 1, &last, error));
    *out = (nd_text_span){first.begin, last.end};
    return ND_OK;
}
