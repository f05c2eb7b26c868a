#include "dedup/record_writer.h"

#include "base/limits.h"
#include "dedup/row_objects.h"

#include <pthread.h>
#include <string.h>

/* If records are copied, every piece except the last has PIECE_BYTES bytes, a multiple of the
 * alignment that direct writing needs. It is so large because a thread that waited for the disk
 * then waits for a core, too, about a millisecond. Else a piece has whole records, at most
 * PIECE_RECORDS. */
enum {
    PIECE_BYTES = ND_LIMIT(1 << 22, 512),
    PIECE_RECORDS = ND_LIMIT(1 << 10, 3),
    RING_PIECES = ND_LIMIT(32, 2)
};

/* Threads that copy records. One reads a piece while the other one writes, so that the disk always
 * has something to do: a single one would be slower than two threads that decide. */
enum { COPYING_THREADS = 2 };

/* Records that follow each other in a source, with only endings between them, or a part of such
 * records. A row of Parquet has no bytes in the input: `begin` and `end` are its number. */
typedef struct run {
    size_t source;
    uint64_t begin, end;     /* offsets */
    nd_record_ending ending; /* behind them, or the part of it that is in this piece; size 0: the
                                last record of the run does not end in this piece */
    bool whole;              /* the last record and its ending are in this piece */
} run;

/* Where the id and the mark of a record end in the notes of its piece. */
typedef struct note_ends {
    size_t id, mark;
} note_ends;

typedef struct piece {
    run *runs;
    size_t count, capacity;
    size_t size; /* bytes in the output, with endings; of whole records those of the input */
    bool done;   /* it is written, a piece before it is not */
    /* If records are written one by one: what else their forms need. */
    nd_json_out notes;
    note_ends *ends;
    size_t end_capacity;
} piece;

/* A thread that writes pieces. */
typedef struct writing_thread {
    nd_record_writer *shared;
    nd_record_reader *reader;
    char *bytes;  /* for copies: of a piece */
    void *memory; /* that has them */
    pthread_t thread;
} writing_thread;

struct nd_record_writer {
    const nd_columns *columns;
    nd_allocator allocator;
    nd_output_file *output; /* that records are copied to; NULL: they are written one by one */
    nd_record_files *files; /* to these, in this form; NULL: they are copied */
    nd_record_form form;
    bool seekable;             /* copies are written at their offsets in the output; else in turn */
    bool members;              /* each copied record is a member of a compressed output */
    nd_record_reader *origins; /* reads URLs and dates of archives; NULL: they are not wanted */
    nd_row_objects *objects;   /* of rows of Parquet; NULL: there are none */
    nd_json_out record;        /* memory for a record */
    nd_form_buffer line;       /* and for its form */
    writing_thread threads[COPYING_THREADS];
    size_t started; /* threads that run; if there are none, the filling thread writes the pieces */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by `lock`: threads work on pieces [written, taken), pieces [taken, filled) wait, and
     * piece `filled` is filled. Piece p is in ring[p % RING_PIECES]. */
    uint64_t written, taken, filled;
    bool last, given_up; /* no more pieces come; waiting pieces are dropped */
    nd_error failure;    /* the first failure of a thread, which ends all of them */
    piece ring[RING_PIECES];
};

static piece *piece_at(nd_record_writer *c, uint64_t p) { return &c->ring[p % RING_PIECES]; }

/* ---- writing */

/* Waits until all pieces before p are written. ND_ERR_CANCELLED: another thread has failed. */
static nd_status await_turn(nd_record_writer *c, uint64_t p) {
    pthread_mutex_lock(&c->lock);
    while (c->written != p && c->failure.status == ND_OK) pthread_cond_wait(&c->changed, &c->lock);
    nd_status status = c->failure.status == ND_OK ? ND_OK : ND_ERR_CANCELLED;
    pthread_mutex_unlock(&c->lock);
    return status;
}

