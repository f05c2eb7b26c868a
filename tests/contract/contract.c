#include "contract.h"

outputs out;
nd_error failure;
failing_allocator memory = {.left = FAILING_ALLOCATOR_NEVER};
nd_allocator allocator;
feed input;
nd_job_options job;

nd_dictionary *dictionary;
nd_weights *weights;
nd_stop_words *stop;
nd_analyzer *shingler, *worder;
nd_minhash *minhash;
nd_bottom_k *sketch, *other_sketch, *third_sketch;
nd_simhash *simhash;

/* ---- calls that are watched */

struct watched functions[MOST_FUNCTIONS];
static size_t function_count;

size_t function_of(const char *call) {
    size_t length = 0, i = 0;
    while (isalnum((unsigned char)call[length]) || call[length] == '_') length++;
    while (i < function_count &&
           !(strlen(functions[i].name) == length && memcmp(functions[i].name, call, length) == 0))
        i++;
    if (i == function_count) memcpy(functions[function_count++].name, call, length);
    assert_true(function_count < MOST_FUNCTIONS);
    return i;
}

bool is_untouched(const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++)
        if (p[i] != PATTERN) return false;
    return true;
}

void begin_call(void) {
    memset(&out, PATTERN, sizeof out);
    memset(&failure, PATTERN, sizeof failure);
}

void check_failed(const char *call, nd_status status, nd_status expected, const char *part) {
    if (status != expected)
        fail_msg("%s: status %d, not %d: %s", call, status, expected,
                 status == ND_OK ? "" : failure.message);
    if (failure.status != expected) fail_msg("%s: error.status is %d", call, failure.status);
    if (!memchr(failure.message, 0, sizeof failure.message) || strchr(failure.message, '\n'))
        fail_msg("%s: not one line of text", call);
    if (!strstr(failure.message, part))
        fail_msg("%s: '%s' has no '%s'", call, failure.message, part);
    if (!is_untouched(&out, sizeof out)) fail_msg("%s: an output has changed", call);
}

/* ---- what the calls are given */

void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

void good(nd_status status) {
    if (status != ND_OK) fail_msg("%s", failure.message);
}

/* ---- jobs */

/* nd_record_fn: a few families of copies. */
int give_record(void *context, nd_record *out_record) {
    feed *f = context;
    unsigned n = f->next++;
    if (n == DOCUMENTS) return 0;
    int length = snprintf(f->text, sizeof f->text,
                          "document %u of a family with the same long text in all of its members%s",
                          n % 7, n % 3 ? "" : " or so");
    *out_record = (nd_record){f->text, (size_t)length, f->id,
                              (size_t)snprintf(f->id, sizeof f->id, "d%u", n), (double)n};
    return 1;
}

/* One that is bad among the good ones. */
static int give_bad(void *context, nd_record *out_record) {
    int more = give_record(context, out_record);
    if (more == 1 && ((feed *)context)->next == 5)
        out_record->text = "\xff", out_record->length = 1;
    return more;
}

void begin_job(uint32_t threads) {
    nd_job_options_init(&job);
    input.next = 0;
    job.records = give_record;
    job.records_context = &input;
    job.allocator = &allocator;
    job.threads = threads;
    job.work = ".";
}

void begin_bad_job(void) {
    begin_job(1);
    job.records = give_bad;
    job.skip_errors = true;
}
