/* The records that a job of dedup writes, on random inputs of several files: one file, a file for
 * each file of the input, and files of a limited size have the same records; kept and removed
 * records together are the input; marked records are the input, too, and tell the same. */
#include "job_parts.h"
#include "own_directory.h"
#include "small_corpus.h"

#include <sys/stat.h>

enum { DOCUMENTS = 120, MOST_FILES = 6, PART = 300, TEXT = 1 << 18 };

/* A form of the inputs. */
typedef struct form {
    const char *ending, *header, *record; /* `record`: with an id and a text */
    const char *kept, *removed;           /* how marks of such records begin */
} form;

static const form forms[] = {{"jsonl", "", "{\"id\":\"%s\", \"text\": \"%s\" }\n",
                              ",\"neardup_kept\":true,", ",\"neardup_kept\":false,"},
                             {"csv", "id,text\n", "%s,\"%s\"\n", ",1,", ",0,"},
                             {"tsv", "id\ttext\n", "%s\t\"%s\"\n", "\t1\t", "\t0\t"}};

static char input[TEXT], kept[TEXT], removed[TEXT], other[TEXT];
static char names[MOST_FILES][40];
static const char *inputs[MOST_FILES];
static size_t files, file_sizes[MOST_FILES];

/* Appends the file to `text`, without its header, and returns its size. */
static size_t append(const char *name, const form *f, char *text) {
    size_t used = strlen(text), header = strlen(f->header);
    FILE *file = fopen(name, "r");
    if (!file) fail_msg("%s is missing", name);
    size_t size = fread(text + used, 1, TEXT - 1 - used, file);
    fclose(file);
    text[used + size] = '\0';
    if (strncmp(text + used, f->header, header) != 0) fail_msg("%s has no header", name);
    memmove(text + used, text + used + header, size - header + 1);
    return size;
}

static void write_inputs(const corpus *c, const form *f, uint64_t *seed) {
    files = 1 + random_below(seed, MOST_FILES);
    input[0] = '\0';
    for (size_t i = 0, d = 0; i < files; i++) {
        size_t left = c->count - d, begin = i == 0; /* the first one tells what the others are */
        size_t end = i + 1 == files ? c->count : d + begin + random_below(seed, left + 1 - begin);
        snprintf(names[i], sizeof names[i], "in/%zu.%s", i, f->ending);
        inputs[i] = names[i];
        FILE *file = fopen(names[i], "w");
        assert_non_null(file);
        fputs(f->header, file);
        for (; d < end; d++) fprintf(file, f->record, c->id[d], c->text[d]);
        assert_int_equal(fclose(file), 0);
        file_sizes[i] = append(names[i], f, input);
    }
}

static job_parts make_job(uint64_t *seed) {
    static const char *const directory[] = {"in"};
    bool by_directory = random_below(seed, 2);
    job_parts o;
    job_parts_init(&o);
    o.input.inputs = by_directory ? directory : inputs;
    o.input.input_count = by_directory ? 1 : files;
    o.resources.threads = 1 + (uint32_t)random_below(seed, 2);
    o.similarity.threshold = 0.5;
    return o;
}

static void run(job_parts *o) {
    nd_error error;
    if (nd_dedup(dedup_of(o), NULL, &error) != ND_OK) fail_msg("%s", error.message);
}

/* Cuts the next line off a text. Returns its length with the newline; 0: there is none. */
static size_t next_line(char **text, char **line) {
    char *newline = strchr(*text, '\n');
    if (!newline) return 0;
    *line = *text;
    *text = newline + 1;
    return (size_t)(newline + 1 - *line);
}

/* Each line of the input is the next line of `kept` or of `removed`. Records that are equal may be
 * kept or removed; `other` has all lines with their marks, and decides. */
static void check_marks(const form *f) {
    char *in = input, *k = kept, *r = removed, *marked = other, *line = NULL, *with = NULL;
    size_t length;
    while ((length = next_line(&in, &line)) > 0) {
        size_t marked_length = next_line(&marked, &with);
        size_t body = length - (f->ending[0] == 'j' ? strlen(" }\n") : strlen("\n"));
        assert_true(marked_length > length);
        assert_memory_equal(with, line, body);
        bool is_kept = strncmp(with + body, f->kept, strlen(f->kept)) == 0;
        if (!is_kept) assert_memory_equal(with + body, f->removed, strlen(f->removed));
        char **list = is_kept ? &k : &r, *same = NULL;
        assert_int_equal(next_line(list, &same), length);
        assert_memory_equal(same, line, length);
    }
    assert_true(!*k && !*r && !*marked);
}

