#include "dedup/kept_writer.h"

#include "base/limits.h"

#include <pthread.h>
#include <string.h>

/* Every piece except the last has PIECE_BYTES bytes, a multiple of the alignment that direct
 * writing needs. */
enum { PIECE_BYTES = ND_LIMIT(1 << 20, 512), RING_PIECES = ND_LIMIT(64, 2) };

/* What stands behind each kept record. */
typedef struct ending {
    const char *bytes;
    size_t size;
} ending;

/* Records that follow each other in a source, with only endings between them, or a part of such
 * records. */
typedef struct run {
    size_t source;
    uint64_t begin, end; /* offsets */
    ending ending;       /* behind them, or the part of it that is in this piece; size 0: the last
                            record of the run does not end in this piece */
    bool whole;          /* the last record and its ending are in this piece */
} run;

typedef struct piece {
    run *runs;
    size_t count, capacity;
    size_t size; /* bytes in the output, with endings */
} piece;

struct nd_kept_writer {
    const nd_columns *columns;
    nd_allocator allocator;
    nd_output_file *output;
    nd_record_reader *reader;
    bool members; /* each record is a member of a compressed output, as programs that read WARC by
                     the offsets of records want it */
    char *buffer; /* memory for a piece, and for aligning it */
    bool started; /* the thread runs; if not, the filling thread writes the pieces */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by `lock`: pieces [written, filled) wait, and piece `filled` is filled. Piece p is in
     * ring[p % RING_PIECES]. */
    uint64_t written, filled;
    bool last, given_up; /* no more pieces come; waiting pieces are dropped */
    nd_error failure;    /* failure of the thread, which ends it */
    piece ring[RING_PIECES];
};

static piece *piece_at(nd_kept_writer *c, uint64_t p) { return &c->ring[p % RING_PIECES]; }

/* ---- writing */

static nd_status write_piece(nd_kept_writer *c, const piece *p, nd_error *error) {
    char *bytes = c->buffer + (ND_DIRECT_ALIGNMENT - (uintptr_t)c->buffer % ND_DIRECT_ALIGNMENT),
         *to = bytes, *written = bytes;
    for (size_t r = 0; r < p->count; r++) {
        const run *from = &p->runs[r];
        size_t size = (size_t)(from->end - from->begin);
        if (size > 0)
            ND_TRY(nd_record_reader_read(c->reader, from->source, from->begin, size, to, error));
        to += size;
        memcpy(to, from->ending.bytes, from->ending.size);
        to += from->ending.size;
        if (!c->members || !from->whole) continue;
        ND_TRY(nd_output_file_write(c->output, written, (size_t)(to - written), error));
        ND_TRY(nd_output_file_end_member(c->output, error));
        written = to;
    }
    return nd_output_file_write(c->output, written, (size_t)(to - written), error);
}

static void *write_pieces(void *argument) {
    nd_kept_writer *c = argument;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->written == c->filled && !c->last) pthread_cond_wait(&c->changed, &c->lock);
        if (c->written == c->filled || c->given_up) break;
        pthread_mutex_unlock(&c->lock);
        nd_error failure;
        nd_status status = write_piece(c, piece_at(c, c->written), &failure);
        pthread_mutex_lock(&c->lock);
        if (status == ND_OK) c->written++;
        else c->failure = failure;
        pthread_cond_signal(&c->changed);
        if (status != ND_OK) break;
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Waits for the thread to end. give_up: it drops the waiting pieces. */
static void join(nd_kept_writer *c, bool give_up) {
    if (!c->started) return;
    pthread_mutex_lock(&c->lock);
    c->last = true;
    c->given_up = give_up;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    c->started = false;
}

void nd_kept_writer_free(nd_kept_writer *c) {
    if (!c) return;
    const nd_allocator allocator = c->allocator, *a = &allocator;
    join(c, true);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    for (size_t i = 0; i < RING_PIECES; i++) nd_release(a, c->ring[i].runs);
    nd_record_reader_free(c->reader);
    nd_release(a, c->buffer);
    nd_release(a, c);
}

/* ---- filling pieces */

static nd_status failure_of(const nd_kept_writer *c, nd_error *error) {
    return c->failure.status == ND_OK ? ND_OK
                                      : nd_fail(error, c->failure.status, "%s", c->failure.message);
}

