/* What dedup would do with a pair of texts, and why. */
#ifndef CLI_PAIR_VERDICT_H
#define CLI_PAIR_VERDICT_H

#include "output/pair.h"

enum { VERDICT_SIZE = 1100 };

/* The probability that dedup compares the pair: by bands exactly, by anchors at least. */
double pair_found(const pair *p);
/* Whether dedup would remove one of them, if it finds the pair. */
bool pair_is_duplicate(const pair *p);
/* One line, without its newline: "duplicates: ...", "not duplicates: ...". */
void pair_verdict(const pair *p, char text[static VERDICT_SIZE]);

#endif