/* A file for each file of the input, of the same name. */
static void check_shards(const form *f) {
    char name[60];
    other[0] = '\0';
    for (size_t i = 0; i < files; i++) {
        snprintf(name, sizeof name, "shards/%s", names[i] + strlen("in/"));
        assert_true(append(name, f, other) <= file_sizes[i]);
    }
    assert_string_equal(other, kept);
    remove_directory("shards");
}

static size_t count_lines(const char *text) {
    size_t count = 0;
    for (; (text = strchr(text, '\n')); text++) count++;
    return count;
}

/* No file is larger than PART, unless it has one record; none could have one record more. */
static void check_parts(const form *f) {
    char name[60];
    other[0] = '\0';
    size_t previous = SIZE_MAX, number = 0;
    for (;; number++) {
        snprintf(name, sizeof name, "parts/part-%05zu.%s", number, f->ending);
        if (access(name, F_OK) != 0) break;
        char *begin = other + strlen(other);
        size_t size = append(name, f, other);
        assert_true(size <= PART || count_lines(begin) == 1);
        size_t first = strcspn(begin, "\n") + 1;
        if (number > 0) assert_true(previous + first > PART);
        previous = size;
    }
    assert_true(number > 0);
    assert_string_equal(other, kept);
    remove_directory("parts");
}

static void check_form(const form *f, uint64_t seed) {
    corpus c = {0};
    make_corpus(&c, seed, 1 + random_below(&seed, DOCUMENTS));
    assert_int_equal(mkdir("in", 0777), 0);
    write_inputs(&c, f, &seed);
    job_parts o = make_job(&seed);
    o.outputs.kept = "kept";
    o.outputs.removed_records = "removed";
    run(&o);
    kept[0] = removed[0] = other[0] = '\0';
    append("kept", f, kept);
    append("removed", f, removed);
    o.outputs.kept = "marked";
    o.outputs.mark = true;
    run(&o);
    const form marked = {
        .ending = f->ending,
        .header = f->header[0] == '\0' ? ""
                  : f->ending[0] == 'c'
                      ? "id,text,neardup_kept,neardup_of,neardup_similarity\n"
                      : "id\ttext\tneardup_kept\tneardup_of\tneardup_similarity\n"};
    append("marked", &marked, other);
    check_marks(f);
    o.outputs.mark = false;
    o.outputs.kept = "shards/";
    run(&o);
    check_shards(f);
    o.outputs.kept = "parts/";
    o.outputs.shard_size = PART;
    run(&o);
    check_parts(f);
    remove_directory("in");
    unlink("kept"), unlink("removed"), unlink("marked");
    free_corpus(&c);
}

static void test_records(void **state) {
    (void)state;
    if (!strstr(nd_features(), "simdjson")) skip();
    for (uint64_t seed = 1; seed <= test_rounds(60); seed++) check_form(&forms[seed % 3], seed);
}

/* Every n-th request for memory fails: an error with a message, and no file is left behind. */
static void test_out_of_memory(void **state) {
    (void)state;
    if (!strstr(nd_features(), "simdjson")) skip();
    corpus c = {0};
    uint64_t seed = 5;
    make_corpus(&c, 11, 40);
    assert_int_equal(mkdir("in", 0777), 0);
    write_inputs(&c, &forms[0], &seed);
    nd_status status = ND_ERR_MEMORY;
    for (long n = 0; status != ND_OK; n += 1 + n / 40) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        job_parts o = make_job(&seed);
        nd_error error = {0};
        o.resources.allocator = &allocator;
        o.outputs.kept = "out/";
        o.outputs.mark = n % 2;
        o.outputs.shard_size = n % 3 ? 0 : PART;
        o.outputs.removed_records = "removed";
        status = nd_dedup(dedup_of(&o), NULL, &error);
        assert_true(status == ND_OK || status == ND_ERR_MEMORY);
        if (status != ND_OK) assert_true(strlen(error.message) > 0);
        if (status != ND_OK) assert_true(access("out", F_OK) != 0 && access("removed", F_OK) != 0);
        assert_int_equal(failing.live, 0);
    }
    remove_directory("out");
    remove_directory("in");
    unlink("removed");
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_records),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
