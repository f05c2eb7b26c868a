/* line_claims.h: blocks of lines, read by one thread and by several, are the lines of a plain split
 * of the file. */
#include "corpus/line_claims.h"

#include "base/workers.h"
#include "corpus/block_reader.h"
#include "corpus/corpus_inside.h"

#include "own_directory.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BLOCKS = 1 << 12, ROUNDS = 4 };

static const char path[] = "line_claims_test.jsonl";

/* A file, and the lines of it that are not blank. */
typedef struct file {
    char *bytes;
    size_t size, capacity;
    nd_raw_record *lines;
    size_t count, line_capacity;
} file;

static const nd_allocator *memory(void) { return &nd_allocator_default; }

static void add_line(file *f, char letter, size_t length, const char *ending, uint64_t number) {
    assert_true(nd_reserve(memory(), &f->bytes, &f->capacity, f->size + length + 2));
    assert_true(nd_reserve(memory(), &f->lines, &f->line_capacity, f->count + 1));
    if (letter != ' ')
        f->lines[f->count++] = (nd_raw_record){
            .offset = f->size, .length = length + (ending[0] == '\r'), .line = number};
    memset(f->bytes + f->size, letter, length);
    memcpy(f->bytes + f->size + length, ending, strlen(ending));
    f->size += length + strlen(ending);
}

/* Lines of several blocks: short ones, long ones, some that are longer than a block, and blank
 * ones. The last one may have no newline. */
static file random_file(uint64_t *seed, size_t round) {
    file f = {0};
    size_t blocks = 3 + random_below(seed, 4), typical = round % 2 ? 40 : 2000;
    for (uint64_t number = 1; f.size < blocks * ND_BLOCK_BYTES; number++) {
        size_t length = 1 + random_below(seed, typical);
        if (random_below(seed, 3000) == 0) length += random_below(seed, 2 * ND_BLOCK_BYTES);
        add_line(&f, random_below(seed, 20) == 0 ? ' ' : 'x', length,
                 random_below(seed, 10) == 0 ? "\r\n" : "\n", number);
    }
    f.size -= random_below(seed, 2);
    return f;
}

static void free_file(file *f) {
    nd_release(memory(), f->bytes);
    nd_release(memory(), f->lines);
}

static void write_bytes(const file *f) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(f->bytes, 1, f->size, out), f->size);
    assert_int_equal(fclose(out), 0);
}

static nd_corpus *open_corpus(uint32_t threads) {
    static const char *const inputs[] = {path}, *const texts[] = {"text"};
    const nd_corpus_options options = {.inputs = inputs,
                                       .input_count = 1,
                                       .fields = {.texts = texts, .text_count = 1},
                                       .format = ND_FORMAT_JSON_LINES,
                                       .max_record = 1 << 24,
                                       .max_record_reason = "",
                                       .threads = threads};
    nd_temp_space disk = {0};
    nd_corpus *corpus = NULL;
    nd_error error;
    if (nd_corpus_open(&options, memory(), &disk, &corpus, &error) != ND_OK)
        fail_msg("%s", error.message);
    return corpus;
}

typedef struct reading {
    nd_corpus *corpus;
    nd_block blocks[MOST_BLOCKS];
    atomic_size_t count, claimed;
} reading;

/* nd_worker_fn */
static nd_status read_blocks(void *context, uint32_t index, nd_error *error) {
    (void)index;
    reading *r = context;
    for (;;) {
        nd_block b = {0};
        ND_TRY(nd_corpus_next_block(r->corpus, &b, error));
        if (b.end) {
            nd_block_free(&b, memory());
            return ND_OK;
        }
        if (b.claim.size > 0) atomic_fetch_add(&r->claimed, 1);
        atomic_fetch_add(&r->count, 1);
        if (b.gate) nd_block_release(&b, memory());
        if (b.number >= MOST_BLOCKS) return nd_fail(error, ND_ERR_ARGUMENT, "too many blocks");
        r->blocks[b.number] = b;
    }
}

static void check_block(const nd_block *b, const file *f, size_t first) {
    assert_true(first + b->count <= f->count);
    for (size_t i = 0; i < b->count; i++) {
        const nd_raw_record *record = &b->records[i], *line = &f->lines[first + i];
        assert_int_equal(record->offset, line->offset);
        assert_int_equal(record->length, line->length);
        assert_int_equal(record->line, line->line);
        assert_memory_equal(b->bytes + record->start, f->bytes + line->offset, line->length);
    }
}

static void check_reading(const file *f, uint32_t threads) {
    static reading r;
    nd_error error;
    r = (reading){.corpus = open_corpus(threads)};
    if (nd_run_workers(memory(), threads, read_blocks, &r, &error) != ND_OK)
        fail_msg("%s", error.message);
    uint64_t lines = 0, bytes = 0;
    for (size_t i = 0; i < r.count; i++) {
        check_block(&r.blocks[i], f, (size_t)lines);
        lines += r.blocks[i].count;
        bytes += r.blocks[i].input_bytes;
        nd_block_free(&r.blocks[i], memory());
    }
    assert_int_equal(lines, f->count);
    assert_int_equal(bytes, f->size);
    assert_true(r.claimed > 0);
    nd_corpus_close(r.corpus);
}

static void test_lines(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (size_t round = 0; round < ROUNDS; round++) {
        file f = random_file(&seed, round);
        write_bytes(&f);
        check_reading(&f, 1);
        check_reading(&f, 3);
        free_file(&f);
    }
    unlink(path);
}

static nd_status read_claim(nd_corpus *corpus, nd_block *block, nd_error *error) {
    return nd_line_claims_read(&corpus->claims, memory(), 1 << 24, block, error);
}

/* A file that is cut while it is read: the lines of the claim are lost, and those behind it are
 * left out. */
static void test_cut_file(void **state) {
    (void)state;
    nd_block blocks[3] = {0};
    nd_error error;
    file f = {0};
    for (uint64_t number = 1; f.size < 5 * (size_t)ND_BLOCK_BYTES; number++)
        add_line(&f, 'x', 100, "\n", number);
    write_bytes(&f);
    nd_corpus *corpus = open_corpus(1);
    for (int i = 0; i < 2; i++) /* the first block is no claim, but begins them */
        assert_int_equal(nd_corpus_next_block(corpus, &blocks[0], &error), ND_OK);
    for (int i = 0; i < 3; i++)
        assert_true(nd_line_claims_take(&corpus->claims, corpus->stream, f.size, &blocks[i]));
    assert_int_equal(truncate(path, (off_t)(blocks[1].claim.offset + 50)), 0);
    blocks[0].count = 0;
    assert_int_equal(read_claim(corpus, &blocks[0], &error), ND_OK);
    assert_true(blocks[0].count > 0);
    assert_int_equal(read_claim(corpus, &blocks[1], &error), ND_ERR_IO);
    assert_non_null(strstr(error.message, "line_claims_test.jsonl: changed while it was read"));
    assert_int_equal(read_claim(corpus, &blocks[2], &error), ND_OK);
    assert_int_equal(blocks[1].count, 0);
    assert_int_equal(blocks[2].count, 0);
    assert_false(nd_line_claims_take(&corpus->claims, corpus->stream, f.size, &blocks[2]));
    uint64_t line;
    bool broken = false;
    nd_line_claims_end(&corpus->claims, &line, &broken);
    assert_true(broken);
    for (int i = 0; i < 3; i++) nd_block_free(&blocks[i], memory());
    nd_corpus_close(corpus);
    free_file(&f);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_cut_file)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