static nd_status read_runs(writing_thread *t, const piece *p, char *to, nd_error *error) {
    for (size_t r = 0; r < p->count; r++) {
        const run *from = &p->runs[r];
        size_t size = (size_t)(from->end - from->begin);
        if (size > 0)
            ND_TRY(nd_record_reader_read(t->reader, from->source, from->begin, size, to, error));
        memcpy(to + size, from->ending.bytes, from->ending.size);
        to += size + from->ending.size;
    }
    return ND_OK;
}

/* Writes the runs of a piece, and ends a member behind each record. */
static nd_status write_members(nd_record_writer *c, const piece *p, const char *bytes,
                               nd_error *error) {
    for (size_t r = 0; r < p->count; r++) {
        const run *from = &p->runs[r];
        size_t size = (size_t)(from->end - from->begin) + from->ending.size;
        ND_TRY(nd_output_file_write(c->output, bytes, size, error));
        if (from->whole) ND_TRY(nd_output_file_end_member(c->output, error));
        bytes += size;
    }
    return ND_OK;
}

static nd_status copy_piece(writing_thread *t, uint64_t number, nd_error *error) {
    nd_record_writer *c = t->shared;
    const piece *p = piece_at(c, number);
    ND_TRY(read_runs(t, p, t->bytes, error));
    if (c->seekable)
        return nd_output_file_write_at(c->output, t->bytes, p->size, number * PIECE_BYTES, error);
    ND_TRY(await_turn(c, number));
    return c->members ? write_members(c, p, t->bytes, error)
                      : nd_output_file_write(c->output, t->bytes, p->size, error);
}

static void shrink(nd_json_out *buffer) {
    if (buffer->capacity <= 2 * ND_LARGE_RECORD) return;
    nd_release(&buffer->allocator, buffer->bytes);
    *buffer = (nd_json_out){.allocator = buffer->allocator};
}

/* Reads a record, or the text of one that is a text. A large record takes memory here beside the
 * one that is in work elsewhere: this thread takes the gate only for texts, because the thread that
 * fills pieces may wait for it. */
static nd_status read_record(writing_thread *t, const run *from, nd_raw_form *out,
                             nd_error *error) {
    nd_record_writer *c = t->shared;
    size_t length = (size_t)(from->end - from->begin);
    out->source = nd_corpus_source(c->columns->corpus, from->source);
    if (c->origins)
        ND_TRY(nd_record_reader_fetch_origin(c->origins, from->source, from->begin, length,
                                             &out->url, &out->date, error));
    if (c->objects)
        return nd_row_objects_get(c->objects, from->source, from->begin, &out->bytes, &out->length,
                                  error);
    if (nd_record_form_has_texts(&c->form))
        return nd_record_reader_fetch_text(t->reader, from->source, from->begin, length,
                                           &out->bytes, &out->length, error);
    if (!nd_reserve(&c->allocator, &c->record.bytes, &c->record.capacity, length + 1))
        return nd_fail_memory(error, length, "copying records");
    out->bytes = c->record.bytes;
    out->length = length;
    return nd_record_reader_read(t->reader, from->source, from->begin, length, c->record.bytes,
                                 error);
}

static nd_status write_record(writing_thread *t, const piece *p, size_t r, nd_error *error) {
    nd_record_writer *c = t->shared;
    size_t begin = r > 0 ? p->ends[r - 1].mark : 0;
    nd_raw_form record = {.id = p->notes.bytes + begin,
                          .id_length = p->ends[r].id - begin,
                          .mark = p->notes.bytes + p->ends[r].id,
                          .mark_length = p->ends[r].mark - p->ends[r].id};
    nd_status status = read_record(t, &p->runs[r], &record, error);
    if (status == ND_OK) status = nd_record_form_put(&c->form, &record, &c->line, error);
    nd_record_reader_release(t->reader);
    if (status == ND_OK)
        status = nd_record_files_write(c->files, p->runs[r].source, c->line.line.bytes,
                                       c->line.line.size, error);
    shrink(&c->record);
    shrink(&c->line.line);
    shrink(&c->line.cell);
    return status;
}

