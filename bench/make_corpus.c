/* make_corpus: writes JSON Lines of a given size, made from real text, with planted
 * near-duplicates. The same seed and material give the same bytes.
 *
 * The material is smaller than the corpus, but base documents must not repeat each other by
 * accident. So a base document is spliced. Runs of a few consecutive sentences come from positions
 * within one neighbourhood of the material, so that language and subject stay the same. They are
 * joined until the document has a length drawn from a lognormal distribution: the median is 330
 * words, and the mean with copies is about 420. Then every 7th to 2nd word is replaced by a word of
 * the neighbourhood; the smaller the material, the more words are replaced. The lengths of tokens,
 * punctuation, newlines and the share of frequent words stay those of real text.
 *
 * About two documents in five are copies of an earlier base document: words are replaced with
 * probability p in {0, .005, .02, .05, .3}, and half of the copies also lose sentences. With word
 * 5-grams J = s / (2 - s), s = (1 - p)^5: 1, .95, .83, .63, .09. Half of the originals are drawn
 * evenly over all earlier documents, so that a page with many copies gets more. The other half is
 * drawn at a distance whose logarithm is uniform. */
#include "json_lines.h"
#include "material.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    NEAR_SENTENCES = 4000,
    NEAR_WORDS = 1500
}; /* a neighbourhood reaches this far to both sides of a document's home */

typedef enum shape { SHAPE_WEB, SHAPE_COUNTER, SHAPE_TEMPLATE, SHAPE_ONEBAND } shape;

typedef struct settings {
    uint64_t size;      /* bytes of text to make; unused by the shapes */
    uint64_t documents; /* number of documents to make; web: 0 is any number */
    uint64_t seed, material_limit;
    uint32_t
        words; /* words of the page of SHAPE_COUNTER; in the other shapes the words in common */
    shape shape;
    const char *output;
} settings;

/* A text and the ends of its sentences; its memory is reused for the next document. */
typedef struct text {
    char *bytes;
    size_t size, capacity;
    size_t *ends;
    size_t count, end_capacity;
    size_t home; /* the sentence of the material around which the document is made */
} text;

typedef struct generator {
    const settings *settings;
    material material;
    uint32_t base_cut; /* words of a base document are replaced with probability base_cut / 65536 */
    uint32_t run_most; /* the most consecutive sentences from one position */
    uint32_t *base_of; /* base document of each document, by number */
    size_t base_capacity; /* capacity of base_of */
    text document, edited, line;
    FILE *out;
    uint64_t text_bytes, line_bytes, copies;
} generator;

static void stop(const char *message) {
    fprintf(stderr, "make_corpus: %s\n", message);
    exit(1);
}

static void reserve(text *t, size_t more) {
    if (t->size + more <= t->capacity) return;
    t->capacity = (t->size + more) * 2 + 4096;
    t->bytes = realloc(t->bytes, t->capacity);
    if (!t->bytes) stop("out of memory");
}

static void put(text *t, const void *bytes, size_t length) {
    reserve(t, length);
    memcpy(t->bytes + t->size, bytes, length);
    t->size += length;
}

static void put_string(text *t, const char *string) { put(t, string, strlen(string)); }

static void end_sentence(text *t) {
    if (t->count == t->end_capacity) {
        t->end_capacity = t->end_capacity * 2 + 64;
        t->ends = realloc(t->ends, t->end_capacity * sizeof *t->ends);
        if (!t->ends) stop("out of memory");
    }
    t->ends[t->count++] = t->size;
}

static void clear(text *t) { t->size = t->count = 0; }

/* ---------------------------------------------------------------- words */

/* Draws an index uniformly within `reach` of `home`, in [0, count). */
static size_t near(size_t home, size_t reach, size_t count, uint64_t *random) {
    size_t from = home > reach ? home - reach : 0, to = home + reach < count ? home + reach : count;
    return from + random_below(random, to - from);
}

static void put_pool_word(const material *m, text *t, uint64_t *random) {
    size_t word = near((size_t)((uint64_t)t->home * WORD_POOL / m->count), NEAR_WORDS, WORD_POOL,
                       random);
    put(t, m->bytes + m->pool_start[word], m->pool_length[word]);
}

