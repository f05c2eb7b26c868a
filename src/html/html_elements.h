/* The elements of HTML that change how a page is parsed, which part of it is text, or which part is
 * its main content. Every other name is ND_TAG_OTHER. */
#ifndef ND_HTML_HTML_ELEMENTS_H
#define ND_HTML_HTML_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

/* How an element behaves: HTML Living Standard, sections 13.2 (parsing) and 15.3 (rendering). */
enum {
    ND_HTML_VOID = 1 << 0,        /* has no content and no end tag */
    ND_HTML_BLOCK = 1 << 1,       /* its text stands on lines of its own */
    ND_HTML_DROPPED = 1 << 2,     /* its content is no visible text */
    ND_HTML_RAW = 1 << 3,         /* its content has no tags; in it, only its end tag counts */
    ND_HTML_CLOSES_P = 1 << 4,    /* its start tag ends an open paragraph */
    ND_HTML_SPECIAL = 1 << 5,     /* end tags of ordinary elements do not reach through it */
    ND_HTML_BARRIER = 1 << 6,     /* no end tags reach through it, except those of tables */
    ND_HTML_FORMATTING = 1 << 7,  /* its end tag leaves blocks open that began in it */
    ND_HTML_TABLE_PART = 1 << 8,  /* has a meaning only in a table, whose other parts it ends */
    ND_HTML_LEAVES_SVG = 1 << 9,  /* its start tag ends an <svg> or <math> that is open */
    ND_HTML_HOLDS_HTML = 1 << 10, /* inside <svg> and <math>: its content is HTML again */
    ND_HTML_IGNORED = 1 << 11     /* its tags change nothing */
};

