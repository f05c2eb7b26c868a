/* Records of a callback, copied by the job or read where they stay: random texts, many of them
 * equal, empty or a byte long. Kept and removed ones are written as they are, a line each; both
 * ways give the same decisions, and bytes behind a text are never read. */
#include "job_parts.h"
#include "own_directory.h"
#include "test.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = ND_LIMIT(300, 80), WRITTEN = 1 << 18, LONG = ND_LIMIT(5 << 20, 60000) };

/* Each text has memory of its own, as long as it is. */
typedef struct source {
    char *text[MOST];
    size_t length[MOST], count, next;
    bool kept[MOST];
} source;

static int give_text(void *context, nd_record *out) {
    source *s = context;
    if (s->next == s->count) return 0;
    out->text = s->text[s->next];
    out->length = s->length[s->next++];
    return 1;
}

static bool note_decision(void *context, const nd_decision *d) {
    ((source *)context)->kept[d->document] = d->kept;
    return true;
}

static void add_text(source *s, const char *text, size_t length) {
    s->text[s->count] = length > 0 ? malloc(length) : NULL;
    assert_true(s->text[s->count] || length == 0);
    if (length > 0) memcpy(s->text[s->count], text, length);
    s->length[s->count++] = length;
}

static void free_texts(source *s) {
    for (size_t i = 0; i < s->count; i++) free(s->text[i]);
}

/* Texts of up to 40 words, of up to 3 of them mostly. Some end in the middle of a character. */
static void make_texts(source *s, uint64_t *seed) {
    static const char *const words[] = {"x", "y", "rain", "Straße", "据", "天气", "\n"};
    while (s->count < MOST) {
        char text[400] = "";
        size_t count = random_below(seed, 5) ? random_below(seed, 4) : random_below(seed, 40);
        for (size_t i = 0; i < count; i++) {
            if (i > 0) strcat(text, " ");
            strcat(text, words[random_below(seed, sizeof words / sizeof *words)]);
        }
        size_t length = strlen(text);
        add_text(s, text, length > 0 && random_below(seed, 20) == 0 ? length - 1 : length);
    }
}

static void run(source *s, bool stay, uint32_t threads, bool writes, nd_job_summary *summary) {
    job_parts o;
    nd_error error;
    job_parts_init(&o);
    s->next = 0;
    o.input.records = give_text;
    o.input.records_context = s;
    o.input.records_stay = stay;
    o.input.invalid = ND_INVALID_REPLACE;
    o.resources.threads = threads;
    o.resources.memory = (uint64_t)128 << 20;
    o.similarity.threshold = 0.5;
    o.outputs.kept = writes ? "kept" : NULL;
    o.outputs.removed_records = writes ? "removed" : NULL;
    o.outputs.on_decision = note_decision;
    o.outputs.context = s;
    if (nd_dedup(dedup_of(&o), summary, &error) != ND_OK) fail_msg("%s", error.message);
}

/* Checks that the file has those of the texts that are kept, or removed, and deletes it. */
static void check_written(const source *s, const char *name, bool kept) {
    static char wanted[WRITTEN], written[WRITTEN];
    size_t size = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->kept[i] != kept) continue;
        if (s->length[i] > 0) memcpy(wanted + size, s->text[i], s->length[i]);
        size += s->length[i];
        wanted[size++] = '\n';
    }
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    assert_int_equal(fread(written, 1, sizeof written, file), size);
    fclose(file);
    unlink(name);
    assert_memory_equal(written, wanted, size);
}

static void test_texts(void **state) {
    (void)state;
    for (uint64_t round = 1; round <= test_rounds(24); round++) {
        uint64_t seed = round;
        source s = {0};
        nd_job_summary copied = {.struct_size = sizeof copied}, stayed = copied;
        make_texts(&s, &seed);
        run(&s, false, 1 + (uint32_t)(round % 3), true, &copied);
        check_written(&s, "kept", true);
        check_written(&s, "removed", false);
        source before = s;
        run(&s, true, 1 + (uint32_t)(round % 2), true, &stayed);
        check_written(&s, "kept", true);
        check_written(&s, "removed", false);
        assert_memory_equal(s.kept, before.kept, sizeof s.kept);
        assert_int_equal(stayed.kept, copied.kept);
        assert_int_equal(stayed.text_bytes, copied.text_bytes);
        assert_int_equal(stayed.input_bytes, copied.input_bytes);
        assert_int_equal(stayed.verified, copied.verified);
        free_texts(&s);
    }
}

/* Texts that stay need no room in temporary files; a large one waits for its turn as others do. */
static void test_long_texts(void **state) {
    (void)state;
    source s = {0};
    nd_job_summary copied = {.struct_size = sizeof copied}, stayed = copied;
    char *text = malloc(LONG);
    assert_non_null(text);
    for (unsigned t = 0; t < 6; t++) {
        for (size_t i = 0; i < LONG; i++) text[i] = i % 7 == 6 ? ' ' : (char)('a' + i * i % 25);
        memset(text, 'a' + (int)t % 2, 2);
        memset(text + LONG - 9, 'k' + (int)t, 3);
        add_text(&s, text, LONG);
    }
    free(text);
    run(&s, false, 2, false, &copied);
    source before = s;
    run(&s, true, 2, false, &stayed);
    assert_memory_equal(s.kept, before.kept, sizeof s.kept);
    assert_int_equal(copied.kept, 1);
    assert_int_equal(copied.verified, 5);
    assert_true(copied.work_bytes >= stayed.work_bytes + 4 * (uint64_t)LONG);
    free_texts(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_long_texts)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
