/* Every system call fails in turn, or is the last one of a killed process, in a run of nd_lines
 * with an index. The outputs are all new or all unchanged, and so is the index; after a kill the
 * index never knows lines of a run whose outputs are not there. Damaged files are reported or
 * change nothing; files of others stay; one process at a time has the index. */
#include "durability/documents.h"
#include "durability/image.h"
#include "durability/system.h"
#include "neardup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXTS_OF_RUN = 4, OUTPUTS = 2, SIZE = 2048 };

/* The texts of the run that built the index, and of the run that is tried. */
static const char *const first_texts[TEXTS_OF_RUN] = {
    "menu of the page\nonly here in one", "menu of the page\nfooter of the page\nmore of it here",
    "a line of this text\nanother line of it",
    "footer of the page\nmany words are here\nand here too"};
static const char *const second_texts[TEXTS_OF_RUN] = {
    "menu of the page\nnew is this line", "new is this line\nonly here in one\nnew is that line",
    "another line of it", "the last one of all\nmany words are here"};

static const char *const names[OUTPUTS] = {"kept", "removed"};
static const char *const old[OUTPUTS] = {"old kept\n", ""};

typedef struct outputs {
    char bytes[OUTPUTS][SIZE];
} outputs;

/* Of the second run: the first time, and when the index has its lines. */
static outputs fresh, again;
static image before; /* the index */

/* ---- runs */

typedef struct source {
    const char *const *texts;
    const char *letter;
    unsigned next;
    int started, go_on; /* descriptors; 0: none */
} source;

/* nd_record_fn */
static int next_text(void *context, nd_record *out) {
    static char id[] = "x-0";
    source *s = context;
    char byte = 0;
    if (s->next == 0 && s->started > 0) {
        assert_int_equal(write(s->started, &byte, 1), 1);
        assert_int_equal(read(s->go_on, &byte, 1), 1);
    }
    if (s->next == TEXTS_OF_RUN) return 0;
    id[0] = s->letter[0];
    id[2] = (char)('0' + s->next);
    out->id = id;
    out->id_length = strlen(id);
    out->text = s->texts[s->next++];
    out->length = strlen(out->text);
    return 1;
}

static nd_status run_source(source *s, const char *index, nd_error *error) {
    nd_lines_options o;
    nd_input_options input;
    nd_resources resources;
    nd_lines_options_init(&o, sizeof o);
    nd_input_options_init(&input, sizeof input);
    nd_resources_init(&resources, sizeof resources);
    input.records = next_text;
    input.records_context = s;
    resources.threads = 1;
    o.input = &input;
    o.resources = &resources;
    o.output = names[0];
    o.removed = names[1];
    o.index = index;
    return nd_lines(&o, NULL, error);
}

static nd_status run(const char *const *texts, nd_error *error) {
    source s = {.texts = texts, .letter = texts == first_texts ? "a" : "b"};
    return run_source(&s, "ix", error);
}

/* ---- outputs */