/* Appends `length` bytes to `t`, and replaces each word with probability cut / 65536. Returns the
 * number of words. */
static size_t put_replaced(const material *m, text *t, const char *bytes, size_t length,
                           uint32_t cut, uint64_t *random) {
    const unsigned char *at = (const unsigned char *)bytes, *end = at + length, *copied = at;
    size_t words = 0;
    uint64_t bits = 0;
    reserve(t, length);
    for (size_t step; at < end; at += step) {
        size_t word = word_at(at, end, &step);
        if (word == 0) continue;
        step = word;
        if ((words++ & 3) == 0) bits = random_next(random);
        uint32_t draw = (uint32_t)(bits & 0xFFFF);
        bits >>= 16;
        if (draw >= cut) continue;
        put(t, copied, (size_t)(at - copied));
        put_pool_word(m, t, random);
        copied = at + word;
    }
    if (copied < end) put(t, copied, (size_t)(end - copied));
    return words;
}

/* ---------------------------------------------------------------- base documents */

/* Irwin-Hall: the sum of twelve uniform numbers less six. It is nearly normal, and the same on
 * every machine. */
static double random_normal(uint64_t *random) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)(random_next(random) >> 11) * 0x1p-53;
    return sum;
}

static size_t random_length(uint64_t *random) {
    double words = 330 * exp(0.8 * random_normal(random));
    return words < 12 ? 12 : (size_t)words;
}

/* Appends at least `words` words of spliced sentences. Returns their number. */
static size_t put_spliced(const generator *g, text *t, size_t words, uint64_t *random) {
    const material *m = &g->material;
    size_t done = 0;
    while (done < words) {
        size_t first = near(t->home, NEAR_SENTENCES, m->count, random),
               run = 1 + random_below(random, g->run_most);
        for (size_t i = first; i < first + run && i < m->count && done < words; i++) {
            size_t count = put_replaced(m, t, m->bytes + m->sentences[i].start,
                                        m->sentences[i].length, g->base_cut, random);
            done += count ? count : 1;
            end_sentence(t);
        }
        char last = t->bytes[t->size - 1];
        if (last != ' ' && last != '\n') put_string(t, " ");
    }
    return done;
}

static void compose(const generator *g, uint32_t base, text *t) {
    uint64_t random = g->settings->seed * 0xD6E8FEB86659FD93u + base;
    random_next(&random);
    clear(t);
    t->home = random_below(&random, g->material.count);
    put_spliced(g, t, random_length(&random), &random);
}

/* ---------------------------------------------------------------- copies */

typedef struct edit {
    double p;
    uint32_t share; /* share of the copies, in documents per 1000 */
} edit;

/* J >= .8 holds for all copies of the first two kinds and for most of the third, if no sentences
 * are dropped: about 30 % of all documents. */
static const edit edits[] = {{0, 80}, {.005, 160}, {.02, 130}, {.05, 40}, {.3, 30}};

static const edit *choose_edit(uint64_t *random) {
    uint32_t draw = random_below(random, 1000);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        if (draw < edits[i].share) return &edits[i];
        draw -= edits[i].share;
    }
    return NULL;
}

static uint32_t choose_original(uint32_t document, uint64_t *random) {
    if (random_next(random) & 1) return random_below(random, document);
    double distance = exp(log((double)document) * (double)(random_next(random) >> 11) * 0x1p-53);
    return document - (distance < 1 ? 1 : distance > document ? document : (uint32_t)distance);
}

/* Copies `from` to `to` and replaces words. In half of the documents one sentence in 64, at least
 * one, is dropped. */
static void apply_edit(const generator *g, const text *from, double p, uint64_t *random, text *to) {
    bool drops = random_next(random) & 1;
    size_t surely = drops ? random_below(random, from->count) : SIZE_MAX;
    uint32_t cut = (uint32_t)(p * 65536);
    clear(to);
    to->home = from->home;
    for (size_t i = 0, start = 0; i < from->count; start = from->ends[i++]) {
        if (drops && from->count > 2 && (i == surely || random_below(random, 64) == 0)) continue;
        size_t end = i + 1 < from->count ? from->ends[i] : from->size, length = end - start;
        if (cut == 0) put(to, from->bytes + start, length);
        else put_replaced(&g->material, to, from->bytes + start, length, cut, random);
    }
}

