#include "html/html_open.h"

#include <string.h>

/* An end tag of an unknown name, or of SVG, is looked for among so many open elements. */
enum { UNKNOWN_REACH = 64 };

/* The element that stands for all of its kind: those that end each other. */
static nd_html_element kind_of(nd_html_element element) {
    static const uint8_t kinds[ND_TAG_COUNT] = {
        [ND_TAG_H2] = ND_TAG_H1,       [ND_TAG_H3] = ND_TAG_H1,       [ND_TAG_H4] = ND_TAG_H1,
        [ND_TAG_H5] = ND_TAG_H1,       [ND_TAG_H6] = ND_TAG_H1,       [ND_TAG_TH] = ND_TAG_TD,
        [ND_TAG_THEAD] = ND_TAG_TBODY, [ND_TAG_TFOOT] = ND_TAG_TBODY, [ND_TAG_DT] = ND_TAG_DD};
    return kinds[element] ? (nd_html_element)kinds[element] : element;
}

static bool behaves(uint8_t element, unsigned flag) { return nd_html_behaviour[element] & flag; }

void nd_html_stack_begin(nd_html_stack *stack) {
    memset(stack->last, 0, sizeof stack->last);
    stack->open[0] = (nd_html_open){.name = 0};
    stack->top = 0;
    stack->work = 0;
}

nd_html_open *nd_html_stack_push(nd_html_stack *stack, const nd_html_token *tag) {
    if (stack->top + 1 == ND_HTML_DEEPEST) return NULL;
    const nd_html_open *parent = &stack->open[stack->top];
    nd_html_open *self = &stack->open[++stack->top];
    /* In SVG and MathML names have no meaning of HTML. */
    nd_html_element element = tag->element;
    unsigned behaviour = nd_html_behaviour[element];
    bool root = element == ND_TAG_SVG || element == ND_TAG_MATH;
    bool foreign = root || parent->holds_foreign;
    bool holds_html = foreign && (behaviour & ND_HTML_HOLDS_HTML);
    if (foreign && !root) {
        behaviour = holds_html ? ND_HTML_SPECIAL | ND_HTML_BARRIER : 0;
        element = ND_TAG_OTHER;
    }
    uint32_t *last = &stack->last[kind_of(element)];
    bool lists_end = (behaviour & ND_HTML_SPECIAL) && element != ND_TAG_ADDRESS &&
                     element != ND_TAG_DIV && element != ND_TAG_P;
    *self = (nd_html_open){.name = tag->name,
                           .same = *last,
                           .barrier = behaviour & ND_HTML_BARRIER ? stack->top : parent->barrier,
                           .special = behaviour & ND_HTML_SPECIAL ? stack->top : parent->special,
                           .lists_end = lists_end ? stack->top : parent->lists_end,
                           .node = parent->node,
                           .element = (uint8_t)element,
                           .foreign = foreign,
                           .holds_foreign = foreign && !holds_html};
    *last = stack->top;
    return self;
}

/* ---- ending */

/* Ends elements until `left` are open. */
static void pop_to(nd_html_stack *stack, uint32_t left) {
    for (; stack->top > left; stack->top--, stack->work++) {
        const nd_html_open *element = &stack->open[stack->top];
        if (element->ended) continue;
        stack->last[kind_of((nd_html_element)element->element)] = element->same;
        stack->on_end(stack->context, element);
    }
    while (stack->open[stack->top].ended) stack->top--;
}

/* Ends the last elements behind `left` as long as they need no end tag. */
static void end_implied(nd_html_stack *stack, uint32_t left) {
    while (stack->top > left) {
        uint8_t element = nd_html_stack_top(stack)->element;
        if (element != ND_TAG_P && element != ND_TAG_LI && element != ND_TAG_DD &&
            element != ND_TAG_DT)
            break;
        pop_to(stack, stack->top - 1);
    }
}

/* Ends one element, the last of its kind, alone. What is open in it forgets it. As forms do not
 * hold forms, an element forgets at most one. */
static void end_alone(nd_html_stack *stack, uint32_t at) {
    nd_html_open *element = &stack->open[at];
    const nd_html_open *parent = element - 1;
    stack->last[kind_of((nd_html_element)element->element)] = element->same;
    stack->on_end(stack->context, element);
    element->ended = true;
    if (element->special != at) return;
    for (uint32_t inner = at + 1; inner <= stack->top; inner++, stack->work++) {
        nd_html_open *self = &stack->open[inner];
        if (self->special == at) self->special = parent->special;
        if (self->lists_end == at) self->lists_end = parent->lists_end;
    }
}

/* Ends a formatting element, the last of its kind: alone, if there is a block in it that is still
 * open. */
