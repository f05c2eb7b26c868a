/* What a job has on disk it reads in large pieces: many pairs of near-identical documents take few
 * system calls. pread is wrapped by the linker (tests/CMakeLists.txt). */
#include "base/limits.h"
#include "neardup.h"
#include "test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>

enum { DOCUMENTS = 800, WORDS = 60 };

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
    unsigned next, end, copies_from; /* from there on documents are those from 0 on again */
    char text[16 * WORDS];
} feed;

/* nd_record_fn: one text, of which each document has another word of its own. */
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

static nd_job_options options_of(feed *f) {
    nd_job_options o;
    nd_job_options_init(&o);
    o.records = give;
    o.records_context = f;
    o.threshold = 0.6;
    o.max_compare = UINT32_MAX;
    o.memory = UINT64_C(64) << 20;
    o.threads = 1;
    return o;
}

static bool count_pair(void *context, const nd_pair *pair) {
    (void)pair;
    ++*(size_t *)context;
    return true;
}

enum { PAIRS_A_READ = ND_LIMIT(100, 0) }; /* pieces are small then, too */

/* The pairs are more than the job's memory for them holds. */
static void check(size_t pairs) {
    assert_true(pairs > 250000);
    if (reads == 0 || reads * PAIRS_A_READ > pairs)
        fail_msg("%zu reads for %zu pairs", (size_t)reads, pairs);
}

static void test_components(void **state) {
    (void)state;
    feed f = {.end = DOCUMENTS, .copies_from = DOCUMENTS};
    nd_job_options o = options_of(&f);
    nd_job_summary summary;
    o.group = ND_GROUP_COMPONENT;
    reads = 0;
    assert_int_equal(nd_dedup(&o, &summary, NULL), ND_OK);
    assert_int_equal(summary.kept, 1);
    check((size_t)summary.pairs);
}

static void test_pairs(void **state) {
    (void)state;
    for (unsigned copies = 0; copies <= DOCUMENTS / 10; copies += DOCUMENTS / 10) {
        feed f = {.end = DOCUMENTS + copies, .copies_from = DOCUMENTS};
        nd_job_options o = options_of(&f);
        size_t pairs = 0;
        o.on_pair = count_pair;
        o.result_context = &pairs;
        reads = 0;
        assert_int_equal(nd_pairs(&o, NULL, NULL), ND_OK);
        check(pairs);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_components),
                                       cmocka_unit_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
