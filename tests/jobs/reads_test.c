/* A job reads its temporary files in large pieces: many pairs of near-identical documents take few
 * system calls. The linker wraps pread (tests/CMakeLists.txt). */
#include "base/limits.h"
#include "job_parts.h"
#include "test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>

enum { DOCUMENTS = ND_LIMIT(800, 200), WORDS = 60 };

ssize_t __real_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __real_pread64(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset);

static atomic_size_t reads;

ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset) {
    reads++;
    return __real_pread(fd, buffer, size, offset);
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset) {
    reads++;
    return __real_pread64(fd, buffer, size, offset);
}

typedef struct feed {
    unsigned next, end, copies_from; /* document copies_from is a copy of document 0, the next one
                                        of document 1, and so on */
    char text[16 * WORDS];
} feed;

/* nd_record_fn: one text; each document has one other word in it. */
static int give(void *context, nd_record *out) {
    feed *f = context;
    if (f->next == f->end) return 0;
    unsigned d = f->next++, length = 0;
    if (d >= f->copies_from) d -= f->copies_from;
    for (unsigned w = 0; w < WORDS; w++)
        length += (unsigned)snprintf(f->text + length, sizeof f->text - length,
                                     w == d % WORDS ? "own%u " : "word%u ", w == d % WORDS ? d : w);
    *out = (nd_record){.text = f->text, .length = length};
    return 1;
}

static job_parts options_of(feed *f) {
    job_parts o;
    job_parts_init(&o);
    o.input.records = give;
    o.input.records_context = f;
    o.similarity.threshold = 0.6;
    o.similarity.max_compare = UINT32_MAX;
    o.resources.memory = UINT64_C(64) << 20;
    o.resources.threads = 1;
    return o;
}

static bool count_pair(void *context, const nd_pair *pair) {
    (void)pair;
    ++*(size_t *)context;
    return true;
}

enum { PAIRS_A_READ = ND_LIMIT(100, 0) }; /* with small limits pieces are small, too */

/* The pairs do not fit in the memory that the job has for them. */
static void check(size_t pairs) {
    assert_true(pairs > DOCUMENTS * DOCUMENTS / 3);
    if (reads == 0 || reads * PAIRS_A_READ > pairs)
        fail_msg("%zu reads for %zu pairs", (size_t)reads, pairs);
}

static void test_components(void **state) {
    (void)state;
    feed f = {.end = DOCUMENTS, .copies_from = DOCUMENTS};
    job_parts o = options_of(&f);
    nd_job_summary summary = {.struct_size = sizeof summary};
    o.survivors.group = ND_GROUP_COMPONENT;
    reads = 0;
    assert_int_equal(nd_dedup(dedup_of(&o), &summary, NULL), ND_OK);
    assert_int_equal(summary.kept, 1);
    check((size_t)summary.pairs);
}

static void test_pairs(void **state) {
    (void)state;
    for (unsigned copies = 0; copies <= DOCUMENTS / 10; copies += DOCUMENTS / 10) {
        feed f = {.end = DOCUMENTS + copies, .copies_from = DOCUMENTS};
        job_parts o = options_of(&f);
        size_t pairs = 0;
        o.outputs.on_pair = count_pair;
        o.outputs.context = &pairs;
        reads = 0;
        assert_int_equal(nd_pairs(pairs_of(&o), NULL, NULL), ND_OK);
        check(pairs);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_components),
                                       cmocka_unit_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
