#include "contract.h"

outputs out;
nd_error failure;
failing_allocator memory = {.left = FAILING_ALLOCATOR_NEVER};
nd_allocator allocator;
feed input;
job_parts job;

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
    return size == 0 || (*p == PATTERN && memcmp(p, p + 1, size - 1) == 0);
}

/* Results whose size the caller sets. */
static const struct sized {
    size_t *struct_size, size;
} sized[] = {{&out.summary.struct_size, sizeof out.summary},
             {&out.weights_info.struct_size, sizeof out.weights_info},
             {&out.index_info.struct_size, sizeof out.index_info},
             {&out.hamming_info.struct_size, sizeof out.hamming_info},
             {&out.stream_info.struct_size, sizeof out.stream_info}};
static const size_t sized_count = sizeof sized / sizeof *sized;

void begin_call(void) {
    memset(&out, PATTERN, sizeof out);
    for (size_t i = 0; i < sized_count; i++) *sized[i].struct_size = sized[i].size;
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
    for (size_t i = 0; i < sized_count; i++) {
        if (*sized[i].struct_size != sized[i].size) fail_msg("%s: a struct_size has changed", call);
        memset(sized[i].struct_size, PATTERN, sizeof *sized[i].struct_size);
    }
    if (!is_untouched(&out, sizeof out)) fail_msg("%s: an output has changed", call);
}

/* ---- what the calls are given */

void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void append_file(char **text, const char *path) {
    char whole[600], part[4096];
    size_t size = *text ? strlen(*text) : 0, got;
    snprintf(whole, sizeof whole, "%s/../%s", ND_TEST_DATA, path);
    FILE *file = fopen(whole, "r");
    if (!file) fail_msg("%s: not there", whole);
    while ((got = fread(part, 1, sizeof part, file)) > 0) {
        *text = realloc(*text, size + got + 1);
        assert_non_null(*text);
        memcpy(*text + size, part, got);
        (*text)[size += got] = '\0';
    }
    fclose(file);
}

char *source_text(const char *path) {
    char *text = NULL;
    append_file(&text, path);
    return text;
}

char *header_text(void) {
    static const char including[] = "#include \"neardup/";
    char *all = source_text("include/neardup.h"), *text = NULL, name[60], path[100];
    for (const char *at = all; (at = strstr(at, including)); at++) {
        assert_int_equal(sscanf(at + strlen(including), "%50[a-z_].h", name), 1);
        snprintf(path, sizeof path, "include/neardup/%s.h", name);
        append_file(&text, path);
    }
    free(all);
    return text;
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
    *out_record = (nd_record){.text = f->text,
                              .length = (size_t)length,
                              .id = f->id,
                              .id_length = (size_t)snprintf(f->id, sizeof f->id, "d%u", n),
                              .value = (double)n};
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
    job_parts_init(&job);
    input.next = 0;
    job.input.records = give_record;
    job.input.records_context = &input;
    job.resources.allocator = &allocator;
    job.resources.threads = threads;
    job.resources.work = ".";
}

void begin_bad_job(void) {
    begin_job(1);
    job.input.records = give_bad;
    job.input.skip_errors = true;
}
