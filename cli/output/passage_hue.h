/* Colours of passages and of their sources, the same wherever a number is the same. */
#ifndef CLI_PASSAGE_HUE_H
#define CLI_PASSAGE_HUE_H

#include <stddef.h>

/* The hue of a number, for CSS. More hues could not be told apart; red and green are for
 * differences. */
static inline unsigned passage_hue(size_t number) {
    static const unsigned hues[] = {50, 200, 280, 70, 225, 315, 185, 255};
    return hues[number % (sizeof hues / sizeof *hues)];
}

#endif
