#include "unicode/encoding.h"

#include <string.h>

#ifdef ND_WITH_UCHARDET

#include <uchardet.h>

/* So many bytes, from the first that is not ASCII on, tell enough. */
enum { ENOUGH = 1 << 16 };

const char *nd_encoding_guess(const char *bytes, size_t length, char *label, size_t size) {
    size_t first = 0;
    while (first < length && (unsigned char)bytes[first] < 0x80) first++;
    if (first == length) return NULL;
    size_t left = length - first;
    uchardet_t detector = uchardet_new();
    if (!detector) return NULL;
    bool fed = uchardet_handle_data(detector, bytes + first, left < ENOUGH ? left : ENOUGH) == 0;
    uchardet_data_end(detector);
    const char *found = fed ? uchardet_get_charset(detector) : "";
    size_t found_length = strlen(found);
    bool known = found_length > 0 && found_length < size;
    if (known) memcpy(label, found, found_length + 1);
    uchardet_delete(detector);
    return known ? label : NULL;
}

#else

const char *nd_encoding_guess(const char *bytes, size_t length, char *label, size_t size) {
    (void)bytes;
    (void)length;
    (void)label;
    (void)size;
    return NULL;
}

#endif
