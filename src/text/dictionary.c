/* Beginnings of words in an open table: a word of n tokens has n of them, its own being the last.
 * So the words that begin at a place of a text are found by going on token by token until there is
 * no such beginning. Beginnings are told apart by 64-bit hashes: of n, two are taken for one with
 * probability n^2 / 2^65. */
#include "text/dictionary.h"

#include "base/alloc.h"
#include "base/argument.h"
#include "base/decimal.h"
#include "base/fixed_log.h"
#include "base/floats.h"
#include "base/limits.h"
#include "base/printable.h"
#include "base/status.h"
#include "io/line_in.h"
#include "text/word_entry.h"

#include <string.h>

enum { FIRST_SLOTS = ND_LIMIT(1024, 4) };

/* Of a beginning that is no word. */
#define NO_WORD UINT64_MAX

/* A word without a frequency has that of one that stands alone: of such words the fewest are taken.
 */
enum { LEAST_FREQUENCY = 1 };

typedef struct slot {
    uint64_t beginning; /* hash; 0: free */
    uint64_t cost;      /* while it is read: the frequency, 0 of what is no word */
} slot;

struct nd_dictionary {
    nd_allocator allocator;
    slot *slots; /* by the hash's top bits, then onwards; at most three quarters are taken */
    unsigned shift;
    size_t slot_count, taken;
    uint64_t frequencies; /* of all words together */
    uint64_t alone;       /* cost of a token that no word has */
};

/* ---- the table */

static inline uint64_t extend(uint64_t beginning, uint64_t token) {
    uint64_t longer = nd_mix64(beginning * ND_HASH_POLY + token);
    return longer ? longer : 1;
}

static inline slot *find(const nd_dictionary *d, uint64_t beginning) {
    size_t at = (size_t)(beginning >> d->shift);
    while (d->slots[at].beginning != 0 && d->slots[at].beginning != beginning)
        at = (at + 1) & (d->slot_count - 1);
    return &d->slots[at];
}

static nd_status set_slots(nd_dictionary *d, size_t count, nd_error *error) {
    slot *old = d->slots;
    size_t old_count = d->slot_count;
    slot *slots = nd_allocate_zero(&d->allocator, count, sizeof *slots);
    if (!slots) return nd_fail_memory(error, count * sizeof *slots, "a dictionary");
    d->slots = slots;
    d->slot_count = count;
    d->shift = 64 - (unsigned)__builtin_ctzll(count);
    for (size_t i = 0; i < old_count; i++)
        if (old[i].beginning != 0) *find(d, old[i].beginning) = old[i];
    nd_release(&d->allocator, old);
    return ND_OK;
}

/* A word that comes again, perhaps in another case, has the sum of its frequencies. */
static nd_status add_word(nd_dictionary *d, const uint64_t *tokens, size_t count,
                          uint64_t frequency, nd_error *error) {
    uint64_t beginning = 0;
    for (size_t i = 0; i < count; i++) {
        if (d->taken >= d->slot_count - d->slot_count / 4)
            ND_TRY(set_slots(d, 2 * d->slot_count, error));
        beginning = extend(beginning, tokens[i]);
        slot *s = find(d, beginning);
        d->taken += s->beginning == 0;
        s->beginning = beginning;
    }
    find(d, beginning)->cost += frequency;
    d->frequencies += frequency;
    return ND_OK;
}

static void turn_into_costs(nd_dictionary *d) {
    uint64_t all = nd_log_fixed(d->frequencies);
    d->alone = all - nd_log_fixed(LEAST_FREQUENCY);
    for (size_t i = 0; i < d->slot_count; i++) {
        uint64_t frequency = d->slots[i].cost;
        d->slots[i].cost = frequency ? all - nd_log_fixed(frequency) : NO_WORD;
    }
}

void nd_dictionary_cut(const nd_dictionary *d, const uint64_t *tokens, size_t count,
                       uint64_t *costs, uint16_t *lengths) {
    costs[count] = 0;
    for (size_t i = count; i-- > 0;) {
        uint64_t least = d->alone + costs[i + 1], beginning = 0;
        lengths[i] = 0;
        for (size_t end = i; end < count; end++) {
            beginning = extend(beginning, tokens[end]);
            const slot *s = find(d, beginning);
            if (s->beginning == 0) break;
            if (s->cost == NO_WORD || s->cost + costs[end + 1] > least) continue;
            least = s->cost + costs[end + 1];
            lengths[i] = (uint16_t)(end + 1 - i);
        }
        costs[i] = least;
    }
}

uint64_t nd_dictionary_hash(const nd_dictionary *d) {
    uint64_t sum = 0;
    for (size_t i = 0; i < d->slot_count; i++)
        if (d->slots[i].beginning != 0)
            sum += nd_mix64(d->slots[i].beginning ^ nd_mix64(d->slots[i].cost));
    return sum ? sum : 1;
}

void nd_dictionary_free(nd_dictionary *dictionary) {
    if (!dictionary) return;
    nd_allocator allocator = dictionary->allocator;
    nd_release(&allocator, dictionary->slots);
    nd_release(&allocator, dictionary);
}

