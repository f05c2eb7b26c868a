/* The dictionary is the item `cjdict` of ICU's data for break iterators, opened through ICU's
 * interface for data (udata.h). It begins with eight words of 32 bits: the first is the offset of
 * the trie, and the low bits of the fifth are its kind.
 *
 * The trie has the format of UCharsTrie (ICU's header ucharstrie.h describes it), whose own reader
 * can only be called from C++. It is a sequence of nodes of 16-bit units, the root first. The first
 * unit of a node, its lead, is one of:
 *
 *   0x8000 to 0xffff  the cost of the string so far; no longer string follows
 *   0x0040 to 0x7fff  the cost of the string so far; the low 6 bits are a lead as below
 *   0x0030 to 0x003f  a sequence of 1 to 16 units, which the string must have; a node follows
 *   0x0000 to 0x002f  a branch of 2 to 48 units; 0: their number, less 1, is the next unit
 *
 * A branch of up to 5 units is a list of pairs. A pair is a unit, and the cost of the string with
 * that unit (bit 15 is set) or the distance of the node behind it. The last unit stands alone, and
 * its node follows. A longer branch is a unit, the distance of the branch of the smaller units, and
 * the branch of the others. */
#include "unicode/icu_han_trie.h"

#include "base/icu_library.h"

#include <stdbool.h>
#include <string.h>

enum { TRIE_OFFSET = 0, TRIE_KIND = 4, KIND_BITS = 7, KIND_OF_UNITS = 1 };

enum { FIRST_SEQUENCE = 0x30, FIRST_COST = 0x40, FINAL = 0x8000, LONGEST_LIST = 5 };

/* The low bits of a state: the units of a sequence that the string must still have, plus 1, so that
 * no state is 0. The others: the position of the next unit. */
enum { LEFT_BITS = 5, LEFT_MASK = (1 << LEFT_BITS) - 1 };

struct nd_han_trie {
    nd_allocator allocator;
    const nd_icu *icu;
    UDataMemory *data;
    const uint16_t *units;
};

/* ---- open and close */

/* UDataMemoryIsAcceptable: accepts a dictionary in format 1, in this machine's byte order. */
static UBool is_known(void *context, const char *type, const char *name, const UDataInfo *info) {
    (void)context, (void)type, (void)name;
    return info->isBigEndian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) &&
           memcmp(info->dataFormat, "Dict", 4) == 0 && info->formatVersion[0] == 1;
}

nd_status nd_han_trie_open(const nd_allocator *allocator, nd_han_trie **out, nd_error *error) {
    const nd_icu *icu = nd_icu_library();
    UErrorCode code = U_ZERO_ERROR;
    *out = NULL;
    if (!icu) return ND_OK;
    UDataMemory *data = icu->udata_openChoice(U_ICUDATA_ALIAS "-brkitr", "dict", "cjdict", is_known,
                                              NULL, &code);
    if (code == U_MEMORY_ALLOCATION_ERROR) return nd_fail_memory(error, 1, "ICU's dictionary");
    if (U_FAILURE(code)) return ND_OK;
    const uint32_t *header = icu->udata_getMemory(data);
    bool known = (header[TRIE_KIND] & KIND_BITS) == KIND_OF_UNITS;
    nd_han_trie *trie = known ? nd_allocate(allocator, 1, sizeof *trie) : NULL;
    if (!trie) {
        icu->udata_close(data);
        return known ? nd_fail_memory(error, sizeof *trie, "ICU's dictionary") : ND_OK;
    }
    const void *units = (const char *)header + header[TRIE_OFFSET];
    *trie = (nd_han_trie){*allocator, icu, data, units};
    *out = trie;
    return ND_OK;
}

void nd_han_trie_close(nd_han_trie *trie) {
    if (!trie) return;
    nd_allocator allocator = trie->allocator;
    trie->icu->udata_close(trie->data);
    nd_release(&allocator, trie);
}

/* ---- numbers */

/* Reads a number of one to three units, the first of which is already read. From `two` on it has a
 * second one, and if it is `three`, the most that it can be, a third one. */
static inline uint32_t read_number(const uint16_t **at, uint32_t first, uint32_t two,
                                   uint32_t three) {
    if (first < two) return first;
    uint32_t high = first - two;
    if (first == three) high = *(*at)++;
    return high << 16 | *(*at)++;
}