static void put(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void put_old(void) {
    for (size_t i = 0; i < OUTPUTS; i++) {
        unlink(names[i]);
        if (old[i][0]) put(names[i], old[i]);
    }
}

static void get(outputs *out) {
    for (size_t i = 0; i < OUTPUTS; i++) {
        FILE *f = fopen(names[i], "r");
        out->bytes[i][f ? fread(out->bytes[i], 1, SIZE - 1, f) : 0] = '\0';
        if (f) fclose(f);
    }
}

static bool are(const outputs *expected) {
    outputs found;
    get(&found);
    return strcmp(found.bytes[0], expected->bytes[0]) == 0 &&
           strcmp(found.bytes[1], expected->bytes[1]) == 0;
}

static bool are_old(void) {
    outputs expected;
    for (size_t i = 0; i < OUTPUTS; i++) strcpy(expected.bytes[i], old[i]);
    return are(&expected);
}

/* Removes what a killed process leaves: `.neardup` files. */
static void remove_leftovers(void) { assert_int_equal(system("rm -f .neardup* ix/.neardup*"), 0); }

/* ---- the index */

/* Whether the index has the lines of the second run. */
static bool knows_second(void) {
    nd_error error;
    must(run(second_texts, &error), &error);
    bool first_time = are(&fresh);
    if (!first_time && !are(&again)) broken("the index is neither the old nor the new one");
    return !first_time;
}

/* Only whole files of one state are there. */
static void check_files(void) {
    image found = {0};
    unsigned states = 0;
    image_load(&found, "ix");
    for (size_t i = 0; i < found.count; i++) {
        const char *name = found.files[i].name;
        states += strncmp(name, "lines-", 6) == 0;
        if (strstr(name, ".new")) broken("%s is left", name);
    }
    if (states > 1) broken("%u states are left", states);
    image_free(&found);
}

static void begin(bool exists) {
    remove_directory("ix");
    if (exists) {
        assert_int_equal(mkdir("ix", 0777), 0);
        image_store(&before, "ix");
    }
    put_old();
}

static void learn(bool exists) {
    nd_error error;
    remove_directory("ix");
    if (exists) {
        must(run(first_texts, &error), &error);
        image_load(&before, "ix");
    }
    begin(exists);
    must(run(second_texts, &error), &error);
    get(&fresh);
    must(run(second_texts, &error), &error);
    get(&again);
    assert_string_not_equal(fresh.bytes[0], again.bytes[0]);
    assert_non_null(strstr(again.bytes[1], "b-"));
}

/* The nth call of these kinds fails. False: there are fewer calls. */
static bool try(bool exists, unsigned kinds, long nth, long times, int failure) {
    nd_error error = {0};
    bool died = failure == SYSTEM_DEAD;
    begin(exists);
    system_fail(kinds, nth, times, failure);
    long open_before = system_open_files();
    nd_status status = run(second_texts, &error);
    bool failed = system_failed();
    system_heal();
    assert_int_equal(system_open_files(), open_before);
    if (status != ND_OK) must_report(status, &error);
    bool new = are(&fresh);
    if (status == ND_OK && !new && !died) broken("success, and the outputs are others");
    if (status != ND_OK && !died && !are_old()) broken("\"%s\", and outputs differ", error.message);
    if (!died && status != ND_OK && access("ix", F_OK) == 0) check_files();
    bool knows = knows_second();
    if (died && knows && !new) broken("the index has lines whose outputs are not there");
    if (!died && knows != (status == ND_OK)) broken("\"%s\", and the index differs", error.message);
    check_files();
    remove_leftovers();
    return failed;
}

static void try_all(bool exists) {
    static const struct {
        unsigned kinds;
        long times;
        int failure;
    } ways[] = {{SYSTEM_OPEN, 1, EIO},           {SYSTEM_READ, 1, EIO},
                {SYSTEM_WRITE, 1, EIO},          {SYSTEM_SYNC, 1, EIO},
                {SYSTEM_RENAME, 1, EIO},         {SYSTEM_MAP, 1, EIO},
                {SYSTEM_LOCK, 1, EIO},           {SYSTEM_LIST, 1, EIO},
                {SYSTEM_MAKE_DIRECTORY, 1, EIO}, {SYSTEM_WRITE, 1, SYSTEM_SHORT},
                {SYSTEM_ALL, 1, SYSTEM_FULL},    {SYSTEM_ALL, SYSTEM_ALWAYS, SYSTEM_DEAD}};
    unsigned trials = 0;
    learn(exists);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        bool failed = true;
        for (long n = 0; failed; n++, trials++) {
            test_at("call %ld of kinds %u, failure %d, index %s", n, ways[w].kinds, ways[w].failure,
                    exists ? "there" : "new");
            failed = try(exists, ways[w].kinds, n, ways[w].times, ways[w].failure);
        }
    }
    assert_true(trials > 60);
    image_free(&before);
    before = (image){0};
    remove_directory("ix");
    for (size_t i = 0; i < OUTPUTS; i++) unlink(names[i]);
}

static void test_failures(void **state) {
    (void)state;
    try_all(true);
}

static void test_failures_of_the_first_run(void **state) {
    (void)state;
    try_all(false);
}

/* ---- damage */

static bool has_file(const image_file *f) {
    char path[100];
    snprintf(path, sizeof path, "ix/%s", f->name);
    return access(path, F_OK) == 0;
}

