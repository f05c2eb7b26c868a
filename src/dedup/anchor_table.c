#include "dedup/anchor_table.h"

void nd_anchor_table_free(nd_anchor_table *t) {
    nd_release(&t->allocator, t->entries);
    nd_release(&t->allocator, t->begins);
    nd_release(&t->allocator, t->filter);
    nd_release(&t->allocator, t->needed);
    nd_release(&t->allocator, t->commons);
    nd_release(&t->allocator, t->common_begins);
    nd_release(&t->allocator, t->patterns);
    nd_release(&t->allocator, t->members);
    nd_release(&t->allocator, t->led);
    nd_release(&t->allocator, t->led_begins);
}
