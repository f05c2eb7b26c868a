/* Where queries copy from the documents of a source: the queries in memory, the source in one pass, the passages in memory and their texts in a spool, until all can be told by query. */
#include "job/passage_seeker.h"
#include "job/pass_job.h"

#include "base/radix_sort.h"
#include "io/spool.h"

#include <string.h>
#include <sys/stat.h>

/* A passage. Places are bytes. */
typedef struct row {
    uint64_t source;   /* number of its document: in the block, then in the source */
    uint64_t id, text; /* of the document, and of the passage, if it is wanted: in the block's bytes, then in the spool */
    uint32_t id_length;
    uint32_t query, tokens;
    nd_place in_query, in_source;
} row;

/* Of a block of the source. */
typedef struct found {
    row *rows;
    char *bytes;
    size_t documents, count, capacity, byte_count, byte_capacity;
    nd_id_buffer id; /* scratch */
} found;

typedef struct passager {
    nd_job job; /* of the source: options, corpus, summary */
    nd_passages_options passages;
    nd_passage_queries queries;
    uint64_t documents; /* of the source so far */
    row *rows;
    size_t count, capacity;
    nd_spool names;             /* ids and texts */
    _Atomic uint64_t row_count; /* those of blocks that have not been put, too */
} passager;

typedef struct worker {
    nd_analyzer *analyzer;
    nd_placed_tokens tokens;
    nd_passage_seeker seeker;
} worker;

void nd_passages_options_init(nd_passages_options *options) { *options = (nd_passages_options){.least_run = 8}; }

/* ---- the source */

static nd_status begin_worker(void *context, void **out, nd_error *error) {
    passager *p = context;
    worker *w = *out = nd_allocate_zero(&p->job.allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    w->seeker = (nd_passage_seeker){.queries = &p->queries, .allocator = p->job.allocator, .least = p->passages.least_run, .gap = p->passages.gap};
    return nd_passage_analyzer_create(&p->job, &w->analyzer, error);
}

static void end_worker(void *context, void *own) {
    const nd_allocator *a = &((passager *)context)->job.allocator;
    worker *w = own;
    if (!w) return;
    nd_analyzer_free(w->analyzer);
    nd_placed_tokens_free(&w->tokens, a);
    nd_passage_seeker_free(&w->seeker);
    nd_release(a, w);
}

static void begin_block(void *made) {
    found *f = made;
    f->documents = f->count = f->byte_count = 0;
}

static void append(found *f, const char *bytes, size_t length) {
    if (length > 0) memcpy(f->bytes + f->byte_count, bytes, length);
    f->byte_count += length;
}

/* The bytes of tokens [begin, end). */
static nd_place bytes_of(const nd_place *tokens, size_t begin, size_t end) { return (nd_place){tokens[begin].begin, tokens[end - 1].end}; }

/* A repetitive text may have any number of passages: what is not put yet counts, too, and what sorting will take. */
static nd_status check_room(passager *p, size_t more, nd_error *error) {
    enum { ROW_BYTES = sizeof(row) + sizeof(row) / 2 + sizeof(uint64_t) + 2 * sizeof(uint32_t) };
    uint64_t limit = p->job.options.memory / 4, count = atomic_fetch_add(&p->row_count, more) + more;
    if (count * ROW_BYTES <= limit && count < UINT32_MAX) return ND_OK;
    return nd_fail(error, ND_ERR_MEMORY,
                   "the passages take more than %llu MiB, a quarter of the memory of the job: raise it, or the least length of a run, or give fewer "
                   "queries at a time",
                   (unsigned long long)(limit >> 20));
}

/* The id of a document, and as much of its text as passages are in, are kept once for all of them. */
static nd_status add_rows(const passager *p, const worker *w, const nd_document *document, found *f, nd_error *error) {
    size_t count = w->seeker.found_count, first = SIZE_MAX, end = 0;
    for (size_t i = 0; i < count; i++) {
        const nd_token_passage *t = &w->seeker.found[i].tokens;
        if (w->tokens.places[t->b_begin].begin < first) first = w->tokens.places[t->b_begin].begin;
        if (w->tokens.places[t->b_end - 1].end > end) end = w->tokens.places[t->b_end - 1].end;
    }
    size_t id = f->byte_count, text = id + f->id.length, length = p->passages.texts ? end - first : 0;
    if (!nd_reserve(&p->job.allocator, &f->rows, &f->capacity, f->count + count) ||
        !nd_reserve(&p->job.allocator, &f->bytes, &f->byte_capacity, text + length))
        return nd_fail_memory(error, text + length, "shared passages");
    append(f, f->id.id, f->id.length);
    append(f, document->text + first, length);
    for (size_t i = 0; i < count; i++) {
        const nd_query_passage *q = &w->seeker.found[i];
        const nd_token_passage *t = &q->tokens;
        nd_place in_source = bytes_of(w->tokens.places, t->b_begin, t->b_end);
        f->rows[f->count++] = (row){.source = f->documents,
                                    .id = id,
                                    .text = text + in_source.begin - first,
                                    .id_length = (uint32_t)f->id.length,
                                    .query = q->query,
                                    .tokens = (uint32_t)t->tokens,
                                    .in_query = bytes_of(p->queries.tokens.places + p->queries.begins[q->query], t->a_begin, t->a_end),
                                    .in_source = in_source};
    }
    return ND_OK;
}

/* Where its tokens stand is asked of a text only when it shares something. */
static nd_status take_source(void *context, void *own, void *made, const nd_block *block, size_t record, const nd_document *document,
                             nd_error *error) {
    passager *p = context;
    worker *w = own;
    found *f = made;
    nd_shingles tokens;
    ND_TRY(nd_analyze(w->analyzer, document->text, document->length, &tokens, error));
    ND_TRY(nd_passage_seek(&w->seeker, tokens.hashes, tokens.tokens, error));
    if (w->seeker.found_count > 0) {
        w->tokens.count = 0;
        ND_TRY(check_room(p, w->seeker.found_count, error));
        ND_TRY(nd_placed_tokens_add(&w->tokens, w->analyzer, document->text, document->length, &p->job.allocator, error));
        ND_TRY(nd_document_id(&p->job, block, record, document, &f->id, error));
        ND_TRY(add_rows(p, w, document, f, error));
    }
    f->documents++;
    return ND_OK;
}

static nd_status put_rows(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)block;
    passager *p = context;
    const found *f = made;
    size_t count = p->count + f->count;
    if (!nd_reserve(&p->job.allocator, &p->rows, &p->capacity, count)) return nd_fail_memory(error, count * sizeof(row), "shared passages");
    for (size_t i = 0; i < f->count; i++) {
        row *r = &p->rows[p->count++];
        *r = f->rows[i];
        r->source += p->documents;
        r->id += p->names.size;
        r->text += p->names.size;
    }
    p->documents += f->documents;
    return nd_spool_append(&p->names, f->bytes, f->byte_count, error);
}