/* A damaged file is reported, by its name, and nothing is removed; or the outputs are right. */
static bool look(const image_file *damaged) {
    nd_error error;
    put_old();
    nd_status status = run(second_texts, &error);
    if (status == ND_OK) {
        if (!are(&fresh)) broken("%s: the outputs are wrong", damaged->name);
        return false;
    }
    must_report(status, &error);
    if (!strstr(error.message, "ix")) broken("not named: %s", error.message);
    if (!are_old()) broken("\"%s\", and outputs differ", error.message);
    for (size_t i = 0; i < before.count; i++)
        if (damaged->size > 0 && !has_file(&before.files[i]))
            broken("%s is gone", before.files[i].name);
    return true;
}

static void test_damage(void **state) {
    (void)state;
    size_t reported = 0;
    learn(true);
    for (size_t f = 0; f < before.count; f++) {
        image_file whole = before.files[f];
        for (size_t at = 0; at < whole.size; at += 1 + at % (3 + test_sparsity() / 4)) {
            test_at("byte %zu of %s", at, whole.name);
            image_file damaged = whole;
            damaged.bytes = malloc(whole.size);
            memcpy(damaged.bytes, whole.bytes, whole.size);
            damaged.bytes[at] ^= (unsigned char)(1u << at % 8);
            begin(true);
            image_store_file(&damaged, "ix");
            reported += look(&damaged);
            damaged.size = at; /* cut off */
            begin(true);
            image_store_file(&damaged, "ix");
            if (at % 5 == 4 && !look(&damaged)) broken("it is cut off");
            free(damaged.bytes);
        }
        /* Runs without a state are what an interrupted first run leaves. */
        if (whole.size == 0 || strncmp(whole.name, "lines-", 6) == 0) continue;
        begin(true);
        char path[100];
        snprintf(path, sizeof path, "ix/%s", whole.name);
        unlink(path);
        nd_error error;
        test_at("%s is missing", whole.name);
        nd_status status = run(second_texts, &error);
        if (status == ND_OK) broken("success");
        must_report(status, &error);
    }
    assert_true(reported > 100);
    image_free(&before);
    before = (image){0};
    remove_directory("ix");
    for (size_t i = 0; i < OUTPUTS; i++) unlink(names[i]);
}

/* ---- other files, other settings, other processes */

static void test_other_files(void **state) {
    (void)state;
    nd_error error;
    assert_int_equal(mkdir("ix", 0777), 0);
    put("ix/notes", "mine\n");
    assert_int_equal(run(first_texts, &error), ND_ERR_IO);
    assert_non_null(strstr(error.message, "\"notes\""));
    unlink("ix/notes");
    must(run(first_texts, &error), &error);
    put("ix/notes", "mine\n");
    put("ix/run-70", "mine, too\n");
    put("ix/run-71.new", ""); /* as a killed process leaves it */
    must(run(second_texts, &error), &error);
    assert_int_equal(access("ix/notes", F_OK), 0);
    assert_int_equal(access("ix/run-70", F_OK), 0);
    assert_int_equal(access("ix/run-71.new", F_OK), -1);
    put("ix/lines-90", "not a state\n");
    assert_int_equal(run(second_texts, &error), ND_ERR_CORRUPT);
    assert_non_null(strstr(error.message, "lines-90"));
    assert_int_equal(access("ix/lines-90", F_OK), 0);
    remove_directory("ix");
    for (size_t i = 0; i < OUTPUTS; i++) unlink(names[i]);
}

/* A run that waits has the index; another process is refused. */
static void test_two_processes(void **state) {
    (void)state;
    int started[2], go_on[2], ended = 0;
    char byte = 0;
    nd_error error;
    assert_int_equal(pipe(started), 0);
    assert_int_equal(pipe(go_on), 0);
    pid_t child = fork();
    if (child == 0) {
        source s = {.texts = first_texts, .letter = "a", .started = started[1], .go_on = go_on[0]};
        _exit(run_source(&s, "ix", &error) == ND_OK ? 0 : 1);
    }
    assert_int_equal(read(started[0], &byte, 1), 1);
    assert_int_equal(run(second_texts, &error), ND_ERR_BUSY);
    assert_int_equal(write(go_on[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    must(run(second_texts, &error), &error);
    for (unsigned i = 0; i < 2; i++) close(started[i]), close(go_on[i]);
    remove_directory("ix");
    for (size_t i = 0; i < OUTPUTS; i++) unlink(names[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures), cmocka_unit_test(test_failures_of_the_first_run),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_two_processes)};
    return cmocka_run_group_tests(tests, image_enter, leave_own_directory);
}