static nd_status write_records(writing_thread *t, const piece *p, nd_error *error) {
    for (size_t r = 0; r < p->count; r++) ND_TRY(write_record(t, p, r, error));
    return ND_OK;
}

static nd_status write_piece(writing_thread *t, uint64_t number, nd_error *error) {
    nd_record_writer *c = t->shared;
    return c->files ? write_records(t, piece_at(c, number), error) : copy_piece(t, number, error);
}

/* Counts a piece as written, together with pieces behind it that were done before it. */
static void finish_piece(nd_record_writer *c, uint64_t number) {
    piece_at(c, number)->done = true;
    for (; c->written < c->taken && piece_at(c, c->written)->done; c->written++)
        piece_at(c, c->written)->done = false;
}

static void *write_pieces(void *argument) {
    writing_thread *t = argument;
    nd_record_writer *c = t->shared;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->taken == c->filled && !c->last) pthread_cond_wait(&c->changed, &c->lock);
        if (c->taken == c->filled || c->given_up || c->failure.status != ND_OK) break;
        uint64_t number = c->taken++;
        pthread_mutex_unlock(&c->lock);
        nd_error failure;
        nd_status status = write_piece(t, number, &failure);
        pthread_mutex_lock(&c->lock);
        if (status == ND_OK) finish_piece(c, number);
        else if (c->failure.status == ND_OK) c->failure = failure;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Waits for the threads to end. give_up: they drop the waiting pieces. */
static void join(nd_record_writer *c, bool give_up) {
    pthread_mutex_lock(&c->lock);
    c->last = true;
    c->given_up = give_up;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    while (c->started > 0) pthread_join(c->threads[--c->started].thread, NULL);
}

void nd_record_writer_free(nd_record_writer *c) {
    if (!c) return;
    const nd_allocator allocator = c->allocator, *a = &allocator;
    join(c, true);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    for (size_t i = 0; i < RING_PIECES; i++) {
        nd_release(a, c->ring[i].runs);
        nd_release(a, c->ring[i].ends);
        nd_release(a, c->ring[i].notes.bytes);
    }
    for (size_t i = 0; i < COPYING_THREADS; i++) {
        nd_record_reader_free(c->threads[i].reader);
        nd_release(a, c->threads[i].memory);
    }
    nd_record_reader_free(c->origins);
    nd_row_objects_free(c->objects);
    nd_record_files_free(c->files);
    nd_release(a, c->record.bytes);
    nd_release(a, c->line.line.bytes);
    nd_release(a, c->line.cell.bytes);
    nd_release(a, c);
}

/* ---- filling pieces */

static nd_status failure_of(const nd_record_writer *c, nd_error *error) {
    return c->failure.status == ND_OK ? ND_OK
                                      : nd_fail(error, c->failure.status, "%s", c->failure.message);
}

/* Queues the full piece, and begins the next one when the ring has room for it. */
static nd_status next_piece(nd_record_writer *c, nd_error *error) {
    if (c->started == 0) ND_TRY(write_piece(&c->threads[0], c->filled, error));
    pthread_mutex_lock(&c->lock);
    c->filled++;
    if (c->started == 0) c->written = c->taken = c->filled;
    pthread_cond_broadcast(&c->changed);
    while (c->filled - c->written == RING_PIECES && c->failure.status == ND_OK)
        pthread_cond_wait(&c->changed, &c->lock);
    nd_status status = failure_of(c, error);
    pthread_mutex_unlock(&c->lock);
    piece *next = piece_at(c, c->filled);
    next->count = next->size = next->notes.size = 0;
    return status;
}

