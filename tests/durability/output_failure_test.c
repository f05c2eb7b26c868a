/* Every system call fails in turn, in jobs with two to five outputs and an index. The outputs are
 * all new, or all unchanged; no temporary file is left; the index has all of the batch, or nothing
 * of it. After a failure the same batch with `resume` writes the outputs of one run. */
#include "durability/documents.h"
#include "durability/image.h"
#include "durability/system.h"
#include "job_parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORDS = 12, OUTPUTS = 5, OLD_SIZE = 20, NEW_SIZE = 4096 };

/* The job that runs; the first `outputs` of these names are its outputs. */
static enum { JOB_DEDUP, JOB_EXACT, JOB_LINES, JOB_SUBSTRINGS } job;
static unsigned outputs = OUTPUTS;
static const char *const names[OUTPUTS] = {"kept", "removed", "clusters", "edges", "records"};

/* The content of each output; old[i] is "" if it does not exist. */
static char old[OUTPUTS][OLD_SIZE], new[OUTPUTS][NEW_SIZE];

/* Returns each document and a copy of it. */
static int next_record(void *context, nd_record *out) {
    unsigned *at = context;
    if (*at == RECORDS) return 0;
    static char copy_id[] = "copy 0";
    unsigned document = *at / 2;
    *out = (nd_record){.text = document_text(document, 1)};
    out->length = strlen(out->text);
    copy_id[5] = (char)('0' + document);
    out->id = *at % 2 ? copy_id : document_id(document, &out->id_length);
    if (*at % 2) out->id_length = strlen(copy_id);
    ++*at;
    return 1;
}

static nd_index_options index_options(void) {
    nd_index_options o = document_options(false);
    if (job == JOB_EXACT) o.content = ND_CONTENT_HASHES;
    o.by = ND_EQUAL_TEXT;
    return o;
}

static nd_status run_lines(const job_parts *o, nd_error *error) {
    nd_lines_options lines;
    nd_lines_options_init(&lines, sizeof lines);
    lines.input = &o->input;
    lines.output = o->outputs.kept;
    lines.removed = o->outputs.removed;
    lines.resources = &o->resources;
    return nd_lines(&lines, NULL, error);
}

static nd_status run_substrings(const job_parts *o, nd_error *error) {
    nd_substrings_options substrings;
    nd_substrings_options_init(&substrings, sizeof substrings);
    substrings.input = &o->input;
    substrings.least_tokens = 4;
    substrings.passes = 0;
    substrings.output = o->outputs.kept;
    substrings.removed = o->outputs.removed;
    substrings.resources = &o->resources;
    return nd_substrings(&substrings, NULL, NULL, NULL, error);
}

static nd_status run(bool indexed, bool resume, nd_error *error) {
    job_parts o;
    unsigned at = 0;
    job_parts_init(&o);
    nd_index_options index = index_options();
    o.input.records = next_record;
    o.input.records_context = &at;
    o.outputs.kept = names[0];
    o.outputs.removed = names[1];
    o.outputs.clusters = names[2];
    o.outputs.edges = names[3];
    o.outputs.removed_records = names[4];
    o.resources.threads = 1;
    o.index.resume = resume;
    if (indexed) {
        o.index.path = "ix";
        o.analyzer = *index.analyzer;
        o.similarity.threshold = index.threshold;
        o.similarity.recall = index.recall;
        o.similarity.perms = index.perms;
    }
    if (job == JOB_LINES) return run_lines(&o, error);
    if (job == JOB_SUBSTRINGS) return run_substrings(&o, error);
    return job == JOB_EXACT ? nd_exact(exact_of(&o, ND_EQUAL_TEXT), NULL, error)
                            : nd_dedup(dedup_of(&o), NULL, error);
}

static void put(const char *name, const char *text) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static bool holds(const char *name, const char *text) {
    char got[NEW_SIZE] = "";
    FILE *f = fopen(name, "r");
    if (!f) return text[0] == '\0';
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    got[n] = '\0';
    return strcmp(got, text) == 0;
}

/* Every second output does not exist. */
static void put_old(void) {
    for (size_t i = 0; i < outputs; i++) {
        unlink(names[i]);
        old[i][0] = '\0';
        if (i % 2 == 1) continue;
        snprintf(old[i], OLD_SIZE, "old %s\n", names[i]);
        put(names[i], old[i]);
    }
}

static unsigned leftovers(void) {
    unsigned count = 0;
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d));) count += strncmp(e->d_name, ".neardup", 8) == 0;
    closedir(d);
    return count;
}