/* X(ENUMERATOR, "name", behaviour) */
#define ND_HTML_P_BLOCK (ND_HTML_BLOCK | ND_HTML_CLOSES_P | ND_HTML_SPECIAL)
#define ND_HTML_P_BLOCK_OUT (ND_HTML_P_BLOCK | ND_HTML_LEAVES_SVG)
#define ND_HTML_MARKUP (ND_HTML_FORMATTING | ND_HTML_LEAVES_SVG)
#define ND_HTML_DROPPED_RAW (ND_HTML_DROPPED | ND_HTML_RAW)
#define ND_HTML_PART (ND_HTML_TABLE_PART | ND_HTML_SPECIAL | ND_HTML_BLOCK)
#define ND_HTML_CELL (ND_HTML_TABLE_PART | ND_HTML_SPECIAL | ND_HTML_BARRIER)
#define ND_HTML_ELEMENTS(X)                                                                        \
    X(A, "a", ND_HTML_FORMATTING)                                                                  \
    X(ADDRESS, "address", ND_HTML_P_BLOCK)                                                         \
    X(ANNOTATION, "annotation", ND_HTML_DROPPED)                                                   \
    X(ANNOTATION_XML, "annotation-xml", ND_HTML_DROPPED | ND_HTML_HOLDS_HTML)                      \
    X(APPLET, "applet", ND_HTML_DROPPED | ND_HTML_SPECIAL | ND_HTML_BARRIER)                       \
    X(AREA, "area", ND_HTML_VOID)                                                                  \
    X(ARTICLE, "article", ND_HTML_P_BLOCK)                                                         \
    X(ASIDE, "aside", ND_HTML_P_BLOCK)                                                             \
    X(AUDIO, "audio", ND_HTML_DROPPED)                                                             \
    X(B, "b", ND_HTML_MARKUP)                                                                      \
    X(BASE, "base", ND_HTML_VOID)                                                                  \
    X(BASEFONT, "basefont", ND_HTML_VOID)                                                          \
    X(BGSOUND, "bgsound", ND_HTML_VOID)                                                            \
    X(BIG, "big", ND_HTML_MARKUP)                                                                  \
    X(BLOCKQUOTE, "blockquote", ND_HTML_P_BLOCK_OUT)                                               \
    X(BODY, "body", ND_HTML_IGNORED | ND_HTML_LEAVES_SVG)                                          \
    X(BR, "br", ND_HTML_VOID | ND_HTML_BLOCK | ND_HTML_LEAVES_SVG)                                 \
    X(BUTTON, "button", ND_HTML_DROPPED | ND_HTML_SPECIAL)                                         \
    X(CANVAS, "canvas", ND_HTML_DROPPED)                                                           \
    X(CAPTION, "caption", ND_HTML_PART | ND_HTML_BARRIER)                                          \
    X(CENTER, "center", ND_HTML_P_BLOCK_OUT)                                                       \
    X(CODE, "code", ND_HTML_MARKUP)                                                                \
    X(COL, "col", ND_HTML_VOID)                                                                    \
    X(COLGROUP, "colgroup", ND_HTML_IGNORED)                                                       \
    X(DATALIST, "datalist", ND_HTML_DROPPED)                                                       \
    X(DD, "dd", ND_HTML_P_BLOCK_OUT)                                                               \
    X(DESC, "desc", ND_HTML_HOLDS_HTML)                                                            \
    X(DETAILS, "details", ND_HTML_P_BLOCK)                                                         \
    X(DIALOG, "dialog", ND_HTML_P_BLOCK)                                                           \
    X(DIR, "dir", ND_HTML_P_BLOCK)                                                                 \
    X(DIV, "div", ND_HTML_P_BLOCK_OUT)                                                             \
    X(DL, "dl", ND_HTML_P_BLOCK_OUT)                                                               \
    X(DT, "dt", ND_HTML_P_BLOCK_OUT)                                                               \
    X(EM, "em", ND_HTML_MARKUP)                                                                    \
    X(EMBED, "embed", ND_HTML_VOID | ND_HTML_LEAVES_SVG)                                           \
    X(FIELDSET, "fieldset", ND_HTML_P_BLOCK)                                                       \
    X(FIGCAPTION, "figcaption", ND_HTML_P_BLOCK)                                                   \
    X(FIGURE, "figure", ND_HTML_P_BLOCK)                                                           \
    X(FONT, "font", ND_HTML_FORMATTING)                                                            \
    X(FOOTER, "footer", ND_HTML_P_BLOCK)                                                           \
    X(FOREIGNOBJECT, "foreignobject", ND_HTML_HOLDS_HTML)                                          \
    X(FORM, "form", ND_HTML_P_BLOCK | ND_HTML_FORMATTING)                                          \
    X(FRAME, "frame", ND_HTML_VOID)                                                                \
    X(FRAMESET, "frameset", ND_HTML_IGNORED)                                                       \
    X(H1, "h1", ND_HTML_P_BLOCK_OUT)                                                               \
    X(H2, "h2", ND_HTML_P_BLOCK_OUT)                                                               \
    X(H3, "h3", ND_HTML_P_BLOCK_OUT)                                                               \
    X(H4, "h4", ND_HTML_P_BLOCK_OUT)                                                               \
    X(H5, "h5", ND_HTML_P_BLOCK_OUT)                                                               \
    X(H6, "h6", ND_HTML_P_BLOCK_OUT)                                                               \
    X(HEAD, "head", ND_HTML_IGNORED | ND_HTML_LEAVES_SVG)                                          \
    X(HEADER, "header", ND_HTML_P_BLOCK)                                                           \
    X(HGROUP, "hgroup", ND_HTML_P_BLOCK)                                                           \
    X(HR, "hr", ND_HTML_VOID | ND_HTML_BLOCK | ND_HTML_CLOSES_P | ND_HTML_LEAVES_SVG)              \
    X(HTML, "html", ND_HTML_IGNORED)                                                               \
    X(I, "i", ND_HTML_MARKUP)                                                                      \
    X(IFRAME, "iframe", ND_HTML_DROPPED_RAW)                                                       \
    X(IMAGE, "image", ND_HTML_VOID)                                                                \
    X(IMG, "img", ND_HTML_VOID | ND_HTML_LEAVES_SVG)                                               \
    X(INPUT, "input", ND_HTML_VOID)                                                                \
    X(LI, "li", ND_HTML_P_BLOCK_OUT)                                                               \
    X(LINK, "link", ND_HTML_VOID)                                                                  \
    X(LISTING, "listing", ND_HTML_P_BLOCK_OUT)                                                     \
    X(MAIN, "main", ND_HTML_P_BLOCK)                                                               \
    X(MARQUEE, "marquee", ND_HTML_SPECIAL | ND_HTML_BARRIER)                                       \
    X(MATH, "math", 0)                                                                             \
    X(MENU, "menu", ND_HTML_P_BLOCK_OUT)                                                           \
    X(META, "meta", ND_HTML_VOID | ND_HTML_LEAVES_SVG)                                             \
    X(METER, "meter", ND_HTML_DROPPED)                                                             \
    X(MI, "mi", ND_HTML_HOLDS_HTML)                                                                \
    X(MN, "mn", ND_HTML_HOLDS_HTML)                                                                \
    X(MO, "mo", ND_HTML_HOLDS_HTML)                                                                \
    X(MS, "ms", ND_HTML_HOLDS_HTML)                                                                \
    X(MTEXT, "mtext", ND_HTML_HOLDS_HTML)                                                          \
    X(NAV, "nav", ND_HTML_P_BLOCK | ND_HTML_DROPPED)                                               \
    X(NOBR, "nobr", ND_HTML_MARKUP)                                                                \
    X(NOEMBED, "noembed", ND_HTML_DROPPED_RAW)                                                     \
    X(NOFRAMES, "noframes", ND_HTML_DROPPED_RAW)                                                   \
    X(NOSCRIPT, "noscript", ND_HTML_DROPPED_RAW)                                                   \
    X(OBJECT, "object", ND_HTML_DROPPED | ND_HTML_SPECIAL | ND_HTML_BARRIER)                       \
    X(OL, "ol", ND_HTML_P_BLOCK_OUT)                                                               \
    X(OPTGROUP, "optgroup", ND_HTML_DROPPED)                                                       \
    X(OPTION, "option", ND_HTML_DROPPED)                                                           \
    X(P, "p", ND_HTML_P_BLOCK_OUT)                                                                 \
    X(PARAM, "param", ND_HTML_VOID)                                                                \
    X(PLAINTEXT, "plaintext", ND_HTML_P_BLOCK | ND_HTML_RAW)                                       \
    X(PRE, "pre", ND_HTML_P_BLOCK_OUT)                                                             \
    X(PROGRESS, "progress", ND_HTML_DROPPED)                                                       \
    X(RP, "rp", ND_HTML_DROPPED)                                                                   \
    X(RUBY, "ruby", ND_HTML_LEAVES_SVG)                                                            \
    X(S, "s", ND_HTML_MARKUP)                                                                      \
    X(SCRIPT, "script", ND_HTML_DROPPED_RAW)                                                       \
    X(SEARCH, "search", ND_HTML_P_BLOCK)                                                           \
    X(SECTION, "section", ND_HTML_P_BLOCK)                                                         \
    X(SELECT, "select", ND_HTML_DROPPED | ND_HTML_SPECIAL)                                         \
    X(SMALL, "small", ND_HTML_MARKUP)                                                              \
    X(SOURCE, "source", ND_HTML_VOID)                                                              \
    X(SPAN, "span", ND_HTML_LEAVES_SVG)                                                            \
    X(STRIKE, "strike", ND_HTML_MARKUP)                                                            \
    X(STRONG, "strong", ND_HTML_MARKUP)                                                            \
    X(STYLE, "style", ND_HTML_DROPPED_RAW)                                                         \
    X(SUB, "sub", ND_HTML_LEAVES_SVG)                                                              \
    X(SUMMARY, "summary", ND_HTML_P_BLOCK)                                                         \
    X(SUP, "sup", ND_HTML_LEAVES_SVG)                                                              \
    X(SVG, "svg", ND_HTML_DROPPED)                                                                 \
    X(TABLE, "table", ND_HTML_P_BLOCK_OUT | ND_HTML_BARRIER)                                       \
    X(TBODY, "tbody", ND_HTML_PART)                                                                \
    X(TD, "td", ND_HTML_CELL)                                                                      \
    X(TEMPLATE, "template", ND_HTML_DROPPED | ND_HTML_SPECIAL | ND_HTML_BARRIER)                   \
    X(TEXTAREA, "textarea", ND_HTML_DROPPED_RAW)                                                   \
    X(TFOOT, "tfoot", ND_HTML_PART)                                                                \
    X(TH, "th", ND_HTML_CELL)                                                                      \
    X(THEAD, "thead", ND_HTML_PART)                                                                \
    X(TITLE, "title", ND_HTML_BLOCK | ND_HTML_RAW | ND_HTML_HOLDS_HTML)                            \
    X(TR, "tr", ND_HTML_PART)                                                                      \
    X(TRACK, "track", ND_HTML_VOID)                                                                \
    X(TT, "tt", ND_HTML_MARKUP)                                                                    \
    X(U, "u", ND_HTML_MARKUP)                                                                      \
    X(UL, "ul", ND_HTML_P_BLOCK_OUT)                                                               \
    X(VAR, "var", ND_HTML_LEAVES_SVG)                                                              \
    X(VIDEO, "video", ND_HTML_DROPPED)                                                             \
    X(WBR, "wbr", ND_HTML_VOID)                                                                    \
    X(XMP, "xmp", ND_HTML_P_BLOCK | ND_HTML_RAW)

