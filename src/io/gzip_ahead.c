#include "io/gzip_ahead.h"

#include "base/async_task.h"
#include "base/limits.h"
#include "io/gzip_in.h"
#include "io/gzip_members.h"

#include <string.h>

/* SEGMENT: bytes read for a segment. MOST_OUT: a segment with more output is left to nd_gzip_in. */
enum { MOST_SEGMENTS = 8, SEGMENT = ND_LIMIT(128 << 10, 200), MOST_OUT = ND_LIMIT(2 << 20, 5000) };

typedef struct segment {
    nd_async_task *task;
    unsigned char *in; /* with ND_SOURCE_SLACK bytes in front */
    size_t in_size, in_capacity;
    nd_gzip_output out;
    size_t given;  /* bytes of the output */
    bool in_order; /* left to nd_gzip_in */
} segment;

struct nd_gzip_ahead {
    nd_allocator allocator;
    nd_byte_source *source;
    segment segments[MOST_SEGMENTS];
    uint32_t count;
    uint64_t first, next; /* segments [first, next) are in work; s is segments[s % count] */
    unsigned char *rest;  /* read, but behind the latest segment */
    size_t rest_size, rest_capacity;
    bool all_read;    /* no further segment comes, or the latest is decoded in order */
    nd_gzip_in *gzip; /* decodes in order; NULL: nothing yet */
    bool in_order;    /* that goes on, to the first end of a member at or behind ... */
    uint64_t resume;  /* ... this offset in the file */
    bool over;        /* all output has been given */
};

/* ---- decoding a segment */

/* nd_async_task_fn */
static nd_status decode_segment(void *context, nd_error *error) {
    segment *s = context;
    return nd_gzip_members_decode(s->in + ND_SOURCE_SLACK, s->in_size, MOST_OUT, &s->out, error);
}

/* ---- cutting segments */

/* Finds the last begin of a member behind the first one. 0: there is none. */
static size_t find_last_member(const unsigned char *bytes, size_t size) {
    for (size_t end = size < ND_GZIP_HEADER ? 0 : size - ND_GZIP_HEADER + 1; end > 1;) {
        const unsigned char *found = memrchr(bytes + 1, 0x1f, end - 1);
        if (!found) return 0;
        if (nd_gzip_begins_member(found)) return (size_t)(found - bytes);
        end = (size_t)(found - bytes);
    }
    return 0;
}

/* Appends bytes of the source up to a size. *more false: there are no further ones, or they cannot
 * be read, which nd_gzip_in will find out again. */
static void take_bytes(nd_byte_source *source, unsigned char *to, size_t want, size_t *size,
                       bool *more) {
    for (*more = true; *more && *size < want;) {
        size_t buffered = source->end - source->begin, left = want - *size, got = 0;
        if (buffered > 0) {
            got = buffered < left ? buffered : left;
            memcpy(to + *size, source->buffer + source->begin, got);
            source->begin += got;
        } else {
            *more = nd_byte_source_read(source, to + *size, left, &got, NULL) == ND_OK && got > 0;
        }
        *size += got;
    }
}

/* Reads the next segment, and starts to decode it. */
static nd_status begin_segment(nd_gzip_ahead *a, nd_error *error) {
    segment *s = &a->segments[a->next % a->count];
    size_t want = a->rest_size + SEGMENT;
    nd_error ignored; /* nd_gzip_in finds it out again */
    bool more;
    if (!nd_reserve(&a->allocator, &s->in, &s->in_capacity, ND_SOURCE_SLACK + want) ||
        (!s->task && nd_async_task_create(&a->allocator, &s->task, NULL) != ND_OK))
        return nd_fail_memory(error, want, "a compressed segment");
    unsigned char *in = s->in + ND_SOURCE_SLACK;
    if (a->rest_size > 0) memcpy(in, a->rest, a->rest_size);
    s->in_size = a->rest_size;
    s->out.size = s->given = a->rest_size = 0;
    take_bytes(a->source, in, want, &s->in_size, &more);
    size_t last = more ? find_last_member(in, s->in_size) : s->in_size;
    a->all_read = !more || last == 0;
    s->in_order = last == 0 || s->in_size == 0;
    a->next++;
    if (s->in_order) return ND_OK;
    size_t behind = s->in_size - last;
    if (!nd_reserve(&a->allocator, &a->rest, &a->rest_capacity, behind))
        return nd_fail_memory(error, behind, "a compressed segment");
    if (behind > 0) memcpy(a->rest, in + last, behind);
    a->rest_size = behind;
    s->in_size = last;
    if (a->count > 1) nd_async_task_start(s->task, decode_segment, s);
    else (void)nd_async_task_run(s->task, decode_segment, s, &ignored);
    return ND_OK;
}