static uint64_t documents_in_index(void) {
    nd_index *index;
    nd_error error;
    nd_index_info info = {.struct_size = sizeof info};
    must(nd_index_open("ix", ND_INDEX_READ, NULL, &index, &error), &error);
    must(nd_index_describe(index, &info, &error), &error);
    nd_index_close(index);
    return info.documents;
}

static void learn_new(bool indexed) {
    nd_error error;
    put_old();
    must(run(indexed, false, &error), &error);
    for (size_t i = 0; i < outputs; i++) {
        FILE *f = fopen(names[i], "r");
        assert_non_null(f);
        new[i][fread(new[i], 1, NEW_SIZE - 1, f)] = '\0';
        fclose(f);
        assert_true(strlen(new[i]) > 10 && strcmp(new[i], old[i]) != 0);
    }
}

/* The nth call of a kind fails. False: there are fewer calls. */
static bool try(unsigned kind, long nth, int failure, bool indexed) {
    nd_error error = {0};
    put_old();
    system_fail(kind, nth, 1, failure);
    long open_before = system_open_files();
    nd_status status = run(indexed, false, &error);
    bool failed = system_failed();
    system_heal();
    assert_int_equal(system_open_files(), open_before);
    if (status != ND_OK) must_report(status, &error);
    unsigned now_new = 0, now_old = 0;
    for (size_t i = 0; i < outputs; i++) {
        now_new += holds(names[i], new[i]);
        now_old += holds(names[i], old[i]);
    }
    if (status == ND_OK && now_new != outputs)
        broken("success, and %u of the outputs are new", now_new);
    if (status != ND_OK && now_old != outputs)
        broken("\"%s\", and %u of the outputs are as before", error.message, now_old);
    if (kind != SYSTEM_REMOVE && leftovers() != 0)
        broken("%u temporary files are left", leftovers());
    /* If the index fails while it writes its new state, it may have the batch or not, but never a
     * part of it. */
    if (indexed && status != ND_OK && documents_in_index() % (RECORDS / 2) != 0)
        broken("\"%s\", and the index has %d documents", error.message, (int)documents_in_index());
    if (!indexed || status == ND_OK) return failed;
    must(run(true, true, &error), &error);
    for (size_t i = 0; i < outputs; i++)
        if (!holds(names[i], new[i])) broken("%s differs when the batch is given again", names[i]);
    if (documents_in_index() != RECORDS / 2)
        broken("the index has %d documents then", (int)documents_in_index());
    return failed;
}

static void remove_leftovers(void) {
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, ".neardup", 8) == 0) unlink(e->d_name);
    closedir(d);
}

static unsigned try_all(bool indexed) {
    static const unsigned kinds[] = {SYSTEM_OPEN, SYSTEM_WRITE, SYSTEM_SYNC, SYSTEM_RENAME,
                                     SYSTEM_STAT, SYSTEM_LIST,  SYSTEM_MAP,  SYSTEM_LOCK};
    unsigned trials = 0;
    image empty = {0};
    nd_error error;
    remove_directory("ix");
    const nd_index_options index = index_options();
    must(nd_index_create("ix", &index, &error), &error);
    image_load(&empty, "ix");
    learn_new(indexed);
    for (size_t k = 0; k < 2 * sizeof kinds / sizeof *kinds; k++) {
        bool failed = true;
        for (long n = 0; failed; n++, trials++) {
            test_at("call %ld of kind %u, %s an index, job %d", n, kinds[k / 2],
                    indexed ? "with" : "without", (int)job);
            image_store(&empty, "ix");
            failed = try(kinds[k / 2], n, k % 2 ? ENOSPC : EIO, indexed);
            remove_leftovers();
        }
    }
    image_free(&empty);
    remove_directory("ix");
    for (size_t i = 0; i < outputs; i++) unlink(names[i]);
    return trials;
}

static void test_outputs(void **state) {
    (void)state;
    assert_true(try_all(false) > 20);
}

static void test_outputs_and_index(void **state) {
    (void)state;
    assert_true(try_all(true) > 40);
}

static void test_exact(void **state) {
    (void)state;
    job = JOB_EXACT;
    assert_true(try_all(false) > 20);
    assert_true(try_all(true) > 40);
    job = JOB_DEDUP;
}

