/* The script of most letters of a text, by a sample of its bytes. */
#ifndef ND_UNICODE_DOMINANT_SCRIPT_H
#define ND_UNICODE_DOMINANT_SCRIPT_H

#include <stddef.h>

typedef enum nd_script {
    ND_SCRIPT_NONE, /* the sample has no letters */
    ND_SCRIPT_OTHER,
    ND_SCRIPT_LATIN,
    ND_SCRIPT_GREEK,
    ND_SCRIPT_CYRILLIC,
    ND_SCRIPT_ARMENIAN,
    ND_SCRIPT_HEBREW,
    ND_SCRIPT_ARABIC,
    ND_SCRIPT_DEVANAGARI,
    ND_SCRIPT_BENGALI,
    ND_SCRIPT_GURMUKHI,
    ND_SCRIPT_GUJARATI,
    ND_SCRIPT_ORIYA,
    ND_SCRIPT_TAMIL,
    ND_SCRIPT_TELUGU,
    ND_SCRIPT_KANNADA,
    ND_SCRIPT_MALAYALAM,
    ND_SCRIPT_SINHALA,
    ND_SCRIPT_THAI,
    ND_SCRIPT_LAO,
    ND_SCRIPT_TIBETAN,
    ND_SCRIPT_MYANMAR,
    ND_SCRIPT_GEORGIAN,
    ND_SCRIPT_HANGUL,
    ND_SCRIPT_ETHIOPIC,
    ND_SCRIPT_KHMER,
    ND_SCRIPT_KANA, /* Hiragana and Katakana */
    ND_SCRIPT_HAN,
    ND_SCRIPTS
} nd_script;

/* Reads four pieces of 32 bytes over the text, which is UTF-8, or all of a shorter one. Of equally
 * frequent scripts it is the first of the list. */
nd_script nd_dominant_script(const char *text, size_t length);

/* "Latin"; of ND_SCRIPT_NONE "none". Static. */
const char *nd_script_name(nd_script script);

#endif
