#include "repeats/cut_bounds.h"

nd_status nd_cut_bounds_create(nd_cut_at at, const nd_allocator *allocator, nd_cut_bounds *b,
                               nd_error *error) {
    nd_analyzer_options words;
    *b = (nd_cut_bounds){.allocator = *allocator, .at = at};
    b->units = (nd_text_units){.allocator = *allocator,
                               .kind = at == ND_CUT_AT_LINES ? ND_UNIT_LINE : ND_UNIT_SENTENCE};
    if (at != ND_CUT_AT_WORDS) return ND_OK;
    nd_analyzer_options_init(&words, sizeof words);
    words.ngram = 1;
    return nd_analyzer_create_for(ND_SHINGLES_ALONE, &words, allocator, &b->analyzer, error);
}

void nd_cut_bounds_free(nd_cut_bounds *b) {
    nd_text_units_free(&b->units);
    nd_analyzer_free(b->analyzer);
    nd_token_offsets_free(&b->words, &b->allocator);
}

nd_status nd_cut_bounds_read(nd_cut_bounds *b, const char *text, size_t length, nd_error *error) {
    b->text = text;
    b->length = length;
    b->words.count = 0;
    if (b->at == ND_CUT_AT_CHARACTERS) return ND_OK;
    return b->at == ND_CUT_AT_WORDS
               ? nd_token_offsets_add(&b->words, b->analyzer, text, length, &b->allocator, error)
               : nd_text_units_find(&b->units, text, length, error);
}

/* ---- units */

static size_t unit_count(const nd_cut_bounds *b) {
    return b->at == ND_CUT_AT_WORDS ? b->words.count : b->units.count;
}

static nd_text_unit unit_at(const nd_cut_bounds *b, size_t i) {
    if (b->at != ND_CUT_AT_WORDS) return b->units.units[i];
    const nd_text_range *word = &b->words.places[i];
    return (nd_text_unit){.begin = word->begin, .end = word->end, .next = word->end};
}

/* The number of units that begin before an offset, or, with `whole`, end at it or before. */
static size_t units_before(const nd_cut_bounds *b, size_t offset, bool whole) {
    size_t low = 0, high = unit_count(b);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        nd_text_unit unit = unit_at(b, middle);
        if (whole ? unit.end <= offset : unit.begin < offset) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool within_character(const char *text, size_t length, size_t offset) {
    return offset < length && ((unsigned char)text[offset] & 0xC0) == 0x80;
}

nd_text_span nd_whole_characters(const char *text, size_t length, nd_text_span span) {
    while (span.begin < span.end && within_character(text, length, span.begin)) span.begin++;
    while (span.begin < span.end && within_character(text, length, span.end)) span.end--;
    return span;
}

nd_text_span nd_cut_bounds_inside(const nd_cut_bounds *b, nd_text_span span) {
    if (b->at == ND_CUT_AT_CHARACTERS) return nd_whole_characters(b->text, b->length, span);
    size_t first = units_before(b, span.begin, false), end = units_before(b, span.end, true);
    return first < end ? (nd_text_span){unit_at(b, first).begin, unit_at(b, end - 1).next}
                       : (nd_text_span){span.begin, span.begin};
}
