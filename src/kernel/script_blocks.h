/* The characters of a block of 64 bytes, for the words kernels of instruction sets with vectors.
 * The file of an instruction set includes this once, after it has defined:
 *
 *   typedef ... bytes64;           64 bytes in registers
 *   typedef ... same_bytes;        a register of equal bytes
 *   static inline same_bytes same_bytes_of(unsigned c);
 *   static inline bytes64 load64(const unsigned char *p);
 *   static inline void store64(unsigned char *p, bytes64 x);
 *   static inline void fold64(unsigned char *p, bytes64 x, bytes64 before, bytes64 last);
 *       Stores the bytes of x from 0x80 on, each combined by exclusive or with its byte of `last`
 *       and with the byte behind that one in `before`. Leaves the bytes of p[] for the others.
 *   static inline uint64_t within64(bytes64 x, same_bytes first, same_bytes last);
 *       The mask of the bytes from `first` to `last`.
 *   static inline uint64_t bit64(bytes64 x, int k);
 *       The mask of the bytes with bit k.
 *   static inline bytes64 look_up64(bytes64 x, uint64_t at, const uint8_t *table, bytes64 others);
 *       At the positions `at` table[the low six bits of a byte of x], elsewhere the bytes of
 *       `others`.
 *   enum { FEW_CHARACTERS = ... };
 *       At most so many characters are looked up one by one, without their pages.
 *
 * The pages of a block (script_pages.h) are looked up one by one, each for all its characters at
 * once. Text of one script has two to five in a block, mostly those of the block before, which are
 * tried first. */
#ifndef ND_KERNEL_SCRIPT_BLOCKS_H
#define ND_KERNEL_SCRIPT_BLOCKS_H

#include "kernel/kernel_common.h"

static inline uint64_t from64(bytes64 x, unsigned first) {
    return within64(x, same_bytes_of(first), same_bytes_of(0xff));
}

static inline nd_script_leads find_leads(const unsigned char *p) {
    bytes64 x = load64(p);
    uint64_t other = bit64(x, 7), from_c0 = other & bit64(x, 6), from_e0 = from_c0 & bit64(x, 5),
             from_f0 = from_e0 & bit64(x, 4);
    return (nd_script_leads){.two = from_c0 & ~from_e0,
                             .three = from_e0 & ~from_f0,
                             .four = from_f0,
                             .continuation = other & ~from_c0};
}

/* A page of the blocks before, with its ranges in registers' form. */
typedef struct recent_page {
    same_bytes lead_first, lead_last, second_first, second_last;
    const nd_script_page *page;
} recent_page;

typedef struct nd_recent_pages {
    recent_page pages[6];
    unsigned count, next; /* next: the oldest, which the next page replaces */
} nd_recent_pages;

static inline void forget_pages(nd_recent_pages *recent) { recent->count = recent->next = 0; }

static inline const recent_page *remember_page(nd_recent_pages *recent,
                                               const nd_script_page *page) {
    const unsigned most = sizeof recent->pages / sizeof *recent->pages;
    recent_page *new = &recent->pages[recent->next];
    *new = (recent_page){.lead_first = same_bytes_of(page->lead_first),
                         .lead_last = same_bytes_of(page->lead_last),
                         .second_first = same_bytes_of(page->second_first),
                         .second_last = same_bytes_of(page->second_last),
                         .page = page};
    recent->next = (recent->next + 1) % most;
    if (recent->count < most) recent->count++;
    return new;
}

/* The leading bytes of the characters whose tables are those of a page. */
static inline uint64_t leads_of_page(bytes64 x, const recent_page *r) {
    const nd_script_page *page = r->page;
    uint64_t leads = within64(x, r->lead_first, r->lead_last);
    if (page->length == 2) return leads;
    if (page->lead_first != page->lead_last) {
        const same_bytes least = same_bytes_of(0x80), most = same_bytes_of(0xbf);
        uint64_t others = within64(x, r->lead_first, r->lead_first) &
                          ~(within64(x, r->second_first, most) >> 1);
        if (page->second_last < 0xbf)
            others |= within64(x, r->lead_last, r->lead_last) &
                      ~(within64(x, least, r->second_last) >> 1);
        return leads & ~others;
    }
    uint64_t second = within64(x, r->second_first, r->second_last);
    if (page->length == 3) return leads & second >> 1;
    const same_bytes emoji = same_bytes_of(0x9f);
    return leads & within64(x, emoji, emoji) >> 1 & second >> 2;
}

/* What is known of the characters of a block, at the positions of their last bytes. `low` and
 * `high`: bits of the classes that are not in `classes`. */
typedef struct page_look_ups {
    bytes64 classes, fold_before, fold_last;
    uint64_t low, high;
} page_look_ups;

static inline void look_up_page(bytes64 x, uint64_t leads, const nd_script_page *page,
                                page_look_ups *found) {
    uint64_t last = leads << (page->length - 1);
    if (page->only_class) {
        unsigned class = page->only_class - 1u;
        found->low |= last & (0 - (uint64_t)(class & 1));
        found->high |= last & (0 - (uint64_t)(class >> 1));
        return;
    }
    const uint8_t *folds = nd_script_folds + 128 * page->folds;
    found->classes = look_up64(x, last, nd_script_classes + 64 * page->classes, found->classes);
    if (page->folds == 0) return;
    found->fold_before = look_up64(x, last, folds, found->fold_before);
    found->fold_last = look_up64(x, last, folds + 64, found->fold_last);
}

/* Whether the last characters of a block are looked up one by one: a few behind characters that
 * need no tables. These are Han or Hangul, and what is left is mostly punctuation, each character
 * of another page. */
static inline bool are_few(uint64_t leads, const page_look_ups *found) {
    return leads == 0 ||
           ((found->low | found->high) != 0 && __builtin_popcountll(leads) <= FEW_CHARACTERS);
}

static inline nd_script_classes64 classify_script(const unsigned char *p, nd_script_leads leads,
                                                  nd_recent_pages *recent, unsigned char *lower,
                                                  unsigned char *classes) {
    const bytes64 x = load64(p), none = {0};
    page_look_ups found = {none, none, none, 0, 0};
    uint64_t rest = leads.two | leads.three | leads.four;
    for (unsigned i = 0; i < recent->count && !are_few(rest, &found); i++) {
        uint64_t same = leads_of_page(x, &recent->pages[i]) & rest;
        look_up_page(x, same, recent->pages[i].page, &found);
        rest &= ~same;
    }
    while (!are_few(rest, &found)) {
        unsigned at = (unsigned)__builtin_ctzll(rest);
        const nd_script_page *page = nd_script_page_of(p + at);
        uint64_t same = (leads_of_page(x, remember_page(recent, page)) & rest) | (rest & -rest);
        look_up_page(x, same, page, &found);
        rest &= ~same;
    }
    fold64(lower, x, found.fold_before, found.fold_last);
    store64(classes, found.classes);
    nd_script_classes64 all = {.low = found.low | bit64(found.classes, 0),
                               .high = found.high | bit64(found.classes, 1),
                               .after = bit64(found.classes, 4)};
    for (; rest; rest &= rest - 1)
        nd_look_up_character(p, (unsigned)__builtin_ctzll(rest), lower, classes, &all);
    return all;
}

static inline nd_stop_classes64 stop_classes(const unsigned char *classes) {
    bytes64 all = load64(classes);
    return (nd_stop_classes64){.forward = bit64(all, 3), .refused = from64(all, ND_WORDS_REFUSED)};
}

#endif