static void free_block(void *context, void *made) {
    const nd_allocator *a = &((passager *)context)->job.allocator;
    found *f = made;
    nd_release(a, f->rows);
    nd_release(a, f->bytes);
    nd_release(a, f->id.bytes);
}

/* ---- telling */

/* Room for a piece of the spool that does not lie in one. */
typedef struct scratch {
    char *bytes;
    size_t capacity;
} scratch;

static nd_status look_at(const passager *p, uint64_t at, size_t size, scratch *room, const char **out, nd_error *error) {
    const void *bytes = "";
    if (!nd_reserve(&p->job.allocator, &room->bytes, &room->capacity, size)) return nd_fail_memory(error, size, "a passage");
    if (size > 0) ND_TRY(nd_spool_view(&p->names, size, at, room->bytes, &bytes, error));
    *out = bytes;
    return ND_OK;
}

static nd_status tell_row(const passager *p, const row *r, scratch rooms[2], nd_passages_fn *fn, void *context, nd_error *error) {
    const nd_passage_query *q = &p->queries.queries[r->query];
    nd_found_passage told = {.query = r->query,
                             .query_id = p->queries.bytes + q->id,
                             .query_id_length = q->id_length,
                             .source = r->source,
                             .source_id_length = r->id_length,
                             .passage = {r->in_query.begin, r->in_query.end, r->in_source.begin, r->in_source.end, r->tokens}};
    ND_TRY(look_at(p, r->id, r->id_length, &rooms[0], &told.source_id, error));
    if (p->passages.texts) {
        told.query_text = p->queries.bytes + q->text + r->in_query.begin;
        ND_TRY(look_at(p, r->text, r->in_source.end - r->in_source.begin, &rooms[1], &told.source_text, error));
    }
    return fn(context, &told) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

static nd_status tell_in_order(const passager *p, const uint32_t *order, nd_passages_fn *fn, void *context, nd_error *error) {
    scratch rooms[2] = {{NULL, 0}, {NULL, 0}};
    nd_status status = ND_OK;
    for (size_t i = 0; i < p->count && status == ND_OK; i++) status = tell_row(p, &p->rows[order[i]], rooms, fn, context, error);
    for (size_t i = 0; i < 2; i++) nd_release(&p->job.allocator, rooms[i].bytes);
    return status;
}

/* Rows come in the order of the source; sorting keeps that of rows that begin at the same place of a query. */
static nd_status tell(const passager *p, nd_passages_fn *fn, void *context, nd_error *error) {
    const nd_allocator *a = &p->job.allocator;
    uint64_t *keys = nd_allocate(a, p->count, sizeof *keys);
    uint32_t *order = nd_allocate(a, p->count, sizeof *order), *other = nd_allocate(a, p->count, sizeof *other);
    nd_status status = keys && order && other ? ND_OK : nd_fail_memory(error, p->count * sizeof *keys, "shared passages");
    for (size_t i = 0; status == ND_OK && i < p->count; i++) {
        keys[i] = (uint64_t)p->rows[i].query << 32 | p->rows[i].in_query.begin;
        order[i] = (uint32_t)i;
    }
    if (status == ND_OK) {
        nd_radix_sort_indices(order, other, p->count, keys);
        status = tell_in_order(p, order, fn, context, error);
    }
    nd_release(a, keys);
    nd_release(a, order);
    nd_release(a, other);
    return status;
}

/* ---- the job */

static nd_status check(const nd_job_options *options, const nd_passages_options *o, nd_error *error) {
    if (!o->source) return nd_fail(error, ND_ERR_ARGUMENT, "source must not be NULL");
    if (o->least_run < 1) return nd_fail(error, ND_ERR_ARGUMENT, "least_run must be at least 1, not 0");
    if (options->stem) return nd_fail(error, ND_ERR_ARGUMENT, "stem is not for nd_passages, which compares words as they are");
    for (size_t i = 0; i < options->input_count; i++)
        if (strcmp(options->inputs[i], "-") == 0 && strcmp(o->source, "-") == 0)
            return nd_fail(error, ND_ERR_ARGUMENT, "standard input holds the queries or the source, not both");
    return ND_OK;
}

/* An index would be read as a directory of texts. One that is damaged or newer is one, too. */
static nd_status check_is_no_index(const nd_allocator *allocator, const char *source, nd_error *error) {
    nd_manifest manifest;
    bool repair;
    nd_error reason;
    struct stat s;
    if (strcmp(source, "-") == 0 || stat(source, &s) != 0 || !S_ISDIR(s.st_mode)) return ND_OK;
    nd_manifest_init(&manifest, allocator);
    nd_status status = nd_manifest_read(source, allocator, &manifest, &repair, &reason);
    nd_manifest_free(&manifest);
    if (status == ND_ERR_IO) return ND_OK;
    if (status == ND_ERR_MEMORY) return nd_fail(error, status, "%s", reason.message);
    return nd_fail(error, ND_ERR_ARGUMENT, "%s: an index, which keeps no texts; give the files or the directory of texts that went into it", source);
}

static nd_status read_queries(passager *p, const nd_job_options *options, nd_error *error) {
    nd_job reading;
    nd_pass_job_begin(&reading, options);
    p->queries.allocator = reading.allocator;
    p->queries.texts = p->passages.texts;
    p->queries.limit = options->memory / 2;
    nd_status status = nd_job_open_input(&reading, error);
    if (status == ND_OK) status = nd_passage_queries_read(&p->queries, &reading, p->passages.least_run, error);
    p->job.summary = reading.summary;
    nd_job_close_input(&reading);
    return status;
}

static nd_status run(passager *p, const nd_job_options *options, nd_passages_fn *fn, void *context, nd_error *error) {
    nd_record_pass pass = {&p->job, p, sizeof(found), begin_worker, end_worker, begin_block, take_source, put_rows, free_block};
    ND_TRY(check(options, &p->passages, error));
    ND_TRY(check_is_no_index(&p->job.allocator, p->passages.source, error));
    ND_TRY(read_queries(p, options, error));
    ND_TRY(nd_job_open_input(&p->job, error));
    nd_spool_init(&p->names, &p->job.allocator, &p->job.disk, nd_job_share(&p->job, SHARE_IDS), "passages");
    ND_TRY(nd_record_pass_run(&pass, error));
    p->job.summary.documents += p->documents;
    p->job.summary.pairs = p->count;
    return tell(p, fn, context, error);
}

nd_status nd_passages(const nd_job_options *options, const nd_passages_options *passages, nd_passages_fn *fn, void *context, nd_job_summary *summary,
                      nd_error *error) {
    if (!options || !passages || !fn) return nd_fail(error, ND_ERR_ARGUMENT, "options, passages and fn must not be NULL");
    passager p = {.passages = *passages};
    nd_pass_job_begin(&p.job, options);
    p.job.options.inputs = &p.passages.source;
    p.job.options.input_count = 1;
    p.job.options.records = NULL;
    nd_status status = run(&p, options, fn, context, error);
    nd_spool_free(&p.names);
    nd_pass_job_end(&p.job, status, summary);
    nd_passage_queries_free(&p.queries);
    nd_release(&p.job.allocator, p.rows);
    return status;
}