/* ---------------------------------------------------------------- records */

/* Tests whether one of eight bytes is a quote, a backslash or a control character. This is the
 * word-wise test for zero bytes; its lowest hit is always right. */
static bool needs_escape(const char *bytes) {
    const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    uint64_t w, quote, slash;
    memcpy(&w, bytes, 8);
    quote = w ^ (ones * '"');
    slash = w ^ (ones * '\\');
    return (((w - ones * 32) | (quote - ones) | (slash - ones)) & ~w & tops) != 0;
}

static void put_escaped(text *t, const char *bytes, size_t length) {
    static const char hex[] = "0123456789abcdef";
    reserve(t, length * 6 + 8);
    char *out = t->bytes + t->size;
    for (size_t i = 0; i < length;) {
        size_t plain = i;
        while (plain + 8 <= length && !needs_escape(bytes + plain)) plain += 8;
        if (plain > i) {
            memcpy(out, bytes + i, plain - i);
            out += plain - i;
            i = plain;
            continue;
        }
        unsigned char b = (unsigned char)bytes[i++];
        if (b >= 32 && b != '"' && b != '\\') {
            *out++ = (char)b;
        } else if (b == '"' || b == '\\' || b == '\n' || b == '\t') {
            *out++ = '\\';
            *out++ = b == '\n' ? 'n' : b == '\t' ? 't' : (char)b;
        } else {
            memcpy(out, "\\u00", 4);
            out[4] = hex[b >> 4];
            out[5] = hex[b & 15];
            out += 6;
        }
    }
    t->size = (size_t)(out - t->bytes);
}

static void write_record(generator *g, uint64_t document, uint64_t base, double p, const text *t) {
    char part[160];
    text *line = &g->line;
    clear(line);
    snprintf(part, sizeof part, "{\"id\": \"doc-%09llu\", \"text\": \"",
             (unsigned long long)document);
    put_string(line, part);
    put_escaped(line, t->bytes, t->size);
    snprintf(part, sizeof part, "\", \"base\": \"doc-%09llu\", \"p\": %g}\n",
             (unsigned long long)base, p);
    put_string(line, part);
    if (fwrite(line->bytes, 1, line->size, g->out) != line->size) stop("writing failed");
    g->text_bytes += t->size;
    g->line_bytes += line->size;
    g->copies += base != document;
}

static void remember_base(generator *g, uint32_t document, uint32_t base) {
    if (document == g->base_capacity) {
        g->base_capacity = g->base_capacity * 2 + 4096;
        g->base_of = realloc(g->base_of, g->base_capacity * sizeof *g->base_of);
        if (!g->base_of) stop("out of memory");
    }
    g->base_of[document] = base;
}

static uint64_t make_web(generator *g) {
    const settings *s = g->settings;
    uint32_t document = 0;
    for (; s->documents ? document < s->documents : g->text_bytes < s->size; document++) {
        uint64_t random = ~s->seed * 0xA0761D6478BD642Fu + document;
        random_next(&random);
        const edit *e = document > 0 ? choose_edit(&random) : NULL;
        uint32_t base = e ? g->base_of[choose_original(document, &random)] : document;
        compose(g, base, &g->document);
        if (e) apply_edit(g, &g->document, e->p, &random, &g->edited);
        remember_base(g, document, base);
        write_record(g, document, base, e ? e->p : 0, e ? &g->edited : &g->document);
    }
    return document;
}