/* ---- reading */

typedef struct dictionary_reader {
    const char *name; /* for messages */
    nd_dictionary *dictionary;
    nd_line_in lines;
    nd_whole_word word;
} dictionary_reader;

static nd_status fail_line(const dictionary_reader *r, nd_error *error, const char *expected,
                           const char *found, size_t length) {
    return nd_fail(error, ND_ERR_INPUT, "%s:%llu: %s expected, not '%.*s'", r->name,
                   (unsigned long long)r->lines.number, expected,
                   nd_shown_length(found, length, ND_SHOWN_TERM), found);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The next field of a line, which it is taken from; length 0: there is none. */
static const char *next_field(const char **line, const char *end, size_t *length) {
    while (*line < end && is_blank(**line)) ++*line;
    const char *field = *line;
    while (*line < end && !is_blank(**line)) ++*line;
    *length = (size_t)(*line - field);
    return field;
}

static nd_status read_word(dictionary_reader *r, const char *word, size_t length,
                           uint64_t frequency, nd_error *error) {
    nd_word_kind kind;
    uint64_t feature;
    nd_error inner;
    nd_status status = nd_whole_word_find(&r->word, word, length, &kind, &feature, &inner);
    if (status == ND_ERR_INPUT)
        return nd_fail(error, status, "%s:%llu: %s", r->name, (unsigned long long)r->lines.number,
                       inner.message);
    if (status != ND_OK) return nd_fail(error, status, "%s", inner.message);
    if (!r->word.unspaced) return ND_OK;
    if (kind == ND_NO_WORD)
        return fail_line(r, error, "a word of nothing but letters and digits", word, length);
    if (r->word.tokens > ND_WHOLE_WORD_TOKENS)
        return fail_line(r, error, "a word of at most 64 characters", word, length);
    return add_word(r->dictionary, r->word.hashes, r->word.tokens, frequency, error);
}

/* word [frequency [tag]] */
static nd_status read_line(dictionary_reader *r, const char *line, size_t line_length,
                           nd_error *error) {
    const char *end = line + line_length, *rest = line;
    size_t length, number_length, tag_length, more_length;
    const char *word = next_field(&rest, end, &length),
               *number = next_field(&rest, end, &number_length);
    if (length == 0 || word[0] == '#') return ND_OK;
    uint64_t frequency = LEAST_FREQUENCY;
    if (number_length > 0 && !nd_whole_number_read(number, number_length, UINT32_MAX, &frequency))
        return fail_line(r, error, "a frequency from 0 to 4294967295", number, number_length);
    next_field(&rest, end, &tag_length);
    const char *more = next_field(&rest, end, &more_length);
    if (more_length > 0)
        return fail_line(r, error, "a word, its frequency and its tag, and nothing else,", more,
                         (size_t)(end - more));
    return read_word(r, word, length, frequency, error);
}

static nd_status read_lines(dictionary_reader *r, nd_error *error) {
    const char *line;
    size_t length;
    for (;;) {
        ND_TRY(nd_line_in_next(&r->lines, &line, &length, error));
        if (!line) break;
        ND_TRY(read_line(r, line, length, error));
    }
    if (r->dictionary->frequencies == 0)
        return nd_fail(error, ND_ERR_INPUT, "%s: no word of a script written without spaces",
                       r->name);
    turn_into_costs(r->dictionary);
    return ND_OK;
}

static nd_status read_words(nd_dictionary *d, const char *path, nd_error *error) {
    dictionary_reader r = {.name = strcmp(path, "-") == 0 ? "standard input" : path,
                           .dictionary = d};
    nd_stream_in *stream = NULL;
    nd_status status = nd_whole_word_begin(&r.word, ND_DICTIONARY_SEED, &d->allocator, error);
    if (status == ND_OK) status = set_slots(d, FIRST_SLOTS, error);
    if (status == ND_OK)
        status = nd_stream_in_open(path, &(nd_stream_in_options){.allocator = &d->allocator},
                                   &stream, error);
    if (status == ND_OK) {
        nd_line_in_open(&r.lines, stream, &d->allocator);
        status = read_lines(&r, error);
        nd_line_in_close(&r.lines);
    }
    nd_stream_in_close(stream);
    nd_whole_word_end(&r.word);
    return status;
}

nd_status nd_dictionary_read(const char *path, const nd_allocator *allocator, nd_dictionary **out,
                             nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(path, "path", error));
    ND_TRY(nd_need(out, "out", error));
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_dictionary *dictionary = nd_allocate_zero(&memory, 1, sizeof *dictionary);
    if (!dictionary) return nd_fail_memory(error, sizeof *dictionary, "a dictionary");
    dictionary->allocator = memory;
    nd_status status = read_words(dictionary, path, error);
    if (status != ND_OK) {
        nd_dictionary_free(dictionary);
        return status;
    }
    *out = dictionary;
    return ND_OK;
}
