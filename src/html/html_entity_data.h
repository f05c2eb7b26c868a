/* The named character references of HTML (Living Standard, section 13.5), in the order of their
 * names' bytes. Generated: scripts/make-html-entities. */
#ifndef ND_HTML_HTML_ENTITY_DATA_H
#define ND_HTML_HTML_ENTITY_DATA_H

#include <stdint.h>

enum {
    ND_HTML_ENTITIES = 2125,
    ND_HTML_ENTITY_LONGEST = 31,   /* bytes of a name, without & and ; */
    ND_HTML_ENTITY_LEGACY = 0x8000 /* bit of name_begins: the ; may be absent */
};

/* Name i is names[begins[i] & ~LEGACY, begins[i + 1] & ~LEGACY), its UTF-8 likewise. */
extern const char nd_html_entity_names[], nd_html_entity_texts[];
extern const uint16_t nd_html_entity_name_begins[ND_HTML_ENTITIES + 1];
extern const uint16_t nd_html_entity_text_begins[ND_HTML_ENTITIES + 1];

#endif