/* Adds the bytes [begin, end) of a source and its ending, to as many pieces as they need. */
static nd_status add_run(nd_record_writer *c, size_t source, uint64_t begin, uint64_t end,
                         nd_error *error) {
    nd_record_ending rest = nd_record_form_ending(&c->form,
                                                  nd_corpus_source(c->columns->corpus, source));
    while (rest.size > 0) {
        if (piece_at(c, c->filled)->size == PIECE_BYTES) ND_TRY(next_piece(c, error));
        piece *p = piece_at(c, c->filled);
        if (!nd_reserve(&c->allocator, &p->runs, &p->capacity, p->count + 1))
            return nd_fail_memory(error, sizeof *p->runs, "copying records");
        uint64_t left = PIECE_BYTES - p->size, taken = end - begin < left ? end - begin : left;
        left -= taken;
        nd_record_ending part = {rest.bytes, rest.size < left ? rest.size : (size_t)left};
        p->runs[p->count++] = (run){source, begin, begin + taken, part, part.size == rest.size};
        p->size += (size_t)taken + part.size;
        begin += taken;
        rest = (nd_record_ending){rest.bytes + part.size, rest.size - part.size};
    }
    return ND_OK;
}

static nd_status add_copy(nd_record_writer *c, size_t source, uint64_t begin, uint32_t length,
                          nd_error *error) {
    const nd_source *from = nd_corpus_source(c->columns->corpus, source);
    piece *p = piece_at(c, c->filled);
    run *last = p->count > 0 ? &p->runs[p->count - 1] : NULL;
    bool lines = from->format != ND_FORMAT_JSON && from->format != ND_FORMAT_WARC &&
                 !nd_source_has_rows(from);
    bool continues = lines && last && last->whole && last->source == source &&
                     last->end + 1 == begin && p->size + length < PIECE_BYTES;
    if (!continues) return add_run(c, source, begin, begin + length, error);
    last->end += 1 + (uint64_t)length;
    p->size += 1 + (size_t)length;
    return ND_OK;
}

/* Adds what the form of a record needs besides its bytes. */
static nd_status add_notes(nd_record_writer *c, piece *p, const nd_record_mark *mark,
                           const nd_id_buffer *id, nd_error *error) {
    note_ends *ends = &p->ends[p->count];
    if (nd_record_form_has_texts(&c->form))
        ND_TRY(nd_json_put_string(&p->notes, id->id, id->length, ND_JSON_LETTERS, error));
    ends->id = p->notes.size;
    if (c->form.marked) ND_TRY(nd_record_form_put_mark(&c->form, mark, &p->notes, error));
    ends->mark = p->notes.size;
    return ND_OK;
}

/* Adds a record that is written by itself. */
static nd_status add_record(nd_record_writer *c, const run *record, const nd_record_mark *mark,
                            const nd_id_buffer *id, nd_error *error) {
    piece *p = piece_at(c, c->filled);
    if (p->count == PIECE_RECORDS || p->size + p->notes.size >= PIECE_BYTES)
        ND_TRY(next_piece(c, error));
    p = piece_at(c, c->filled);
    if (!nd_reserve(&c->allocator, &p->runs, &p->capacity, p->count + 1) ||
        !nd_reserve(&c->allocator, &p->ends, &p->end_capacity, p->count + 1))
        return nd_fail_memory(error, sizeof *p->runs, "copying records");
    ND_TRY(add_notes(c, p, mark, id, error));
    p->runs[p->count++] = *record;
    p->size += (size_t)(record->end - record->begin) + 1;
    return ND_OK;
}

/* Rows of CSV stand behind the header of their files, which is the same in all; records of WARC
 * behind the warcinfo of each file. */
static nd_status add_header(nd_record_writer *c, nd_error *error) {
    for (size_t s = 0; s < nd_corpus_sources(c->columns->corpus); s++) {
        const nd_source *source = nd_corpus_source(c->columns->corpus, s);
        if (!source->header) continue;
        ND_TRY(add_run(c, s, source->header_offset, source->header_offset + source->header_length,
                       error));
        if (source->format != ND_FORMAT_WARC) break;
    }
    return ND_OK;
}

