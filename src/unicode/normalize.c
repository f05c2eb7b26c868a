/* NFC of a cluster in three steps: decompose, order, compose (Unicode 15, section 3.11; UAX #15).
 * During the work a character is a word with its code point in the low 24 bits and its combining
 * class in the high 8. Hangul syllables are not decomposed, because their parts would only compose
 * to the same syllable again; L V and LV T compose by arithmetic. */
#include "unicode/normalize.h"
#include "base/status.h"

#include <string.h>

#define CODE_POINT 0xffffffu
#define CLASS_SHIFT 24

/* Longest full decomposition of one code point. */
#define MAX_DECOMPOSITION 4

/* Runs of marks up to this length are sorted by insertion. */
#define SHORT_RUN 16

enum {
    L_BASE = 0x1100,
    V_BASE = 0x1161,
    T_BASE = 0x11a7,
    S_BASE = 0xac00,
    L_COUNT = 19,
    V_COUNT = 21,
    T_COUNT = 28
};

nd_status nd_fail_utf8(nd_error *error, size_t offset) {
    return nd_fail(error, ND_ERR_INPUT, "invalid UTF-8 at byte %zu", offset);
}

static uint32_t with_class(uint32_t cp) {
    unsigned entry = nd_unicode_entry(cp);
    return cp | (uint32_t)nd_unicode_record_of(entry)->ccc << CLASS_SHIFT;
}

/* Appends the full canonical decomposition. REQUIRES: room for MAX_DECOMPOSITION more. */
static void append_decomposed(nd_cluster *cluster, uint32_t cp, unsigned entry) {
    if (cp >= 0xc0 && (entry & (ND_CHAR_FORWARD | ND_CHAR_NO))) {
        unsigned low = 0, high = ND_UNICODE_DECOMPOSING_COUNT;
        while (low < high) {
            unsigned middle = (low + high) / 2;
            if (nd_unicode_decomposing[middle] < cp) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < ND_UNICODE_DECOMPOSING_COUNT && nd_unicode_decomposing[low] == cp) {
            unsigned last = nd_unicode_decomposition_starts[low + 1];
            for (unsigned i = nd_unicode_decomposition_starts[low]; i < last; i++)
                cluster->chars[cluster->count++] = with_class(nd_unicode_decompositions[i]);
            return;
        }
    }
    cluster->chars[cluster->count++] = cp | (uint32_t)nd_unicode_record_of(entry)->ccc
                                                << CLASS_SHIFT;
}

static nd_status read_decomposed(nd_cluster *cluster, const unsigned char *text, size_t length,
                                 size_t from, size_t *end, nd_error *error) {
    cluster->count = 0;
    size_t at = from;
    while (at < length) {
        uint32_t cp;
        unsigned width = nd_utf8_decode(text + at, text + length, &cp);
        if (width == 0) return nd_fail_utf8(error, at);
        unsigned entry = nd_unicode_entry(cp);
        if (at > from && !(entry & ND_CHAR_NOT_BOUNDARY)) break;
        if (!nd_reserve(&cluster->allocator, &cluster->chars, &cluster->capacity,
                        cluster->count + MAX_DECOMPOSITION))
            return nd_fail_memory(error,
                                  (cluster->count + MAX_DECOMPOSITION) * sizeof *cluster->chars,
                                  "a sequence of combining marks");
        append_decomposed(cluster, cp, entry);
        at += width;
    }
    *end = at;
    return ND_OK;
}

static void insertion_sort(uint32_t *run, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint32_t c = run[i];
        size_t at = i;
        for (; at > 0 && run[at - 1] >> CLASS_SHIFT > c >> CLASS_SHIFT; at--) run[at] = run[at - 1];
        run[at] = c;
    }
}

static void counting_sort(uint32_t *run, uint32_t *scratch, size_t count) {
    size_t starts[256] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) starts[run[i] >> CLASS_SHIFT]++;
    for (unsigned c = 0; c < 256; c++) {
        size_t here = starts[c];
        starts[c] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++) scratch[starts[run[i] >> CLASS_SHIFT]++] = run[i];
    memcpy(run, scratch, count * sizeof *run);
}