/* Writes one page again and again with another counter: J = (w - 9) / (w + 1) for w words. */
static uint64_t make_counters(generator *g) {
    char counter[64];
    uint64_t random = g->settings->seed;
    g->document.home = random_below(&random, g->material.count);
    put_spliced(g, &g->document, g->settings->words, &random);
    size_t middle = g->document.ends[g->document.count / 2];
    for (uint64_t i = 0; i < g->settings->documents; i++) {
        text *t = &g->edited;
        clear(t);
        put(t, g->document.bytes, middle);
        snprintf(counter, sizeof counter, " %llu ", (unsigned long long)(i + 1000000));
        put_string(t, counter);
        put(t, g->document.bytes + middle, g->document.size - middle);
        write_record(g, i, 0, 0, t);
    }
    return g->settings->documents;
}

/* Writes pages of one site: six parts of a template with five gaps between them, which are filled
 * with words of the page. With c common words and u own words per gap, c - 24 of the shingles are
 * common and 5 (u + 4) are not. J of two pages is s / (2 - s) if s is the share of the common
 * shingles. At J = .5 (oneband) two pages rarely share a given band of five rows (.03). But a few
 * bands have all their minima in the template. Such a band puts a large share of all pages in one
 * bucket, and no page is a duplicate of another at .8. */
static uint64_t make_templates(generator *g, double jaccard) {
    uint64_t random = g->settings->seed;
    size_t part_ends[6], common = 0;
    g->document.home = g->edited.home = random_below(&random, g->material.count);
    for (size_t i = 0; i < 6; i++) {
        common += put_spliced(g, &g->document, g->settings->words / 6, &random);
        part_ends[i] = g->document.size;
    }
    double share = 2 * jaccard / (1 + jaccard);
    size_t own_words = (size_t)((double)(common - 24) * (1 / share - 1) / 5 - 4 + .5);
    for (uint64_t i = 0; i < g->settings->documents; i++) {
        text *t = &g->edited;
        clear(t);
        for (size_t part = 0, start = 0; part < 6; start = part_ends[part++]) {
            put(t, g->document.bytes + start, part_ends[part] - start);
            for (size_t word = 0; part < 5 && word < own_words; word++) {
                put_pool_word(&g->material, t, &random);
                put_string(t, word + 1 < own_words ? " " : ".\n");
            }
        }
        write_record(g, i, 0, 0, t);
    }
    return g->settings->documents;
}

/* ---------------------------------------------------------------- command line */

static const char usage[] =
    "usage: make_corpus [options] > FILE.jsonl\n"
    "  --material FILE    real text: JSON Lines with a field \"text\" (.jsonl, .jsonl.gz, "
    ".jsonl.zst) or any text; may be repeated\n"
    "  --machine          also text of this Debian machine (the default where no --material is "
    "given)\n"
    "  --material-limit N take at most N bytes of material, 1G\n"
    "  --language L       zh, ru, ar or hi: only sentences mostly in that script\n"
    "  --size N           bytes of text, with K, M or G; 1G\n"
    "  --documents N      so many documents instead of --size\n"
    "  --shape S          web (default); counter: copies of one page with another counter in each "
    "(--documents, 1000000);\n"
    "                     template, oneband: pages of one template with J of .7 and .5 to each "
    "other (--documents, 100000)\n"
    "  --words N          words of the page of a shape (counter 80, template 350)\n"
    "  --seed N           1\n"
    "  -o FILE            instead of standard output\n";

static uint64_t parse_size(const char *string) {
    char *end;
    double value = strtod(string, &end);
    if (*end == 'K') value *= 1e3, end++;
    else if (*end == 'M') value *= 1e6, end++;
    else if (*end == 'G') value *= 1e9, end++;
    if (*end || end == string || !(value >= 0 && value < 1e15)) stop("a number was expected");
    return (uint64_t)value;
}

static shape parse_shape(const char *name) {
    static const char *const names[] = {"web", "counter", "template", "oneband"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, names[i]) == 0) return (shape)i;
    }
    stop("--shape is web, counter, template or oneband");
    return SHAPE_WEB;
}

static const char *parse_language(const char *name) {
    static const char *const names[] = {"zh", "ru", "ar", "hi"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, names[i]) == 0) return names[i];
    }
    stop("--language is zh, ru, ar or hi");
    return NULL;
}

