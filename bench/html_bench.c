/* The text of HTML pages: the speed of nd_html_text on one thread, and its texts for bench/quality.
 *
 *     html_bench [--main | --gumbo] [--rounds N] [--texts FILE] PAGE...
 *
 * --gumbo measures the floor of libgumbo instead: its tree alone, with the cheapest allocator.
 * Prints one line of JSON: pages, bytes of HTML and of text, seconds of the fastest round. The
 * pages are read before the clock starts. --texts writes each text behind a line with its length in
 * bytes. Pages are valid UTF-8. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "html/html.h"

#ifdef BENCH_GUMBO
#include <gumbo.h>
#endif

typedef struct page {
    char *html;
    size_t length;
} page;

static _Noreturn void give_up(const char *what) {
    fprintf(stderr, "html_bench: %s\n", what);
    exit(2);
}

static page read_page(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) give_up(path);
    page read = {.length = (size_t)ftell(file)};
    rewind(file);
    read.html = malloc(read.length + 1);
    if (!read.html || fread(read.html, 1, read.length, file) != read.length) give_up(path);
    fclose(file);
    return read;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Returns the bytes of text; writes the texts, unless `out` is NULL. */
static size_t read_texts(nd_html_reader *reader, const page *pages, int count, nd_html_part part,
                         FILE *out) {
    size_t all = 0;
    for (int i = 0; i < count; i++) {
        const char *text;
        size_t length;
        nd_error error;
        if (nd_html_text(reader, pages[i].html, pages[i].length, part, &text, &length, &error) !=
            ND_OK)
            give_up(error.message);
        all += length;
        if (!out) continue;
        fprintf(out, "%zu\n", length);
        fwrite(text, 1, length, out);
    }
    return all;
}

#ifdef BENCH_GUMBO

/* Hands out memory from one piece, and takes none back. */
typedef struct arena {
    char *memory;
    size_t used, size;
} arena;

static void *arena_allocate(void *context, size_t size) {
    arena *a = context;
    size_t at = a->used;
    a->used += (size + 15) / 16 * 16;
    if (a->used > a->size) give_up("a tree of libgumbo needs more memory");
    return a->memory + at;
}

static void arena_free(void *context, void *memory) {
    (void)context;
    (void)memory;
}

static size_t parse_with_gumbo(const page *pages, int count) {
    arena a = {.memory = malloc((size_t)1 << 30), .size = (size_t)1 << 30};
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = arena_allocate;
    options.deallocator = arena_free;
    options.userdata = &a;
    options.max_errors = 0;
    if (!a.memory) give_up("no memory");
    for (int i = 0; i < count; i++) {
        a.used = 0;
        gumbo_parse_with_options(&options, pages[i].html, pages[i].length);
    }
    free(a.memory);
    return 0;
}

#else

static size_t parse_with_gumbo(const page *pages, int count) {
    (void)pages;
    (void)count;
    give_up("built without libgumbo");
}

#endif

int main(int count, char **arguments) {
    nd_html_part part = ND_HTML_VISIBLE;
    int rounds = 1, first = 1;
    bool gumbo = false;
    const char *texts = NULL;
    for (; first < count && strncmp(arguments[first], "--", 2) == 0; first++) {
        if (strcmp(arguments[first], "--main") == 0) part = ND_HTML_MAIN;
        else if (strcmp(arguments[first], "--gumbo") == 0) gumbo = true;
        else if (first + 1 == count) give_up("an option has no value");
        else if (strcmp(arguments[first], "--rounds") == 0) rounds = atoi(arguments[++first]);
        else if (strcmp(arguments[first], "--texts") == 0) texts = arguments[++first];
        else give_up("unknown option");
    }
    int number = count - first;
    page *pages = calloc((size_t)number + 1, sizeof *pages);
    nd_html_reader *reader;
    if (!pages || nd_html_reader_create(NULL, &reader, NULL) != ND_OK) give_up("no memory");
    size_t bytes = 0, text_bytes = 0;
    for (int i = 0; i < number; i++) bytes += (pages[i] = read_page(arguments[first + i])).length;
    if (texts) {
        FILE *out = fopen(texts, "wb");
        if (!out) give_up(texts);
        read_texts(reader, pages, number, part, out);
        if (fclose(out) != 0) give_up(texts);
    }
    double best = 1e30;
    for (int round = 0; round < rounds; round++) {
        double start = now();
        text_bytes = gumbo ? parse_with_gumbo(pages, number)
                           : read_texts(reader, pages, number, part, NULL);
        double seconds = now() - start;
        if (seconds < best) best = seconds;
    }
    printf("{\"pages\": %d, \"html\": %zu, \"text\": %zu, \"seconds\": %.4f, \"mb_s\": %.1f}\n",
           number, bytes, text_bytes, best, (double)bytes / best / 1e6);
    for (int i = 0; i < number; i++) free(pages[i].html);
    free(pages);
    nd_html_reader_free(reader);
    return 0;
}
