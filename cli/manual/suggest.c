/* The distance of two words is their edit distance; a swap of neighbours is one edit (Damerau 1964,
 * the "optimal string alignment" form). It is computed with three rows of the usual table. Up to a
 * third of the typed letters may be wrong, but not all of them, so that a short word suggests
 * nothing far-fetched. A word that begins with the typed one is also near. */
#include "manual/suggest.h"

#include <string.h>

enum { LONGEST = 31 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] = least(before[j - 1] + (a[i - 1] != b[j - 1]),
                           least(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void suggestion_offer(suggestion *best, const char *word) {
    size_t length = strlen(word);
    if (best->length == 0 || best->length > LONGEST || length > LONGEST) return;
    size_t distance = edit_distance(best->typed, best->length, word, length);
    if (best->length >= 3 && strncmp(best->typed, word, best->length) == 0) distance = 1;
    if (distance > (best->length + 2) / 3 ||
        distance >= (length > best->length ? length : best->length))
        return;
    if (!best->word || distance < best->distance) {
        best->word = word;
        best->distance = distance;
    }
}
