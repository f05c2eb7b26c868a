#include "corpus/line_claims.h"

#include "corpus/json_simdjson.h"
#include "corpus/record_cut.h"

#include <string.h>

/* A newline is looked for backwards: LOOK bytes at a time, MOST_LOOK in all. Lines that are longer
 * are not worth it that bytes are read twice. */
enum { LOOK = ND_LIMIT(16 << 10, 16), MOST_LOOK = ND_LIMIT(256 << 10, 256) };

void nd_line_claims_init(nd_line_claims *claims) {
    pthread_mutex_init(&claims->lock, NULL);
    pthread_cond_init(&claims->changed, NULL);
}

void nd_line_claims_free(nd_line_claims *claims) {
    pthread_mutex_destroy(&claims->lock);
    pthread_cond_destroy(&claims->changed);
}

static size_t size_for(uint64_t bytes, size_t records) {
    double size = (double)bytes / (double)records * ND_BLOCK_RECORDS * 3 / 4;
    return size < ND_BLOCK_BYTES ? (size_t)size : ND_BLOCK_BYTES;
}

void nd_line_claims_learn(nd_line_claims *claims, uint64_t bytes, size_t records) {
    if (records == 0) return;
    pthread_mutex_lock(&claims->lock);
    claims->size = size_for(bytes, records);
    pthread_mutex_unlock(&claims->lock);
}

/* ---- claiming */

void nd_line_claims_begin(nd_line_claims *claims, uint64_t offset, uint64_t line) {
    claims->open = true;
    claims->count = 0;
    claims->offset = offset;
    claims->counted = 0;
    claims->line = line;
    claims->broken = false;
}

/* The place behind the last newline of the `size` bytes at `offset`; 0: there is none near their
 * end, or they cannot be read. */
static size_t end_of_lines(const nd_stream_in *stream, uint64_t offset, size_t size) {
    char bytes[LOOK];
    size_t least = size < MOST_LOOK ? 0 : size - MOST_LOOK;
    for (size_t end = size, begin; end > least; end = begin) {
        begin = end < LOOK ? 0 : end - LOOK;
        if (nd_stream_in_read_at(stream, bytes, end - begin, offset + begin, NULL) != ND_OK)
            return 0;
        for (size_t i = end; i > begin; i--)
            if (bytes[i - 1 - begin] == '\n') return i;
    }
    return 0;
}

bool nd_line_claims_take(nd_line_claims *claims, nd_stream_in *stream, uint64_t end,
                         nd_block *block) {
    pthread_mutex_lock(&claims->lock);
    size_t most = claims->broken ? 0 : claims->size;
    pthread_mutex_unlock(&claims->lock);
    if (most == 0 || claims->offset + most > end) return false;
    size_t size = end_of_lines(stream, claims->offset, most);
    if (size == 0) return false;
    block->claim = (nd_block_claim){stream, claims->count++, claims->offset, size};
    claims->offset += size;
    return true;
}

/* ---- reading */

/* *lines: the block's lines, also blank ones. A record's line is counted from its beginning. */
static nd_status cut_lines(nd_block *block, const nd_allocator *allocator, uint64_t max_record,
                           uint64_t *lines, nd_error *error) {
    nd_record_cutter cutter = {.format = ND_FORMAT_JSON_LINES};
    nd_cut cut;
    for (size_t from = 0; nd_record_cut(&cutter, block->bytes, from, block->size, false, &cut);
         from = cut.next) {
        ++*lines;
        if (cut.blank) continue;
        const nd_raw_record record = {.start = cut.begin,
                                      .length = cut.end - cut.begin,
                                      .offset = block->claim.offset + cut.begin,
                                      .line = *lines,
                                      .size = cut.end - cut.begin,
                                      .too_long = cut.end - cut.begin > max_record};
        ND_TRY(nd_block_add_record(block, allocator, record, error));
    }
    return ND_OK;
}

static nd_status read_bytes(nd_block *block, const nd_allocator *allocator, nd_error *error) {
    const nd_block_claim *claim = &block->claim;
    if (!nd_reserve(allocator, &block->bytes, &block->capacity, claim->size + ND_JSON_PADDING))
        return nd_fail_memory(error, claim->size, "a block of records");
    ND_TRY(nd_stream_in_read_at(claim->stream, block->bytes, claim->size, claim->offset, error));
    memset(block->bytes + claim->size, 0, ND_JSON_PADDING);
    block->size = claim->size;
    return ND_OK;
}

nd_status nd_line_claims_read(nd_line_claims *claims, const nd_allocator *allocator,
                              uint64_t max_record, nd_block *block, nd_error *error) {
    uint64_t lines = 0;
    nd_status status = read_bytes(block, allocator, error);
    if (status == ND_OK) status = cut_lines(block, allocator, max_record, &lines, error);
    pthread_mutex_lock(&claims->lock);
    while (claims->counted != block->claim.number)
        pthread_cond_wait(&claims->changed, &claims->lock);
    uint64_t before = claims->line;
    bool left_out = claims->broken;
    if (block->count > 0) claims->size = size_for(block->size, block->count);
    claims->line += lines;
    claims->broken = left_out || status != ND_OK;
    claims->counted++;
    pthread_cond_broadcast(&claims->changed);
    pthread_mutex_unlock(&claims->lock);
    for (size_t i = 0; i < block->count; i++) block->records[i].line += before;
    if (left_out || status != ND_OK) block->count = 0;
    else block->input_bytes = block->size;
    return left_out ? ND_OK : status;
}

void nd_line_claims_end(nd_line_claims *claims, uint64_t *line, bool *broken) {
    pthread_mutex_lock(&claims->lock);
    while (claims->counted != claims->count) pthread_cond_wait(&claims->changed, &claims->lock);
    *line = claims->line;
    *broken = claims->broken;
    pthread_mutex_unlock(&claims->lock);
    claims->open = false;
}
