/* Records of a callback: random texts, many of them equal, empty or a byte long. The kept ones are
 * written as they are, a line each; bytes behind a text are never read. */
#include "job_parts.h"
#include "own_directory.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 300, WRITTEN = 1 << 18 };

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
    s->text[s->count] = malloc(length);
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

static void run(source *s, uint32_t threads) {
    job_parts o;
    nd_error error;
    job_parts_init(&o);
    s->next = 0;
    o.input.records = give_text;
    o.input.records_context = s;
    o.input.invalid = ND_INVALID_REPLACE;
    o.resources.threads = threads;
    o.similarity.threshold = 0.5;
    o.outputs.kept = "kept";
    o.outputs.on_decision = note_decision;
    o.outputs.context = s;
    if (nd_dedup(dedup_of(&o), NULL, &error) != ND_OK) fail_msg("%s", error.message);
}

static void check_written(const source *s) {
    static char wanted[WRITTEN], written[WRITTEN];
    size_t size = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!s->kept[i]) continue;
        memcpy(wanted + size, s->text[i], s->length[i]);
        size += s->length[i];
        wanted[size++] = '\n';
    }
    FILE *file = fopen("kept", "r");
    assert_non_null(file);
    assert_int_equal(fread(written, 1, sizeof written, file), size);
    fclose(file);
    unlink("kept");
    assert_memory_equal(written, wanted, size);
}

static void test_texts(void **state) {
    (void)state;
    for (uint64_t round = 1; round <= test_rounds(40); round++) {
        uint64_t seed = round;
        source s = {0};
        make_texts(&s, &seed);
        run(&s, 1 + (uint32_t)(round % 3));
        check_written(&s);
        free_texts(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
