#include "passages/passage_queries.h"

#include "similarity/packed_set.h"

#include <string.h>

/* The most memory that a token takes, in bytes: its hash and its offsets, in arrays that may be
 * half empty, and its share of the table of positions. */
enum { TOKEN_BYTES = 2 * (int)(sizeof(uint64_t) + sizeof(nd_text_range)) + 44 };

/* A document of a block. Its id with a NUL, and its text if texts are wanted, are in `bytes`, in
 * the order of the documents. */
typedef struct document {
    size_t id_length, text_length, tokens;
    const char *file; /* the name of its input, which outlives the block; NULL: its id */
    uint64_t line;
} document;

typedef struct documents {
    document *list;
    nd_token_offsets tokens; /* tokens of all documents of the block */
    char *bytes;
    size_t count, capacity, byte_count, byte_capacity;
    nd_id_buffer id; /* scratch */
} documents;

typedef struct query_plan {
    nd_allocator allocator;
    nd_analyzer_options analyzer;
    bool texts;
    uint32_t ngram; /* as in nd_passage_queries */
} query_plan;

/* ---- mapping */

nd_status nd_passage_analyzer_create(const nd_analyzer_options *options,
                                     const nd_allocator *allocator, nd_analyzer **out,
                                     nd_error *error) {
    return nd_analyzer_create_for(ND_SHINGLES_ALONE, options, allocator, out, error);
}

static nd_status create_worker(const void *context, void **worker, nd_error *error) {
    const query_plan *plan = context;
    nd_analyzer *analyzer = NULL;
    ND_TRY(nd_passage_analyzer_create(&plan->analyzer, &plan->allocator, &analyzer, error));
    *worker = analyzer;
    return ND_OK;
}

static void destroy_worker(const void *plan, void *worker) {
    (void)plan;
    nd_analyzer_free(worker);
}

static void reset_documents(void *batch) {
    documents *d = batch;
    d->count = d->tokens.count = d->byte_count = 0;
}

static void append(char *bytes, size_t *size, const char *more, size_t length) {
    if (length > 0) memcpy(bytes + *size, more, length);
    *size += length;
}

/* Overwrites the hashes of a text's tokens with its shingles, each at the token at which it begins.
 * Tokens at which no shingle begins get 0. */
static nd_status copy_shingles(uint64_t *hashes, size_t count, uint32_t ngram,
                               nd_analyzer *analyzer, const nd_document *given, nd_error *error) {
    nd_shingles shingles;
    if (count == 0) return ND_OK;
    ND_TRY(nd_analyze(analyzer, given->text, given->length, &shingles, error));
    size_t begun = count < ngram ? 0 : shingles.count;
    nd_packed_set_narrow(shingles.hashes, begun);
    memcpy(hashes, shingles.hashes, begun * sizeof *hashes);
    memset(hashes + begun, 0, (count - begun) * sizeof *hashes);
    return ND_OK;
}

static nd_status map_document(const void *context, void *worker, void *batch,
                              const nd_scan_item *item, nd_error *error) {
    const query_plan *plan = context;
    const nd_allocator *a = &plan->allocator;
    const nd_document *given = item->document;
    documents *d = batch;
    size_t before = d->tokens.count, length = plan->texts ? given->length : 0;
    nd_status status = nd_token_offsets_add(&d->tokens, worker, given->text, given->length, a,
                                            error);
    if (status == ND_OK && plan->ngram)
        status = copy_shingles(d->tokens.hashes + before, d->tokens.count - before, plan->ngram,
                               worker, given, error);
    if (status != ND_OK) d->tokens.count = before;
    ND_TRY(status);
    ND_TRY(nd_document_id(item->source, item->record, given, a, &d->id, error));
    size_t need = d->byte_count + d->id.length + 1 + length;
    if (!nd_reserve(a, &d->list, &d->capacity, d->count + 1) ||
        !nd_reserve(a, &d->bytes, &d->byte_capacity, need))
        return nd_fail_memory(error, need, "queries");
    append(d->bytes, &d->byte_count, d->id.id, d->id.length);
    append(d->bytes, &d->byte_count, "", 1);
    append(d->bytes, &d->byte_count, given->text, length);
    d->list[d->count++] = (document){.id_length = d->id.length,
                                     .text_length = length,
                                     .tokens = d->tokens.count - before,
                                     .file = item->source->files ? NULL : d->id.source,
                                     .line = d->id.line};
    return ND_OK;
}

static void destroy_documents(const void *plan, void *batch) {
    const nd_allocator *a = &((const query_plan *)plan)->allocator;
    documents *d = batch;
    nd_release(a, d->list);
    nd_token_offsets_free(&d->tokens, a);
    nd_release(a, d->bytes);
    nd_release(a, d->id.bytes);
}

/* ---- emitting */