static void test_cuts(void **state) {
    (void)state;
    outputs = 2;
    job = JOB_LINES;
    assert_true(try_all(false) > 10);
    job = JOB_SUBSTRINGS;
    assert_true(try_all(false) > 10);
    job = JOB_DEDUP;
    outputs = OUTPUTS;
}

/* ---- a directory of files */

enum { PART_SIZE = 150 };

static nd_status run_directory(nd_error *error) {
    job_parts o;
    unsigned at = 0;
    job_parts_init(&o);
    o.input.records = next_record;
    o.input.records_context = &at;
    o.outputs.kept = "out/";
    o.outputs.shard_size = PART_SIZE;
    o.outputs.removed = "removed";
    o.resources.threads = 1;
    return nd_dedup(dedup_of(&o), NULL, error);
}

/* Reads the files of the directory one behind the other. Returns how many there are. */
static unsigned read_parts(char text[NEW_SIZE]) {
    unsigned count = 0;
    size_t size = 0;
    char name[40];
    for (;; count++) {
        snprintf(name, sizeof name, "out/part-%05u", count);
        FILE *f = fopen(name, "r");
        if (!f) break;
        size += fread(text + size, 1, NEW_SIZE - 1 - size, f);
        fclose(f);
    }
    text[size] = '\0';
    return count;
}

static void remove_directories(void) {
    DIR *d = opendir(".");
    for (struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, ".neardup", 8) == 0) remove_directory(e->d_name);
    closedir(d);
    remove_directory("out");
}

/* All of the directory is there, or nothing of it. */
static bool try_directory(unsigned kind, long nth, int failure, const char *all) {
    nd_error error = {0};
    char got[NEW_SIZE];
    put("removed", "old\n");
    system_fail(kind, nth, 1, failure);
    long open_before = system_open_files();
    nd_status status = run_directory(&error);
    bool failed = system_failed();
    system_heal();
    assert_int_equal(system_open_files(), open_before);
    if (status != ND_OK) must_report(status, &error);
    read_parts(got);
    if (status == ND_OK && strcmp(got, all) != 0) broken("success, and the files are wrong");
    if (status != ND_OK && access("out", F_OK) == 0)
        broken("\"%s\", and the directory is there", error.message);
    if (status != ND_OK && !holds("removed", "old\n"))
        broken("\"%s\", and the table is not as before", error.message);
    if (kind != SYSTEM_REMOVE && leftovers() != 0)
        broken("%u temporary files are left", leftovers());
    remove_leftovers();
    remove_directories();
    return failed;
}

static void test_directory(void **state) {
    (void)state;
    static const unsigned kinds[] = {SYSTEM_OPEN, SYSTEM_WRITE, SYSTEM_SYNC, SYSTEM_RENAME,
                                     SYSTEM_STAT, SYSTEM_LIST,  SYSTEM_LOCK, SYSTEM_MAKE_DIRECTORY};
    char all[NEW_SIZE];
    unsigned trials = 0;
    nd_error error;
    must(run_directory(&error), &error);
    assert_true(read_parts(all) > 2);
    remove_directories();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int full = 0; full < 2; full++) {
            bool failed = true;
            for (long n = 0; failed; n++, trials++) {
                test_at("call %ld of kind %u, of a directory", n, kinds[k]);
                failed = try_directory(kinds[k], n, full ? ENOSPC : EIO, all);
            }
        }
    assert_true(trials > 40);
    unlink("removed");
}

/* Without an atomic exchange of names, old files are renamed first: the same must hold. */
static void test_without_exchange(void **state) {
    (void)state;
    nd_error error;
    learn_new(false);
    for (long n = 0; n < 30; n++) {
        test_at("from rename %ld on nothing can be exchanged", n);
        put_old();
        system_fail(SYSTEM_RENAME, n, SYSTEM_ALWAYS, EINVAL);
        nd_status status = run(false, false, &error);
        system_heal();
        unsigned now_new = 0;
        for (size_t i = 0; i < outputs; i++)
            now_new += holds(names[i], status == ND_OK ? new[i] : old[i]);
        /* A failure that persists leaves files that could not be renamed back, but loses no file
         * even then. */
        if (now_new != outputs && status == ND_OK) broken("%u of the outputs are right", now_new);
        remove_leftovers();
    }
    for (size_t i = 0; i < outputs; i++) unlink(names[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs),   cmocka_unit_test(test_outputs_and_index),
        cmocka_unit_test(test_exact),     cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_directory), cmocka_unit_test(test_without_exchange)};
    return cmocka_run_group_tests(tests, image_enter, leave_own_directory);
}