/* ---- in order */

/* Gives all bytes that have been read and not been decoded back to the source. The first segment is
 * decoded in order. */
static nd_status begin_order(nd_gzip_ahead *a, nd_error *error) {
    size_t size = a->rest_size, first = a->segments[a->first % a->count].in_size;
    for (uint64_t i = a->first; i < a->next; i++) size += a->segments[i % a->count].in_size;
    if (!a->gzip) ND_TRY(nd_gzip_in_open(a->source, &a->allocator, &a->gzip, error));
    ND_TRY(nd_byte_source_prepend(a->source, size, &a->allocator, error));
    unsigned char *to = a->source->buffer + a->source->begin;
    for (; a->first < a->next; a->first++) {
        segment *s = &a->segments[a->first % a->count];
        if (!s->in_order) (void)nd_async_task_wait(s->task, NULL);
        if (s->in_size > 0) memcpy(to, s->in + ND_SOURCE_SLACK, s->in_size);
        to += s->in_size;
    }
    if (a->rest_size > 0) memcpy(to, a->rest, a->rest_size);
    a->rest_size = 0;
    a->in_order = true;
    a->resume = nd_byte_source_offset(a->source) + first;
    return ND_OK;
}

/* Decodes in order; at the end of a member far enough behind, segments are cut again. */
static nd_status read_in_order(nd_gzip_ahead *a, unsigned char *out, size_t size, size_t *got,
                               nd_error *error) {
    bool ended;
    ND_TRY(nd_gzip_in_read_member(a->gzip, out, size, got, &ended, error));
    if (ended && nd_byte_source_offset(a->source) >= a->resume) a->in_order = a->all_read = false;
    a->over = !ended && *got < size;
    return ND_OK;
}

/* ---- reading */

/* Copies the output of the first segment, and frees its place when all of it is given. */
static size_t take_output(nd_gzip_ahead *a, unsigned char *to, size_t size) {
    segment *s = &a->segments[a->first % a->count];
    size_t left = s->out.size - s->given, taken = left < size ? left : size;
    if (taken > 0) memcpy(to, s->out.bytes + s->given, taken);
    s->given += taken;
    a->first += s->given == s->out.size;
    return taken;
}

nd_status nd_gzip_ahead_read(nd_gzip_ahead *a, void *buffer, size_t size, size_t *got,
                             nd_error *error) {
    unsigned char *out = buffer;
    nd_error ignored;
    nd_status status = ND_OK;
    for (*got = 0; status == ND_OK && *got < size && !a->over;) {
        size_t more = 0;
        while (!a->in_order && !a->all_read && a->next - a->first < a->count)
            ND_TRY(begin_segment(a, error));
        segment *s = &a->segments[a->first % a->count];
        if (a->in_order) status = read_in_order(a, out + *got, size - *got, &more, error);
        else if (a->first == a->next) a->over = true;
        else if (s->in_order || nd_async_task_wait(s->task, &ignored) != ND_OK)
            status = begin_order(a, error);
        else more = take_output(a, out + *got, size - *got);
        *got += more;
    }
    return status;
}

nd_status nd_gzip_ahead_open(nd_byte_source *source, uint32_t threads,
                             const nd_allocator *allocator, nd_gzip_ahead **out, nd_error *error) {
    nd_gzip_ahead *a = nd_allocate_zero(allocator, 1, sizeof *a);
    if (!a) return nd_fail_memory(error, sizeof *a, "a gzip decompressor");
    a->allocator = *allocator;
    a->source = source;
    a->count = threads < 1 ? 1 : threads < MOST_SEGMENTS ? threads : MOST_SEGMENTS;
    for (uint32_t i = 0; i < a->count; i++) a->segments[i].out.allocator = &a->allocator;
    *out = a;
    return ND_OK;
}

void nd_gzip_ahead_close(nd_gzip_ahead *a) {
    if (!a) return;
    nd_allocator allocator = a->allocator;
    for (uint32_t i = 0; i < a->count; i++) {
        nd_async_task_free(a->segments[i].task);
        nd_release(&allocator, a->segments[i].in);
        nd_release(&allocator, a->segments[i].out.bytes);
    }
    nd_gzip_in_close(a->gzip);
    nd_release(&allocator, a->rest);
    nd_release(&allocator, a);
}

const nd_gzip_in *nd_gzip_ahead_decoder(const nd_gzip_ahead *a) { return a->gzip; }
