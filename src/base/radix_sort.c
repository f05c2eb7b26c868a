#include "base/radix_sort.h"

#include <stdbool.h>
#include <string.h>

/* Fewer elements are sorted faster by insertion. */
enum { SMALL = 48 };

static void insertion_sort(uint64_t *words, size_t count, unsigned from_bit) {
    for (size_t i = 1; i < count; i++) {
        uint64_t word = words[i];
        size_t j = i;
        for (; j > 0 && (words[j - 1] >> from_bit) > (word >> from_bit); j--)
            words[j] = words[j - 1];
        words[j] = word;
    }
}

void nd_radix_sort(uint64_t *words, uint64_t *scratch, size_t count, unsigned from_bit) {
    if (count < SMALL) {
        insertion_sort(words, count, from_bit);
        return;
    }
    uint64_t all_or = 0, all_and = ~UINT64_C(0);
    for (size_t i = 0; i < count; i++) {
        all_or |= words[i];
        all_and &= words[i];
    }
    uint64_t varying = all_or ^ all_and;
    uint64_t *from = words, *to = scratch;
    for (unsigned shift = from_bit; shift < 64; shift += 8) {
        if (((varying >> shift) & 255) == 0) continue;
        size_t next[256] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++) next[(from[i] >> shift) & 255]++;
        for (unsigned d = 0; d < 256; d++) {
            size_t n = next[d];
            next[d] = sum;
            sum += n;
        }
        for (size_t i = 0; i < count; i++) to[next[(from[i] >> shift) & 255]++] = from[i];
        uint64_t *t = from;
        from = to;
        to = t;
    }
    if (from != words) memcpy(words, from, count * sizeof *words);
}

/* The word as an element of a set of numbers from 1 to 2^bits - 1. */
static inline uint64_t element_of(uint64_t word, unsigned bits) {
    uint64_t element = word & UINT64_MAX >> (64 - bits);
    return element + !element;
}

/* Sorts words that are nearly sorted, without repeats. Returns their number. */
static size_t insert_distinct(uint64_t *words, size_t count) {
    size_t kept = 0;
    uint64_t greatest = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t word = words[i];
        if (word > greatest || i == 0) {
            words[kept++] = greatest = word;
            continue;
        }
        size_t j = kept;
        while (j > 0 && words[j - 1] > word) j--;
        if (j > 0 && words[j - 1] == word) continue;
        memmove(words + j + 1, words + j, (kept - j) * sizeof *words);
        words[j] = word;
        kept++;
    }
    return kept;
}

/* Sorts by the two highest digits of `bits`. `as_set` is a constant in each inlined copy: words are
 * taken as elements. */
__attribute__((always_inline)) static inline void
sort_two_digits(uint64_t *words, uint64_t *scratch, size_t count, unsigned bits, bool as_set) {
    /* Two counters in a word, of both digits, so that the loop over them takes half the time: in
     * the low half words with the lower digit, in the high half those with the higher one. */
    enum { DIGITS = 256, SECOND = 1 << 16 };
    uint32_t next[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t digits = (as_set ? element_of(words[i], bits) : words[i]) >> (bits - 16);
        next[digits & 255]++;
        next[digits >> 8 & 255] += SECOND;
    }
    for (unsigned d = 0; d < DIGITS; d++) {
        uint32_t n = next[d];
        next[d] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t word = as_set ? element_of(words[i], bits) : words[i];
        scratch[(uint16_t)next[word >> (bits - 16) & 255]++] = word;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t *at = &next[scratch[i] >> (bits - 8) & 255];
        words[*at >> 16] = scratch[i];
        *at += SECOND;
    }
}

enum { FEW = 2048 };

void nd_radix_sort_spread(uint64_t *words, uint64_t *scratch, size_t count, unsigned bits) {
    if (count < SMALL || count > FEW) {
        nd_radix_sort(words, scratch, count, 0);
        return;
    }
    sort_two_digits(words, scratch, count, bits, false);
    insertion_sort(words, count, 0);
}

size_t nd_radix_sort_set(uint64_t *words, uint64_t *scratch, size_t count, unsigned bits) {
    if (count < SMALL || count > FEW) {
        for (size_t i = 0; i < count; i++) words[i] = element_of(words[i], bits);
        nd_radix_sort(words, scratch, count, 0);
    } else {
        sort_two_digits(words, scratch, count, bits, true);
    }
    return insert_distinct(words, count);
}

/* ---- records; `words` and `keys` are constants in each inlined copy */

__attribute__((always_inline)) static inline bool record_below(const uint64_t *a, const uint64_t *b,
                                                               unsigned keys) {
    for (unsigned w = 0; w + 1 < keys; w++)
        if (a[w] != b[w]) return a[w] < b[w];
    return a[keys - 1] < b[keys - 1];
}

__attribute__((always_inline)) static inline void copy_record(uint64_t *to, const uint64_t *from,
                                                              unsigned words) {
    for (unsigned w = 0; w < words; w++) to[w] = from[w];
}

