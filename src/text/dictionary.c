/* The prefixes of all words, in an open-addressing table. A word of n tokens has n prefixes, the
 * last of which is the word itself. The words that begin at a position of a text are found by
 * extending a prefix token by token until the table has no such prefix.
 *
 * Prefixes are compared by 64-bit hashes: among n of them, two share a hash with probability
 * n^2 / 2^65. */
#include "text/dictionary.h"

#include "base/alloc.h"
#include "base/fixed_log.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/status.h"

enum { FIRST_SLOTS = ND_LIMIT(1024, 4) };

/* The cost of a prefix that is not a word. */
#define NO_WORD UINT64_MAX

typedef struct slot {
    uint64_t prefix; /* hash; 0: free */
    uint64_t cost;   /* before nd_dictionary_finish the frequency, 0 for a prefix that is no word */
} slot;

struct nd_dictionary {
    nd_allocator allocator;
    slot *slots; /* indexed by the hash's top bits, linear probing; at most three quarters full */
    unsigned shift;
    size_t slot_count, used;
    uint64_t frequencies; /* sum over all words */
    uint64_t alone;       /* cost of a token that no word contains */
};

/* ---- the table */

static inline uint64_t extend(uint64_t prefix, uint64_t token) {
    uint64_t longer = nd_mix64(prefix * ND_HASH_POLY + token);
    return longer ? longer : 1;
}

static inline slot *find(const nd_dictionary *d, uint64_t prefix) {
    size_t at = (size_t)(prefix >> d->shift);
    while (d->slots[at].prefix != 0 && d->slots[at].prefix != prefix)
        at = (at + 1) & (d->slot_count - 1);
    return &d->slots[at];
}

static nd_status set_slots(nd_dictionary *d, size_t count, nd_error *error) {
    slot *old = d->slots;
    size_t old_count = d->slot_count;
    slot *slots = nd_allocate_zero(&d->allocator, count, sizeof *slots);
    if (!slots) return nd_fail_memory(error, count * sizeof *slots, "a dictionary");
    d->slots = slots;
    d->slot_count = count;
    d->shift = 64 - (unsigned)__builtin_ctzll(count);
    for (size_t i = 0; i < old_count; i++)
        if (old[i].prefix != 0) *find(d, old[i].prefix) = old[i];
    nd_release(&d->allocator, old);
    return ND_OK;
}

nd_status nd_dictionary_create(const nd_allocator *allocator, nd_dictionary **out,
                               nd_error *error) {
    nd_dictionary *dictionary = nd_allocate_zero(allocator, 1, sizeof *dictionary);
    if (!dictionary) return nd_fail_memory(error, sizeof *dictionary, "a dictionary");
    dictionary->allocator = *allocator;
    nd_status status = set_slots(dictionary, FIRST_SLOTS, error);
    if (status != ND_OK) {
        nd_dictionary_free(dictionary);
        return status;
    }
    *out = dictionary;
    return ND_OK;
}

nd_status nd_dictionary_add(nd_dictionary *d, const uint64_t *tokens, size_t count,
                            uint64_t frequency, nd_error *error) {
    uint64_t prefix = 0;
    for (size_t i = 0; i < count; i++) {
        if (d->used >= d->slot_count - d->slot_count / 4)
            ND_TRY(set_slots(d, 2 * d->slot_count, error));
        prefix = extend(prefix, tokens[i]);
        slot *s = find(d, prefix);
        d->used += s->prefix == 0;
        s->prefix = prefix;
    }
    find(d, prefix)->cost += frequency;
    d->frequencies += frequency;
    return ND_OK;
}

bool nd_dictionary_finish(nd_dictionary *d) {
    if (d->frequencies == 0) return false;
    uint64_t all = nd_fixed_log(d->frequencies);
    d->alone = all - nd_fixed_log(ND_DICTIONARY_LEAST_FREQUENCY);
    for (size_t i = 0; i < d->slot_count; i++) {
        uint64_t frequency = d->slots[i].cost;
        d->slots[i].cost = frequency ? all - nd_fixed_log(frequency) : NO_WORD;
    }
    return true;
}

/* ---- cutting */

void nd_dictionary_cut(const nd_dictionary *d, const uint64_t *tokens, size_t count,
                       uint64_t *costs, uint16_t *lengths) {
    costs[count] = 0;
    for (size_t i = count; i-- > 0;) {
        uint64_t least = d->alone + costs[i + 1], prefix = 0;
        lengths[i] = 0;
        for (size_t end = i; end < count; end++) {
            prefix = extend(prefix, tokens[end]);
            const slot *s = find(d, prefix);
            if (s->prefix == 0) break;
            if (s->cost == NO_WORD || s->cost + costs[end + 1] > least) continue;
            least = s->cost + costs[end + 1];
            lengths[i] = (uint16_t)(end + 1 - i);
        }
        costs[i] = least;
    }
}

uint64_t nd_dictionary_hash(const nd_dictionary *d) {
    uint64_t sum = 0;
    for (size_t i = 0; i < d->slot_count; i++)
        if (d->slots[i].prefix != 0)
            sum += nd_mix64(d->slots[i].prefix ^ nd_mix64(d->slots[i].cost));
    return sum ? sum : 1;
}

void nd_dictionary_free(nd_dictionary *dictionary) {
    if (!dictionary) return;
    nd_allocator allocator = dictionary->allocator;
    nd_release(&allocator, dictionary->slots);
    nd_release(&allocator, dictionary);
}