static void end_formatting(nd_html_stack *stack, uint32_t at) {
    bool form = stack->open[at].element == ND_TAG_FORM;
    if (form) end_implied(stack, at);
    if (at < stack->top && (form || nd_html_stack_top(stack)->special > at)) end_alone(stack, at);
    else pop_to(stack, at - 1);
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Ends the last `element`, and all that is open in it, if it was opened behind `limit`. */
static void end_behind(nd_html_stack *stack, nd_html_element element, uint32_t limit) {
    uint32_t at = stack->last[kind_of(element)];
    if (at > limit) pop_to(stack, at - 1);
}

/* ---- start tags */

/* The parts of a table end each other, up to the part that can hold the new one. */
static void make_way_in_table(nd_html_stack *stack, nd_html_element element) {
    uint32_t table = stack->last[ND_TAG_TABLE], holder = table;
    if (table <= stack->last[ND_TAG_TEMPLATE]) return;
    if (element == ND_TAG_TD || element == ND_TAG_TH || element == ND_TAG_TR)
        holder = later(holder, stack->last[ND_TAG_TBODY]);
    if (element == ND_TAG_TD || element == ND_TAG_TH)
        holder = later(holder, stack->last[ND_TAG_TR]);
    pop_to(stack, holder);
}

/* A list item ends the one before it, unless another element that holds lists stands between. */
static void make_way_for_item(nd_html_stack *stack, nd_html_element element) {
    uint32_t at = nd_html_stack_top(stack)->lists_end;
    if (at > 0 && kind_of((nd_html_element)stack->open[at].element) == kind_of(element))
        pop_to(stack, at - 1);
}

void nd_html_stack_make_way(nd_html_stack *stack, const nd_html_token *tag) {
    if (nd_html_stack_in_foreign(stack)) {
        if (!behaves((uint8_t)tag->element, ND_HTML_LEAVES_SVG)) return;
        while (nd_html_stack_in_foreign(stack)) pop_to(stack, stack->top - 1);
    }
    uint32_t barrier = nd_html_stack_top(stack)->barrier;
    nd_html_element element = tag->element;
    /* A table in a table, but in no cell, ends it. */
    if (element == ND_TAG_TABLE && stack->open[barrier].element == ND_TAG_TABLE) {
        pop_to(stack, barrier - 1);
        barrier = nd_html_stack_top(stack)->barrier;
    }
    if (behaves((uint8_t)element, ND_HTML_CLOSES_P))
        end_behind(stack, ND_TAG_P, later(barrier, stack->last[ND_TAG_BUTTON]));
    if (behaves((uint8_t)element, ND_HTML_TABLE_PART)) {
        make_way_in_table(stack, element);
    } else if (element == ND_TAG_LI || element == ND_TAG_DD || element == ND_TAG_DT) {
        make_way_for_item(stack, element);
    } else if (kind_of(element) == ND_TAG_H1) {
        if (kind_of((nd_html_element)nd_html_stack_top(stack)->element) == ND_TAG_H1)
            pop_to(stack, stack->top - 1);
    } else if (element == ND_TAG_A && stack->last[ND_TAG_A] > barrier) {
        end_formatting(stack, stack->last[ND_TAG_A]);
    } else if (element == ND_TAG_BUTTON) {
        end_behind(stack, ND_TAG_BUTTON, barrier);
    } else if (element == ND_TAG_SELECT || element == ND_TAG_INPUT || element == ND_TAG_TEXTAREA) {
        end_behind(stack, ND_TAG_SELECT, barrier);
    }
}

/* ---- end tags */

/* Ends an element of an unknown name. */
static void end_unknown(nd_html_stack *stack, uint64_t name) {
    uint32_t at = stack->last[ND_TAG_OTHER], limit = nd_html_stack_top(stack)->special;
    for (int reach = 0; at > limit && reach < UNKNOWN_REACH; reach++, stack->work++) {
        if (stack->open[at].name == name) {
            pop_to(stack, at - 1);
            return;
        }
        at = stack->open[at].same;
    }
}

/* Ends an element of SVG or MathML, out of which no element of HTML leads. */
static bool end_foreign(nd_html_stack *stack, uint64_t name) {
    uint32_t at = stack->top;
    for (int reach = 0; stack->open[at].foreign && reach < UNKNOWN_REACH; reach++, stack->work++) {
        if (stack->open[at].name == name) {
            pop_to(stack, at - 1);
            return true;
        }
        at--;
    }
    return false;
}

void nd_html_stack_end(nd_html_stack *stack, const nd_html_token *tag) {
    const nd_html_open *top = nd_html_stack_top(stack);
    nd_html_element element = tag->element;
    uint32_t barrier = top->barrier;
    uint32_t at = stack->last[kind_of(element)];
    if (end_foreign(stack, tag->name)) return;
    if (element == ND_TAG_OTHER) {
        end_unknown(stack, tag->name);
    } else if (behaves((uint8_t)element, ND_HTML_TABLE_PART)) {
        uint32_t table = later(stack->last[ND_TAG_TABLE], stack->last[ND_TAG_TEMPLATE]);
        if (behaves((uint8_t)element, ND_HTML_BARRIER) && stack->open[at].element != element)
            return;
        /* Rows without a <tbody> are in one all the same, and cells in a row. */
        if (element == ND_TAG_TBODY && at <= table) element = ND_TAG_TR;
        if (element == ND_TAG_TR && stack->last[ND_TAG_TR] <= table) element = ND_TAG_TD;
        end_behind(stack, element, table);
    } else if (element == ND_TAG_TABLE || element == ND_TAG_TEMPLATE) {
        end_behind(stack, element, element == ND_TAG_TABLE ? stack->last[ND_TAG_TEMPLATE] : 0);
    } else if (behaves((uint8_t)element, ND_HTML_FORMATTING)) {
        if (at > barrier) end_formatting(stack, at);
    } else if (behaves((uint8_t)element, ND_HTML_SPECIAL)) {
        if (at == barrier) barrier--; /* the element is the barrier itself; or nothing is open */
        if (element == ND_TAG_P) barrier = later(barrier, stack->last[ND_TAG_BUTTON]);
        if (element == ND_TAG_LI)
            barrier = later(barrier, later(stack->last[ND_TAG_UL], stack->last[ND_TAG_OL]));
        end_behind(stack, element, barrier);
    } else {
        end_behind(stack, element, top->special);
    }
}