/* The cost in the lead of a node that goes on. */
static inline uint32_t read_inner_cost(const uint16_t **at, uint32_t lead) {
    return read_number(at, lead / FIRST_COST - 1, 0x100, 0x1fe);
}

/* The cost in a lead that is final; or the second half of a pair, without bit 15. */
static inline uint32_t read_cost(const uint16_t **at, uint32_t lead) {
    return read_number(at, lead & ~(uint32_t)FINAL, 0x4000, 0x7fff);
}

static inline uint32_t read_branch_distance(const uint16_t **at) {
    uint32_t first = *(*at)++;
    return read_number(at, first, 0xfc00, 0xffff);
}

/* ---- steps */

static const nd_trie_step no_step = {0, ND_TRIE_NO_WORD};

/* The step that ends before unit `at`, where `left` units of a sequence are left. */
static nd_trie_step end_step(const nd_han_trie *t, const uint16_t *at, uint32_t left) {
    nd_trie_step step = {(uint32_t)(at - t->units) << LEFT_BITS | (left + 1), ND_TRIE_NO_WORD};
    if (left > 0) return step;
    uint32_t lead = *at++;
    if (lead & FINAL) return (nd_trie_step){0, read_cost(&at, lead)};
    if (lead >= FIRST_COST) step.cost = read_inner_cost(&at, lead);
    return step;
}

/* Reads the lead of a node that goes on, and its cost. Returns the lead without the cost. */
static uint32_t read_lead(const uint16_t **at) {
    uint32_t lead = *(*at)++;
    if (lead >= FIRST_COST) read_inner_cost(at, lead);
    return lead % FIRST_COST;
}

/* The number of units of a branch. */
static uint32_t read_branch_count(const uint16_t **at, uint32_t lead) {
    return 1 + (lead > 0 ? lead : *(*at)++);
}

static nd_trie_step branch_step(const nd_han_trie *t, const uint16_t *at, uint32_t count,
                                uint16_t unit) {
    while (count > LONGEST_LIST) {
        bool smaller = unit < *at++;
        uint32_t distance = read_branch_distance(&at);
        at += smaller ? distance : 0;
        count = smaller ? count / 2 : count - count / 2;
    }
    for (; count > 1; count--) {
        bool equal = unit == *at++;
        uint32_t lead = *at++, number = read_cost(&at, lead);
        if (equal) return lead & FINAL ? (nd_trie_step){0, number} : end_step(t, at + number, 0);
    }
    return unit == *at ? end_step(t, at + 1, 0) : no_step;
}

uint32_t nd_han_trie_root(void) { return 1; }

nd_trie_step nd_han_trie_step(const nd_han_trie *t, uint32_t state, uint16_t unit) {
    const uint16_t *at = t->units + (state >> LEFT_BITS);
    uint32_t left = (state & LEFT_MASK) - 1;
    if (left == 0) {
        uint32_t lead = read_lead(&at);
        if (lead < FIRST_SEQUENCE) {
            uint32_t count = read_branch_count(&at, lead);
            return branch_step(t, at, count, unit);
        }
        left = lead - FIRST_SEQUENCE + 1;
    }
    return unit == *at ? end_step(t, at + 1, left - 1) : no_step;
}

/* ---- units */

static void list_branch(const uint16_t *at, uint32_t count, nd_trie_unit_fn *fn, void *context) {
    while (count > LONGEST_LIST) {
        at++;
        uint32_t distance = read_branch_distance(&at);
        list_branch(at + distance, count / 2, fn, context);
        count -= count / 2;
    }
    for (; count > 1; count--) {
        fn(context, *at++);
        uint32_t lead = *at++;
        read_cost(&at, lead);
    }
    fn(context, *at);
}

void nd_han_trie_units(const nd_han_trie *t, uint32_t state, nd_trie_unit_fn *fn, void *context) {
    const uint16_t *at = t->units + (state >> LEFT_BITS);
    uint32_t lead = (state & LEFT_MASK) == 1 ? read_lead(&at) : FIRST_SEQUENCE;
    if (lead >= FIRST_SEQUENCE) {
        fn(context, *at);
        return;
    }
    uint32_t count = read_branch_count(&at, lead);
    list_branch(at, count, fn, context);
}
