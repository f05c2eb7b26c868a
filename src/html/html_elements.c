#include "html/html_elements.h"

#include <string.h>

const uint16_t nd_html_behaviour[ND_TAG_COUNT] = {[ND_TAG_OTHER] = 0,
#define X(symbol, name, behaviour) [ND_TAG_##symbol] = (behaviour),
                                                  ND_HTML_ELEMENTS(X)
#undef X
};

void nd_html_names_fill(nd_html_names *names) {
    static const char *const all[ND_TAG_COUNT] = {
#define X(symbol, name, behaviour) [ND_TAG_##symbol] = (name),
        ND_HTML_ELEMENTS(X)
#undef X
    };
    memset(names, 0, sizeof *names);
    for (size_t element = 1; element < ND_TAG_COUNT; element++) {
        uint64_t key = nd_html_name_key(all[element], strlen(all[element]));
        size_t slot = key % ND_HTML_NAME_SLOTS;
        while (names->elements[slot] != ND_TAG_OTHER) slot = (slot + 1) % ND_HTML_NAME_SLOTS;
        names->keys[slot] = key;
        names->elements[slot] = (uint8_t)element;
    }
}