nd_status nd_record_writer_add(nd_record_writer *c, uint32_t document, const nd_record_mark *mark,
                               const nd_id_buffer *id, nd_error *error) {
    bool row = nd_record_form_has_rows(&c->form);
    uint64_t begin = row ? id->line : nd_columns_offset(c->columns, document);
    uint32_t length = row ? 0 : nd_columns_length(c->columns, document);
    size_t source = nd_columns_source(c->columns, document);
    const run record = {.source = source, .begin = begin, .end = begin + length};
    return c->files ? add_record(c, &record, mark, id, error)
                    : add_copy(c, source, begin, length, error);
}

/* ---- begin and end */

/* Gives a thread its memory. */
static nd_status prepare(nd_record_writer *c, writing_thread *t, bool copies, nd_error *error) {
    t->shared = c;
    ND_TRY(nd_record_reader_create(c->columns->corpus, &t->reader, error));
    if (!copies) return ND_OK;
    t->memory = nd_output_pieces_allocate(&c->allocator, PIECE_BYTES, &t->bytes);
    return t->memory ? ND_OK : nd_fail_memory(error, PIECE_BYTES, "copying records");
}

static nd_status open_files(nd_record_writer *c, const nd_record_target *target, nd_error *error) {
    if (c->form.from == ND_FORMAT_WARC && nd_record_form_has_texts(&c->form))
        ND_TRY(nd_record_reader_create(c->columns->corpus, &c->origins, error));
    if (nd_record_form_has_rows(&c->form))
        ND_TRY(nd_row_objects_create(c->columns->corpus, &c->objects, error));
    c->record.allocator = c->line.line.allocator = c->line.cell.allocator = c->allocator;
    for (size_t i = 0; i < RING_PIECES; i++) c->ring[i].notes.allocator = c->allocator;
    return nd_record_files_create(c->columns->corpus, &c->form, target, &c->allocator, &c->files,
                                  error);
}

/* Opens the output, and starts as many of its threads as the system gives. */
static nd_status begin(nd_record_writer *c, const nd_record_target *target, nd_error *error) {
    bool copies = !target->tree && nd_record_form_copies(&c->form);
    size_t wanted = copies ? COPYING_THREADS : 1;
    for (size_t i = 0; i < wanted; i++) ND_TRY(prepare(c, &c->threads[i], copies, error));
    if (copies) c->output = target->file;
    else ND_TRY(open_files(c, target, error));
    c->seekable = copies && nd_output_file_is_seekable(target->file);
    c->members = copies && nd_record_form_has_members(&c->form) &&
                 nd_output_file_is_compressed(target->file);
    while (c->started < wanted) {
        writing_thread *t = &c->threads[c->started];
        if (pthread_create(&t->thread, NULL, write_pieces, t) != 0) break;
        c->started++;
    }
    return ND_OK;
}

nd_status nd_record_writer_create(const nd_columns *columns, const nd_record_form *form,
                                  const nd_record_target *target, nd_record_writer **out,
                                  nd_error *error) {
    const nd_allocator *a = &columns->allocator;
    nd_record_writer *c = nd_allocate_zero(a, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "copying records");
    c->columns = columns;
    c->allocator = *a;
    c->form = *form;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    nd_status status = begin(c, target, error);
    if (status != ND_OK) {
        nd_record_writer_free(c);
        return status;
    }
    *out = c;
    return c->files ? ND_OK : add_header(c, error);
}

nd_status nd_record_writer_finish(nd_record_writer *c, uint64_t *bytes, nd_error *error) {
    if (piece_at(c, c->filled)->count > 0) ND_TRY(next_piece(c, error));
    join(c, false);
    ND_TRY(failure_of(c, error));
    if (!c->files) return ND_OK;
    ND_TRY(nd_record_files_finish(c->files, error));
    *bytes += nd_record_files_size(c->files);
    return ND_OK;
}
