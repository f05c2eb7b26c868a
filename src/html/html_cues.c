#include "html/html_cues.h"

#include <string.h>

/* General words, as authors of many sites use them; singular and plural both. */
static const struct {
    unsigned cue;
    const char *words;
} lists[] = {
    {ND_HTML_FOOTER_WORD, "footer foot contentinfo colophon copyright legal privacy"},
    {ND_HTML_MENU_WORD, "menu nav navigation navbar submenu subnav dropdown menubar toolbar "
                        "breadcrumb breadcrumbs crumbs pagination pager"},
    {ND_HTML_OVERLAY_WORD, "modal popup cookie cookies consent gdpr notice banner alert "
                           "announcement dialog overlay"},
    {ND_HTML_COMMENT_WORD, "comment comments respond review reviews"},
    {ND_HTML_RELATED_WORD, "related recent popular latest recommended recommendations trending "
                           "similar promo newsletter subscribe subscription signup"},
    {ND_HTML_BYLINE_WORD, "author bio byline meta avatar share sharing social"},
};

static unsigned bit_of(unsigned cue) { return (unsigned)__builtin_ctz(cue); }

void nd_html_cue_words_fill(nd_html_cue_words *words) {
    memset(words, 0, sizeof *words);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (const char *word = lists[i].words; *word;) {
            size_t length = strcspn(word, " ");
            nd_html_names_add(&words->words, word, length, (uint8_t)bit_of(lists[i].cue));
            word += length + (word[length] == ' ');
        }
    }
}

/* The cues of the words of a value. Words are runs of letters; a capital behind a small letter
 * begins a word, as in "relatedPosts". */
static unsigned cues_of_value(const nd_html_cue_words *words, nd_html_slice value) {
    unsigned cues = 0;
    const char *at = value.bytes, *end = at + value.length;
    while (at < end) {
        const char *word = at;
        while (at < end && nd_html_is_letter(*at) &&
               (at == word || (*at & 0x20) || !(at[-1] & 0x20)))
            at++;
        size_t length = (size_t)(at - word);
        uint8_t bit = length > 2 ? nd_html_names_find(&words->words, nd_html_name_key(word, length))
                                 : 0;
        if (bit > 0) cues |= 1u << bit;
        if (length == 0) at++;
    }
    return cues;
}

static unsigned cues_of_element(nd_html_element element) {
    static const unsigned cues[ND_TAG_COUNT] = {[ND_TAG_MAIN] = ND_HTML_IN_MAIN,
                                                [ND_TAG_ARTICLE] = ND_HTML_IN_ARTICLE,
                                                [ND_TAG_HEADER] = ND_HTML_IN_HEADER,
                                                [ND_TAG_FOOTER] = ND_HTML_IN_FOOTER,
                                                [ND_TAG_ASIDE] = ND_HTML_IN_ASIDE,
                                                [ND_TAG_FORM] = ND_HTML_IN_FORM,
                                                [ND_TAG_FIGCAPTION] = ND_HTML_IN_CAPTION,
                                                [ND_TAG_UL] = ND_HTML_IN_LIST,
                                                [ND_TAG_P] = ND_HTML_IN_P,
                                                [ND_TAG_BLOCKQUOTE] = ND_HTML_IN_QUOTE,
                                                [ND_TAG_H1] = ND_HTML_IN_H1,
                                                [ND_TAG_H2] = ND_HTML_IN_H2,
                                                [ND_TAG_H3] = ND_HTML_IN_LOW_HEADING,
                                                [ND_TAG_H4] = ND_HTML_IN_LOW_HEADING,
                                                [ND_TAG_H5] = ND_HTML_IN_LOW_HEADING,
                                                [ND_TAG_H6] = ND_HTML_IN_LOW_HEADING};
    return cues[element];
}

unsigned nd_html_cues_of(const nd_html_cue_words *words, const nd_html_token *tag) {
    static const nd_html_attribute named[] = {ND_HTML_ID, ND_HTML_CLASS, ND_HTML_ROLE};
    unsigned cues = cues_of_element(tag->element);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (tag->present >> named[i] & 1) cues |= cues_of_value(words, tag->values[named[i]]);
    if (tag->present >> ND_HTML_ROLE & 1) {
        nd_html_slice role = tag->values[ND_HTML_ROLE];
        if (role.length == 4 && nd_html_begins(role.bytes, role.bytes + 4, "main"))
            cues |= ND_HTML_IN_MAIN;
    }
    return cues;
}
