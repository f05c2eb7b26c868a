#include "html/html_walk.h"

#include "html/html_hidden.h"

static unsigned behaviour_of(const nd_html_token *tag) { return nd_html_behaviour[tag->element]; }

/* Whether the content of an element is no text. */
static bool drops(const nd_html_walk *walk, const nd_html_token *tag) {
    return (behaviour_of(tag) & ND_HTML_DROPPED) || (!walk->reveals && nd_html_is_hidden(tag));
}

static bool is_verbatim(uint8_t element) {
    return element == ND_TAG_PRE || element == ND_TAG_LISTING;
}

/* Makes the gap before or behind an element, unless it stands in one that is not shown. */
static void widen_gap(nd_html_walk *walk, nd_html_element element) {
    if (walk->dropped > 0) return;
    if (element == ND_TAG_TD || element == ND_TAG_TH) nd_html_widen_gap(&walk->writer, ND_HTML_TAB);
    else if (nd_html_behaviour[element] & ND_HTML_BLOCK)
        nd_html_widen_gap(&walk->writer, ND_HTML_LINE);
}

/* nd_html_end_fn */
static void on_end(void *context, const nd_html_open *element) {
    nd_html_walk *walk = context;
    walk->dropped -= element->dropped;
    widen_gap(walk, (nd_html_element)element->element);
    walk->verbatim -= is_verbatim(element->element);
}

/* `cues`: of the text itself, besides its elements. */
static void write_text(nd_html_walk *walk, const nd_html_token *token, bool verbatim,
                       unsigned cues) {
    nd_html_writer *writer = &walk->writer;
    nd_html_written written = {.begin = writer->length,
                               .begins_line = writer->length == 0 || writer->gap == ND_HTML_LINE,
                               .is_link = nd_html_stack_has(&walk->stack, ND_TAG_A),
                               .cues = cues};
    if (walk->dropped > 0) return;
    nd_html_write(writer, token, verbatim);
    if (!walk->outline || writer->length == written.begin) return;
    /* The gap before a line does not belong to it. */
    if (written.begins_line && writer->out[written.begin] == '\n') written.begin++;
    written.end = writer->length;
    nd_html_outline_add(walk->outline, &written, nd_html_stack_top(&walk->stack)->node);
}

/* The content of a raw element follows its start tag directly; its end tag finds nothing open. */
static void walk_raw(nd_html_walk *walk, const nd_html_token *tag) {
    nd_html_element element = tag->element;
    bool dropped = drops(walk, tag) || (element == ND_TAG_TITLE && walk->has_title);
    nd_html_token content;
    nd_html_enter_raw(&walk->scanner, tag);
    nd_html_next(&walk->scanner, &content);
    if (dropped) return;
    nd_html_widen_gap(&walk->writer, ND_HTML_LINE);
    write_text(walk, &content, element != ND_TAG_TITLE,
               element == ND_TAG_TITLE ? ND_HTML_IN_TITLE : 0);
    nd_html_widen_gap(&walk->writer, ND_HTML_LINE);
    if (element == ND_TAG_TITLE && walk->dropped == 0) walk->has_title = true;
}

/* A newline directly behind <pre> is not part of its text. */
static void skip_first_newline(nd_html_scanner *scanner) {
    const char *at = scanner->at;
    if (at < scanner->end && *at == '\r') at++;
    if (at < scanner->end && *at == '\n') at++;
    scanner->at = at;
}

static void open_element(nd_html_walk *walk, const nd_html_token *tag) {
    bool foreign = nd_html_stack_in_foreign(&walk->stack);
    if (foreign && tag->self_closing) return;
    nd_html_open *self = nd_html_stack_push(&walk->stack, tag);
    if (!self) return;
    self->dropped = drops(walk, tag);
    walk->dropped += self->dropped;
    if (is_verbatim(self->element)) {
        walk->verbatim++;
        skip_first_newline(&walk->scanner);
    }
    if (walk->outline && walk->dropped == 0) nd_html_outline_open(walk->outline, tag, self);
}

static void start_tag(nd_html_walk *walk, const nd_html_token *tag) {
    unsigned behaviour = behaviour_of(tag);
    if (behaviour & ND_HTML_IGNORED) return;
    if (tag->element == ND_TAG_NOSCRIPT && walk->reveals) return;
    if (tag->element == ND_TAG_FORM && !nd_html_stack_in_foreign(&walk->stack)) {
        if (walk->has_form || nd_html_stack_has(&walk->stack, ND_TAG_TEMPLATE)) return;
        walk->has_form = true;
    }
    /* A part of a table that is in no table does nothing but separate texts. */
    if ((behaviour & ND_HTML_TABLE_PART) && !nd_html_stack_has(&walk->stack, ND_TAG_TABLE)) {
        widen_gap(walk, tag->element);
        return;
    }
    nd_html_stack_make_way(&walk->stack, tag);
    bool foreign = nd_html_stack_in_foreign(&walk->stack);
    if (!foreign) widen_gap(walk, tag->element);
    if (!foreign && (behaviour & ND_HTML_RAW)) walk_raw(walk, tag);
    else if (foreign || !(behaviour & ND_HTML_VOID)) open_element(walk, tag);
    walk->scanner.foreign = nd_html_stack_in_foreign(&walk->stack);
}

static void end_tag(nd_html_walk *walk, const nd_html_token *tag) {
    /* </br> is a <br>, and a </p> that ends nothing is an empty paragraph. */
    if (tag->element == ND_TAG_BR || tag->element == ND_TAG_P) widen_gap(walk, tag->element);
    if (tag->element == ND_TAG_FORM && !nd_html_stack_in_foreign(&walk->stack)) {
        if (nd_html_stack_has(&walk->stack, ND_TAG_TEMPLATE)) return;
        walk->has_form = false;
    }
    nd_html_stack_end(&walk->stack, tag);
    walk->scanner.foreign = nd_html_stack_in_foreign(&walk->stack);
}

void nd_html_walk_init(nd_html_walk *walk) {
    nd_html_names_fill(&walk->names);
    walk->stack.on_end = on_end;
    walk->stack.context = walk;
}

size_t nd_html_walk_page(nd_html_walk *walk, const char *html, size_t length, char *out,
                         nd_html_outline *outline) {
    nd_html_token token;
    nd_html_scan(&walk->scanner, html, length, &walk->names);
    nd_html_stack_begin(&walk->stack);
    walk->writer = (nd_html_writer){.out = out, .gap = ND_HTML_LINE};
    walk->dropped = walk->verbatim = 0;
    walk->outline = outline;
    if (outline) nd_html_outline_begin(outline);
    walk->has_title = walk->has_form = false;
    for (;;) {
        nd_html_next(&walk->scanner, &token);
        switch (token.kind) {
        case ND_HTML_TEXT:
        case ND_HTML_LITERAL: write_text(walk, &token, walk->verbatim > 0, 0); break;
        case ND_HTML_START_TAG: start_tag(walk, &token); break;
        case ND_HTML_END_TAG: end_tag(walk, &token); break;
        case ND_HTML_END: return walk->writer.length;
        }
    }
}