/* Bytes of the name of the block's input, if it is another one than that of the latest query. */
static size_t new_file_size(const nd_passage_queries *q, const documents *d) {
    const char *file = d->count > 0 ? d->list[0].file : NULL;
    return file && file != q->file ? strlen(file) + 1 : 0;
}

/* Reserves memory for everything that a block adds. */
static nd_status make_room(nd_passage_queries *q, const documents *d, nd_error *error) {
    const nd_allocator *a = &q->allocator;
    uint64_t tokens = q->tokens.count + d->tokens.count, count = q->count + d->count,
             bytes = q->byte_count + d->byte_count + new_file_size(q, d);
    uint64_t memory = TOKEN_BYTES * tokens +
                      2 * (bytes + count * (sizeof *q->queries + sizeof *q->begins));
    if (memory > q->limit || tokens >= ND_NO_POSITION)
        return nd_fail(error, ND_ERR_MEMORY,
                       "the queries take more than %llu MiB, half of the memory of the job: raise "
                       "it, or give them in several runs, some at a time",
                       (unsigned long long)(q->limit >> 20));
    if (!nd_reserve(a, &q->tokens.hashes, &q->tokens.hash_capacity, tokens) ||
        !nd_reserve(a, &q->tokens.places, &q->tokens.place_capacity, tokens) ||
        !nd_reserve(a, &q->queries, &q->capacity, count) ||
        !nd_reserve(a, &q->begins, &q->begin_capacity, count + 1) ||
        !nd_reserve(a, &q->bytes, &q->byte_capacity, bytes))
        return nd_fail_memory(error, (size_t)memory, "queries");
    return ND_OK;
}

static nd_status emit_documents(void *result, void *batch, const nd_block *block, nd_error *error) {
    (void)block;
    nd_passage_queries *q = result;
    documents *d = batch;
    ND_TRY(make_room(q, d, error));
    size_t added = new_file_size(q, d), at = q->byte_count + added;
    if (added > 0) {
        q->file = d->list[0].file;
        q->file_name = q->byte_count;
        append(q->bytes, &q->byte_count, q->file, added);
    }
    for (size_t i = 0; i < d->count; i++) {
        const document *from = &d->list[i];
        q->queries[q->count] = (nd_passage_query){.id = at,
                                                  .id_length = from->id_length,
                                                  .file = from->file ? q->file_name : at,
                                                  .line = from->line,
                                                  .text = at + from->id_length + 1,
                                                  .text_length = from->text_length};
        q->begins[q->count + 1] = q->begins[q->count] + (uint32_t)from->tokens;
        q->count++;
        at += from->id_length + 1 + from->text_length;
    }
    append(q->bytes, &q->byte_count, d->bytes, d->byte_count);
    if (d->tokens.count > 0) {
        memcpy(q->tokens.hashes + q->tokens.count, d->tokens.hashes,
               d->tokens.count * sizeof *d->tokens.hashes);
        memcpy(q->tokens.places + q->tokens.count, d->tokens.places,
               d->tokens.count * sizeof *d->tokens.places);
        q->tokens.count += d->tokens.count;
    }
    return ND_OK;
}

nd_status nd_passage_queries_read(nd_passage_queries *queries, const nd_passage_input *input,
                                  nd_scan_counts *counts, nd_error *error) {
    const query_plan plan = {
        .allocator = queries->allocator,
        .analyzer = nd_analyzer_with_ngram(input->analyzer, queries->ngram ? queries->ngram : 1),
        .texts = queries->texts,
        .ngram = queries->ngram};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = queries,
                                 .create_worker = create_worker,
                                 .map = map_document,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(documents),
                                 .reset = reset_documents,
                                 .emit = emit_documents,
                                 .destroy_batch = destroy_documents};
    if (!nd_reserve(&queries->allocator, &queries->begins, &queries->begin_capacity, 1))
        return nd_fail_memory(error, sizeof *queries->begins, "queries");
    queries->begins[0] = 0;
    ND_TRY(nd_run_scan(input->run, input->options, input->corpus, &stage, counts, error));
    return nd_ngram_positions_create(queries->tokens.hashes, queries->begins, queries->count,
                                     queries->ngram ? 1 : input->least, &queries->allocator,
                                     &queries->positions, error);
}

void nd_passage_queries_free(nd_passage_queries *queries) {
    const nd_allocator *a = &queries->allocator;
    nd_ngram_positions_free(queries->positions);
    nd_release(a, queries->queries);
    nd_release(a, queries->begins);
    nd_token_offsets_free(&queries->tokens, a);
    nd_release(a, queries->bytes);
}

uint32_t nd_passage_queries_of(const nd_passage_queries *queries, uint32_t token) {
    size_t low = 0, high = queries->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (queries->begins[middle] <= token) low = middle;
        else high = middle;
    }
    return (uint32_t)low;
}