typedef enum nd_html_element {
    ND_TAG_OTHER = 0,
#define X(symbol, name, behaviour) ND_TAG_##symbol,
    ND_HTML_ELEMENTS(X)
#undef X
        ND_TAG_COUNT
} nd_html_element;

/* Flags of each element. */
extern const uint16_t nd_html_behaviour[ND_TAG_COUNT];

/* A 64-bit key of a name, whatever the case of its ASCII letters. */
static inline uint64_t nd_html_name_key(const char *name, size_t length) {
    uint64_t key = length;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        if ((unsigned)c - 'A' < 26) c |= 0x20;
        key = (key ^ c) * UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 32;
    }
    return key;
}

/* From names to small numbers: a hash table, at most half full. */
enum { ND_HTML_NAME_SLOTS = 512 };
typedef struct nd_html_names {
    uint64_t keys[ND_HTML_NAME_SLOTS];
    uint8_t values[ND_HTML_NAME_SLOTS]; /* 0: an empty slot */
} nd_html_names;

/* Adds a name; value > 0. */
void nd_html_names_add(nd_html_names *names, const char *name, size_t length, uint8_t value);

/* Fills it with the elements. */
void nd_html_names_fill(nd_html_names *names);

/* The value of a name's key; 0: it is not there. The keys of all names differ; another name has the
 * key of one with a chance of 2^-57. */
static inline uint8_t nd_html_names_find(const nd_html_names *names, uint64_t key) {
    size_t slot = key % ND_HTML_NAME_SLOTS;
    while (names->values[slot] != 0 && names->keys[slot] != key)
        slot = (slot + 1) % ND_HTML_NAME_SLOTS;
    return names->values[slot];
}

#endif