__attribute__((always_inline)) static inline void insert_records(uint64_t *records, size_t count,
                                                                 unsigned words, unsigned keys) {
    for (size_t i = 1; i < count; i++) {
        uint64_t record[3];
        uint64_t *at = records + i * words;
        if (!record_below(at, at - words, keys)) continue;
        copy_record(record, at, words);
        for (; at > records && record_below(record, at - words, keys); at -= words)
            copy_record(at, at - words, words);
        copy_record(at, record, words);
    }
}

/* Sorts by one digit of the key word `key`. False: that digit is the same in all records, and
 * nothing was moved. */
__attribute__((always_inline)) static inline bool sort_digit(const uint64_t *from, uint64_t *to,
                                                             size_t count, unsigned words,
                                                             unsigned key, unsigned shift) {
    size_t next[256] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) next[from[i * words + key] >> shift & 255]++;
    if (next[from[key] >> shift & 255] == count) return false;
    for (unsigned d = 0; d < 256; d++) {
        size_t n = next[d];
        next[d] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        copy_record(to + next[from[i * words + key] >> shift & 255]++ * words, from + i * words,
                    words);
    return true;
}

/* Sorts into the scratch in one pass. The digit is made of the highest bits in which first words
 * differ, so many that each of its values has about one record. False: a value has too many
 * records, and nothing was moved. */
__attribute__((always_inline)) static inline bool
sort_spread(uint64_t *records, uint64_t *scratch, size_t count, unsigned words, unsigned keys) {
    enum { MOST_BITS = ND_RADIX_SPREAD_BITS, MOST_EQUAL = 24 };
    uint32_t *next = (uint32_t *)(scratch + count * words);
    uint64_t varying = 0;
    for (size_t i = 1; i < count; i++) varying |= records[i * words] ^ records[0];
    if (varying == 0 || count >> (MOST_BITS + 3)) return false;
    unsigned bits = 63 - (unsigned)__builtin_clzll(count),
             top = 64 - (unsigned)__builtin_clzll(varying);
    bits = bits > MOST_BITS ? MOST_BITS : bits > top ? top : bits;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    unsigned shift = top - bits;
    memset(next, 0, sizeof *next << bits);
    for (size_t i = 0; i < count; i++) next[records[i * words] >> shift & mask]++;
    uint32_t sum = 0, most = 0;
    for (size_t d = 0; d <= mask; d++) {
        uint32_t n = next[d];
        most = n > most ? n : most;
        next[d] = sum;
        sum += n;
    }
    if (most > MOST_EQUAL) return false;
    for (size_t i = 0; i < count; i++)
        copy_record(scratch + next[records[i * words] >> shift & mask]++ * words,
                    records + i * words, words);
    insert_records(scratch, count, words, keys);
    return true;
}

__attribute__((always_inline)) static inline uint64_t *
sort_records(uint64_t *records, uint64_t *scratch, size_t count, unsigned words, unsigned keys) {
    if (count < SMALL) {
        insert_records(records, count, words, keys);
        return records;
    }
    if (sort_spread(records, scratch, count, words, keys)) return scratch;
    uint64_t *from = records, *to = scratch;
    for (unsigned key = keys; key-- > 0;) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
            if (!sort_digit(from, to, count, words, key, shift)) continue;
            uint64_t *t = from;
            from = to;
            to = t;
        }
    }
    return from;
}

uint64_t *nd_radix_sort_records_somewhere(uint64_t *records, uint64_t *scratch, size_t count,
                                          unsigned words, unsigned keys) {
    if (words == 1) return sort_records(records, scratch, count, 1, 1);
    if (words == 2 && keys == 1) return sort_records(records, scratch, count, 2, 1);
    if (words == 2) return sort_records(records, scratch, count, 2, 2);
    if (keys == 1) return sort_records(records, scratch, count, 3, 1);
    if (keys == 2) return sort_records(records, scratch, count, 3, 2);
    return sort_records(records, scratch, count, 3, 3);
}

void nd_radix_sort_records(uint64_t *records, uint64_t *scratch, size_t count, unsigned words,
                           unsigned keys) {
    const uint64_t *sorted = nd_radix_sort_records_somewhere(records, scratch, count, words, keys);
    if (sorted != records) memcpy(records, sorted, count * words * sizeof *records);
}

void nd_radix_sort_indices(uint32_t *order, uint32_t *scratch, size_t count, const uint64_t *keys) {
    uint32_t *from = order, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t next[256] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++) next[(keys[from[i]] >> shift) & 255]++;
        bool constant = false;
        for (unsigned d = 0; d < 256; d++) {
            size_t n = next[d];
            constant = constant || n == count;
            next[d] = sum;
            sum += n;
        }
        if (constant) continue;
        for (size_t i = 0; i < count; i++) to[next[(keys[from[i]] >> shift) & 255]++] = from[i];
        uint32_t *t = from;
        from = to;
        to = t;
    }
    if (from != order) memcpy(order, from, count * sizeof *order);
}