/* Queues the full piece, and begins the next one when the ring has room for it. */
static nd_status next_piece(nd_kept_writer *c, nd_error *error) {
    if (!c->started) ND_TRY(write_piece(c, piece_at(c, c->filled), error));
    pthread_mutex_lock(&c->lock);
    c->filled++;
    if (!c->started) c->written++;
    pthread_cond_signal(&c->changed);
    while (c->filled - c->written == RING_PIECES && c->failure.status == ND_OK)
        pthread_cond_wait(&c->changed, &c->lock);
    nd_status status = failure_of(c, error);
    pthread_mutex_unlock(&c->lock);
    piece *next = piece_at(c, c->filled);
    next->count = next->size = 0;
    return status;
}

static ending ending_of(const nd_kept_writer *c, size_t source) {
    const nd_source *s = nd_corpus_source(c->columns->corpus, source);
    bool warc = s->format == ND_FORMAT_WARC && !nd_source_is_arc(s);
    return warc ? (ending){"\r\n\r\n", 4} : (ending){"\n", 1};
}

/* Adds the bytes [begin, end) of a source and its ending, to as many pieces as they need. */
static nd_status add_run(nd_kept_writer *c, size_t source, uint64_t begin, uint64_t end,
                         nd_error *error) {
    for (ending rest = ending_of(c, source); rest.size > 0;) {
        if (piece_at(c, c->filled)->size == PIECE_BYTES) ND_TRY(next_piece(c, error));
        piece *p = piece_at(c, c->filled);
        if (!nd_reserve(&c->allocator, &p->runs, &p->capacity, p->count + 1))
            return nd_fail_memory(error, sizeof *p->runs, "copying records");
        uint64_t left = PIECE_BYTES - p->size, taken = end - begin < left ? end - begin : left;
        left -= taken;
        ending part = {rest.bytes, rest.size < left ? rest.size : (size_t)left};
        p->runs[p->count++] = (run){source, begin, begin + taken, part, part.size == rest.size};
        p->size += (size_t)taken + part.size;
        begin += taken;
        rest = (ending){rest.bytes + part.size, rest.size - part.size};
    }
    return ND_OK;
}

/* Rows of CSV stand behind the header of their files, which is the same in all; records of WARC
 * behind the warcinfo of each file. */
static nd_status add_header(nd_kept_writer *c, nd_error *error) {
    for (size_t s = 0; s < nd_corpus_sources(c->columns->corpus); s++) {
        const nd_source *source = nd_corpus_source(c->columns->corpus, s);
        if (!source->header) continue;
        ND_TRY(add_run(c, s, source->header_offset, source->header_offset + source->header_length,
                       error));
        if (source->format != ND_FORMAT_WARC) break;
    }
    return ND_OK;
}

nd_status nd_kept_writer_create(const nd_columns *columns, nd_output_file *output,
                                nd_kept_writer **out, nd_error *error) {
    const nd_allocator *a = &columns->allocator;
    nd_kept_writer *c = nd_allocate_zero(a, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "copying records");
    c->columns = columns;
    c->allocator = *a;
    c->output = output;
    c->members = nd_corpus_source(columns->corpus, 0)->format == ND_FORMAT_WARC &&
                 nd_output_file_is_compressed(output);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->buffer = nd_allocate(a, PIECE_BYTES + ND_DIRECT_ALIGNMENT, 1);
    nd_status status = c->buffer ? nd_record_reader_create(columns->corpus, &c->reader, error)
                                 : nd_fail_memory(error, PIECE_BYTES, "copying records");
    if (status != ND_OK) {
        nd_kept_writer_free(c);
        return status;
    }
    c->started = pthread_create(&c->thread, NULL, write_pieces, c) == 0;
    *out = c;
    return add_header(c, error);
}

nd_status nd_kept_writer_add(nd_kept_writer *c, uint32_t document, nd_error *error) {
    uint64_t begin = nd_columns_offset(c->columns, document);
    uint32_t length = nd_columns_length(c->columns, document);
    size_t source = nd_columns_source(c->columns, document);
    nd_input_format format = nd_corpus_source(c->columns->corpus, source)->format;
    piece *p = piece_at(c, c->filled);
    run *last = p->count > 0 ? &p->runs[p->count - 1] : NULL;
    bool lines = format != ND_FORMAT_JSON && format != ND_FORMAT_WARC;
    bool continues = lines && last && last->whole && last->source == source &&
                     last->end + 1 == begin && p->size + length < PIECE_BYTES;
    if (!continues) return add_run(c, source, begin, begin + length, error);
    last->end += 1 + (uint64_t)length;
    p->size += 1 + (size_t)length;
    return ND_OK;
}

nd_status nd_kept_writer_finish(nd_kept_writer *c, nd_error *error) {
    if (piece_at(c, c->filled)->size > 0) ND_TRY(next_piece(c, error));
    join(c, false);
    return failure_of(c, error);
}
