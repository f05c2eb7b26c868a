#include "html/html_elements.h"

#include <string.h>

const uint16_t nd_html_behaviour[ND_TAG_COUNT] = {[ND_TAG_OTHER] = 0,
#define X(symbol, name, behaviour) [ND_TAG_##symbol] = (behaviour),
                                                  ND_HTML_ELEMENTS(X)
#undef X
};

void nd_html_names_add(nd_html_names *names, const char *name, size_t length, uint8_t value) {
    uint64_t key = nd_html_name_key(name, length);
    size_t slot = key % ND_HTML_NAME_SLOTS;
    while (names->values[slot] != 0) slot = (slot + 1) % ND_HTML_NAME_SLOTS;
    names->keys[slot] = key;
    names->values[slot] = value;
}

void nd_html_names_fill(nd_html_names *names) {
    static const char *const all[ND_TAG_COUNT] = {
#define X(symbol, name, behaviour) [ND_TAG_##symbol] = (name),
        ND_HTML_ELEMENTS(X)
#undef X
    };
    memset(names, 0, sizeof *names);
    for (size_t element = 1; element < ND_TAG_COUNT; element++)
        nd_html_names_add(names, all[element], strlen(all[element]), (uint8_t)element);
}
