#include "html/html_outline.h"

void nd_html_outline_begin(nd_html_outline *outline) {
    outline->node_count = outline->line_count = 0;
    outline->full = !nd_reserve(&outline->allocator, &outline->nodes, &outline->node_capacity, 64);
    if (!outline->full) outline->nodes[outline->node_count++] = (nd_html_node){.parent = 0};
}

void nd_html_outline_clear(nd_html_outline *outline) {
    nd_release(&outline->allocator, outline->nodes);
    nd_release(&outline->allocator, outline->lines);
}

void nd_html_outline_open(nd_html_outline *outline, const nd_html_token *tag, nd_html_open *self) {
    unsigned cues = nd_html_cues_of(&outline->words, tag);
    if (outline->full || (cues == 0 && !(nd_html_behaviour[tag->element] & ND_HTML_BLOCK))) return;
    if (!nd_reserve(&outline->allocator, &outline->nodes, &outline->node_capacity,
                    outline->node_count + 1)) {
        outline->full = true;
        return;
    }
    cues |= outline->nodes[self->node].cues;
    outline->nodes[outline->node_count] = (nd_html_node){.parent = self->node, .cues = cues};
    self->node = (uint32_t)outline->node_count++;
}

void nd_html_outline_add(nd_html_outline *outline, const nd_html_written *written, uint32_t node) {
    if (outline->full) return;
    if (written->begins_line) {
        if (!nd_reserve(&outline->allocator, &outline->lines, &outline->line_capacity,
                        outline->line_count + 1)) {
            outline->full = true;
            return;
        }
        unsigned cues = outline->nodes[node].cues | written->cues;
        outline->lines[outline->line_count++] = (nd_html_line){
            .begin = written->begin, .cues = cues, .node = node};
    }
    nd_html_line *line = &outline->lines[outline->line_count - 1];
    line->end = written->end;
    if (written->is_link) line->linked += written->end - written->begin;
}