/* Canonical ordering: sorts each run of characters with a class above 0 by class, stable. */
static nd_status order_marks(nd_cluster *cluster, nd_error *error) {
    uint32_t *chars = cluster->chars;
    for (size_t i = 0; i < cluster->count;) {
        if (chars[i] >> CLASS_SHIFT == 0) {
            i++;
            continue;
        }
        size_t start = i;
        bool sorted = true;
        for (i++; i < cluster->count && chars[i] >> CLASS_SHIFT != 0; i++)
            sorted &= chars[i - 1] >> CLASS_SHIFT <= chars[i] >> CLASS_SHIFT;
        size_t count = i - start;
        if (sorted) continue;
        if (count <= SHORT_RUN) {
            insertion_sort(chars + start, count);
            continue;
        }
        if (!nd_reserve(&cluster->allocator, &cluster->scratch, &cluster->scratch_capacity, count))
            return nd_fail_memory(error, count * sizeof *chars, "ordering combining marks");
        counting_sort(chars + start, cluster->scratch, count);
    }
    return ND_OK;
}

/* The primary composite of two code points; 0: none. */
static uint32_t compose_pair(uint32_t first, uint32_t second) {
    if (second - V_BASE < V_COUNT && first - L_BASE < L_COUNT)
        return S_BASE + ((first - L_BASE) * V_COUNT + (second - V_BASE)) * T_COUNT;
    if (second - T_BASE - 1 < T_COUNT - 1) {
        uint32_t syllable = first - S_BASE;
        return syllable < L_COUNT * V_COUNT * T_COUNT && syllable % T_COUNT == 0
                   ? first + (second - T_BASE)
                   : 0;
    }
    uint32_t at = ((first * 0x10001u ^ second) * ND_UNICODE_PAIR_MULTIPLIER) >>
                  (32 - ND_UNICODE_PAIR_SLOT_BITS);
    for (unsigned number; (number = nd_unicode_pair_slots[at]) != 0;
         at = (at + 1) % (1u << ND_UNICODE_PAIR_SLOT_BITS)) {
        const nd_unicode_pair *pair = &nd_unicode_pairs[number - 1];
        if (pair->first == first && pair->second == second) return pair->composite;
    }
    return 0;
}

/* Canonical composition in place; removes the classes. A character is blocked from the last starter
 * if a character kept between them has class 0, or at least its own class. After ordering, only the
 * last character kept has to be checked. */
static void compose(nd_cluster *cluster) {
    uint32_t *chars = cluster->chars;
    size_t kept = 0, starter = SIZE_MAX;
    unsigned last_class = 0;
    for (size_t i = 0; i < cluster->count; i++) {
        uint32_t cp = chars[i] & CODE_POINT;
        unsigned class = chars[i] >> CLASS_SHIFT;
        if (starter != SIZE_MAX && (kept == starter + 1 || last_class < class)) {
            uint32_t composite = compose_pair(chars[starter], cp);
            if (composite) {
                chars[starter] = composite;
                continue;
            }
        }
        if (class == 0) starter = kept;
        last_class = class;
        chars[kept++] = cp;
    }
    cluster->count = kept;
}

nd_status nd_cluster_normalize(nd_cluster *cluster, const unsigned char *text, size_t length,
                               size_t from, size_t *end, nd_error *error) {
    ND_TRY(read_decomposed(cluster, text, length, from, end, error));
    ND_TRY(order_marks(cluster, error));
    compose(cluster);
    return ND_OK;
}

void nd_cluster_clear(nd_cluster *cluster) {
    nd_release(&cluster->allocator, cluster->chars);
    nd_release(&cluster->allocator, cluster->scratch);
    cluster->chars = cluster->scratch = NULL;
    cluster->count = cluster->capacity = cluster->scratch_capacity = 0;
}