/* Returns whether the text of this machine is needed. `files` has room for all arguments. */
static bool parse(int count, char **arguments, settings *s, material *m, const char **files,
                  size_t *file_count) {
    bool machine = false;
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i];
        if (strcmp(name, "--machine") == 0) {
            machine = true;
            continue;
        }
        const char *value = i + 1 < count ? arguments[++i] : NULL;
        if (!value || strcmp(name, "--help") == 0) {
            fputs(usage, stderr);
            exit(2);
        }
        if (strcmp(name, "--material") == 0) files[(*file_count)++] = value;
        else if (strcmp(name, "--material-limit") == 0) s->material_limit = parse_size(value);
        else if (strcmp(name, "--language") == 0) m->language = parse_language(value);
        else if (strcmp(name, "--size") == 0) s->size = parse_size(value);
        else if (strcmp(name, "--documents") == 0) s->documents = parse_size(value);
        else if (strcmp(name, "--shape") == 0) s->shape = parse_shape(value);
        else if (strcmp(name, "--words") == 0) s->words = (uint32_t)parse_size(value);
        else if (strcmp(name, "--seed") == 0) s->seed = parse_size(value);
        else if (strcmp(name, "-o") == 0) s->output = value;
        else stop("unknown option; see --help");
    }
    if (s->shape != SHAPE_WEB && s->documents == 0)
        s->documents = s->shape == SHAPE_COUNTER ? 1000000 : 100000;
    if (s->words == 0) s->words = s->shape == SHAPE_COUNTER ? 80 : 350;
    if (s->words < 60) stop("--words is at least 60");
    return machine || *file_count == 0;
}

/* The more often the material is reused, the more words are replaced. */
static void choose_splicing(generator *g, const material *m) {
    double times = g->settings->shape == SHAPE_WEB ? (double)g->settings->size / (double)m->size
                                                   : 1;
    double p = times <= 10 ? .15 : times <= 40 ? .3 : .5;
    g->run_most = times <= 10 ? 6 : times <= 40 ? 3 : 1;
    g->base_cut = (uint32_t)(p * 65536);
    fprintf(stderr,
            "make_corpus: material %.1f MB in %zu sentences, used about %.1f times: at most %u "
            "sentences from one place, p = %g\n",
            (double)m->size / 1e6, m->count, times, g->run_most, p);
}

int main(int count, char **arguments) {
    settings s = {.size = 1000000000, .seed = 1, .material_limit = 1000000000};
    generator g = {.settings = &s, .out = stdout};
    const char **files = calloc((size_t)count, sizeof *files);
    size_t file_count = 0;
    if (!files) stop("out of memory");
    bool machine = parse(count, arguments, &s, &g.material, files, &file_count);
    g.material.limit = s.material_limit < UINT32_MAX / 2 ? s.material_limit : UINT32_MAX / 2;
    for (size_t i = 0; i < file_count; i++) {
        if (!material_add_file(&g.material, files[i])) return 1;
    }
    if (machine && !material_add_machine(&g.material)) return 1;
    if (!material_finish(&g.material, s.seed)) return 1;
    choose_splicing(&g, &g.material);
    if (s.output && !(g.out = fopen(s.output, "wb"))) stop("the output cannot be opened");
    setvbuf(g.out, NULL, _IOFBF, 1 << 20);

    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    uint64_t documents = s.shape == SHAPE_WEB ? make_web(&g)
                         : s.shape == SHAPE_COUNTER
                             ? make_counters(&g)
                             : make_templates(&g, s.shape == SHAPE_TEMPLATE ? .7 : .5);
    if (fclose(g.out) != 0) stop("writing failed");
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) +
                     (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    fprintf(stderr,
            "make_corpus: %llu documents, %llu copies, %.1f MB of text, %.1f MB of JSON Lines, "
            "%.0f MB/s\n",
            (unsigned long long)documents, (unsigned long long)g.copies, (double)g.text_bytes / 1e6,
            (double)g.line_bytes / 1e6, (double)g.text_bytes / 1e6 / seconds);
    material_free(&g.material);
    free(g.document.bytes), free(g.document.ends), free(g.edited.bytes), free(g.edited.ends),
        free(g.line.bytes), free(g.line.ends);
    free(g.base_of);
    free(files);
    return 0;
}
